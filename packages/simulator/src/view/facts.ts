import type { Clock } from '@svc-gateway/contract/clock';
import type { Brokerage } from '../brokerage/index.js';
import type { Companies } from '../companies/index.js';
import type { Macro } from '../macro/index.js';
import type { Market, TradeStatistics } from '../market/index.js';
import { Refusal } from '../refusal.js';
import type { ColumnSnapshots } from '../screen/column-snapshot.js';
import type { NameIndex } from '../search/index.js';
import type { UserState } from '../user-state/index.js';
import type { World } from '../world/index.js';
import type { Caches } from './caches.js';
import type { HistoryQuota } from './history-quota.js';
import type { Listings } from './listings.js';
import type { QuoteBoard } from './quote-board.js';

/** Everything that can be asked of the simulated world, each by its name. Put together once, by `createSimulation`. */
export interface EveryFact {
  readonly clock: Clock;
  readonly world: World;
  /** Issuers and funds on their timelines. */
  readonly companies: Companies;
  readonly market: Market;
  readonly brokerage: Brokerage;
  /** Instruments as messages name them. */
  readonly listings: Listings;
  /** The quote of each listing, made once for all who ask while it lasts. */
  readonly quoteBoard: QuoteBoard;
  /** Quotes and figures of all listings as column snapshots, for screens and rankings. */
  readonly columnSnapshots: ColumnSnapshots;
  /** Values that take long to make, for as long as they last. */
  readonly caches: Caches;
  /** Finds what is listed by its names. */
  readonly names: NameIndex;
  readonly tradeStatistics: TradeStatistics;
  /** Economies: what their offices publish, and when. */
  readonly macro: Macro;
  readonly historyQuota: HistoryQuota;
  /** State of the login user other than accounts. */
  readonly userState: UserState;
  /** The symbols on the user's watchlists. */
  readonly watched: () => readonly string[];
}

/** The named facts: a function declares what it reads, and no more. */
export type Facts<Names extends keyof EveryFact> = Pick<EveryFact, Names>;

/** Properties of the caller that an answer depends on. */
export interface ReadOptions {
  /** It is subscribed to the orders behind each level of the book that it asks for. */
  readonly orderDetail?: boolean;
  /** Aborted once it does not wait any more. */
  readonly signal?: AbortSignal;
}

/** Answers one operation: the facts that it names and its `C2S` in, its `S2C` (or a refusal) out. */
export type Answer<Names extends keyof EveryFact, C2S, S2C> = (
  facts: Facts<Names>,
  request: C2S,
  asker?: ReadOptions,
) => S2C | Refusal | Promise<S2C | Refusal>;

/** Answers about what a request names, which `find` finds or refuses. */
export function about<Used extends keyof EveryFact, Request, Found>(find: (facts: Facts<Used>, request: Request) => Found | Refusal) {
  return <Names extends keyof EveryFact, C2S extends Request, S2C>(
    answer: (facts: Facts<Names | Used>, found: Found, request: C2S, asker?: ReadOptions) => ReturnType<Answer<Names, C2S, S2C>>,
  ): Answer<Names | Used, C2S, S2C> =>
    (facts, request, asker) => {
      const found = find(facts, request);
      return found instanceof Refusal ? found : answer(facts, found, request, asker);
    };
}
