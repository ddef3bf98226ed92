import type { Clock } from '../../contract/clock.js';
import { decimalToNumber } from '../../contract/decimal.js';
import type { Currency } from '../../contract/markets.js';
import { nextTurn } from '../pace.js';
import type { Instrument, SecurityKind, World } from '../world/index.js';
import { otherNamesOf } from '../world/other-names.js';
import { closeScore, type Entry, entryOf, exactScore, type Query, queryOf } from './match.js';

interface Indexed {
  readonly instrument: Instrument;
  readonly entry: Entry;
  /** Of two that match equally well, the one that more money looks at comes first. */
  readonly weight: number;
}

/** How long what is listed stands: contracts and newcomers come and go by the day. */
const LISTED_MS = 600_000;
const ENTRIES_A_TURN = 400;
const SCORES_A_TURN = 1_500;
const CLOSE_A_TURN = 200;

/** What people look for first. */
const order: readonly SecurityKind[] = ['equity', 'etf', 'index', 'future', 'forex'];

/** Rough units of a currency for a dollar: they only decide which of two listings is the larger. */
const perDollar: Readonly<Record<Currency, number>> = { USD: 1, HKD: 7.8, CNH: 7.1, SGD: 1.3, JPY: 150, MYR: 4.2, AUD: 1.5, CAD: 1.4 };

/** Finds what is listed now by name in any of its languages, code or pinyin initials. */
export class NameIndex {
  #kept: { readonly until: number; readonly entries: Promise<readonly Indexed[]> } | undefined;
  readonly #entries = new WeakMap<Instrument, Indexed>();

  constructor(
    private readonly clock: Clock,
    private readonly world: World,
  ) {}

  /** The best matches, best first. Typing mistakes are forgiven where what was typed is found too seldom as it is. */
  async search(keyword: string, count: number): Promise<readonly Instrument[]> {
    const query = queryOf(keyword);
    if (query.raw === '') return [];
    const entries = await this.#listed();
    const scores = await scored(entries, query, exactScore, SCORES_A_TURN);
    if (scores.size < count) {
      const rest = entries.filter((one) => !scores.has(one));
      for (const [one, score] of await scored(rest, query, closeScore, CLOSE_A_TURN)) scores.set(one, score);
    }
    return [...scores]
      .sort(([a, x], [b, y]) => y - x || b.weight - a.weight || (a.instrument.symbol < b.instrument.symbol ? -1 : 1))
      .slice(0, count)
      .map(([{ instrument }]) => instrument);
  }

  #listed(): Promise<readonly Indexed[]> {
    const now = this.clock.now();
    if (this.#kept !== undefined && now < this.#kept.until && now >= this.#kept.until - LISTED_MS) return this.#kept.entries;
    const entries = this.#make();
    this.#kept = { until: now + LISTED_MS, entries };
    return entries;
  }

  async #make(): Promise<readonly Indexed[]> {
    const indexed: Indexed[] = [];
    for (const instrument of this.world.listed()) {
      if (indexed.length > 0 && indexed.length % ENTRIES_A_TURN === 0) await nextTurn();
      let one = this.#entries.get(instrument);
      if (one === undefined) {
        one = index(instrument);
        this.#entries.set(instrument, one);
      }
      indexed.push(one);
    }
    return indexed;
  }
}

function index(instrument: Instrument): Indexed {
  const { symbol, code, name, kind, currency, referencePrice, dailyVolume, multiplier } = instrument;
  const money = (decimalToNumber(referencePrice) * decimalToNumber(multiplier) * dailyVolume) / perDollar[currency];
  const place = order.indexOf(kind);
  // Money decides within a kind, and the kind before it. Currency pairs report no volume, and indices that of all their stocks.
  const weight = (place < 0 ? 0 : order.length - place) * 100 + Math.log10(1 + money);
  return { instrument, entry: entryOf(symbol, code, [name, ...otherNamesOf(symbol)]), weight };
}

async function scored(
  entries: readonly Indexed[],
  query: Query,
  scoreOf: (entry: Entry, query: Query) => number,
  aTurn: number,
): Promise<Map<Indexed, number>> {
  const scores = new Map<Indexed, number>();
  for (const [i, one] of entries.entries()) {
    if (i > 0 && i % aTurn === 0) await nextTurn();
    const score = scoreOf(one.entry, query);
    if (score > 0) scores.set(one, score);
  }
  return scores;
}
