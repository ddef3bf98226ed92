import type { Listing } from './listings.js';

/** Watchlist groups that follow from what is watched: nobody puts anything into them. */
export const systemGroups: ReadonlyMap<string, (listing: Listing) => boolean> = new Map<string, (listing: Listing) => boolean>([
  ['All', () => true],
  ['HK', inMarkets('HK')],
  ['US', inMarkets('US')],
  ['CN', inMarkets('SH', 'SZ')],
  ['SG', inMarkets('SG')],
  ['JP', inMarkets('JP')],
  ['MY', inMarkets('MY')],
  ['FX', inMarkets('FX')],
  ['Options', ({ instrument }) => instrument.kind === 'option'],
  ['Futures', ({ instrument }) => instrument.kind === 'future'],
]);

/** Options and futures have groups of their own. */
function inMarkets(...markets: readonly string[]): (listing: Listing) => boolean {
  return ({ instrument }) => markets.includes(instrument.market) && instrument.kind !== 'option' && instrument.kind !== 'future';
}
