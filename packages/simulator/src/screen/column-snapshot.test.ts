import { ManualClock } from '@svc-gateway/contract/clock';
import { MemoryStore } from '@svc-gateway/storage';
import { describe, expect, it } from 'vitest';
import { createSimulation, type RunningSimulation } from '../simulation.js';
import { accumulated } from './bar-figures.js';

const MINUTE = 60_000;
const START = Date.parse('2026-11-20T03:00:10Z');

let clock: ManualClock;
let simulation: RunningSimulation;

function make(): void {
  clock = new ManualClock(START);
  simulation = createSimulation({ clock, seed: 1, store: new MemoryStore(), calendarMode: 'calendar' });
}

const board = () => simulation.columnSnapshots.of('HK', 'equity');

describe('a board', () => {
  it('is of the minute in which it is asked for', async () => {
    make();
    const first = await board();
    clock.advance(MINUTE);
    const second = await board();
    expect(second).not.toBe(first);
    for (const { listing, quote } of second.rows) expect(quote).toEqual(simulation.market.quote(listing.instrument));
  });

  it('has the figures of bars that a new world has, minutes and days later', async () => {
    make();
    const figures = [1, 5, 60].flatMap((days) => [accumulated(1, days), accumulated(2, days), accumulated(3, days)]);
    const rows = [0, 1, 2, 3, 4, 5];
    const all = async () => {
      const now = await board();
      const columns = [];
      for (const figure of figures) columns.push([...(await now.column(figure, rows))].slice(0, rows.length));
      return columns;
    };
    for (const later of [0, MINUTE, 5 * MINUTE, 6 * 60 * MINUTE, 24 * 60 * MINUTE, 3 * 24 * 60 * MINUTE]) {
      make();
      await all();
      clock.advance(later);
      const kept = await all();
      const time = clock.now();
      make();
      clock.advance(time - START);
      expect(kept).toEqual(await all());
    }
  });
});
