import { type Message, toBinary } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import { ModifyOrderOp } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { BackendRefused, type CallContext, type ResponseMessage } from '@svc-gateway/gateway';
import type { ProtocolOperation, RequestOptions, Upstream } from '../connection/upstream.js';
import { DayCache, keyOf } from './answer-caches.js';
import type { Deadline } from './deadline.js';
import { ListReader } from './list-reader.js';
import { listReadOf } from './list-reads.js';
import { RateLimiter, type RateLimitStart } from './rate-limiter.js';
import { fieldsOf, type Priority } from './request.js';
import { type SendContext, Sender } from './sender.js';
import { SharedReads } from './shared-work.js';

export interface RateLimitedClientOptions {
  readonly clock: Clock;
  /** When the published frequency limits are kept. */
  readonly limits: RateLimitStart;
  /** Answers reads in another way; undefined for all others. */
  readonly readOtherwise?: (asked: ProtocolOperation, c2s: Message, deadline: Deadline) => Promise<ResponseMessage> | undefined;
}

/** Modify, and so cancel, an order. */
const MODIFY_ORDER = 2205;
/** Ids of trading, whose reads are of accounts. */
const TRADE_FIRST = 2_000;
const TRADE_LAST = 2_999;

/**
 * Requests to a server within its published rules, for callers who know none of them: nothing is asked too often, nothing twice at the
 * same time or within the day for which it holds, no list is too long, orders go ahead of reads, and refusals are translated into the
 * gateway's terms.
 */
export class RateLimitedClient {
  readonly sender: Sender;
  readonly lists: ListReader;
  /** Rate-limited requests of the daemon itself, which are never cancelled. */
  readonly own: Upstream;
  readonly #options: RateLimitedClientOptions;
  readonly #shared: SharedReads<ResponseMessage>;
  readonly #cache: DayCache;
  /** Number of changes to accounts: reads that began before a change are not shared after it. */
  #tradeChanges = 0;

  constructor(upstream: Upstream, options: RateLimitedClientOptions) {
    const { clock, limits } = options;
    this.#options = options;
    this.sender = new Sender(upstream, clock, new RateLimiter(clock, limits));
    this.#shared = new SharedReads(clock);
    this.#cache = new DayCache(clock);
    this.lists = new ListReader(this.sender, clock, this.#cache);
    this.own = {
      request: async (asked, c2s, { deadline, lateRejection }: RequestOptions) =>
        this.call({ effect: 'read', ...asked } as Operation, c2s, {
          requestId: 'own',
          deadline,
          signal: new AbortController().signal,
          lateRejection,
        }),
      requestBytes: (protoId, body, { deadline }) => this.callBytes(protoId, body, { deadline, signal: new AbortController().signal }),
    };
  }

  /** `Backend.call`: one operation; what is known for the day is answered at once. */
  call(operation: Operation, request: Message, context: CallContext): ResponseMessage | Promise<ResponseMessage> {
    if (operation.effect !== 'read') return this.#write(operation, request, context);
    const daily = this.#cache.holds(operation, request) && listReadOf(operation.protoId, request) === undefined;
    const key = keyOfRequest(operation, request);
    if (!daily) return this.#read(operation, request, context, key);
    const known = this.#cache.get(key);
    if (known !== undefined) return known as ResponseMessage;
    return this.#read(operation, request, context, key).then((response) => {
      if (response.retType === 0) this.#cache.set(key, response, toBinary(operation.messages.ResponseSchema, response).length);
      return response;
    });
  }

  /** A request in bytes, of an id that nobody declared, and the bytes of its answer: paced, and otherwise passed on. */
  callBytes(protoId: number, body: Uint8Array, departing: SendContext): Promise<Uint8Array> {
    return this.sender.sendBytes(protoId, body, departing);
  }

  /** An order or a fill was pushed: reads of accounts that are under way may not have it. */
  tradeChanged(): void {
    this.#tradeChanges += 1;
  }

  /**
   * Another connection. `another`: it may be to another server or user, of whom nothing is known. Call it before anything is asked
   * of the new connection.
   */
  reset(another: boolean): void {
    this.sender.reset();
    this.#tradeChanges += 1;
    if (another) this.#cache.clear();
  }

  /** Refuses all requests that wait for a turn. */
  stop(): void {
    this.sender.stop();
  }

  async #write(operation: Operation, request: Message, { deadline, signal, lateRejection, owner }: CallContext): Promise<ResponseMessage> {
    this.#tradeChanges += 1;
    try {
      return await this.sender.send(operation, request, {
        deadline,
        signal,
        lateRejection,
        owner,
        priority: priorityOf(operation, request),
      });
    } finally {
      this.#tradeChanges += 1;
    }
  }

  #read(operation: Operation, request: Message, context: CallContext, key: string): Promise<ResponseMessage> {
    const { protoId } = operation;
    const isTrade = protoId !== null && protoId >= TRADE_FIRST && protoId <= TRADE_LAST;
    const { answerMs } = context;
    // Fresh lists have a share per caller, so that one caller does not delay others.
    const owner = fieldsOf(request).refreshCache === true ? context.owner : undefined;
    // A read that is given up sooner is shared with none that waits for longer.
    const sharedKey = `${owner ?? ''} ${answerMs ?? ''} ${isTrade ? this.#tradeChanges : ''} ${key}`;
    return this.#shared.join(sharedKey, context, (deadline) => this.#ask(operation, request, { ...deadline, answerMs, owner }));
  }

  async #ask(operation: Operation, request: Message, deadline: Deadline): Promise<ResponseMessage> {
    const otherwise = this.#options.readOtherwise?.(operation, request, deadline);
    if (otherwise !== undefined) return otherwise;
    const list = listReadOf(operation.protoId, request);
    const sending = { ...deadline, priority: 'read' as const };
    if (list === undefined) return this.sender.send(operation, request, sending);
    return this.sender.settle(await this.lists.read(list, operation, request, deadline), sending);
  }
}

/** A message without a field that it must have cannot be sent to anybody. */
function keyOfRequest(operation: Operation, request: Message): string {
  try {
    return keyOf(operation, request);
  } catch (thrown) {
    throw new BackendRefused('backend.invalid', `${operation.name}: ${thrown instanceof Error ? thrown.message : thrown}`);
  }
}

function priorityOf({ protoId }: Operation, request: Message): Priority {
  const cancels = protoId === MODIFY_ORDER && fieldsOf(request).modifyOrderOp === ModifyOrderOp.ModifyOrderOp_Cancel;
  return cancels ? 'cancel' : 'order';
}
