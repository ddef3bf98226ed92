import { create, type Message } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import { BackendRefused, type ResponseMessage } from '@svc-gateway/gateway';
import type { ProtocolOperation, Upstream } from '../connection/upstream.js';
import { ANSWER_MS_MIN, type Deadline, pause } from '../requests/deadline.js';
import type { ListReader } from '../requests/list-reader.js';
import { askedOf, listReadOf } from '../requests/list-reads.js';
import { RateLimitedClient } from '../requests/rate-limited-client.js';
import type { RateLimitStart } from '../requests/rate-limiter.js';
import type { Outcome, Sender } from '../requests/sender.js';
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
    readOtherwise: (asked, c2s, deadline) => {
      const units = rules.quota ? liveUnitsOf(asked.protoId, c2s) : undefined;
      return units === undefined ? undefined : reader.read(units, asked, c2s, deadline);
    },
  });
  const { sender, lists } = requests;
  const subscriptions = new SubscriptionReconciler(new SubscriptionRequests(sender, clock), clock, rules);
  const reader = new LiveReader(subscriptions, sender, lists, clock);
  return { requests, subscriptions };
}

/** Reads live data, which the upstream answers only from what is subscribed to: subscribes first, and gives back later. */
class LiveReader {
  constructor(
    private readonly subscriptions: SubscriptionReconciler,
    private readonly sender: Sender,
    private readonly lists: ListReader,
    private readonly clock: Clock,
  ) {}

  /** Answers the read; quotes without room for a subscription come from snapshots. */
  async read(names: readonly QuotaUnitName[], asked: ProtocolOperation, c2s: Message, deadline: Deadline): Promise<ResponseMessage> {
    try {
      return await this.#readSubscribed(names, asked, c2s, deadline);
    } catch (thrown) {
      const full = thrown instanceof BackendRefused && thrown.code === 'backend.quota';
      if (!full || asked.protoId !== QUOTES) throw thrown;
      return quotesOf(await this.#readSnapshots(snapshotRequest(c2s), deadline));
    }
  }

  async #readSnapshots(c2s: Message, deadline: Deadline): Promise<ResponseMessage> {
    return this.sender.settle(await this.#ask(snapshots, c2s, deadline), { ...deadline, priority: 'read' });
  }

  async #readSubscribed(
    names: readonly QuotaUnitName[],
    asked: ProtocolOperation,
    c2s: Message,
    deadline: Deadline,
  ): Promise<ResponseMessage> {
    const { units, release } = this.subscriptions.read(names);
    try {
      let forgotten = false;
      // Data that a snapshot has are not worth waiting for.
      const waitsForRoom = !units.every(({ isSpare }) => isSpare);
      for (;;) {
        const refused = await this.subscriptions.ensure(units, deadline, waitsForRoom);
        if (refused !== undefined) return this.#refuse(asked, refused, deadline);
        const outcome = await this.#ask(asked, c2s, deadline);
        if (outcome.refused === 'not_subscribed' && !forgotten && units.length > 0) {
          forgotten = true;
          this.subscriptions.forget(units);
          continue;
        }
        const response = this.sender.settle(outcome, { ...deadline, priority: 'read' });
        if (response.retType !== 0 || !this.#mayFollow(asked, c2s, response, units, deadline)) return response;
        await pause(this.clock, LOOK_AGAIN_MS, deadline);
      }
    } finally {
      release();
    }
  }

  #ask(asked: ProtocolOperation, c2s: Message, deadline: Deadline): Promise<Outcome> {
    const list = listReadOf(asked.protoId, c2s);
    if (list !== undefined) return this.lists.read(list, asked, c2s, deadline);
    return this.sender.ask(asked, c2s, { ...deadline, priority: 'read' });
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

  /** A refused subscription refuses the read, in the same words. */
  #refuse({ messages }: ProtocolOperation, { refused, response }: Outcome, deadline: Deadline): ResponseMessage {
    const { retType, retMsg, errCode } = response;
    const answer = create(messages.ResponseSchema, { retType, retMsg, errCode } as Record<string, unknown>) as ResponseMessage;
    const outcome = refused === undefined ? { response: answer } : { response: answer, refused };
    return this.sender.settle(outcome, { ...deadline, priority: 'read' });
  }
}
