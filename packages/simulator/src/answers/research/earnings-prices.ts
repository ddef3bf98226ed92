import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { EarningsPubTimeType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { quoteMarket } from '@svc-gateway/contract/markets';
import type { research as declared } from '@svc-gateway/contract/operations';
import { localDateTime } from '@svc-gateway/contract/time';
import type { Bar } from '../../market/index.js';
import { Refusal } from '../../refusal.js';
import { type EarningsReport, publicationOf, reportsBetween } from '../../view/earnings.js';
import type { Facts } from '../../view/facts.js';
import { given } from '../../view/messages.js';
import type { AnswerTo } from '../table.js';
import { dated, ofCompany, type Period, periodEnding, periodFields, type Subject } from './subject.js';

/** Reports shown, and trading days before and after each. */
const REPORTS = 12;
const HISTORY_DAYS = { before: 5, after: 10 };

type Needed = Facts<'clock' | 'world' | 'companies' | 'market' | 'listings'>;

/** Qot_GetFinancialsEarningsPriceHistory: how the price took the last results, forward adjusted. The simulation keeps no expectation of options of past days. */
export const getFinancialsEarningsPriceHistory: AnswerTo<typeof declared.getFinancialsEarningsPriceHistory> = ofCompany(
  (facts, subject) => {
    const publications = publicationsOf(facts, subject, REPORTS);
    const detailList = publications.map((publication) => historyOf(facts, subject, publication, publication === publications[0]));
    return { detailList };
  },
);

function historyOf(facts: Needed, subject: Subject, publication: Publication, isCurrent: boolean) {
  const { period, time, tradingDay, pubType } = publication;
  const { listing } = subject;
  const days = daysAround(facts, subject, tradingDay, HISTORY_DAYS.before, HISTORY_DAYS.after);
  const own = days.find(({ offset }) => offset === 0);
  return {
    ...periodFields(period),
    isCurrent,
    ...dated(listing, 'pubTradingDay', tradingDay),
    pubTime: BigInt(time / 1000),
    pubTimeStr: localDateTime(time, quoteMarket(listing.instrument.market).timeZone),
    pubType,
    priceInfo: own && { ...dayPrices(subject, own), volume: Number(own.bar.volume) },
    scheduleInfoList: days.map(({ offset, bar }) => ({ delta: offset, closePrice: decimalToNumber(bar.close) })),
  };
}

const PERIODS = { fallback: 10, max: 50 };
/** Trading days shown before and after the publication. */
const MOVE_DAYS = { before: 10, after: 10 };

/** Qot_GetFinancialsEarningsPriceMove: daily prices around each publication of results, forward adjusted. The simulation keeps no implied volatility of past days. */
export const getFinancialsEarningsPriceMove: AnswerTo<typeof declared.getFinancialsEarningsPriceMove> = ofCompany(
  (facts, subject, request) => {
    const count = given(request, 'periodCount') ?? PERIODS.fallback;
    if (count < 1 || count > PERIODS.max)
      return new Refusal(`period_count: ${count} is out of range, accepted: 1 to ${PERIODS.max}`, 'broker.value');
    return { detailList: publicationsOf(facts, subject, count).map((publication) => cycleOf(facts, subject, publication)) };
  },
);

function cycleOf(facts: Needed, subject: Subject, { period, tradingDay, pubType }: Publication) {
  // Earlier days serve the volatility alone.
  const days = daysAround(facts, subject, tradingDay, MOVE_DAYS.before + VOLATILITY_DAYS, MOVE_DAYS.after);
  const shown = days.filter(({ offset }) => offset >= -MOVE_DAYS.before);
  return {
    ...periodFields(period),
    ...dated(subject.listing, 'pubTradingDay', tradingDay),
    pubType,
    priceInfoIndex: shown.findIndex(({ offset }) => offset === 0),
    itemList: shown.map((one) => ({
      ...dayPrices(subject, one),
      optionHV: historicalVolatility(days.slice(0, days.indexOf(one) + 1).map(({ bar }) => bar)),
    })),
  };
}

/** Results on the day on which the listing's market took note of them. */
interface Publication {
  readonly period: Period;
  /** Epoch ms. */
  readonly time: number;
  /** "2026-11-20": the day of the publication, or the first trading day after it. */
  readonly tradingDay: string;
  readonly pubType: EarningsPubTimeType;
}

/** Longer than fifty reports of who reports twice a year. */
const LOOK_BACK_DAYS = 26 * 366;

export const pubTypes = {
  before: EarningsPubTimeType.EarningsPubTimeType_PreMarket,
  during: EarningsPubTimeType.EarningsPubTimeType_DuringMarket,
  after: EarningsPubTimeType.EarningsPubTimeType_AfterMarket,
} as const;

/** The newest publications of results up to now, newest first; of what is published together the shortest period. */
function publicationsOf(
  { clock, world }: Facts<'clock' | 'world'>,
  { listing, company, day }: Subject,
  count: number,
): readonly Publication[] {
  const { instrument } = listing;
  const calendar = world.calendar(instrument);
  const listed = instrument.listDate;
  const newest = new Map<number, EarningsReport>();
  for (const report of reportsBetween(company, day - LOOK_BACK_DAYS, day + 1)) {
    if (report.time > clock.now() || newest.has(report.time)) continue;
    if (publicationOf(instrument, report.time).day <= listed) break;
    newest.set(report.time, report);
    if (newest.size === count) break;
  }
  return [...newest.values()].map(({ last, quarters, time }) => {
    const { day: on, at } = publicationOf(instrument, time);
    const tradingDay = calendar.isTradingDay(on) ? on : calendar.nextTradingDay(on);
    return { period: periodEnding(company, last, quarters), time, tradingDay, pubType: pubTypes[at] };
  });
}

/** A day's bar, and how many trading days after the publication's day it is. */
interface DayAround {
  readonly day: string;
  readonly offset: number;
  readonly bar: Bar;
}

/** A day and its prices, as messages of prices around results have them. */
function dayPrices({ listing }: Subject, { day, bar }: DayAround) {
  return {
    ...dated(listing, 'tradingDay', day),
    closePrice: decimalToNumber(bar.close),
    openPrice: decimalToNumber(bar.open),
    highestPrice: decimalToNumber(bar.high),
    lowestPrice: decimalToNumber(bar.low),
    lastClosePrice: decimalToNumber(bar.previousClose),
  };
}

/** The bars of the trading days from `before` days before a day to `after` days after it, as far as they have begun; forward adjusted, as of now. */
function daysAround(
  { world, market, clock }: Facts<'clock' | 'world' | 'market'>,
  { listing: { instrument } }: Subject,
  tradingDay: string,
  before: number,
  after: number,
): readonly DayAround[] {
  const calendar = world.calendar(instrument);
  let [first, last] = [tradingDay, tradingDay];
  for (let step = 0; step < before; step++) first = calendar.previousTradingDay(first);
  for (let step = 0; step < after; step++) last = calendar.nextTradingDay(last);
  const from = calendar.sessions(first)[0]?.start ?? 0;
  const to = Math.min(clock.now() + 1, calendar.sessions(calendar.nextTradingDay(last))[0]?.start ?? 0);
  const days = market
    .bars(instrument, { unit: 'day' }, { from, to }, 'forward')
    .map((bar) => ({ day: calendar.tradingDay(bar.start), bar }));
  const at = days.findIndex(({ day }) => day >= tradingDay);
  const zero = at < 0 ? days.length : at;
  return days.map(({ day, bar }, index) => ({ day, bar, offset: index - zero }));
}

/** Trading days that historical volatility looks back over, and how many a year has. */
export const VOLATILITY_DAYS = 30;
const DAYS_PER_YEAR = 252;

/**
 * The deviation of the last thirty daily logarithmic changes, a year's, in percent to three places: √(Σ(r − r̄)² ÷ (n − 1) × 252), as in Hull, Options,
 * Futures, and Other Derivatives, chapter 15. Changes count from the reference price, so that ex-days are no moves. Undefined with fewer days.
 *
 * @param bars of days, oldest first
 */
export function historicalVolatility(bars: readonly Bar[]): number | undefined {
  const changes = bars.slice(-VOLATILITY_DAYS).map(({ close, previousClose }) => Math.log(Number(close) / Number(previousClose)));
  if (changes.length < VOLATILITY_DAYS) return undefined;
  const mean = changes.reduce((sum, change) => sum + change, 0) / changes.length;
  const variance = changes.reduce((sum, change) => sum + (change - mean) ** 2, 0) / (changes.length - 1);
  return Math.round(Math.sqrt(variance * DAYS_PER_YEAR) * 100_000) / 1000;
}
