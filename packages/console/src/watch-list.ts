/** Part of the browser's storage that is used. */
interface Store {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
}

/** The symbols that somebody watches: kept by the browser between visits. No secret, and bounded, as each is a subscription. */
export class WatchList {
  static readonly MAX = 50;
  static readonly #STORED_AS = 'svc-console-watchlist';
  #symbols: readonly string[];

  constructor(
    readonly store: Store | undefined,
    initial: readonly string[],
  ) {
    this.#symbols = this.#stored() ?? initial;
  }

  get symbols(): readonly string[] {
    return this.#symbols;
  }

  /** False where it is there already or the list is full. */
  add(symbol: string): boolean {
    if (this.#symbols.includes(symbol) || this.#symbols.length >= WatchList.MAX) return false;
    this.#keep([...this.#symbols, symbol]);
    return true;
  }

  remove(symbol: string): void {
    this.#keep(this.#symbols.filter((one) => one !== symbol));
  }

  #keep(symbols: readonly string[]): void {
    this.#symbols = symbols;
    try {
      this.store?.setItem(WatchList.#STORED_AS, JSON.stringify(symbols));
    } catch {
      // A browser that keeps nothing for this page: the list lasts as long as the tab.
    }
  }

  #stored(): readonly string[] | undefined {
    try {
      const stored: unknown = JSON.parse(this.store?.getItem(WatchList.#STORED_AS) ?? 'null');
      if (!Array.isArray(stored)) return undefined;
      return [...new Set(stored.filter((one): one is string => typeof one === 'string' && isSymbol(one)))].slice(0, WatchList.MAX);
    } catch {
      return undefined;
    }
  }
}

/** Whether a text has the form of a symbol: "HK.00700". Whether there is one of that name the daemon says. */
export function isSymbol(text: string): boolean {
  return /^[A-Z]{2,12}\.[A-Za-z0-9.&_:-]{1,40}$/.test(text);
}
