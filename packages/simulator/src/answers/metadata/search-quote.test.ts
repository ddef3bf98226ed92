import { symbolOf } from '@svc-gateway/contract/markets';
import { metadata } from '@svc-gateway/contract/operations';
import { describe, expect, it } from 'vitest';
import { sharedBackend } from '../../../../../test/support/sim-backend.js';
import { otherNamesOf } from '../../world/other-names.js';

const simulated = sharedBackend({ calendarMode: 'calendar' });

async function search(keyword: string, maxCount = 5): Promise<string[]> {
  const { searchQuoteList } = await simulated.payload(metadata.searchQuote, { keyword, maxCount });
  return searchQuoteList.map(({ market, code }) => symbolOf({ market, code }) ?? '');
}

describe('the first match', () => {
  it.each([
    // Codes, with and without their zeros and market.
    ['00700', 'HK.00700'],
    ['700', 'HK.00700'],
    ['HK.00700', 'HK.00700'],
    ['hk.700', 'HK.00700'],
    ['00700.HK', 'HK.00700'],
    ['aapl', 'US.AAPL'],
    ['600519', 'SH.600519'],
    ['.SPX', 'US..SPX'],
    ['HSImain', 'HK.HSImain'],
    // Names in several languages.
    ['tencent', 'HK.00700'],
    ['腾讯', 'HK.00700'],
    ['騰訊控股', 'HK.00700'],
    ['Apple', 'US.AAPL'],
    ['苹果', 'US.AAPL'],
    ['google', 'US.GOOGL'],
    ['贵州茅台', 'SH.600519'],
    ['moutai', 'SH.600519'],
    ['トヨタ', 'JP.7203'],
    ['任天堂', 'JP.7974'],
    ['coca cola', 'US.KO'],
    ['Coca-Cola', 'US.KO'],
    ['berkshire b', 'US.BRK.B'],
    ['maybank', 'MY.1155'],
    // Initials of pinyin.
    ['txkg', 'HK.00700'],
    ['gzmt', 'SH.600519'],
    ['ndsd', 'SZ.300750'],
    ['zgpa', 'SH.601318'],
    // Typing mistakes.
    ['tencnet', 'HK.00700'],
    ['appel', 'US.AAPL'],
    ['microsfot', 'US.MSFT'],
    ['goldmann sacks', 'US.GS'],
    ['贵州矛台', 'SH.600519'],
    ['nintedo', 'JP.7974'],
  ])('of %s is %s', async (keyword, symbol) => {
    expect((await search(keyword))[0]).toBe(symbol);
  });
});

it('exact matches come before parts of names, and parts before mistakes', async () => {
  const found = await search('china', 60);
  const places = found.map((symbol) => {
    const names = [simulated.simulation.world.instrument(symbol)?.name ?? '', ...otherNamesOf(symbol)].map((name) => name.toLowerCase());
    return names.some((name) => name.startsWith('china')) ? 0 : names.some((name) => name.includes('china')) ? 1 : 2;
  });
  expect(places.filter((place) => place === 0).length).toBeGreaterThan(10);
  expect(places).toEqual([...places].sort());
});

it('every listed stock is found by its symbol and by its name', async () => {
  for (const { symbol, name } of simulated.simulation.world.listed({ kind: 'equity' })) {
    expect((await search(symbol, 1))[0]).toBe(symbol);
    expect([name, await search(name, 10)]).toEqual([name, expect.arrayContaining([symbol])]);
  }
});

it('finds nothing under nonsense, and nothing that is not listed', async () => {
  expect(await search('qzxjwv kkkkk')).toEqual([]);
  expect(await search('%%%')).toEqual([]);
  expect(await search('TWTR', 1)).not.toContain('US.TWTR');
  expect(await search('Twitter', 100)).not.toContain('US.TWTR');
});

it('answers as many as were asked for, ten when not said', async () => {
  expect(await search('a', 3)).toHaveLength(3);
  expect((await simulated.payload(metadata.searchQuote, { keyword: 'a' })).searchQuoteList).toHaveLength(10);
  expect(await search('a', 50)).toHaveLength(50);
});

it.each([
  [{ keyword: '  ' }, 'keyword: expected a name or a code, found an empty text'],
  [{ keyword: 'a', maxCount: 101 }, 'max_count: 101 is out of range, accepted: 1 to 100'],
  [{ keyword: 'a', maxCount: -1 }, 'max_count: -1 is out of range'],
])('refuses %j', async (request, message) => {
  expect(await simulated.refusal(metadata.searchQuote, request)).toContain(message);
});
