import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { type QuoteMarket, quoteMarket } from '@svc-gateway/contract/markets';
import type { klinePattern as declared } from '@svc-gateway/contract/operations';
import { epochSeconds, localDateTime } from '@svc-gateway/contract/time';
import type { Bar, BarPeriod } from '../../market/index.js';
import { atOnce } from '../../pace.js';
import { type Occurrence, occurrences, type Pattern, seriesOf } from '../../patterns/index.js';
import { Refusal } from '../../refusal.js';
import { labelTime, periodOf } from '../../view/bars.js';
import type { CacheKind } from '../../view/caches.js';
import type { Facts } from '../../view/facts.js';
import { completeBars, completeDayStamp, completeOf, keptBars } from '../../view/history-bars.js';
import type { Listing } from '../../view/listings.js';
import { ofStock } from '../../view/locate.js';
import { versioned } from '../../view/requests.js';
import type { AnswerTo } from '../table.js';
import { changePercent, closeOf, colorNumbers, patternsOf, requirePattern, summary } from './pattern-requests.js';

/** Patterns that end with one of the newest bars are told; those before are what they are seen against. */
const BARS_SHOWN = 100;
const BARS_EXAMINED = 260;

/** The patterns on the newest complete bars of a symbol, forward adjusted. */
export const klinePattern: AnswerTo<typeof declared.klinePattern> = versioned(
  ofStock((facts, listing, request) => {
    const period = periodOf(request.klineType);
    if (period instanceof Refusal) return period;
    const newest = atOnce(keptBars(facts, listing, period, 'forward', BARS_EXAMINED + 1));
    const bars = completeOf(facts, listing, period, newest).slice(-BARS_EXAMINED);
    const found = occurrences(seriesOf(bars), bars.length - BARS_SHOWN, bars.length);
    return {
      security: listing.security,
      stockId: listing.instrument.id,
      name: listing.instrument.name,
      klineType: request.klineType,
      barsExamined: bars.length,
      patternList: [...found].reverse().flatMap((one) => foundMessage(facts, listing, period, bars, one)),
    };
  }),
);

function foundMessage(
  facts: Facts<'world'>,
  listing: Listing,
  period: BarPeriod,
  bars: readonly Bar[],
  { pattern, first, last, breakout }: Occurrence,
) {
  const [begin, end] = [bars[first], bars[last]];
  if (begin === undefined || end === undefined) return [];
  const [beginTime, endTime] = [begin, end].map((bar) => labelTime(facts, listing, period, bar)) as [number, number];
  const { timeZone } = listing.market;
  return [
    {
      shape: pattern.shape,
      name: pattern.name,
      color: colorNumbers[pattern.color],
      beginTime: localDateTime(beginTime, timeZone),
      endTime: localDateTime(endTime, timeZone),
      beginTimestamp: beginTime / 1000,
      endTimestamp: endTime / 1000,
      barCount: last - first + 1,
      closePrice: decimalToNumber(end.close),
      breakoutPrice: breakout === undefined ? undefined : Math.round(breakout / 1e3) / 1e6,
    },
  ];
}

const STATISTICS_BARS = 1000;
/** Bars after a pattern at which its outcome is looked at. */
const DURATIONS = [1, 3, 5, 10, 20];

/** How often a symbol showed each pattern on its newest complete bars, and how its close went on. */
export const klinePatternStatistics: AnswerTo<typeof declared.klinePatternStatistics> = versioned(
  ofStock((facts, listing, request) => {
    const period = periodOf(request.klineType);
    if (period instanceof Refusal) return period;
    const patterns = patternsOf(request.shape, request.color);
    if (patterns instanceof Refusal) return patterns;
    const bars = completeBars(facts, listing, period, STATISTICS_BARS);
    const found = occurrences(seriesOf(bars), 0, bars.length, patterns);
    const timeOf = (index: number) => {
      const bar = bars[index];
      return bar === undefined ? undefined : labelTime(facts, listing, period, bar);
    };
    const text = (time: number | undefined) => (time === undefined ? undefined : localDateTime(time, listing.market.timeZone));
    const statisticsOf = (pattern: Pattern) => {
      const own = found.filter((one) => one.pattern === pattern);
      const newest = own.at(-1);
      const time = newest === undefined ? undefined : timeOf(newest.last);
      return {
        shape: pattern.shape,
        name: pattern.name,
        color: colorNumbers[pattern.color],
        occurrenceCount: own.length,
        lastTime: text(time),
        lastTimestamp: epochSeconds(time),
        outcomeList: DURATIONS.map((duration) => outcome(bars, own, duration)),
      };
    };
    return {
      security: listing.security,
      stockId: listing.instrument.id,
      name: listing.instrument.name,
      klineType: request.klineType,
      barsExamined: bars.length,
      beginTime: text(timeOf(0)),
      endTime: text(timeOf(bars.length - 1)),
      beginTimestamp: epochSeconds(timeOf(0)),
      endTimestamp: epochSeconds(timeOf(bars.length - 1)),
      statisticsList: patterns.map(statisticsOf),
    };
  }),
);

function outcome(bars: readonly Bar[], found: readonly Occurrence[], duration: number) {
  const changes = found.flatMap(({ last }) => {
    const [from, to] = [bars[last], bars[last + duration]];
    return from === undefined || to === undefined ? [] : [changePercent(closeOf(from), closeOf(to))];
  });
  const { medianChangeRate: _, ...figures } = summary(changes);
  return { duration, sampleCount: changes.length, ...figures };
}

const markets: readonly QuoteMarket[] = ['HK', 'US', 'SH', 'SZ', 'SG', 'JP', 'MY'];
/** The most traded shares of each market, by money on a usual day. */
const STOCKS_A_MARKET = 10;
/** Trading days of a year, and those before that a pattern may reach back into. */
const YEAR_BARS = 250;
const YEAR_EXAMINED = YEAR_BARS + 170;
const DURATION_MAX = 60;
const DAY = { unit: 'day' } as const;

type Needed = Facts<'clock' | 'world' | 'market' | 'listings' | 'caches'>;

/** A share's complete daily bars, and which patterns they show within the last year. */
interface Year {
  readonly closes: readonly number[];
  /** Shape and index of the last bar. */
  readonly found: readonly (readonly [shape: number, last: number])[];
}

/** Price moves after a daily pattern within the last year, over the most traded shares of each market. */
export const klinePatternPerformance: AnswerTo<typeof declared.klinePatternPerformance> = versioned((facts, request) => {
  const pattern = requirePattern(request.shape);
  if (pattern instanceof Refusal) return pattern;
  const { duration } = request;
  if (!(duration >= 1 && duration <= DURATION_MAX))
    return new Refusal(`duration ${duration}: expected 1 to ${DURATION_MAX} trading days`, 'broker.value');
  const marketList = markets.map((market) => performance(facts, market, pattern, duration));
  return { retCode: 0, shape: pattern.shape, name: pattern.name, duration, marketList };
});

function performance(facts: Needed, market: QuoteMarket, { shape }: Pattern, duration: number) {
  const shares = yearsOf(facts, market);
  const changes: number[] = [];
  let count = 0;
  for (const { closes, found } of shares) {
    for (const [own, last] of found) {
      if (own !== shape) continue;
      count += 1;
      const [from, to] = [closes[last], closes[last + duration]];
      if (from !== undefined && to !== undefined) changes.push(changePercent(from, to));
    }
  }
  return {
    market: quoteMarket(market).number,
    stockCount: shares.length,
    occurrenceCount: count,
    sampleCount: changes.length,
    ...summary(changes),
  };
}

const years: CacheKind<readonly Year[]> = { max: markets.length };

/** The last year of the most traded shares of a market. */
function yearsOf(facts: Needed, market: QuoteMarket): readonly Year[] {
  return facts.caches.get(years, market, completeDayStamp(facts, market), () =>
    mostTraded(facts, market).map((share) => yearOf(facts, share)),
  );
}

function mostTraded({ world, listings }: Facts<'world' | 'listings'>, market: QuoteMarket): readonly Listing[] {
  const listed = world.listed({ market, kind: 'equity' });
  const money = listed.map(({ dailyVolume, referencePrice }) => dailyVolume * Number(referencePrice));
  const order = [...listed.keys()].sort((a, b) => (money[b] ?? 0) - (money[a] ?? 0) || a - b);
  return order
    .slice(0, STOCKS_A_MARKET)
    .flatMap((index) => listed[index] ?? [])
    .map((one) => listings.of(one));
}

function yearOf(facts: Needed, share: Listing): Year {
  const bars = completeBars(facts, share, DAY, YEAR_EXAMINED);
  const found = occurrences(seriesOf(bars), bars.length - YEAR_BARS, bars.length);
  return { closes: bars.map(closeOf), found: found.map(({ pattern, last }) => [pattern.shape, last]) };
}
