import { ManualClock } from '@svc-gateway/contract/clock';
import { expect, it } from 'vitest';
import { createWorld } from '../world/index.js';
import { CloseWords, closeScore, entryOf, exactScore, queryOf, Vocabulary } from './match.js';
import { NameIndex } from './name-index.js';

/** Search by letters and words, against a look at every name. */
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
])('%s finds all that a look at every name finds', async (keyword) => {
  const clock = new ManualClock(Date.UTC(2026, 10, 20, 15));
  const world = createWorld({ clock, calendarMode: 'calendar', generatedInstruments: 1_500, seed: 'search' });
  const query = queryOf(keyword);
  const vocabulary = new Vocabulary();
  const entries = world
    .listed()
    .map((instrument) => ({ instrument, entry: entryOf(instrument.symbol, instrument.code, [instrument.name], vocabulary) }));
  const close = new CloseWords(vocabulary, query);
  const scored = entries.map(({ instrument, entry }) => ({
    symbol: instrument.symbol,
    exact: exactScore(entry, query),
    close: closeScore(entry, query, close),
  }));
  const expected = scored.filter((one) => one.exact > 0 || one.close > 0).map(({ symbol }) => symbol);
  const found = (await new NameIndex(clock, world).search(keyword, world.listed().length)).map(({ symbol }) => symbol);
  // The index knows other names too.
  expect(found).toEqual(expect.arrayContaining(expected));
});
