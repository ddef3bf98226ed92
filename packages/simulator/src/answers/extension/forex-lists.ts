import type { Instrument } from '../../world/index.js';

/** A list of currency pairs. */
export interface ForexList {
  readonly name: string;
  readonly holds: (base: string, quote: string) => boolean;
}

const of = (...currencies: readonly string[]) => {
  const wanted = new Set(currencies);
  return (base: string, quote: string) => wanted.has(base) || wanted.has(quote);
};
const majors = of('EUR', 'JPY', 'GBP', 'AUD', 'NZD', 'CAD', 'CHF');
const withDollar = of('USD');

/** By list_id. */
export const forexLists: ReadonlyMap<number, ForexList> = new Map(
  (
    [
      ['All', () => true],
      ['Majors', (base, quote) => withDollar(base, quote) && majors(base, quote)],
      ['Crosses', (base, quote) => !withDollar(base, quote)],
      ['Asia', of('JPY', 'HKD', 'CNH', 'SGD', 'MYR', 'KRW')],
      ['US Dollar', withDollar],
      ['Euro', of('EUR')],
      ['British Pound', of('GBP')],
      ['Japanese Yen', of('JPY')],
      ['Hong Kong Dollar', of('HKD')],
      ['Offshore Renminbi', of('CNH')],
      ['Australian Dollar', of('AUD')],
      ['Commodity currencies', of('AUD', 'NZD', 'CAD')],
    ] as const satisfies readonly (readonly [string, ForexList['holds']])[]
  ).map(([name, holds], index) => [index + 1, { name, holds }]),
);

/** The pairs of a list in the world's order, which is that of their weight. */
export function pairsOf(list: ForexList, pairs: readonly Instrument[]): readonly Instrument[] {
  return pairs.filter(({ code }) => list.holds(code.slice(0, 3), code.slice(3)));
}
