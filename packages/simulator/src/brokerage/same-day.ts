import type { Instrument, World } from '../world/index.js';
import type { PositionRecord } from './position.js';

/** Funds of Shanghai that may be sold on the day: of bonds and money (511), on foreign markets (513), of gold (518). */
const SOLD_ON_THE_DAY = /^51[138]/;

/** Whether what is bought can only be sold from the next day on, as it is with shares of the mainland (T+1). */
function isHeldOvernight({ market, kind, code }: Instrument): boolean {
  if (market === 'SZ') return kind === 'equity' || kind === 'etf';
  return market === 'SH' && (kind === 'equity' || (kind === 'etf' && !SOLD_ON_THE_DAY.test(code)));
}

/** Units of a position that the rules of its market do not let go today: what was bought today of what is held overnight. */
export function lockedToday(world: World, { symbol, today }: Pick<PositionRecord, 'symbol' | 'today'>): bigint {
  if (today.buyQuantity === 0n) return 0n;
  const instrument = world.instrument(symbol);
  if (instrument === undefined || !isHeldOvernight(instrument)) return 0n;
  return today.day >= world.today(instrument) ? today.buyQuantity : 0n;
}
