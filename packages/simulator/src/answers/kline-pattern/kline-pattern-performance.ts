import { type QuoteMarket, quoteMarket } from '@svc-gateway/contract/markets';
import type { klinePattern as declared } from '@svc-gateway/contract/operations';
import { occurrences, type Pattern, seriesOf } from '../../patterns/index.js';
import { Refusal } from '../../refusal.js';
import type { CacheKind } from '../../view/caches.js';
import type { Facts } from '../../view/facts.js';
import { completeBars, completeDayStamp } from '../../view/history-bars.js';
import type { Listing } from '../../view/listings.js';
import { versioned } from '../../view/requests.js';
import type { AnswerTo } from '../table.js';
import { changePercent, closeOf, requirePattern, summary } from './pattern-requests.js';

const markets: readonly QuoteMarket[] = ['HK', 'US', 'SH', 'SZ', 'SG', 'JP', 'MY'];
/** The most traded shares of each market, by money on a usual day. */
const STOCKS_A_MARKET = 10;
/** Trading days of a year, and those before that a pattern may reach back into. */
const YEAR_BARS = 250;
const BARS_EXAMINED = YEAR_BARS + 170;
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
  const bars = completeBars(facts, share, DAY, BARS_EXAMINED);
  const found = occurrences(seriesOf(bars), bars.length - YEAR_BARS, bars.length);
  return { closes: bars.map(closeOf), found: found.map(({ pattern, last }) => [pattern.shape, last]) };
}
