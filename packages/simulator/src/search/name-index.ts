import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { type Currency, quoteMarkets } from '@svc-gateway/contract/markets';
import type { Instrument, SecurityKind, World } from '../world/index.js';
import { otherNamesOf } from '../world/other-names.js';
import { closeScore, type Entry, entryOf, exactScore, queryOf } from './match.js';

interface Indexed {
  readonly instrument: Instrument;
  readonly entry: Entry;
  /** Rank among equal matches: the larger turnover comes first. */
  readonly weight: number;
}

/** Kinds in the order in which people look for them. */
const order: readonly SecurityKind[] = ['equity', 'etf', 'index', 'future', 'forex'];

/** Rough units of a currency for a dollar: they only decide which of two listings is the larger. */
const perDollar: Readonly<Record<Currency, number>> = { USD: 1, HKD: 7.8, CNH: 7.1, SGD: 1.3, JPY: 150, MYR: 4.2, AUD: 1.5, CAD: 1.4 };

/** Finds what is listed now by name in any of its languages, code or pinyin initials. */
export class NameIndex {
  readonly #known = new WeakMap<Instrument, Indexed>();

  constructor(private readonly world: World) {}

  /** The best matches, best first. Typing mistakes are forgiven where what was typed is found too seldom as it is. */
  search(keyword: string, count: number): readonly Instrument[] {
    const query = queryOf(keyword);
    if (query.raw === '') return [];
    const listed = quoteMarkets.flatMap(({ name: market }) => this.world.listed({ market })).map((instrument) => this.#indexed(instrument));
    const scores = new Map(listed.map((one) => [one, exactScore(one.entry, query)]));
    if (listed.filter((one) => scores.get(one) !== 0).length < count) {
      for (const one of listed) if (scores.get(one) === 0) scores.set(one, closeScore(one.entry, query));
    }
    return [...scores]
      .filter(([, score]) => score > 0)
      .sort(([a, x], [b, y]) => y - x || b.weight - a.weight || (a.instrument.symbol < b.instrument.symbol ? -1 : 1))
      .slice(0, count)
      .map(([{ instrument }]) => instrument);
  }

  #indexed(instrument: Instrument): Indexed {
    const known = this.#known.get(instrument) ?? indexed(instrument);
    this.#known.set(instrument, known);
    return known;
  }
}

function indexed(instrument: Instrument): Indexed {
  const { symbol, code, name, kind, currency, referencePrice, dailyVolume, multiplier } = instrument;
  const money = (decimalToNumber(referencePrice) * decimalToNumber(multiplier) * dailyVolume) / perDollar[currency];
  const place = order.indexOf(kind);
  // Money decides within a kind, and the kind before it. Currency pairs report no volume, and indices that of all their stocks.
  const weight = (place < 0 ? 0 : order.length - place) * 100 + Math.log10(1 + money);
  return { instrument, entry: entryOf(symbol, code, [name, ...otherNamesOf(symbol)]), weight };
}
