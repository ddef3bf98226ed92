import { ManualClock } from '@svc-gateway/contract/clock';
import { expect, it } from 'vitest';
import { createWorld } from '../../world/index.js';
import { settlementDay } from './settlement.js';

const world = createWorld({ clock: new ManualClock(Date.UTC(2026, 10, 20)), calendarMode: 'calendar', generatedInstruments: 0, seed: 1 });

it.each([
  ['HK.00700', '2026-11-20', '2026-11-24', 'T+2 over a weekend'],
  ['US.AAPL', '2026-11-20', '2026-11-23', 'T+1'],
  ['US.AAPL', '2026-11-25', '2026-11-27', 'T+1 over a holiday'],
  ['US.AAPL', '2024-05-28', '2024-05-29', 'T+1 on its first day'],
  ['US.AAPL', '2024-05-24', '2024-05-29', 'T+2 on its last day, over a holiday'],
  ['US.AAPL', '2017-09-05', '2017-09-07', 'T+2 on its first day'],
  ['US.AAPL', '2017-08-28', '2017-08-31', 'T+3 before'],
  ['SH.600519', '2026-11-20', '2026-11-23', 'T+1 for the money'],
  ['JP.7203', '2026-11-19', '2026-11-24', 'T+2 over a holiday'],
  ['JP.7203', '2019-07-08', '2019-07-11', 'T+3 until July 2019'],
  ['SG.D05', '2026-11-20', '2026-11-24', 'T+2'],
  ['MY.1155', '2026-11-20', '2026-11-24', 'T+2'],
  ['HK.HSImain', '2026-11-20', '2026-11-20', 'futures settle the same day'],
])('%s traded on %s settles on %s: %s', (symbol, traded, settles) => {
  const instrument = world.instrument(symbol);
  if (instrument === undefined) throw new Error(`no ${symbol}`);
  expect(settlementDay(instrument, world.calendar(instrument), traded)).toBe(settles);
});
