import { decimalToNumber } from '@svc-gateway/contract/decimal';
import type { klinePattern as declared } from '@svc-gateway/contract/operations';
import { epochSeconds, localDateTime } from '@svc-gateway/contract/time';
import type { Bar, BarPeriod } from '../../market/index.js';
import { atOnce } from '../../pace.js';
import { type Occurrence, occurrences, type Pattern, seriesOf } from '../../patterns/index.js';
import { Refusal } from '../../refusal.js';
import { labelTime, periodOf } from '../../view/bars.js';
import type { Facts } from '../../view/facts.js';
import { completeBars, completeOf, keptBars } from '../../view/history-bars.js';
import type { Listing } from '../../view/listings.js';
import { locateStock } from '../../view/locate.js';
import { versioned } from '../../view/requests.js';
import type { AnswerTo } from '../table.js';
import { changePercent, closeOf, colorNumbers, patternsOf, summary } from './pattern-requests.js';

/** Patterns that end with one of the newest bars are told; those before are what they are seen against. */
const BARS_SHOWN = 100;
const BARS_EXAMINED = 260;

/** The patterns on the newest complete bars of a symbol, forward adjusted. */
export const klinePattern: AnswerTo<typeof declared.klinePattern> = versioned((facts, request) => {
  const listing = locateStock(facts, request);
  if (listing instanceof Refusal) return listing;
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
});

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
export const klinePatternStatistics: AnswerTo<typeof declared.klinePatternStatistics> = versioned((facts, request) => {
  const listing = locateStock(facts, request);
  if (listing instanceof Refusal) return listing;
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
});

function outcome(bars: readonly Bar[], found: readonly Occurrence[], duration: number) {
  const changes = found.flatMap(({ last }) => {
    const [from, to] = [bars[last], bars[last + duration]];
    return from === undefined || to === undefined ? [] : [changePercent(closeOf(from), closeOf(to))];
  });
  const { medianChangeRate: _, ...figures } = summary(changes);
  return { duration, sampleCount: changes.length, ...figures };
}
