import type { Clock } from '@svc-gateway/contract/clock';
import { BackendRefused } from '@svc-gateway/gateway';
import type { ProtocolOperation } from '../connection/upstream.js';
import { secondsUntil } from './deadline.js';

/** Consecutive timeouts that open the circuit of an operation. */
const TIMEOUTS_MAX = 3;
const PAUSE_MS_MIN = 5_000;
const PAUSE_MS_MAX = 60_000;

interface Circuit {
  timeouts: number;
  pauseMs: number;
  /** Time before which no request is sent. */
  until: number;
  /** One trial request is in flight after the pause. */
  trying: boolean;
}

/**
 * Some upstreams time out on one operation for hours, for one market or account, since their own server never answers it: each caller
 * would wait in vain. After some timeouts in a row it is refused at once; one request after each pause tries whether it is back. For
 * reads alone: an order is always tried.
 */
export class CircuitBreaker {
  /** By protocol id and scope. */
  readonly #circuits = new Map<string, Circuit>();

  constructor(private readonly clock: Clock) {}

  /** Reason why a request is not sent now, if so. Whoever gets `undefined` says by {@link heard} how it went. */
  refuse({ protoId, name }: ProtocolOperation, scope: string): BackendRefused | undefined {
    const circuit = this.#circuits.get(`${protoId} ${scope}`);
    if (circuit === undefined || circuit.timeouts < TIMEOUTS_MAX) return undefined;
    const now = this.clock.monotonic();
    if (now >= circuit.until && !circuit.trying) {
      circuit.trying = true;
      return undefined;
    }
    const seconds = secondsUntil(Math.max(circuit.until, now), now);
    const message = `${name}: the server has not answered ${circuit.timeouts} requests in a row; the next try is in ${seconds} s`;
    return new BackendRefused('backend.unavailable', message, seconds);
  }

  /** Takes up the outcome of a request that was let through: any answer closes the circuit. `gone`: nobody waited for it. */
  heard({ protoId }: ProtocolOperation, scope: string, outcome: 'answered' | 'timed out' | 'gone'): void {
    const key = `${protoId} ${scope}`;
    if (outcome === 'answered') {
      this.#circuits.delete(key);
      return;
    }
    const circuit = this.#circuits.get(key) ?? { timeouts: 0, pauseMs: PAUSE_MS_MIN, until: 0, trying: false };
    circuit.trying = false;
    if (outcome === 'gone') return;
    this.#circuits.set(key, circuit);
    circuit.timeouts += 1;
    if (circuit.timeouts < TIMEOUTS_MAX) return;
    circuit.until = this.clock.monotonic() + circuit.pauseMs;
    circuit.pauseMs = Math.min(2 * circuit.pauseMs, PAUSE_MS_MAX);
  }

  /** Closes every circuit for a new connection. */
  reset(): void {
    this.#circuits.clear();
  }
}
