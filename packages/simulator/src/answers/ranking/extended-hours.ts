import { type Decimal, decimalToNumber } from '@svc-gateway/contract/decimal';
import { QotMarketState } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { Interval } from '@svc-gateway/contract/generated/Qot_OptionCommon_pb';
import type { ranking as declared } from '@svc-gateway/contract/operations';
import type { PriceBounds } from '../../market/index.js';
import type { Bar } from '../../market/market.js';
import { Refusal } from '../../refusal.js';
import type { CacheKind } from '../../view/caches.js';
import type { Facts } from '../../view/facts.js';
import { percent } from '../../view/figures.js';
import { yearRange } from '../../view/price-range.js';
import { type Condition, checkPage, conditionsOf, type Figure, meeting, pageOf } from '../../view/standings.js';
import { type StockFigures, stocksOf } from '../../view/stock-figures.js';
import { createCalendar } from '../../world/business-days.js';
import type { Calendar } from '../../world/calendar.js';
import { MarketState } from '../../world/market-state.js';
import type { AnswerTo } from '../table.js';

const preMarket: SessionOf = (_, { quote }) => quote.preMarket && { ...quote.preMarket, close: quote.previousClose };

/** Qot_GetUSPreMarketRank: shares by their last price before the opening, against the previous close. */
export const getUsPreMarketRank: AnswerTo<typeof declared.getUsPreMarketRank> = extendedRank('preMarket', preMarket);

const afterHours: SessionOf = (_, { quote }) => quote.afterMarket && { ...quote.afterMarket, close: quote.last };

/** Qot_GetUSAfterHoursRank: shares by their last price after the closing bell, against the day's close. */
export const getUsAfterHoursRank: AnswerTo<typeof declared.getUsAfterHoursRank> = extendedRank('afterHours', afterHours);

/** The overnight session, with its trades so far. */
const overnight: SessionOf = ({ clock, world, market }, { listing: { instrument }, quote }) => {
  const nights = world
    .calendar(instrument)
    .sessions(quote.tradingDay)
    .filter(({ state }) => state === QotMarketState.QotMarketState_OVERNIGHT);
  const bars = nights.flatMap(({ start, end }) =>
    market.bars(instrument, { unit: 'minute', count: 60 }, { from: start, to: Math.min(end, clock.now() + 1) }),
  );
  return sessionOf(bars, quote.previousClose);
};

/** Qot_GetUSOvernightRank: shares by their last price of the night, against the close before it. None where the calendar has no overnight session. */
export const getUsOvernightRank: AnswerTo<typeof declared.getUsOvernightRank> = extendedRank('overnight', overnight);

/** Trading in extended hours, and the close that its change is from. */
interface ExtendedSession {
  readonly last: Decimal;
  readonly close: Decimal;
  readonly volume: bigint;
  readonly turnover: Decimal;
}

/** A request of the three rankings of extended hours in the United States, which are alike. */
interface ExtendedRequest {
  readonly sortDir: number;
  readonly offset: number;
  readonly count: number;
  readonly filterList: readonly {
    readonly indicatorType: number;
    readonly indicatorValue?: Interval | undefined;
    readonly priceFilter: number;
  }[];
}

type Needed = Facts<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'quoteBoard' | 'caches'>;

/** Looks up a share's session; undefined where it has not traded in it. */
type SessionOf = (facts: Needed, stock: StockFigures) => ExtendedSession | undefined;

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
 * @param hours with which the session's fields begin
 * @param scheduled the session where the world keeps the exchange's hours
 */
function extendedRank(hours: ExtendedHours, scheduled: SessionOf) {
  const rankings: CacheKind<readonly Row[]> = { max: 1 };
  return (facts: Needed, request: ExtendedRequest) => {
    const refused = checkPage(request, COUNT_MAX);
    if (refused !== undefined) return refused;
    const conditions = conditionsOf<Row>(request.filterList, figures, ({ indicatorType }, index) =>
      indicatorType === IndicatorType.price ? priceCondition(request.filterList[index]?.priceFilter ?? 0, index) : undefined,
    );
    if (conditions instanceof Refusal) return conditions;
    const rows = facts.caches.ofMinute(rankings, 'US', () => {
      const all = stocksOf(facts, 'US').map((stock) => rowOf(facts, stock, inHours(facts, stock, hours, scheduled)));
      return all.filter((row) => row !== undefined);
    });
    const by: Figure<Row> = ({ change }) => change;
    const kept = meeting(rows, conditions, by);
    const { sortDir, offset, count } = request;
    const page = pageOf(kept, { by, ascending: sortDir === 1, offset, count });
    return { dataList: page.map((row) => itemOf(hours, row)), allCount: kept.length };
  };
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

function rowOf(facts: Needed, stock: StockFigures, session: ExtendedSession | undefined): Row | undefined {
  if (session === undefined) return undefined;
  const range = () => yearRange(facts, stock.listing, stock.quote);
  return { stock, session, change: percent(session.last - session.close, session.close), range };
}

/** The session's fields begin with its name; the change of regular hours is from the previous close. */
function itemOf(hours: ExtendedHours, { stock: { listing, changeRate, changeAmount }, session, change }: Row) {
  return {
    security: listing.security,
    name: listing.instrument.name,
    [`${hours}Price`]: decimalToNumber(session.last),
    [`${hours}ChangeRatio`]: change,
    [`${hours}ChangeAmount`]: decimalToNumber(session.last - session.close),
    [`${hours}Turnover`]: decimalToNumber(session.turnover),
    [`${hours}Volume`]: session.volume,
    closePrice: decimalToNumber(session.close),
    changeRatio: changeRate,
    changeAmount,
  };
}

/** The sessions outside regular hours that the rankings are of. */
type ExtendedHours = 'preMarket' | 'afterHours' | 'overnight';

interface Span {
  /** Epoch ms. */
  readonly start: number;
  readonly end: number;
}

/** The night before a day of trading ends where its pre-market session begins. */
const NIGHT_MS = 8 * 3_600_000;
const BAR_MINUTES = 30;

/** The hours of New York's exchanges, however the clock of the world is kept. */
const exchange: Calendar = createCalendar('US', 'calendar');

/** The newest such session of the exchange that has begun by a moment (epoch ms). */
function newestSession(hours: ExtendedHours, now: number): Span | undefined {
  let day = exchange.nextTradingDay(exchange.tradingDay(now));
  for (let back = 0; back < 4; back += 1) {
    const sessions = exchange.sessions(day);
    const of = (state: number) => sessions.find((session) => session.state === state);
    const pre = of(MarketState.preMarket);
    const night = pre && { start: pre.start - NIGHT_MS, end: pre.start };
    const found = hours === 'overnight' ? night : hours === 'preMarket' ? pre : of(MarketState.afterHours);
    if (found !== undefined && found.start <= now) return found;
    day = exchange.previousTradingDay(day);
  }
  return undefined;
}

/**
 * A share's trades in a session outside regular hours. Where the clock is held open all hours are one session: there, those of the newest such hours of
 * the exchange, from the price at their beginning.
 */
function inHours(facts: Needed, stock: StockFigures, hours: ExtendedHours, scheduled: SessionOf): ExtendedSession | undefined {
  const { clock, world, market } = facts;
  if (world.calendarMode === 'calendar') return scheduled(facts, stock);
  const now = clock.now();
  const span = newestSession(hours, now);
  if (span === undefined) return undefined;
  const period = { unit: 'minute', count: BAR_MINUTES } as const;
  const bars = market.bars(stock.listing.instrument, period, { from: span.start, to: Math.min(span.end, now + 1) });
  return sessionOf(bars, bars[0]?.previousClose ?? 0n);
}

function sessionOf(bars: readonly Bar[], close: Decimal): ExtendedSession | undefined {
  const last = bars.at(-1)?.close;
  if (last === undefined) return undefined;
  const volume = bars.reduce((sum, bar) => sum + bar.volume, 0n);
  return { last, close, volume, turnover: bars.reduce((sum, bar) => sum + bar.turnover, 0n) };
}
