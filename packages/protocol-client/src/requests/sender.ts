import type { Message } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import { RetType } from '@svc-gateway/contract/generated/Common_pb';
import {
  answered,
  BackendRefused,
  BackendTimeout,
  BackendUnsent,
  type CallContext,
  LateRejection,
  type ResponseMessage,
} from '@svc-gateway/gateway';
import { FREQUENCY_WINDOW_MS } from '@svc-gateway/wire';
import type { ProtocolOperation, Upstream } from '../connection/upstream.js';
import { WRITE_MS_MAX } from '../trading/orders.js';
import { CircuitBreaker } from './circuit-breaker.js';
import type { Deadline } from './deadline.js';
import type { Turn } from './rate-budget.js';
import type { RateLimiter, RateLimitStart } from './rate-limiter.js';
import { ReadSlots } from './read-slots.js';
import { type RefusalKind, readRefusal, tooOften, translate, withReason } from './refusals.js';
import { type Priority, scopeOf } from './request.js';

/** Reads under way: enough to keep a server busy over any distance, and few enough that orders pass them soon. */
const READS_UNDER_WAY_MAX = 64;
const READS_WAITING_MAX = 4_000;
/** Most tries of a request that the server calls too frequent: it says that nothing was done, of an order too. */
const TRIES_MAX = 5;
/** Silence that counts as a timeout of the server; a caller in a hurry proves nothing. */
const SILENCE_MS = 10_000;

/** A caller's deadline, and whether the request may still leave. */
export type SendContext = Deadline & Pick<CallContext, 'lateRejection'>;

/** A request and its waiting caller. */
export interface SendOptions extends SendContext {
  readonly priority: Priority;
}

/** Outcome of a request: an answer, which may be a refusal in unknown words, or a refusal with a known meaning. */
export type Outcome =
  | { readonly response: ResponseMessage; readonly refused?: undefined }
  | { readonly response: ResponseMessage; readonly refused: RefusalKind };

/** Sends requests one by one, each in its turn, and translates refusals into the gateway's terms. */
export class Sender {
  readonly #breaker: CircuitBreaker;
  readonly #reads = new ReadSlots(READS_UNDER_WAY_MAX, READS_WAITING_MAX);
  /** Refusals of protocol ids that the server of this connection does not know; it is not asked again. */
  readonly #unknown = new Map<number, Outcome>();

  constructor(
    private readonly upstream: Upstream,
    private readonly clock: Clock,
    private readonly pacing: RateLimiter,
  ) {
    this.#breaker = new CircuitBreaker(clock);
  }

  /** Resolves to the server's answer; a refusal with a known meaning is thrown. */
  async send(asked: ProtocolOperation, c2s: Message, sending: SendOptions): Promise<ResponseMessage> {
    return this.settle(await this.ask(asked, c2s, sending), sending);
  }

  /** Answer to the caller; a refusal with a known meaning is thrown. */
  settle({ response, refused }: Outcome, { priority }: SendOptions): ResponseMessage {
    if (refused === undefined) return response;
    throw translate(refused, response.retMsg, priority !== 'read');
  }

  /**
   * As {@link send}, and leaves refusals to whoever can do something about them. What is asked too often takes another turn; one
   * that cannot be had, or does not get away, ends in the refusal that there was: the request did leave, and came to nothing.
   */
  async ask(asked: ProtocolOperation, c2s: Message, sending: SendOptions, turn?: Turn): Promise<Outcome> {
    const unknown = this.#unknown.get(asked.protoId ?? 0);
    if (unknown !== undefined) {
      turn?.unused();
      return unknown;
    }
    let taken = turn;
    let refusedBefore: BackendRefused | undefined;
    for (let tries = 1; ; tries += 1) {
      const response = await this.#once(asked, c2s, sending, taken).catch((thrown: unknown) => {
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
      const seconds = this.pacing.overrun({ asked, c2s }, refusal.calls, tries);
      refusedBefore = tooOften(asked.name, seconds, response.retMsg);
      if (tries >= TRIES_MAX) throw refusedBefore;
    }
  }

  /** The same in bytes, of an id that nobody declared; the answer is passed on as it is. */
  async sendBytes(protoId: number, body: Uint8Array, { deadline, signal, lateRejection }: SendContext): Promise<Uint8Array> {
    const asked = { name: `protocol id ${protoId}`, protoId };
    const turn = await this.pacing.take({ asked, c2s: undefined }, 'read', { deadline, signal });
    try {
      const bytes = await this.upstream.requestBytes(protoId, body, { deadline, signal, lateRejection });
      turn.done();
      return bytes;
    } catch (thrown) {
      end(turn, thrown);
      throw thrown;
    }
  }

  /** Takes a turn in advance, for a batch that gathers requests until it has one. */
  turn(asked: ProtocolOperation, c2s: Message, sending: SendOptions): Promise<Turn> {
    return this.pacing.take({ asked, c2s }, sending.priority, sending);
  }

  /** The share of a request's budget that is left, 0 to 1. */
  slack(asked: ProtocolOperation, c2s: Message): number {
    const budget = this.pacing.budgetOf({ asked, c2s });
    return budget === undefined || budget === 'too many' ? 1 : budget.free / budget.calls;
  }

  /** How far apart requests of this budget are on average when it is used up, ms. */
  averageMs(asked: ProtocolOperation, c2s: Message): number {
    const budget = this.pacing.budgetOf({ asked, c2s });
    return budget === undefined || budget === 'too many' ? 0 : Math.ceil(FREQUENCY_WINDOW_MS / budget.calls);
  }

  /** Takes up whether the server has the published limits, or only those by which it refuses. */
  pace(start: RateLimitStart): void {
    this.pacing.begin(start);
  }

  /** Another connection: what failed on the old one may work. Turns that were had still count. */
  reset(): void {
    this.#breaker.reset();
    this.#unknown.clear();
  }

  /** Refuses all requests that wait for a turn. */
  stop(): void {
    this.pacing.stop(new BackendUnsent('the daemon stops'));
  }

  async #once(asked: ProtocolOperation, c2s: Message, sending: SendOptions, taken: Turn | undefined): Promise<ResponseMessage> {
    const isRead = sending.priority === 'read';
    const scope = isRead ? scopeOf(c2s) : '';
    const broken = isRead ? this.#breaker.refuse(asked, scope) : undefined;
    if (broken !== undefined) {
      taken?.unused();
      throw broken;
    }
    let heard: 'answered' | 'timed out' | 'gone' = 'gone';
    try {
      const turn = taken ?? (await this.pacing.take({ asked, c2s }, sending.priority, sending));
      const left = this.clock.monotonic();
      try {
        const response = await (isRead ? this.#read(asked, c2s, sending) : this.#write(asked, c2s, sending));
        turn.done();
        heard = saysTimeout(response) ? 'timed out' : 'answered';
        return response;
      } catch (thrown) {
        end(turn, thrown);
        if (thrown instanceof BackendTimeout && this.clock.monotonic() - left >= SILENCE_MS) heard = 'timed out';
        throw thrown;
      }
    } finally {
      if (isRead) this.#breaker.heard(asked, scope, heard);
    }
  }

  async #read(asked: ProtocolOperation, c2s: Message, { deadline, signal, answerMs }: SendOptions): Promise<ResponseMessage> {
    await this.#reads.enter(signal);
    const answerBy = answerMs === undefined ? deadline : Math.min(deadline, this.clock.monotonic() + answerMs);
    try {
      return await this.upstream.request(asked, c2s, { deadline: answerBy, signal, priority: 'read' });
    } finally {
      this.#reads.leave();
    }
  }

  /** A write has no signal, nor its caller's deadline: once it has left, its outcome counts. */
  #write(asked: ProtocolOperation, c2s: Message, { lateRejection }: SendOptions): Promise<ResponseMessage> {
    return this.upstream.request(asked, c2s, { deadline: this.clock.monotonic() + WRITE_MS_MAX, priority: 'order', lateRejection });
  }
}

/** Ends the turn of a request that got no answer. */
function end(turn: Turn, thrown: unknown): void {
  if (thrown instanceof BackendUnsent) turn.unused();
  else turn.done();
}

/** True if a request without an answer was never sent. Refusals are thrown by our own limits; the server's are answers. */
function hasNotLeft(thrown: unknown): boolean {
  return (thrown instanceof BackendUnsent && !(thrown instanceof LateRejection)) || thrown instanceof BackendRefused;
}

function saysTimeout(response: ResponseMessage): boolean {
  const { retType } = response;
  return retType === RetType.RetType_TimeOut || (retType !== RetType.RetType_Succeed && readRefusal(response)?.kind === 'timeout');
}
