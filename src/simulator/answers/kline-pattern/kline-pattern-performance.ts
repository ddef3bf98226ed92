import { create } from '@bufbuild/protobuf';
import {
  type C2S,
  type MarketPerformance,
  MarketPerformanceSchema,
  type S2C,
  S2CSchema,
} from '../../../contract/generated/svc/kline_pattern_performance_pb.js';
import { type QuoteMarket, quoteMarket } from '../../../contract/markets.js';
import type { Market } from '../../market/index.js';
import { occurrences, type Pattern, seriesOf } from '../../patterns/index.js';
import { Refusal } from '../../refusal.js';
import { completeBars, lastCompleteDay } from '../../view/complete-bars.js';
import { checkVersion } from '../../view/extension-version.js';
import type { Answer, Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import type { Instrument, World } from '../../world/index.js';
import { changePercent, closeOf, requirePattern, summary } from './pattern-requests.js';

const markets: readonly QuoteMarket[] = ['HK', 'US', 'SH', 'SZ', 'SG', 'JP', 'MY'];
/** The most traded shares of each market, by money on a usual day. */
const STOCKS_A_MARKET = 10;
/** Trading days of a year, and those before that a pattern may reach back into. */
const YEAR_BARS = 250;
const BARS_EXAMINED = YEAR_BARS + 170;
const DURATION_MAX = 60;
const DAY = { unit: 'day' } as const;

type Needed = Facts<'clock' | 'world' | 'market' | 'listings'>;

/** A share's complete daily bars, and which patterns they show within the last year. */
interface Year {
  readonly upTo: string;
  readonly closes: readonly number[];
  /** Shape and index of the last bar. */
  readonly found: readonly (readonly [shape: number, last: number])[];
}

/** Price moves after a daily pattern within the last year, over the most traded shares of each market. */
export const klinePatternPerformance: Answer<'clock' | 'world' | 'market' | 'listings', C2S, S2C> = (facts, request) => {
  const refused = checkVersion(request);
  if (refused !== undefined) return refused;
  const pattern = requirePattern(request.shape);
  if (pattern instanceof Refusal) return pattern;
  const { duration } = request;
  if (!(duration >= 1 && duration <= DURATION_MAX))
    return new Refusal(`duration ${duration}: expected 1 to ${DURATION_MAX} trading days`, 'broker.value');
  return answer(facts, pattern, duration);
};

function answer(facts: Needed, pattern: Pattern, duration: number): S2C {
  const marketList: MarketPerformance[] = [];
  for (const market of markets) marketList.push(performance(facts, market, pattern, duration));
  return create(S2CSchema, { retCode: 0, shape: pattern.shape, name: pattern.name, duration, marketList });
}

function performance(facts: Needed, market: QuoteMarket, { shape }: Pattern, duration: number): MarketPerformance {
  const shares = mostTraded(facts, market);
  const changes: number[] = [];
  let count = 0;
  for (const share of shares) {
    const { closes, found } = yearOf(facts, share);
    for (const [own, last] of found) {
      if (own !== shape) continue;
      count += 1;
      const [from, to] = [closes[last], closes[last + duration]];
      if (from !== undefined && to !== undefined) changes.push(changePercent(from, to));
    }
  }
  return create(MarketPerformanceSchema, {
    market: quoteMarket(market).number,
    stockCount: shares.length,
    occurrenceCount: count,
    sampleCount: changes.length,
    ...summary(changes),
  });
}

const mostTradedOf = new WeakMap<
  World,
  Map<QuoteMarket, { readonly listed: readonly Instrument[]; readonly shares: readonly Listing[] }>
>();

/** Worked out once for what is listed. */
function mostTraded({ world, listings }: Facts<'world' | 'listings'>, market: QuoteMarket): readonly Listing[] {
  const kept = mostTradedOf.get(world) ?? new Map();
  mostTradedOf.set(world, kept);
  const listed = world.listed({ market, kind: 'equity' });
  const known = kept.get(market);
  if (known?.listed === listed) return known.shares;
  const money = Float64Array.from(listed, ({ dailyVolume, referencePrice }) => dailyVolume * Number(referencePrice));
  const order = Uint32Array.from(listed, (_, index) => index).sort((a, b) => (money[b] ?? 0) - (money[a] ?? 0) || a - b);
  const shares = [...order.subarray(0, STOCKS_A_MARKET)].flatMap((index) => listed[index] ?? []).map((one) => listings.of(one));
  kept.set(market, { listed, shares });
  return shares;
}

const years = new WeakMap<Market, Map<Listing, Year>>();

function yearOf(facts: Needed, share: Listing): Year {
  const kept = years.get(facts.market) ?? new Map<Listing, Year>();
  years.set(facts.market, kept);
  const upTo = lastCompleteDay(facts.world.calendar(share.instrument), facts.clock.now());
  const known = kept.get(share);
  if (known?.upTo === upTo) return known;
  const bars = completeBars(facts, share, DAY, BARS_EXAMINED);
  const series = seriesOf(bars);
  const found = occurrences(series, bars.length - YEAR_BARS, bars.length).map(({ pattern, last }) => [pattern.shape, last] as const);
  const year = { upTo, closes: bars.map(closeOf), found };
  kept.set(share, year);
  return year;
}
