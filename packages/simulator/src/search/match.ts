import { editDistance } from './edit-distance.js';
import { initials } from './pinyin.js';

/** Normal form of a text for comparison: full-width forms and accents folded, in lower case, one blank between words. */
function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\s'’.,&()/_-]+/g, ' ')
    .trim();
}

/** A listing as search knows it. */
export interface Entry {
  /** "hk.00700", as typed; and the code alone. */
  readonly symbol: string;
  readonly code: string;
  readonly names: readonly string[];
  /** By their numbers in the vocabulary. */
  readonly words: readonly number[];
  readonly initials: readonly string[];
  /** Letters of all names, as bits: a question with other letters cannot match. */
  readonly letters: number;
}

/** The letters and figures of texts as bits, two figures to a bit; all else is one bit, and what stands between words none. */
function lettersOf(texts: readonly string[]): number {
  let bits = 0;
  for (const text of texts) {
    for (let index = 0; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code >= 97 && code <= 122) bits |= 1 << (code - 97);
      else if (code >= 48 && code <= 57) bits |= 1 << (26 + ((code - 48) >> 1));
      else if (code > 127) bits |= 1 << 31;
    }
  }
  return bits;
}

function countBits(bits: number): number {
  let count = 0;
  for (let left = bits; left !== 0; left &= left - 1) count += 1;
  return count;
}

/** The letters of a name's first `length` characters. */
export function lettersOfBeginning(name: string, length: number): number {
  return lettersOf([name.slice(0, length)]);
}

/** Each text once, without empty ones: a list with no room for more, since thousands of them are kept. */
function distinct(texts: readonly string[]): readonly string[] {
  const once = new Set(texts);
  once.delete('');
  return [...once];
}

/** @param names each language's and everyday ones. */
export function entryOf(symbol: string, code: string, names: readonly string[], vocabulary: Vocabulary): Entry {
  const texts = distinct(names.map(folded));
  const parts = {
    symbol: symbol.toLowerCase(),
    code: code.toLowerCase(),
    names: texts,
    words: [...new Set(texts.flatMap((name) => name.split(' ')).map((word) => vocabulary.number(word)))],
    initials: distinct(names.map(initials)),
  };
  return { ...parts, letters: lettersOf([parts.symbol, ...texts, ...parts.initials]) };
}

/** A question, prepared once. */
export interface Query {
  readonly raw: string;
  readonly text: string;
  readonly words: readonly string[];
  /** Digits of a code or symbol, without leading zeros. */
  readonly digits: string | undefined;
  /** "hk" of "hk.700". */
  readonly market: string | undefined;
  /** Letters of the question as typed, as folded, and of its digits. */
  readonly rawLetters: number;
  readonly textLetters: number;
  readonly digitLetters: number;
  /** How many are forgiven in the whole of it, and in each word. */
  readonly textMistakes: number;
  readonly wordMistakes: readonly number[];
}

export function queryOf(keyword: string): Query {
  const raw = keyword.normalize('NFKC').trim().toLowerCase();
  const text = folded(keyword);
  // "00700.hk" is how some write "hk.00700".
  const [, code, market] = /^([\w.]+)\.(hk|us|sh|sz|sg|jp|my|fx)$/.exec(raw) ?? [];
  const symbol = code === undefined ? raw : `${market}.${code}`;
  const [, named, number] = /^(?:([a-z]{2})\.)?0*(\d+)$/.exec(symbol) ?? [];
  const words = text.split(' ').filter((word) => word !== '');
  return {
    raw: symbol,
    text,
    words,
    digits: number,
    market: named,
    rawLetters: lettersOf([symbol]),
    textLetters: lettersOf([text]),
    digitLetters: lettersOf([number ?? symbol]),
    textMistakes: distanceAllowed(text),
    wordMistakes: words.map(distanceAllowed),
  };
}

/** Whether an entry of such letters may answer as typed: nothing is looked at that has not the letters for it. */
export function mayMatch(letters: number, { textLetters, rawLetters, digitLetters }: Query): boolean {
  return (textLetters & ~letters) === 0 || (rawLetters & ~letters) === 0 || (digitLetters & ~letters) === 0;
}

/** How well an entry answers, 0 (not at all) to 1000 (it is what was typed), without forgiving anything. */
export function exactScore(entry: Entry, query: Query): number {
  const { raw, text, words, digits, market } = query;
  if (raw === '' || (text === '' && raw !== entry.code)) return 0;
  if (raw === entry.symbol || raw === entry.code) return 1000;
  const inMarket = market === undefined || entry.symbol.startsWith(`${market}.`);
  if (digits !== undefined && inMarket && entry.code.endsWith(digits) && entry.code.replace(/^0+(?=\d)/, '') === digits) return 980;
  if (entry.names.includes(text)) return 960;
  if (entry.initials.includes(raw)) return 900;
  let best = 0;
  if (entry.code.startsWith(raw)) best = 860 - (entry.code.length - raw.length);
  for (const name of entry.names) {
    if (name.startsWith(text)) best = Math.max(best, 880 - Math.min(60, name.length - text.length));
  }
  if (best < 760 && words.length > 0 && words.every((word) => entry.names.some((name) => hasWord(name, word))))
    best = 780 + Math.min(19, words.length);
  if (best < 740 && raw.length >= 2 && entry.initials.some((one) => one.startsWith(raw))) best = 740;
  if (best < 600 && text.length >= 2 && entry.names.some((name) => name.includes(text))) best = 640;
  if (best < 560 && raw.length >= 3 && entry.code.includes(raw)) best = 560;
  return best;
}

/** Whether one of a name's words begins with a word. */
function hasWord(name: string, word: string): boolean {
  return name.startsWith(word) || name.includes(` ${word}`);
}

/**
 * Whether a name with such a beginning may be what was typed with mistakes: each of its letters that was not typed is one. What was typed is at least as
 * long as the beginning that is looked at.
 */
export function mayBegin(four: number, six: number, { text, textLetters, textMistakes }: Query): boolean {
  return textMistakes > 0 && countBits((text.length >= 6 ? six : four) & ~textLetters) <= textMistakes;
}

/** Forgives typing mistakes: one in words of four and five letters (two characters of Chinese), two in longer ones. */
export function closeScore(entry: Entry, { text, words, textMistakes }: Query, close: CloseWords): number {
  let best = 0;
  for (const name of entry.names) {
    // A slip in a long name's beginning: what was typed is compared with as much of it.
    const beginning = name.length > text.length ? editDistance(text, name.slice(0, text.length), textMistakes) : textMistakes + 1;
    const distance = Math.min(editDistance(text, name, textMistakes), beginning);
    if (distance <= textMistakes) best = Math.max(best, 500 - 60 * distance - Math.min(40, Math.abs(name.length - text.length)));
  }
  if (best > 0 || words.length === 0) return best;
  const sum = close.mistakes(entry);
  return sum === undefined ? 0 : Math.max(1, 420 - 60 * sum);
}

/** The words of all names, each once. */
export class Vocabulary {
  readonly words: string[] = [];
  readonly #numbers = new Map<string, number>();

  number(word: string): number {
    let number = this.#numbers.get(word);
    if (number === undefined) {
      number = this.words.push(word) - 1;
      this.#numbers.set(word, number);
    }
    return number;
  }
}

const UNKNOWN = 255;

/** How far the words of a question are from those of names: names share words, and each is compared once. */
export class CloseWords {
  readonly #known: readonly Uint8Array[];

  constructor(
    private readonly vocabulary: Vocabulary,
    private readonly query: Query,
  ) {
    this.#known = query.words.map(() => new Uint8Array(vocabulary.words.length).fill(UNKNOWN));
  }

  /** Words of names that the question's first word may mean, by their numbers. */
  nearFirst(): readonly number[] {
    const most = this.query.wordMistakes[0];
    const near: number[] = [];
    if (most === undefined) return near;
    for (let number = 0; number < (this.#known[0]?.length ?? 0); number++) {
      if (this.#between(0, number, most) <= most) near.push(number);
    }
    return near;
  }

  /** In all words of the question together, each against the nearest word of an entry; undefined where that is too far for one. */
  mistakes({ words }: Entry): number | undefined {
    let sum = 0;
    for (let index = 0; index < this.#known.length; index++) {
      const most = this.query.wordMistakes[index] ?? 0;
      let least = most + 1;
      for (const word of words) least = Math.min(least, this.#between(index, word, most));
      if (least > most) return undefined;
      sum += least;
    }
    return sum;
  }

  #between(index: number, number: number, most: number): number {
    const known = this.#known[index] as Uint8Array;
    const before = known[number] as number;
    if (before !== UNKNOWN) return before;
    const [word, other] = [this.query.words[index] ?? '', this.vocabulary.words[number] ?? ''];
    const found = other.startsWith(word) ? 0 : editDistance(word, other, most);
    known[number] = found;
    return found;
  }
}

const HAN = /\p{Script=Han}/u;

function distanceAllowed(text: string): number {
  if (HAN.test(text)) return text.length >= 3 ? 1 : 0;
  return text.length >= 6 ? 2 : text.length >= 4 ? 1 : 0;
}
