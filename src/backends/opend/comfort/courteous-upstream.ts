import { create, type Message, toBinary } from '@bufbuild/protobuf';
import type { Clock } from '../../../contract/clock.js';
import * as QotSub from '../../../contract/generated/Qot_Sub_pb.js';
import { ModifyOrderOp } from '../../../contract/generated/Trd_Common_pb.js';
import { parseSymbol } from '../../../contract/markets.js';
import type { Operation } from '../../../contract/operation.js';
import { quote } from '../../../contract/operations/index.js';
import {
  BackendRefused,
  type CallContext,
  type QuoteStream,
  type ResponseMessage,
  type SubscriptionQuotas,
} from '../../../gateway/index.js';
import type { Upstream } from '../../framed/index.js';
import { DayCache, keyOf } from './day-cache.js';
import { DemandReads } from './demand.js';
import { SubscriptionLedger } from './ledger.js';
import { ListReader } from './list-reader.js';
import { listReadOf } from './list-reads.js';
import { liveReadOf } from './live-reads.js';
import { fieldsOf, type Patience, type Priority } from './requests.js';
import { type Outcome, Sender } from './sender.js';
import { SharedReads } from './shared-reads.js';
import { SubscriptionRequests } from './subscription-requests.js';
import type { UnitName } from './unit.js';

/** Modify, and so cancel, an order. */
const MODIFY_ORDER = 2205;
/** Ids of trading, whose reads are of accounts. */
const TRADE_FIRST = 2_000;
const TRADE_LAST = 2_999;
/** How long a subscription may take: nobody says by when it is wanted. */
const SUBSCRIBE_MS_MAX = 15_000;

/**
 * An upstream with its house rules kept, for callers who know none of them: nothing is asked too often, nothing twice, no list
 * is too long, live data are subscribed to first and given back later, and what it refuses is said in the gateway's terms.
 */
export class CourteousUpstream {
  readonly #sender: Sender;
  readonly #shared: SharedReads;
  readonly #cache: DayCache;
  readonly #lists: ListReader;
  readonly #ledger: SubscriptionLedger;
  readonly #demand: DemandReads;
  /** Rises with each change of an account: a read of accounts that was under way before says nothing of what came after. */
  #tradeChanges = 0;

  constructor(
    upstream: Upstream,
    private readonly clock: Clock,
  ) {
    this.#sender = new Sender(upstream, clock);
    this.#shared = new SharedReads(clock);
    this.#cache = new DayCache(clock);
    this.#lists = new ListReader(this.#sender, clock, this.#cache);
    this.#ledger = new SubscriptionLedger(new SubscriptionRequests(this.#sender, clock), clock);
    this.#demand = new DemandReads(this.#ledger, this.#sender, this.#lists, clock);
  }

  /** `Backend.call`: one operation; what is known for the day is answered at once. */
  call(operation: Operation, request: Message, context: CallContext): ResponseMessage | Promise<ResponseMessage> {
    if (operation.effect !== 'read') return this.#write(operation, request, context);
    const daily = this.#cache.holds(operation, request) && listReadOf(operation.protoId, request) === undefined;
    const key = this.#keyOf(operation, request);
    if (!daily) return this.#read(operation, request, context, key);
    const known = this.#cache.get(key);
    if (known !== undefined) return known as ResponseMessage;
    return this.#read(operation, request, context, key).then((response) => {
      if (response.retType === 0) this.#cache.set(key, response, bytesOf(operation, response));
      return response;
    });
  }

  /** A request in bytes, of an id that nobody declared, and the bytes of its answer: paced, and otherwise passed on. */
  callBytes(protoId: number, body: Uint8Array, patience: Patience): Promise<Uint8Array> {
    return this.#sender.sendBytes(protoId, body, patience);
  }

  /**
   * `Backend.subscribe`: starts streams, or rejects with `BackendRefused`. A refusal in the upstream's own words is a `Response`
   * with `retType` other than 0, and then none of them is held.
   */
  async subscribe(streams: readonly QuoteStream[]): Promise<ResponseMessage> {
    const { units, added } = this.#ledger.hold(streams);
    const patience = { deadline: this.clock.monotonic() + SUBSCRIBE_MS_MAX, signal: new AbortController().signal };
    let held = false;
    try {
      const refused = await this.#ledger.ensure(units, patience);
      held = refused === undefined;
      if (refused !== undefined) return this.#sender.settle(refused, { ...patience, priority: 'read' });
      return create(QotSub.ResponseSchema, { retType: 0, s2c: create(QotSub.S2CSchema) });
    } finally {
      if (!held) this.#ledger.letGo(added);
    }
  }

  /**
   * `Backend.unserved`: which of these streams cannot be had, each by itself, though their symbol exists. Those that can be had are
   * subscribed to as if they were read.
   */
  async unserved(streams: readonly QuoteStream[]): Promise<readonly QuoteStream[]> {
    const patience = { deadline: this.clock.monotonic() + SUBSCRIBE_MS_MAX, signal: new AbortController().signal };
    const { units, release } = this.#ledger.read(streams);
    try {
      const outcomes = await Promise.all(units.map((unit) => this.#ledger.ensure([unit], patience)));
      const refused = streams.filter((_, index) => isUnserved(outcomes[index]));
      if (refused.length === 0) return [];
      const c2s = staticInfoRequest(refused);
      const { retType } = await this.#ask(quote.getStaticInfo, c2s, patience);
      // A list with a symbol that does not exist is refused as a whole.
      return retType === 0 ? refused : [];
    } finally {
      release();
    }
  }

  /** `Backend.unsubscribe`: nobody holds these any more. The upstream is told when it takes it, not within the first minute. */
  unsubscribe(streams: readonly QuoteStream[]): void {
    this.#ledger.letGo(streams);
  }

  /** The streams that callers hold of a symbol and type: whom a push is for. Of K-lines, those of its adjustment. */
  streamsOf(name: UnitName): Iterable<QuoteStream> {
    return this.#ledger.streamsOf(name);
  }

  /** Subscribes again to what the upstream has forgotten, by its own account: the callers' streams among it. */
  verify(patience: Patience): Promise<readonly QuoteStream[]> {
    return this.#ledger.verify(patience);
  }

  /** The upstream's subscription quotas now; undefined where it does not say. */
  quota(): Promise<SubscriptionQuotas | undefined> {
    return this.#ledger.figures();
  }

  /** The same by what is known already, for gauges. */
  lastQuota(): SubscriptionQuotas | undefined {
    return this.#ledger.lastFigures();
  }

  /** An order or a fill was pushed: reads of accounts that are under way may not have it. */
  tradeChanged(): void {
    this.#tradeChanges += 1;
  }

  /**
   * The connection was lost, or the upstream forgot all of it: nothing is subscribed to, and streams are held again by who calls
   * {@link subscribe}. `another`: it may be another upstream, of which nothing is known. Call it before anything is asked of the
   * new connection.
   */
  reset(another: boolean): void {
    this.#sender.reset();
    this.#ledger.reset();
    this.#tradeChanges += 1;
    if (another) this.#cache.clear();
  }

  /** Whoever waits for a turn is told that there will be none. */
  stop(): void {
    this.#sender.stop();
    this.#ledger.stop();
  }

  /** A message without a field that it must have cannot be sent to anybody. */
  #keyOf(operation: Operation, request: Message): string {
    try {
      return keyOf(operation, request);
    } catch (thrown) {
      throw new BackendRefused('backend.invalid', `${operation.name}: ${thrown instanceof Error ? thrown.message : thrown}`);
    }
  }

  async #write(operation: Operation, request: Message, { deadline, signal }: CallContext): Promise<ResponseMessage> {
    this.#tradeChanges += 1;
    try {
      return await this.#sender.send(operation, request, { deadline, signal, priority: priorityOf(operation, request) });
    } finally {
      this.#tradeChanges += 1;
    }
  }

  #read(operation: Operation, request: Message, context: CallContext, key: string): Promise<ResponseMessage> {
    const { protoId } = operation;
    const isTrade = protoId !== null && protoId >= TRADE_FIRST && protoId <= TRADE_LAST;
    const sharedKey = isTrade ? `${this.#tradeChanges} ${key}` : key;
    return this.#shared.join(sharedKey, context, (patience) => this.#ask(operation, request, patience));
  }

  async #ask(operation: Operation, request: Message, patience: Patience): Promise<ResponseMessage> {
    const live = liveReadOf(operation.protoId);
    if (live !== undefined) return this.#demand.read(live, operation, request, patience);
    const list = listReadOf(operation.protoId, request);
    const sending = { ...patience, priority: 'read' as const };
    if (list === undefined) return this.#sender.send(operation, request, sending);
    return this.#sender.settle(await this.#lists.read(list, operation, request, patience), sending);
  }
}

/** The upstream has refused it for no reason that holds for others too. */
function isUnserved(outcome: Outcome | undefined): boolean {
  return outcome !== undefined && outcome.refused === undefined;
}

function staticInfoRequest(streams: readonly QuoteStream[]): Message {
  const symbols = [...new Set(streams.map(({ symbol }) => symbol))];
  const securityList = symbols
    .map((symbol) => parseSymbol(symbol))
    .flatMap((parsed) => (parsed === undefined ? [] : [{ market: parsed.market.number, code: parsed.code }]));
  return create(quote.getStaticInfo.messages.C2SSchema, { securityList });
}

function priorityOf({ protoId }: Operation, request: Message): Priority {
  const cancels = protoId === MODIFY_ORDER && fieldsOf(request).modifyOrderOp === ModifyOrderOp.ModifyOrderOp_Cancel;
  return cancels ? 'cancel' : 'order';
}

function bytesOf({ messages }: Operation, response: ResponseMessage): number {
  return toBinary(messages.ResponseSchema, response).length;
}
