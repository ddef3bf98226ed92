import { type Decimal, decimalToNumber } from '@svc-gateway/contract/decimal';
import type { Security } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { Interval } from '@svc-gateway/contract/generated/Qot_OptionCommon_pb';
import type { PriceBounds } from '../../market/index.js';
import { Refusal } from '../../refusal.js';
import type { CacheKind } from '../../view/caches.js';
import type { Answer, Facts } from '../../view/facts.js';
import { percent } from '../../view/figures.js';
import { yearRange } from '../../view/price-range.js';
import { type Condition, checkPage, conditionsOf, type Figure, meeting, pageOf } from '../../view/standings.js';
import { type StockFigures, stocksOf } from '../../view/stock-figures.js';

/** Trading in extended hours, and the close that its change is from. */
export interface ExtendedSession {
  readonly last: Decimal;
  readonly close: Decimal;
  readonly volume: bigint;
  readonly turnover: Decimal;
}

/** A request of the three rankings of extended hours in the United States, which are alike. */
export interface ExtendedRequest {
  readonly sortDir: number;
  readonly offset: number;
  readonly count: number;
  readonly filterList: readonly {
    readonly indicatorType: number;
    readonly indicatorValue?: Interval | undefined;
    readonly priceFilter: number;
  }[];
}

/** A row of any of them. */
interface ExtendedRow {
  readonly security: Security;
  readonly name: string;
  readonly price: number;
  /** Percent, and in the currency, from {@link closePrice}. */
  readonly changeRatio: number;
  readonly changeAmount: number;
  readonly turnover: number;
  readonly volume: bigint;
  readonly closePrice: number;
  /** Change of regular hours, from the previous close. */
  readonly regularChangeRatio: number;
  readonly regularChangeAmount: number;
}

interface ExtendedStandings {
  readonly rows: readonly ExtendedRow[];
  readonly allCount: number;
}

type Needed = Facts<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'quoteBoard' | 'caches'>;

/** Looks up a share's session; undefined where it has not traded in it. */
export type SessionOf = (facts: Needed, stock: StockFigures) => ExtendedSession | undefined;

interface Row {
  readonly stock: StockFigures;
  readonly session: ExtendedSession;
  readonly change: number;
  /** 52-week range; computed only where a condition needs it. */
  readonly range: () => PriceBounds;
}

const COUNT_MAX = 200;
/** "Near" the highest or lowest price of 52 weeks: within this many percent of it. */
const NEAR_PERCENT = 5n;
const IndicatorType = { price: 1, marketCap: 2, priceEarnings: 3 } as const;

/**
 * A ranking of US shares by their change in a session of extended hours; the price conditions hold for the session's last price.
 *
 * @param payload the answer's message, of what stands
 */
export function extendedRank<S2C>(
  sessionOf: SessionOf,
  payload: (standings: ExtendedStandings) => S2C,
): Answer<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'quoteBoard' | 'caches', ExtendedRequest, S2C> {
  const rankings: CacheKind<readonly Row[]> = { max: 1 };
  return (facts, request) => {
    const extended = extendedStandings(facts, request, sessionOf, rankings);
    return extended instanceof Refusal ? extended : payload(extended);
  };
}

function extendedStandings(
  facts: Needed,
  request: ExtendedRequest,
  sessionOf: SessionOf,
  rankings: CacheKind<readonly Row[]>,
): ExtendedStandings | Refusal {
  const refused = checkPage(request, COUNT_MAX);
  if (refused !== undefined) return refused;
  const conditions = conditionsOf<Row>(request.filterList, figures, ({ indicatorType }, index) =>
    indicatorType === IndicatorType.price ? priceCondition(request.filterList[index]?.priceFilter ?? 0, index) : undefined,
  );
  if (conditions instanceof Refusal) return conditions;
  const rows = facts.caches.ofMinute(rankings, 'US', () => {
    const all = stocksOf(facts, 'US').map((stock) => rowOf(facts, stock, sessionOf));
    return all.filter((row) => row !== undefined);
  });
  const by: Figure<Row> = ({ change }) => change;
  const kept = meeting(rows, conditions, by);
  const { sortDir, offset, count } = request;
  const page = pageOf(kept, { by, ascending: sortDir === 1, offset, count });
  return { rows: page.map(shown), allCount: kept.length };
}

const figures: Readonly<Record<number, Figure<Row>>> = {
  [IndicatorType.marketCap]: ({ stock: { equity } }) => equity.issuedMarketVal,
  [IndicatorType.priceEarnings]: ({ stock: { equity } }) => equity.peTTMRate,
};

/** By the number of the message's `PriceFilter`; 5 and 6 are near the highest and the lowest price of 52 weeks. */
const priceConditions: readonly Condition<Row>[] = [
  () => true,
  (row) => priceOf(row) < 1,
  (row) => priceOf(row) >= 1 && priceOf(row) <= 10,
  (row) => priceOf(row) >= 10 && priceOf(row) <= 100,
  (row) => priceOf(row) > 100,
  ({ session, range }) => session.last * 100n >= range().high * (100n - NEAR_PERCENT),
  ({ session, range }) => session.last * 100n <= range().low * (100n + NEAR_PERCENT),
];

function priceCondition(filter: number, index: number): Condition<Row> | Refusal {
  const condition = priceConditions[filter];
  return (
    condition ??
    new Refusal(`filter_list[${index}].price_filter: unknown ${filter}; accepted: 0 to ${priceConditions.length - 1}`, 'broker.value')
  );
}

function priceOf({ session }: Row): number {
  return decimalToNumber(session.last);
}

function rowOf(facts: Needed, stock: StockFigures, sessionOf: SessionOf): Row | undefined {
  const session = sessionOf(facts, stock);
  if (session === undefined) return undefined;
  const range = () => yearRange(facts, stock.listing, stock.quote);
  return { stock, session, change: percent(session.last - session.close, session.close), range };
}

function shown({ stock: { listing, changeRate, changeAmount }, session, change }: Row): ExtendedRow {
  return {
    security: listing.security,
    name: listing.instrument.name,
    price: decimalToNumber(session.last),
    changeRatio: change,
    changeAmount: decimalToNumber(session.last - session.close),
    turnover: decimalToNumber(session.turnover),
    volume: session.volume,
    closePrice: decimalToNumber(session.close),
    regularChangeRatio: changeRate,
    regularChangeAmount: changeAmount,
  };
}
