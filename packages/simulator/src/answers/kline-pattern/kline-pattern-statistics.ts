import { create } from '@bufbuild/protobuf';
import {
  type C2S,
  OutcomeSchema,
  type PatternStatistics,
  PatternStatisticsSchema,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/svc/kline_pattern_statistics_pb';
import { localDateTime } from '@svc-gateway/contract/time';
import type { Bar, BarPeriod } from '../../market/index.js';
import { type Occurrence, occurrences, type Pattern, seriesOf } from '../../patterns/index.js';
import { Refusal } from '../../refusal.js';
import { labelTime, periodOf } from '../../view/bars.js';
import { completeBars } from '../../view/complete-bars.js';
import { checkVersion } from '../../view/extension-version.js';
import type { Answer, Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { known } from '../../view/optional-fields.js';
import { locateStock } from '../../view/stock-ids.js';
import { changePercent, closeOf, colorNumbers, patternsOf, summary } from './pattern-requests.js';

const BARS_EXAMINED = 1000;
/** Bars after a pattern at which its outcome is looked at. */
const DURATIONS = [1, 3, 5, 10, 20];

/** How often a symbol showed each pattern on its newest complete bars, and how its close went on. */
export const klinePatternStatistics: Answer<'clock' | 'world' | 'market' | 'listings', C2S, S2C> = (facts, request) => {
  const refused = checkVersion(request);
  if (refused !== undefined) return refused;
  const listing = locateStock(facts, request);
  if (listing instanceof Refusal) return listing;
  const period = periodOf(request.klineType);
  if (period instanceof Refusal) return period;
  const patterns = patternsOf(request.shape, request.color);
  return patterns instanceof Refusal ? patterns : answer(facts, listing, period, request.klineType, patterns);
};

function answer(
  facts: Facts<'clock' | 'world' | 'market'>,
  listing: Listing,
  period: BarPeriod,
  klineType: number,
  patterns: readonly Pattern[],
): S2C {
  const bars = completeBars(facts, listing, period, BARS_EXAMINED);
  const series = seriesOf(bars);
  const found = occurrences(series, 0, bars.length, patterns);
  const timeOf = (index: number) => {
    const bar = bars[index];
    return bar === undefined ? undefined : labelTime(facts, listing, period, bar);
  };
  const text = (time: number | undefined) => (time === undefined ? undefined : localDateTime(time, listing.market.timeZone));
  const statisticsOf = (pattern: Pattern): PatternStatistics => {
    const own = found.filter((one) => one.pattern === pattern);
    const newest = own.at(-1);
    const time = newest === undefined ? undefined : timeOf(newest.last);
    return create(
      PatternStatisticsSchema,
      known({
        shape: pattern.shape,
        name: pattern.name,
        color: colorNumbers[pattern.color],
        occurrenceCount: own.length,
        lastTime: text(time),
        lastTimestamp: seconds(time),
        outcomeList: DURATIONS.map((duration) => outcome(bars, own, duration)),
      }),
    );
  };
  return create(
    S2CSchema,
    known({
      security: listing.security,
      stockId: listing.instrument.id,
      name: listing.instrument.name,
      klineType,
      barsExamined: bars.length,
      beginTime: text(timeOf(0)),
      endTime: text(timeOf(bars.length - 1)),
      beginTimestamp: seconds(timeOf(0)),
      endTimestamp: seconds(timeOf(bars.length - 1)),
      statisticsList: patterns.map(statisticsOf),
    }),
  );
}

function seconds(time: number | undefined): number | undefined {
  return time === undefined ? undefined : time / 1000;
}

function outcome(bars: readonly Bar[], found: readonly Occurrence[], duration: number) {
  const changes = found.flatMap(({ last }) => {
    const [from, to] = [bars[last], bars[last + duration]];
    return from === undefined || to === undefined ? [] : [changePercent(closeOf(from), closeOf(to))];
  });
  const { medianChangeRate: _, ...figures } = summary(changes);
  return create(OutcomeSchema, { duration, sampleCount: changes.length, ...figures });
}
