import type { Facts } from './facts.js';

/** Whether a time (epoch ms) is on the trading day that the symbol's market is in. */
export function isToday({ clock, world }: Facts<'clock' | 'world'>, symbol: string, time: number): boolean {
  const instrument = world.instrument(symbol);
  if (instrument === undefined) return false;
  const calendar = world.calendar(instrument);
  return calendar.tradingDay(time) === calendar.tradingDay(clock.now());
}
