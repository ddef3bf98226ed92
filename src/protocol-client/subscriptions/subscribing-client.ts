import { create, type Message } from '@bufbuild/protobuf';
import type { Clock } from '../../contract/clock.js';
import * as QotSub from '../../contract/generated/Qot_Sub_pb.js';
import { parseSymbol } from '../../contract/markets.js';
import type { Operation } from '../../contract/operation.js';
import { quote } from '../../contract/operations/index.js';
import type { CallContext, QuoteStream, ResponseMessage, SubscriptionQuotas } from '../../gateway/index.js';
import type { Upstream } from '../connection/upstream.js';
import { RateLimitedClient } from '../requests/rate-limited-client.js';
import type { Deadline } from '../requests/request.js';
import type { Outcome, SendContext } from '../requests/sender.js';
import { LiveReader } from './live-reader.js';
import { liveReadOf } from './live-reads.js';
import type { QuotaUnitName } from './quota-unit.js';
import { SubscriptionReconciler } from './reconciler.js';
import { SubscriptionRequests } from './subscription-requests.js';

/** How long a subscription may take: nobody says by when it is wanted. */
const SUBSCRIBE_MS_MAX = 15_000;

/**
 * An upstream daemon with all of its house rules kept: those of its requests, and those of its subscriptions. Live data are
 * subscribed to before they are read, and given back later.
 */
export class SubscribingClient {
  readonly #requests: RateLimitedClient;
  readonly #ledger: SubscriptionReconciler;

  constructor(
    upstream: Upstream,
    private readonly clock: Clock,
  ) {
    this.#requests = new RateLimitedClient(upstream, {
      clock,
      pacing: 'at once',
      readOtherwise: (asked, c2s, patience) => {
        const live = liveReadOf(asked.protoId);
        return live === undefined ? undefined : demand.read(live, asked, c2s, patience);
      },
    });
    const { sender, lists } = this.#requests;
    this.#ledger = new SubscriptionReconciler(new SubscriptionRequests(sender, clock), clock);
    const demand = new LiveReader(this.#ledger, sender, lists, clock);
  }

  /** For what the daemon asks on its own behalf, in its turn. */
  get own(): Upstream {
    return this.#requests.own;
  }

  /** `Backend.call`: one operation; what is known for the day is answered at once. */
  call(operation: Operation, request: Message, context: CallContext): ResponseMessage | Promise<ResponseMessage> {
    return this.#requests.call(operation, request, context);
  }

  /** A request in bytes, of an id that nobody declared, and the bytes of its answer: paced, and otherwise passed on. */
  callBytes(protoId: number, body: Uint8Array, departing: SendContext): Promise<Uint8Array> {
    return this.#requests.callBytes(protoId, body, departing);
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
      if (refused !== undefined) return this.#requests.sender.settle(refused, { ...patience, priority: 'read' });
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
    // A list with a symbol that does not exist is refused as a whole.
    const { retType } = await this.#requests.own.request(quote.getStaticInfo, staticInfoRequest(streams), patience);
    if (retType !== 0) return [];
    const { units, release } = this.#ledger.read(streams);
    try {
      const outcomes = await Promise.all(units.map((unit) => this.#ledger.ensure([unit], patience)));
      return streams.filter((_, index) => isUnserved(outcomes[index]));
    } finally {
      release();
    }
  }

  /** `Backend.unsubscribe`: nobody holds these any more. The upstream is told when it takes it, not within the first minute. */
  unsubscribe(streams: readonly QuoteStream[]): void {
    this.#ledger.letGo(streams);
  }

  /** The streams that callers hold of a symbol and type: whom a push is for. Of K-lines, those of its adjustment. */
  streamsOf(name: QuotaUnitName): Iterable<QuoteStream> {
    return this.#ledger.streamsOf(name);
  }

  /** Subscribes again to what the upstream has forgotten, by its own account: the callers' streams among it. */
  verify(patience: Deadline): Promise<readonly QuoteStream[]> {
    return this.#ledger.verify(patience);
  }

  /** Subscribes and registers again to callers' streams that the upstream says it delivers, and does not. */
  resubscribe(streams: readonly QuoteStream[]): Promise<void> {
    return this.#ledger.resubscribe(streams);
  }

  /** The upstream's subscription quotas now; undefined where it does not say. */
  quota(): Promise<SubscriptionQuotas | undefined> {
    return this.#ledger.figures();
  }

  /** The same by what is known already, for gauges. */
  lastQuota(): SubscriptionQuotas | undefined {
    return this.#ledger.lastFigures();
  }

  /** Whether the upstream is another gateway: it keeps the rules of what is behind it by itself, and has no frequency limits. */
  recognise(isGateway: boolean): void {
    this.#requests.sender.pace(isGateway ? 'when refused' : 'at once');
  }

  /** An order or a fill was pushed: reads of accounts that are under way may not have it. */
  tradeChanged(): void {
    this.#requests.tradeChanged();
  }

  /**
   * The connection was lost, or the upstream forgot all of it: nothing is subscribed to, and streams are held again by who calls
   * {@link subscribe}. `another`: it may be another upstream, of which nothing is known. Call it before anything is asked of the
   * new connection.
   */
  reset(another: boolean): void {
    this.#requests.reset(another);
    this.#ledger.reset();
  }

  /** Whoever waits for a turn is told that there will be none. */
  stop(): void {
    this.#requests.stop();
    this.#ledger.stop();
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
