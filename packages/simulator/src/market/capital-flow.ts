import type { Decimal } from '@svc-gateway/contract/decimal';
import type { Instrument } from '../world/instrument.js';
import type { BySize, TradeStatistics } from './trade-statistics.js';

/** Capital that flowed in (buyers were the aggressors) and out of a symbol on its current trading day. */
export interface CapitalFlow {
  readonly tradingDay: string;
  readonly in: BySize;
  readonly out: BySize;
  /** In less out since the day's start, as of the end of each minute that had a directed trade, oldest first. */
  readonly minutes: readonly { readonly time: number; readonly net: BySize }[];
}

/** In and out by size on the current day; together the turnover of all ticks that have a direction. */
export function capitalFlow(statistics: TradeStatistics, instrument: Instrument): CapitalFlow {
  const { tradingDay, minutes } = statistics.day(instrument);
  let [bought, sold] = [none, none];
  const points: { time: number; net: BySize }[] = [];
  for (const [time, { buy, sell, sizes }] of minutes) {
    if (buy.count + sell.count === 0) continue;
    bought = bySize((size) => bought[size] + sizes[size].buy.turnover);
    sold = bySize((size) => sold[size] + sizes[size].sell.turnover);
    points.push({ time, net: bySize((size) => bought[size] - sold[size]) });
  }
  return { tradingDay, in: bought, out: sold, minutes: points };
}

function bySize(of: (size: keyof BySize) => Decimal): BySize {
  return { super: of('super'), big: of('big'), mid: of('mid'), small: of('small') };
}

const none = bySize(() => 0n);
