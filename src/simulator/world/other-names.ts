import { otherNames } from './data/other-names.js';

const bySymbol = new Map<string, readonly string[]>();
for (const [market, listings] of Object.entries(otherNames)) {
  for (const entry of listings.split(';')) {
    const blank = entry.indexOf(' ');
    bySymbol.set(`${market}.${entry.slice(0, blank)}`, entry.slice(blank + 1).split('/'));
  }
}

/** Other names of a listing: in other languages, and in everyday speech. */
export function otherNamesOf(symbol: string): readonly string[] {
  return bySymbol.get(symbol) ?? [];
}
