import { err, ok } from '@svc-gateway/access';
import { systemClock } from '@svc-gateway/contract/clock';
import { createWorld, kinds } from '@svc-gateway/simulator/world';
import type { HoursOf } from './data.js';

/** The hours of a symbol's exchange, if bars of it can be loaded. */
export const exchangeHoursOf: HoursOf = async (symbol) => {
  const world = createWorld({ clock: systemClock, calendarMode: 'calendar', generatedInstruments: 0, seed: 0 });
  const instrument = world.instrument(symbol);
  if (instrument === undefined) return err(`the simulated brokerage has no ${symbol}`);
  const { noun, takesHistory } = kinds[instrument.kind];
  if (!takesHistory) return err(`${symbol} is ${noun}: its prices follow from others, and no bars of it can be loaded`);
  return ok(world.calendar(instrument));
};
