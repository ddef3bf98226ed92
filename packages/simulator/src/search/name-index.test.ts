import { ManualClock } from '@svc-gateway/contract/clock';
import { editDistance } from '@svc-gateway/contract/names';
import { expect, it } from 'vitest';
import { createWorld } from '../world/index.js';
import { closeScore, entryOf, exactScore, queryOf } from './match.js';
import { NameIndex } from './name-index.js';

const clock = new ManualClock(Date.UTC(2026, 10, 20, 15));
const world = createWorld({ clock, calendarMode: 'calendar', generatedInstruments: 1_500, seed: 'search' });
const index = new NameIndex(world);

it.each([
  'tencent',
  'tencnet',
  'lakeshroe',
  'goldmann sacks',
  'simulated us',
  'optisc',
  'hang sen',
  '700',
  '0005',
  'a',
  'lakes',
  'bank of',
  'moutai',
  '腾迅控股',
  'us.aapl',
])('%s finds all that a look at every name finds', (keyword) => {
  const query = queryOf(keyword);
  const scored = world.listed().map(({ symbol, code, name }) => {
    const entry = entryOf(symbol, code, [name]);
    return { symbol, exact: exactScore(entry, query), close: closeScore(entry, query) };
  });
  const expected = scored.filter((one) => one.exact > 0 || one.close > 0).map(({ symbol }) => symbol);
  const found = index.search(keyword, world.listed().length).map(({ symbol }) => symbol);
  // The index knows other names too.
  expect(found).toEqual(expect.arrayContaining(expected));
});

it('forgives one mistake in a name of three Chinese characters, whatever stands behind them', () => {
  expect(index.search('腾讯控', 25).map(({ symbol }) => symbol)).toEqual(['HK.00700', 'US.TME', 'US.TCEHY']);
});

it('counts two neighbours that changed places as one edit, and stops counting past the most', () => {
  expect(editDistance('tencnet', 'tencent', 3)).toBe(1);
  expect(editDistance('kitten', 'sitting', 4)).toBe(3);
  expect(editDistance('kitten', 'sitting', 3)).toBe(3);
  expect(editDistance('', 'ab', 3)).toBe(2);
});
