import type { Clock } from '../../contract/clock.js';
import { decimalToNumber } from '../../contract/decimal.js';
import type { Currency } from '../../contract/markets.js';
import { inTurns, nextTurn } from '../pace.js';
import type { Instrument, SecurityKind, World } from '../world/index.js';
import { otherNamesOf } from '../world/other-names.js';
import { CloseWords, closeScore, type Entry, entryOf, exactScore, mayBeClose, mayMatch, type Query, queryOf, Vocabulary } from './match.js';

interface Indexed {
  readonly instrument: Instrument;
  readonly entry: Entry;
  /** Of two that match equally well, the one that more money looks at comes first. */
  readonly weight: number;
}

/** Entries, and the letters of each. */
interface Lettered {
  readonly indexed: readonly Indexed[];
  readonly letters: Int32Array;
}

/** What is listed, with the letters by which an entry may be what was typed, or close to it. */
interface Listed {
  readonly exact: Lettered;
  readonly close: Lettered;
}

/** How long what is listed stands: contracts and newcomers come and go by the day. */
const LISTED_MS = 600_000;
const ENTRIES_A_TURN = 400;

/** What people look for first. */
const order: readonly SecurityKind[] = ['equity', 'etf', 'index', 'future', 'forex'];

/** Rough units of a currency for a dollar: they only decide which of two listings is the larger. */
const perDollar: Readonly<Record<Currency, number>> = { USD: 1, HKD: 7.8, CNH: 7.1, SGD: 1.3, JPY: 150, MYR: 4.2, AUD: 1.5, CAD: 1.4 };

/** Finds what is listed now by name in any of its languages, code or pinyin initials. */
export class NameIndex {
  #kept: { readonly until: number; readonly listed: Promise<Listed> } | undefined;
  readonly #vocabulary = new Vocabulary();
  readonly #entries = new WeakMap<Instrument, Indexed>();

  constructor(
    private readonly clock: Clock,
    private readonly world: World,
  ) {}

  /** The best matches, best first. Typing mistakes are forgiven where what was typed is found too seldom as it is. */
  async search(keyword: string, count: number): Promise<readonly Instrument[]> {
    const query = queryOf(keyword);
    if (query.raw === '') return [];
    const listed = await this.#listed();
    const scores = await inTurns(scored(listed.exact, query, (entry) => exactScore(entry, query), mayMatch));
    if (scores.size < count) {
      const close = new CloseWords(this.#vocabulary, query);
      const found = await inTurns(scored(listed.close, query, (entry) => closeScore(entry, query, close), mayBeClose));
      for (const [one, score] of found) if (!scores.has(one)) scores.set(one, score);
    }
    return [...scores]
      .sort(([a, x], [b, y]) => y - x || b.weight - a.weight || (a.instrument.symbol < b.instrument.symbol ? -1 : 1))
      .slice(0, count)
      .map(([{ instrument }]) => instrument);
  }

  #listed(): Promise<Listed> {
    const now = this.clock.now();
    if (this.#kept !== undefined && now < this.#kept.until && now >= this.#kept.until - LISTED_MS) return this.#kept.listed;
    const listed = this.#make();
    this.#kept = { until: now + LISTED_MS, listed };
    return listed;
  }

  async #make(): Promise<Listed> {
    const indexed: Indexed[] = [];
    for (const instrument of this.world.listed()) {
      if (indexed.length > 0 && indexed.length % ENTRIES_A_TURN === 0) await nextTurn();
      let one = this.#entries.get(instrument);
      if (one === undefined) {
        one = index(instrument, this.#vocabulary);
        this.#entries.set(instrument, one);
      }
      indexed.push(one);
    }
    const letters = (of: 'letters' | 'nameLetters') => ({ indexed, letters: Int32Array.from(indexed, ({ entry }) => entry[of]) });
    return { exact: letters('letters'), close: letters('nameLetters') };
  }
}

function index(instrument: Instrument, vocabulary: Vocabulary): Indexed {
  const { symbol, code, name, kind, currency, referencePrice, dailyVolume, multiplier } = instrument;
  const money = (decimalToNumber(referencePrice) * decimalToNumber(multiplier) * dailyVolume) / perDollar[currency];
  const place = order.indexOf(kind);
  // Money decides within a kind, and the kind before it. Currency pairs report no volume, and indices that of all their stocks.
  const weight = (place < 0 ? 0 : order.length - place) * 100 + Math.log10(1 + money);
  return { instrument, entry: entryOf(symbol, code, [name, ...otherNamesOf(symbol)], vocabulary), weight };
}

/** Looked at between two looks at the clock. */
const ENTRIES_AT_ONCE = 1_000;

/** Entries that answer at all, with their scores. Most are ruled out by their letters, which lie side by side. */
function* scored(
  { indexed, letters }: Lettered,
  query: Query,
  scoreOf: (entry: Entry) => number,
  may: (letters: number, query: Query) => boolean,
): Generator<void, Map<Indexed, number>> {
  const scores = new Map<Indexed, number>();
  for (let i = 0; i < letters.length; i++) {
    if (i > 0 && i % ENTRIES_AT_ONCE === 0) yield;
    const one = may(letters[i] as number, query) ? indexed[i] : undefined;
    if (one === undefined) continue;
    const score = scoreOf(one.entry);
    if (score > 0) scores.set(one, score);
  }
  return scores;
}
