import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../contract/clock.js';
import { MemoryStore } from '../../storage/index.js';
import { createSimulation, type RunningSimulation } from '../simulation.js';
import { accumulated } from './bar-figures.js';
import { price } from './quote-figures.js';

const MINUTE = 60_000;
const START = Date.parse('2026-11-20T03:00:10Z');

let clock: ManualClock;
let simulation: RunningSimulation;

/** A world in which Hong Kong lists as many shares as asked for, about. */
function make(generatedInstruments: number): void {
  clock = new ManualClock(START);
  simulation = createSimulation({ clock, seed: 1, store: new MemoryStore(), calendarMode: 'calendar', generatedInstruments });
}

const board = () => simulation.columnSnapshots.of('HK', 'equity');

describe('a large board', () => {
  beforeEach(() => make(4_600));

  it('is rebuilt for a new minute while readers receive the previous minute’s', async () => {
    const first = await board();
    expect(first.rows.length).toBeGreaterThan(1_000);
    const of = async () => [...(await (await board()).column(price, [0, 1, 2]))].slice(0, 3);
    const before = await of();
    clock.advance(MINUTE);
    expect(await board()).toBe(first);
    await expect.poll(board, { timeout: 60_000 }).not.toBe(first);
    const second = await board();
    expect(second.rows.map(({ listing }) => listing)).toEqual(first.rows.map(({ listing }) => listing));
    expect(await of()).toEqual(second.rows.slice(0, 3).map(({ quote }) => Number(quote.last) / 1e9));
    expect(before).not.toEqual(await of());
  });

  it('older than a minute, or of another day, is not given out', async () => {
    const first = await board();
    clock.advance(2 * MINUTE);
    const second = await board();
    expect(second).not.toBe(first);
    for (const opening of ['2026-11-23T00:58:10Z', '2026-11-23T01:28:10Z']) {
      clock.advance(Date.parse(opening) - clock.now());
      for (let minute = 0; minute < 4; minute += 1) {
        const [row] = (await board()).rows;
        expect(row?.quote.tradingDay).toBe(simulation.market.quote(row!.listing.instrument).tradingDay);
        clock.advance(MINUTE);
      }
    }
  });
});

describe('a small board', () => {
  it('is of the minute in which it is asked for', async () => {
    make(0);
    const first = await board();
    clock.advance(MINUTE);
    const second = await board();
    expect(second).not.toBe(first);
    for (const { listing, quote } of second.rows) expect(quote).toEqual(simulation.market.quote(listing.instrument));
  });

  it('has the figures of bars that a new world has, minutes and days later', async () => {
    make(0);
    const figures = [1, 5, 60].flatMap((days) => [accumulated(1, days), accumulated(2, days), accumulated(3, days)]);
    const rows = [0, 1, 2, 3, 4, 5];
    const all = async () => {
      const now = await board();
      const columns = [];
      for (const figure of figures) columns.push([...(await now.column(figure, rows))].slice(0, rows.length));
      return columns;
    };
    for (const later of [0, MINUTE, 5 * MINUTE, 6 * 60 * MINUTE, 24 * 60 * MINUTE, 3 * 24 * 60 * MINUTE]) {
      make(0);
      await all();
      clock.advance(later);
      const kept = await all();
      const time = clock.now();
      make(0);
      clock.advance(time - START);
      expect(kept).toEqual(await all());
    }
  });
});
