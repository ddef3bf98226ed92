import { editDistance } from '@svc-gateway/contract/names';
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
  /** Words of all names, each once. */
  readonly words: readonly string[];
  readonly initials: readonly string[];
}

/** @param names each language's and everyday ones. */
export function entryOf(symbol: string, code: string, names: readonly string[]): Entry {
  const texts = distinct(names.map(folded));
  return {
    symbol: symbol.toLowerCase(),
    code: code.toLowerCase(),
    names: texts,
    words: distinct(texts.flatMap((name) => name.split(' '))),
    initials: distinct(names.map(initials)),
  };
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].filter((text) => text !== '');
}

/** A question, prepared once. */
export interface Query {
  readonly raw: string;
  readonly text: string;
  /** Typing mistakes forgiven in the whole of it. */
  readonly mistakesMax: number;
  readonly words: readonly { readonly word: string; readonly mistakesMax: number }[];
  /** Digits of a code or symbol, without leading zeros. */
  readonly digits: string | undefined;
  /** "hk" of "hk.700". */
  readonly market: string | undefined;
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
    mistakesMax: mistakesAllowed(text),
    words: words.map((word) => ({ word, mistakesMax: mistakesAllowed(word) })),
    digits: number,
    market: named,
  };
}

/** One in words of four and five letters (from three characters of Chinese), two in longer ones. */
function mistakesAllowed(text: string): number {
  if (/\p{Script=Han}/u.test(text)) return text.length >= 3 ? 1 : 0;
  return text.length >= 6 ? 2 : text.length >= 4 ? 1 : 0;
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
  if (best < 760 && words.length > 0 && words.every(({ word }) => entry.words.some((one) => one.startsWith(word))))
    best = 780 + Math.min(19, words.length);
  if (best < 740 && raw.length >= 2 && entry.initials.some((one) => one.startsWith(raw))) best = 740;
  if (best < 600 && text.length >= 2 && entry.names.some((name) => name.includes(text))) best = 640;
  if (best < 560 && raw.length >= 3 && entry.code.includes(raw)) best = 560;
  return best;
}

/** The same of an entry that is not what was typed, with typing mistakes forgiven: in the beginning of a name, or in each word. */
export function closeScore(entry: Entry, { text, words, mistakesMax }: Query): number {
  let best = 0;
  for (const name of entry.names) {
    // A slip in a long name's beginning: what was typed is compared with as much of it.
    const beginning = name.length > text.length ? editDistance(text, name.slice(0, text.length), mistakesMax + 1) : mistakesMax + 1;
    const distance = Math.min(editDistance(text, name, mistakesMax + 1), beginning);
    if (distance <= mistakesMax) best = Math.max(best, 500 - 60 * distance - Math.min(40, Math.abs(name.length - text.length)));
  }
  if (best > 0 || words.length === 0) return best;
  let mistakes = 0;
  for (const { word, mistakesMax: most } of words) {
    const least = Math.min(...entry.words.map((other) => (other.startsWith(word) ? 0 : editDistance(word, other, most + 1))));
    if (least > most) return 0;
    mistakes += least;
  }
  return Math.max(1, 420 - 60 * mistakes);
}
