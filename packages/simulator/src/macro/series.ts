import { keyOf, mix, normal } from '../rng/random.js';
import { basisPoints, type RateArea } from '../world/risk-free-rate.js';

/** How a figure moves from period to period. Units are those of the figure: percent, points, thousands. */
export type Series =
  /** Around a mean, returning to it. */
  | { readonly kind: 'level'; readonly mean: number; readonly deviation: number; readonly persistence: number }
  /** An index that grows: its growth a period (percent) is a level. `over`: how many periods the figure looks back. */
  | { readonly kind: 'growth'; readonly mean: number; readonly deviation: number; readonly persistence: number; readonly over: number }
  /** An office's rate: a level in whole steps. */
  | { readonly kind: 'rate'; readonly mean: number; readonly deviation: number; readonly persistence: number; readonly step: number };

/** An office's rate that follows the world's short rate, in whole steps. */
export interface Policy {
  readonly kind: 'policy';
  readonly area: RateArea;
  readonly step: number;
}

/** Draws that a value is made of: what is older has no weight left. */
const MEMORY = 36;
/** Forecasters miss by this part of the deviation of what is new in a period. */
const MISS = 0.6;

/**
 * The value of a period: a pure function of seed, name and period. A level is a moving average of standard normal draws with weights persistence^k, which is an
 * autoregressive process of order one cut after {@link MEMORY} draws, scaled to the series' deviation. A forecast is the value less the unforeseeable
 * part of its newest draw; rate decisions are mostly foreseen.
 */
export function figureOf(seed: string | number, name: string, series: Series, period: number, isForecast: boolean): number {
  const key = keyOf(`${seed}|macro|${name}`);
  const { deviation, persistence } = series;
  const miss = isForecast ? MISS * deviation * Math.sqrt(1 - persistence ** 2) * normal(mix(key, 1), period) : 0;
  if (series.kind === 'growth') return growth(key, series, period, miss);
  const level = levelOf(key, series, period) - miss;
  return series.kind === 'rate' ? Math.max(0, Math.round(level / series.step) * series.step) : level;
}

type Levelled = Pick<Series, 'mean' | 'deviation' | 'persistence'>;

function levelOf(key: number, { mean, deviation, persistence }: Levelled, period: number): number {
  let [sum, weight] = [0, Math.sqrt(1 - persistence * persistence)];
  for (let back = 0; back < MEMORY; back++) {
    sum += weight * normal(key, period - back);
    weight *= persistence;
  }
  return mean + deviation * sum;
}

/** Percent of change of the index over the series' periods. `miss`: what the last one is expected to differ by. */
function growth(key: number, series: Extract<Series, { kind: 'growth' }>, period: number, miss: number): number {
  let index = 1;
  for (let back = 0; back < series.over; back++) index *= 1 + (levelOf(key, series, period - back) - (back === 0 ? miss : 0)) / 100;
  return (index - 1) * 100;
}

/** Age in days of the short rate that forecasters know before a decision. */
const FORESIGHT_DAYS = 14;

/** Policy rate decided on a day (counted from 1970-01-01), or its forecast: the step that is nearest to the short rate. */
export function decidedOn({ area, step }: Policy, day: number, isForecast: boolean): number {
  return Math.round(basisPoints(isForecast ? day - FORESIGHT_DAYS : day, area) / 100 / step) * step;
}
