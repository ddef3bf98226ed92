import type { Message } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import { ModifyOrderOp } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { BackendRefused, BackendUnsent, type ResponseMessage } from '@svc-gateway/gateway';
import { sizeOf } from '../connection/bodies.js';
import type { Priority, ProtocolOperation, RequestOptions, Upstream } from '../connection/upstream.js';
import { DayCache, keyOf } from './answer-caches.js';
import { ListReader } from './list-reader.js';
import { listReadOf } from './list-reads.js';
import { RateLimiter, type RateLimitStart } from './rate-limiter.js';
import { type Outcome, settle } from './refusals.js';
import { fieldsOf } from './request.js';
import { Sender } from './sender.js';
import { SharedReads } from './shared-work.js';

export interface RateLimitedClientOptions {
  readonly clock: Clock;
  /** When the published frequency limits are kept. */
  readonly limits: RateLimitStart;
  /** Answers reads in another way; undefined for all others. */
  readonly readOtherwise?: (asked: ProtocolOperation, c2s: Message, options: RequestOptions) => Promise<ResponseMessage> | undefined;
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
export class RateLimitedClient implements Upstream {
  readonly sender: Sender;
  readonly #options: RateLimitedClientOptions;
  readonly #lists: ListReader;
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
    this.#lists = new ListReader(this.sender, clock, this.#cache);
  }

  /** One operation; what is known for the day is answered at once. */
  call(asked: ProtocolOperation, c2s: Message, options: RequestOptions): ResponseMessage | Promise<ResponseMessage> {
    if ((asked.effect ?? 'read') !== 'read') return this.#write(asked, c2s, options);
    const daily = this.#cache.holds(asked, c2s) && listReadOf(asked.protoId, c2s) === undefined;
    const key = keyOfRequest(asked, c2s);
    if (!daily) return this.#read(asked, c2s, options, key);
    const known = this.#cache.get(key);
    if (known !== undefined) return known as ResponseMessage;
    return this.#read(asked, c2s, options, key).then((response) => {
      if (response.retType === 0) this.#cache.set(key, response, sizeOf(asked.messages, response));
      return response;
    });
  }

  async request(asked: ProtocolOperation, c2s: Message, options: RequestOptions): Promise<ResponseMessage> {
    return this.call(asked, c2s, options);
  }

  requestBytes(protoId: number, body: Uint8Array, options: RequestOptions): Promise<Uint8Array> {
    return this.sender.sendBytes(protoId, body, options);
  }

  /** The outcome of a read of one list, or of anything else. */
  ask(asked: ProtocolOperation, c2s: Message, options: RequestOptions): Promise<Outcome> {
    const list = listReadOf(asked.protoId, c2s);
    return list === undefined ? this.sender.ask(asked, c2s, options) : this.#lists.read(list, asked, c2s, options);
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
    this.sender.limiter.stop(new BackendUnsent('the daemon stops'));
  }

  async #write(asked: ProtocolOperation, c2s: Message, options: RequestOptions): Promise<ResponseMessage> {
    this.#tradeChanges += 1;
    try {
      return settle(await this.sender.ask(asked, c2s, { ...options, priority: priorityOf(asked, c2s) }), true);
    } finally {
      this.#tradeChanges += 1;
    }
  }

  #read(asked: ProtocolOperation, c2s: Message, options: RequestOptions, key: string): Promise<ResponseMessage> {
    const { protoId } = asked;
    const isTrade = protoId !== null && protoId >= TRADE_FIRST && protoId <= TRADE_LAST;
    const { answerMs } = options;
    // Fresh lists have a share per caller, so that one caller does not delay others.
    const owner = fieldsOf(c2s).refreshCache === true ? options.owner : undefined;
    // A read that is given up sooner is shared with none that waits for longer.
    const sharedKey = `${owner ?? ''} ${answerMs ?? ''} ${isTrade ? this.#tradeChanges : ''} ${key}`;
    return this.#shared.join(sharedKey, options, async (deadline) => {
      const shared = { ...deadline, answerMs, owner };
      return this.#options.readOtherwise?.(asked, c2s, shared) ?? settle(await this.ask(asked, c2s, shared));
    });
  }
}

/** A message without a field that it must have cannot be sent to anybody. */
function keyOfRequest(asked: ProtocolOperation, c2s: Message): string {
  try {
    return keyOf(asked, c2s);
  } catch (thrown) {
    throw new BackendRefused('backend.invalid', `${asked.name}: ${thrown instanceof Error ? thrown.message : thrown}`);
  }
}

function priorityOf({ protoId }: ProtocolOperation, c2s: Message): Priority {
  const cancels = protoId === MODIFY_ORDER && fieldsOf(c2s).modifyOrderOp === ModifyOrderOp.ModifyOrderOp_Cancel;
  return cancels ? 'cancel' : 'order';
}
