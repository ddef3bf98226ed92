import { expect, it } from 'vitest';
import { SymbolSet } from './symbol-set.js';

it('knows a symbol by its market and code, whatever points the code has', () => {
  const symbols = new SymbolSet(['HK.00700', 'US.BRK.B', 'US.00700']);
  const asked = ['HK.00700', 'US.BRK.B', 'US.00700', 'HK.BRK.B', 'US.BRK', 'SH.00700'].map((symbol): [string, string] => {
    const point = symbol.indexOf('.');
    return [symbol.slice(0, point), symbol.slice(point + 1)];
  });
  expect(asked.map(([market, code]) => symbols.hasCode(market, code))).toEqual(asked.map((parts) => symbols.has(parts.join('.'))));
  expect(new SymbolSet().hasCode('HK', '00700')).toBe(false);
});
