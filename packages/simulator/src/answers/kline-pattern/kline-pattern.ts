import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { type C2S, type PatternFound, PatternFoundSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/svc/kline_pattern_pb';
import { localDateTime } from '@svc-gateway/contract/time';
import type { Bar, BarPeriod } from '../../market/index.js';
import { atOnce } from '../../pace.js';
import { type Occurrence, occurrences, seriesOf } from '../../patterns/index.js';
import { Refusal } from '../../refusal.js';
import { labelTime, periodOf } from '../../view/bars.js';
import { completeOf } from '../../view/complete-bars.js';
import { checkVersion } from '../../view/extension-version.js';
import type { Answer, Facts } from '../../view/facts.js';
import { keptBars } from '../../view/kept-bars.js';
import type { Listing } from '../../view/listings.js';
import { known } from '../../view/optional-fields.js';
import { locateStock } from '../../view/stock-ids.js';
import { colorNumbers } from './pattern-requests.js';

/** Patterns that end with one of the newest bars are told; those before are what they are seen against. */
const BARS_SHOWN = 100;
const BARS_EXAMINED = 260;

/** The patterns on the newest complete bars of a symbol, forward adjusted. */
export const klinePattern: Answer<'clock' | 'world' | 'market' | 'listings' | 'caches', C2S, S2C> = (facts, request) => {
  const refused = checkVersion(request);
  if (refused !== undefined) return refused;
  const listing = locateStock(facts, request);
  if (listing instanceof Refusal) return listing;
  const period = periodOf(request.klineType);
  return period instanceof Refusal ? period : answer(facts, listing, period, request.klineType);
};

function answer(facts: Facts<'clock' | 'world' | 'market' | 'caches'>, listing: Listing, period: BarPeriod, klineType: number): S2C {
  const newest = atOnce(keptBars(facts, listing, period, 'forward', BARS_EXAMINED + 1));
  const bars = completeOf(facts, listing, period, newest).slice(-BARS_EXAMINED);
  const found = occurrences(seriesOf(bars), bars.length - BARS_SHOWN, bars.length);
  return create(S2CSchema, {
    security: listing.security,
    stockId: listing.instrument.id,
    name: listing.instrument.name,
    klineType,
    barsExamined: bars.length,
    patternList: [...found].reverse().flatMap((one) => foundMessage(facts, listing, period, bars, one)),
  });
}

function foundMessage(
  facts: Facts<'world'>,
  listing: Listing,
  period: BarPeriod,
  bars: readonly Bar[],
  { pattern, first, last, breakout }: Occurrence,
): PatternFound[] {
  const [begin, end] = [bars[first], bars[last]];
  if (begin === undefined || end === undefined) return [];
  const [beginTime, endTime] = [begin, end].map((bar) => labelTime(facts, listing, period, bar)) as [number, number];
  const { timeZone } = listing.market;
  return [
    create(
      PatternFoundSchema,
      known({
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
      }),
    ),
  ];
}
