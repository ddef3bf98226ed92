import type { Clock } from '@svc-gateway/contract/clock';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { type Currency, quoteMarkets } from '@svc-gateway/contract/markets';
import type { Instrument, SecurityKind, World } from '../world/index.js';
import { otherNamesOf } from '../world/other-names.js';
import {
  CloseWords,
  closeScore,
  type Entry,
  entryOf,
  exactScore,
  lettersOfBeginning,
  mayBegin,
  mayMatch,
  type Query,
  queryOf,
  Vocabulary,
} from './match.js';

interface Indexed {
  readonly instrument: Instrument;
  readonly entry: Entry;
  /** Rank among equal matches: the larger turnover comes first. */
  readonly weight: number;
}

/** Listed instruments, arranged for search. */
interface Listed {
  readonly indexed: readonly Indexed[];
  /** Letters of each instrument, side by side: most are ruled out by them. */
  readonly letters: Int32Array;
  /** Instruments by the number of a word of their names in the vocabulary. */
  readonly byWord: readonly (readonly Indexed[] | undefined)[];
  /** Names side by side: the place of the instrument in `indexed`, and the letters of the name's beginning. */
  readonly names: { readonly of: Uint32Array; readonly four: Int32Array; readonly six: Int32Array };
}

/** How long what is listed stands: contracts and newcomers come and go by the day. */
const LISTED_MS = 600_000;

/** Kinds in the order in which people look for them. */
const order: readonly SecurityKind[] = ['equity', 'etf', 'index', 'future', 'forex'];

/** Rough units of a currency for a dollar: they only decide which of two listings is the larger. */
const perDollar: Readonly<Record<Currency, number>> = { USD: 1, HKD: 7.8, CNH: 7.1, SGD: 1.3, JPY: 150, MYR: 4.2, AUD: 1.5, CAD: 1.4 };

/** Finds what is listed now by name in any of its languages, code or pinyin initials. */
export class NameIndex {
  #kept: { readonly until: number; readonly listed: Listed } | undefined;
  readonly #vocabulary = new Vocabulary();
  /** Entries of the instruments that were listed at the last look. */
  #entries: ReadonlyMap<Instrument, Indexed> = new Map();

  constructor(
    private readonly clock: Clock,
    private readonly world: World,
  ) {}

  /** The best matches, best first. Typing mistakes are forgiven where what was typed is found too seldom as it is. */
  search(keyword: string, count: number): readonly Instrument[] {
    const query = queryOf(keyword);
    if (query.raw === '') return [];
    const listed = this.#listed();
    const scores = exactScores(listed, query);
    if (scores.size < count) addCloseScores(scores, listed, query, new CloseWords(this.#vocabulary, query));
    return [...scores]
      .sort(([a, x], [b, y]) => y - x || b.weight - a.weight || (a.instrument.symbol < b.instrument.symbol ? -1 : 1))
      .slice(0, count)
      .map(([{ instrument }]) => instrument);
  }

  #listed(): Listed {
    const now = this.clock.now();
    if (this.#kept !== undefined && now < this.#kept.until && now >= this.#kept.until - LISTED_MS) return this.#kept.listed;
    const listed = this.#make();
    this.#kept = { until: now + LISTED_MS, listed };
    return listed;
  }

  #make(): Listed {
    const indexed: Indexed[] = [];
    const entries = new Map<Instrument, Indexed>();
    let nameCount = 0;
    for (const { name: market } of quoteMarkets) {
      for (const instrument of this.world.listed({ market })) {
        const one = this.#entries.get(instrument) ?? index(instrument, this.#vocabulary);
        entries.set(instrument, one);
        nameCount += one.entry.names.length;
        indexed.push(one);
      }
    }
    this.#entries = entries;
    return arranged(indexed, this.#vocabulary.words.length, nameCount);
  }
}

/** Arranges names for search. */
function arranged(indexed: readonly Indexed[], words: number, nameCount: number): Listed {
  const letters = new Int32Array(indexed.length);
  const byWord = new Array<Indexed[] | undefined>(words).fill(undefined);
  const names = { of: new Uint32Array(nameCount), four: new Int32Array(nameCount), six: new Int32Array(nameCount) };
  let name = 0;
  for (const [of, one] of indexed.entries()) {
    const { entry } = one;
    letters[of] = entry.letters;
    for (const word of entry.words) {
      const having = byWord[word];
      if (having === undefined) byWord[word] = [one];
      else having.push(one);
    }
    for (const text of entry.names) {
      names.of[name] = of;
      names.four[name] = lettersOfBeginning(text, 4);
      names.six[name] = lettersOfBeginning(text, 6);
      name += 1;
    }
  }
  return { indexed, letters, byWord, names };
}

function index(instrument: Instrument, vocabulary: Vocabulary): Indexed {
  const { symbol, code, name, kind, currency, referencePrice, dailyVolume, multiplier } = instrument;
  const money = (decimalToNumber(referencePrice) * decimalToNumber(multiplier) * dailyVolume) / perDollar[currency];
  const place = order.indexOf(kind);
  // Money decides within a kind, and the kind before it. Currency pairs report no volume, and indices that of all their stocks.
  const weight = (place < 0 ? 0 : order.length - place) * 100 + Math.log10(1 + money);
  return { instrument, entry: entryOf(symbol, code, [name, ...otherNamesOf(symbol)], vocabulary), weight };
}

/** Scores of the instruments that match as typed. */
function exactScores({ indexed, letters }: Listed, query: Query): Map<Indexed, number> {
  const scores = new Map<Indexed, number>();
  for (let i = 0; i < letters.length; i++) {
    const one = mayMatch(letters[i] as number, query) ? indexed[i] : undefined;
    if (one === undefined) continue;
    const score = exactScore(one.entry, query);
    if (score > 0) scores.set(one, score);
  }
  return scores;
}

/** Adds scores of instruments that match with typing errors: by a name's beginning, or by each word. */
function addCloseScores(scores: Map<Indexed, number>, { indexed, byWord, names }: Listed, query: Query, close: CloseWords): void {
  const candidates = new Set<Indexed>();
  for (let i = 0; i < names.of.length; i++) {
    const one = mayBegin(names.four[i] as number, names.six[i] as number, query) ? indexed[names.of[i] as number] : undefined;
    if (one !== undefined) candidates.add(one);
  }
  for (const word of close.nearFirst()) for (const one of byWord[word] ?? []) candidates.add(one);
  for (const one of candidates) {
    if (scores.has(one)) continue;
    const score = closeScore(one.entry, query, close);
    if (score > 0) scores.set(one, score);
  }
}
