import { ManualClock } from '@svc-gateway/contract/clock';
import { expect, test } from 'vitest';
import { companiesOf } from '../companies/index.js';
import { createWorld } from '../world/index.js';
import { Background } from './background.js';
import { RunningTotals } from './running-totals.js';
import { TradingDays } from './trading-days.js';

const OPEN = Date.parse('2026-11-20T14:30:00Z');

test.each(['US.AAPL', 'US.BRK.A', 'US.KO'])('counts what %s trades, forward and back, as its tape does', (symbol) => {
  const clock = new ManualClock(OPEN);
  const world = createWorld({ clock, calendarMode: 'calendar', generatedInstruments: 0, seed: 3 });
  const days = (one: Parameters<typeof world.calendar>[0]) => new TradingDays(world.calendar(one));
  const background = new Background(3, days, () => undefined, undefined, companiesOf(world, 3), new Map());
  const instrument = world.instrument(symbol)!;
  const { tape } = background.day(instrument, days(instrument).on('2026-11-20'));
  const running = new RunningTotals(tape, OPEN);
  const moments = [
    OPEN,
    OPEN + 1,
    OPEN + 900,
    OPEN + 61_000,
    OPEN + 60_000,
    OPEN + 3_600_000,
    OPEN + 3_600_001,
    OPEN + 3_700_123,
    OPEN + 40_000,
  ];
  for (let step = 0; step < 200; step++) moments.push(OPEN + 50_000 + step * 1_733);
  for (const until of moments) {
    const totals = tape.totals([OPEN, until])[0];
    expect(running.at(until), `${until}`).toEqual({ lots: totals?.lots ?? 0, amount: totals?.amount ?? 0 });
  }
});
