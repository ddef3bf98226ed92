/**
 * Canonical symbols, "HK.00700", which are also known by market and code: most requests name a security by these. Nothing is
 * added to it once it is made.
 */
export class SymbolSet extends Set<string> {
  #codes: ReadonlyMap<string, ReadonlySet<string>> | undefined;

  /** Whether it holds the symbol of a security; `market` is the market's name, "HK". To join the two costs as much as the look-up. */
  hasCode(market: string, code: string): boolean {
    this.#codes ??= byMarket(this);
    return this.#codes.get(market)?.has(code) ?? false;
  }
}

function byMarket(symbols: Iterable<string>): ReadonlyMap<string, ReadonlySet<string>> {
  const codes = new Map<string, Set<string>>();
  for (const symbol of symbols) {
    // A code may hold points ("HK.800000", "US.BRK.B"), a market's name does not.
    const point = symbol.indexOf('.');
    const market = symbol.slice(0, point);
    const known = codes.get(market);
    if (known === undefined) codes.set(market, new Set([symbol.slice(point + 1)]));
    else known.add(symbol.slice(point + 1));
  }
  return codes;
}
