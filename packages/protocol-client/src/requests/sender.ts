import type { Message } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import { RetType } from '@svc-gateway/contract/generated/Common_pb';
import { answered, BackendRefused, BackendTimeout, BackendUnsent, LateRejection, type ResponseMessage } from '@svc-gateway/gateway';
import type { ProtocolOperation, RequestOptions, Upstream } from '../connection/upstream.js';
import { WRITE_MS_MAX } from '../trading/orders.js';
import { CircuitBreaker } from './circuit-breaker.js';
import type { Turn } from './rate-budget.js';
import type { RateLimiter } from './rate-limiter.js';
import { type Outcome, readRefusal, tooOften, withReason } from './refusals.js';
import { scopeOf } from './request.js';

/** Most tries of a request that the server calls too frequent: it says that nothing was done, of an order too. */
const TRIES_MAX = 5;
/** Silence that counts as a timeout of the server; a caller in a hurry proves nothing. */
const SILENCE_MS = 10_000;

/** Sends requests one by one, each in its turn, and tells what their refusals mean. */
export class Sender {
  readonly #breaker: CircuitBreaker;
  /** Refusals of protocol ids that the server of this connection does not know; it is not asked again. */
  readonly #unknown = new Map<number, Outcome>();

  constructor(
    private readonly upstream: Upstream,
    private readonly clock: Clock,
    readonly limiter: RateLimiter,
  ) {
    this.#breaker = new CircuitBreaker(clock);
  }

  /**
   * Asks, and leaves refusals to whoever can do something about them. What is asked too often takes another turn; one
   * that cannot be had, or does not get away, ends in the refusal that there was: the request did leave, and came to nothing.
   * @param turn taken in advance.
   */
  async ask(asked: ProtocolOperation, c2s: Message, options: RequestOptions, turn?: Turn): Promise<Outcome> {
    const unknown = this.#unknown.get(asked.protoId ?? 0);
    if (unknown !== undefined) {
      turn?.unused();
      return unknown;
    }
    let taken = turn;
    let refusedBefore: BackendRefused | undefined;
    for (let tries = 1; ; tries += 1) {
      const response = await this.#once(asked, c2s, options, taken).catch((thrown: unknown) => {
        throw refusedBefore !== undefined && hasNotLeft(thrown) ? refusedBefore : thrown;
      });
      taken = undefined;
      if (answered(response).retType === RetType.RetType_Succeed) return { response };
      const refusal = readRefusal(response);
      if (refusal === undefined) return { response: withReason(response) };
      if (refusal.kind !== 'frequency') {
        const outcome = { response, refused: refusal.kind };
        if (refusal.kind === 'unknown_protocol' && asked.protoId !== null) this.#unknown.set(asked.protoId, outcome);
        return outcome;
      }
      const seconds = this.limiter.overrun({ asked, c2s }, refusal.calls, tries);
      refusedBefore = tooOften(asked.name, seconds, response.retMsg);
      if (tries >= TRIES_MAX) throw refusedBefore;
    }
  }

  /** A request in bytes, of an id that nobody declared; it may be an order. The answer is passed on as it is. */
  async sendBytes(protoId: number, body: Uint8Array, options: RequestOptions): Promise<Uint8Array> {
    const asked = { name: `protocol id ${protoId}`, protoId };
    const turn = await this.limiter.take({ asked, c2s: undefined }, { ...options, priority: 'order' });
    return ending(turn, this.upstream.requestBytes(protoId, body, options));
  }

  /** Another connection: what failed on the old one may work. Turns that were had still count. */
  reset(): void {
    this.#breaker.reset();
    this.#unknown.clear();
  }

  async #once(asked: ProtocolOperation, c2s: Message, options: RequestOptions, taken: Turn | undefined): Promise<ResponseMessage> {
    const { priority = 'read', deadline, signal, answerMs = Number.POSITIVE_INFINITY, lateRejection } = options;
    const isRead = priority === 'read';
    const scope = isRead ? scopeOf(c2s) : '';
    const broken = isRead ? this.#breaker.refuse(asked, scope) : undefined;
    if (broken !== undefined) {
      taken?.unused();
      throw broken;
    }
    let heard: 'answered' | 'timed out' | 'gone' = 'gone';
    let left: number | undefined;
    try {
      const turn = taken ?? (await this.limiter.take({ asked, c2s }, options));
      left = this.clock.monotonic();
      // A write has no signal, nor its caller's deadline: once it has left, its outcome counts.
      const until = isRead ? { deadline: Math.min(deadline, left + answerMs), signal } : { deadline: left + WRITE_MS_MAX, lateRejection };
      const response = await ending(turn, this.upstream.request(asked, c2s, { priority, ...until }));
      heard = saysTimeout(response) ? 'timed out' : 'answered';
      return response;
    } catch (thrown) {
      if (thrown instanceof BackendTimeout && left !== undefined && this.clock.monotonic() - left >= SILENCE_MS) heard = 'timed out';
      throw thrown;
    } finally {
      if (isRead) this.#breaker.heard(asked, scope, heard);
    }
  }
}

/** Ends the turn of a request with its answer. */
async function ending<T>(turn: Turn, answer: Promise<T>): Promise<T> {
  try {
    const response = await answer;
    turn.done();
    return response;
  } catch (thrown) {
    if (thrown instanceof BackendUnsent) turn.unused();
    else turn.done();
    throw thrown;
  }
}

/** True if a request without an answer was never sent. Refusals are thrown by our own limits; the server's are answers. */
function hasNotLeft(thrown: unknown): boolean {
  return (thrown instanceof BackendUnsent && !(thrown instanceof LateRejection)) || thrown instanceof BackendRefused;
}

function saysTimeout(response: ResponseMessage): boolean {
  const { retType } = response;
  return retType === RetType.RetType_TimeOut || (retType !== RetType.RetType_Succeed && readRefusal(response)?.kind === 'timeout');
}
