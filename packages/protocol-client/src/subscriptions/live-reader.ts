import { create, type Message } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import { BackendRefused, type ResponseMessage } from '@svc-gateway/gateway';
import type { ProtocolOperation, RequestOptions, Upstream } from '../connection/upstream.js';
import { ANSWER_MS_MIN, type Deadline, pause } from '../requests/deadline.js';
import { askedOf, listReadOf } from '../requests/list-reads.js';
import { RateLimitedClient } from '../requests/rate-limited-client.js';
import type { RateLimitStart } from '../requests/rate-limiter.js';
import { settle } from '../requests/refusals.js';
import { itemCount, liveUnitsOf } from './live-reads.js';
import type { QuotaUnit, QuotaUnitName } from './quota-unit.js';
import { quotesOf, snapshotRequest, snapshots } from './quote-from-snapshot.js';
import { SubscriptionReconciler, type SubscriptionRules } from './reconciler.js';
import { SubscriptionRequests } from './subscription-requests.js';

/** Qot_GetBasicQot. */
const QUOTES = 3004;
/** After a subscription the first data come within this; until then the upstream answers, and has nothing to say. */
const FIRST_DATA_MS = 3_000;
const LOOK_AGAIN_MS = 200;

/** Rules of a server for requests and subscriptions. */
export interface ServerRules extends SubscriptionRules {
  /** When the published frequency limits are kept. */
  readonly limits: RateLimitStart;
}

/** Server of unknown rules, such as one that is logged in to: limits are kept once it refuses by them, and units end at once. */
export const unknownRules: ServerRules = { limits: 'when refused', quota: false, minAgeMs: 0, keptMs: 0 };
/** Server with the published rules. It refuses to end a subscription within its first minute; two clocks may differ. */
export const publishedRules: ServerRules = { limits: 'at once', quota: true, minAgeMs: 60_500, keptMs: 300_000 };

/** Rate-limited requests to a server, and subscriptions made by them. Where it has a quota, live data are subscribed to before reads. */
export function limitedClient(
  upstream: Upstream,
  clock: Clock,
  rules: ServerRules,
): { readonly requests: RateLimitedClient; readonly subscriptions: SubscriptionReconciler } {
  const requests = new RateLimitedClient(upstream, {
    clock,
    limits: rules.limits,
    readOtherwise: (asked, c2s, options) => {
      const units = rules.quota ? liveUnitsOf(asked.protoId, c2s) : undefined;
      return units === undefined ? undefined : reader.read(units, asked, c2s, options);
    },
  });
  const subscriptions = new SubscriptionReconciler(new SubscriptionRequests(requests.sender, clock), clock, rules);
  const reader = new LiveReader(subscriptions, requests, clock);
  return { requests, subscriptions };
}

/** Reads live data, which the upstream answers only from what is subscribed to: subscribes first, and gives back later. */
class LiveReader {
  constructor(
    private readonly subscriptions: SubscriptionReconciler,
    private readonly requests: RateLimitedClient,
    private readonly clock: Clock,
  ) {}

  /** Answers the read; quotes without room for a subscription come from snapshots. */
  async read(names: readonly QuotaUnitName[], asked: ProtocolOperation, c2s: Message, options: RequestOptions): Promise<ResponseMessage> {
    try {
      return await this.#readSubscribed(names, asked, c2s, options);
    } catch (thrown) {
      const full = thrown instanceof BackendRefused && thrown.code === 'backend.quota';
      if (!full || asked.protoId !== QUOTES) throw thrown;
      return quotesOf(settle(await this.requests.ask(snapshots, snapshotRequest(c2s), options)));
    }
  }

  async #readSubscribed(
    names: readonly QuotaUnitName[],
    asked: ProtocolOperation,
    c2s: Message,
    options: RequestOptions,
  ): Promise<ResponseMessage> {
    const { units, release } = this.subscriptions.read(names);
    try {
      let forgotten = false;
      // Data that a snapshot has are not worth waiting for.
      const waitsForRoom = !units.every(({ isSpare }) => isSpare);
      for (;;) {
        const refused = await this.subscriptions.ensure(units, options, waitsForRoom);
        if (refused !== undefined) {
          // A refused subscription refuses the read, in the same words.
          const { retType, retMsg, errCode } = settle(refused);
          return create(asked.messages.ResponseSchema, { retType, retMsg, errCode } as Record<string, unknown>) as ResponseMessage;
        }
        const outcome = await this.requests.ask(asked, c2s, options);
        if (outcome.refused === 'not_subscribed' && !forgotten && units.length > 0) {
          forgotten = true;
          this.subscriptions.forget(units);
          continue;
        }
        const response = settle(outcome);
        if (response.retType !== 0 || !this.#mayFollow(asked, c2s, response, units, options)) return response;
        await pause(this.clock, LOOK_AGAIN_MS, options);
      }
    } finally {
      release();
    }
  }

  /** Whether the answer lacks data that may come yet, since their subscription is new. */
  #mayFollow(
    asked: ProtocolOperation,
    c2s: Message,
    response: ResponseMessage,
    units: readonly QuotaUnit[],
    { deadline }: Deadline,
  ): boolean {
    const list = listReadOf(asked.protoId, c2s);
    const expected = list === undefined ? 1 : askedOf(list, c2s).length;
    if (itemCount(asked.protoId, response) >= expected) {
      for (const unit of units) unit.warm = true;
      return false;
    }
    const now = this.clock.monotonic();
    if (now + LOOK_AGAIN_MS + ANSWER_MS_MIN > deadline) return false;
    return units.some(({ warm, since }) => !warm && now - since < FIRST_DATA_MS);
  }
}
