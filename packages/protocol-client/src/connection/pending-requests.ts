import type { Clock } from '@svc-gateway/contract/clock';
import { type BackendFailure, BackendTimeout } from '@svc-gateway/gateway/backend-failures';

/** A request that waits for its answer. */
export interface Waiting {
  readonly protoId: number;
  /** Milliseconds of `Clock.monotonic`. */
  readonly deadline: number;
  readonly resolve: (body: Uint8Array) => void;
  readonly reject: (failure: Error) => void;
}

/** Interval of the look at deadlines: the gateway answers its callers in time, and this tidies up behind it. */
const SWEEP_MS = 100;

/** Pending requests of one connection by serial number, with one timer for all of them. */
export class Pending {
  readonly #clock: Clock;
  readonly #max: number;
  readonly #waiting = new Map<number, Waiting>();
  #cancelSweep: (() => void) | undefined;

  constructor(clock: Clock, max: number) {
    this.#clock = clock;
    this.#max = max;
  }

  get size(): number {
    return this.#waiting.size;
  }

  get full(): boolean {
    return this.#waiting.size >= this.#max;
  }

  has(serial: number): boolean {
    return this.#waiting.has(serial);
  }

  add(serial: number, waiting: Waiting): void {
    this.#waiting.set(serial, waiting);
    this.#cancelSweep ??= this.#scheduleSweep();
  }

  /** Removes the request that an answer is for; undefined if it is no longer awaited. */
  take(protoId: number, serial: number): Waiting | undefined {
    const waiting = this.#waiting.get(serial);
    if (waiting === undefined || waiting.protoId !== protoId) return undefined;
    this.#waiting.delete(serial);
    return waiting;
  }

  /** Drops a request that nobody awaits. */
  drop(serial: number): void {
    this.#waiting.delete(serial);
  }

  /** Rejects every request. */
  fail(failure: () => BackendFailure): void {
    this.#cancelSweep?.();
    this.#cancelSweep = undefined;
    const all = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of all) reject(failure());
  }

  #scheduleSweep(): () => void {
    return this.#clock.after(SWEEP_MS, () => {
      const now = this.#clock.monotonic();
      for (const [serial, { deadline, reject, protoId }] of this.#waiting) {
        if (now < deadline) continue;
        this.#waiting.delete(serial);
        reject(new BackendTimeout(`the server did not answer protocol id ${protoId} in time`));
      }
      this.#cancelSweep = this.#waiting.size === 0 ? undefined : this.#scheduleSweep();
    });
  }
}
