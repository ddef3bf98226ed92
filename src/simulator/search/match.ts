import { initials } from './pinyin.js';

/** What a text is compared as: full-width forms and accents folded, in lower case, one blank between words. */
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
  readonly words: readonly string[];
  readonly initials: readonly string[];
}

/** @param names each language's and everyday ones. */
export function entryOf(symbol: string, code: string, names: readonly string[]): Entry {
  const texts = [...new Set(names.map(folded))].filter((name) => name !== '');
  return {
    symbol: symbol.toLowerCase(),
    code: code.toLowerCase(),
    names: texts,
    words: [...new Set(texts.flatMap((name) => name.split(' ')))],
    initials: [...new Set(names.map(initials))].filter((text) => text !== ''),
  };
}

/** A question, prepared once. */
export interface Query {
  readonly raw: string;
  readonly text: string;
  readonly words: readonly string[];
  /** Of a code in figures, or its symbol: without leading zeros. */
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
  return {
    raw: symbol,
    text,
    words: text.split(' ').filter((word) => word !== ''),
    digits: number,
    market: named,
  };
}

/** How well an entry answers, 0 (not at all) to 1000 (it is what was typed), without forgiving anything. */
export function exactScore(entry: Entry, query: Query): number {
  const { raw, text, words, digits, market } = query;
  if (raw === '' || (text === '' && raw !== entry.code)) return 0;
  if (raw === entry.symbol || raw === entry.code) return 1000;
  const inMarket = market === undefined || entry.symbol.startsWith(`${market}.`);
  if (digits !== undefined && inMarket && entry.code.replace(/^0+(?=\d)/, '') === digits) return 980;
  if (entry.names.includes(text)) return 960;
  if (entry.initials.includes(raw)) return 900;
  let best = 0;
  if (entry.code.startsWith(raw)) best = 860 - (entry.code.length - raw.length);
  for (const name of entry.names) {
    if (name.startsWith(text)) best = Math.max(best, 880 - Math.min(60, name.length - text.length));
  }
  if (best < 760 && words.length > 0 && words.every((word) => entry.words.some((one) => one.startsWith(word))))
    best = 780 + Math.min(19, words.length);
  if (best < 740 && raw.length >= 2 && entry.initials.some((one) => one.startsWith(raw))) best = 740;
  if (best < 600 && text.length >= 2 && entry.names.some((name) => name.includes(text))) best = 640;
  if (best < 560 && raw.length >= 3 && entry.code.includes(raw)) best = 560;
  return best;
}

/** Forgives typing mistakes: one in words of four and five letters (two characters of Chinese), two in longer ones. */
export function closeScore(entry: Entry, { text, words }: Query): number {
  let best = 0;
  for (const name of entry.names) {
    const allowed = mistakesAllowed(text);
    // A slip in a long name's beginning: what was typed is compared with as much of it.
    const distance = Math.min(mistakes(text, name, allowed), mistakes(text, name.slice(0, text.length), allowed));
    if (distance <= allowed) best = Math.max(best, 500 - 60 * distance - Math.min(40, Math.abs(name.length - text.length)));
  }
  if (best > 0 || words.length === 0) return best;
  let sum = 0;
  for (const word of words) {
    const allowed = mistakesAllowed(word);
    let least = allowed + 1;
    for (const one of entry.words) {
      least = Math.min(least, one.startsWith(word) ? 0 : mistakes(word, one, allowed));
      if (least === 0) break;
    }
    if (least > allowed) return 0;
    sum += least;
  }
  return Math.max(1, 420 - 60 * sum);
}

const HAN = /\p{Script=Han}/u;

function mistakesAllowed(text: string): number {
  if (HAN.test(text)) return text.length >= 3 ? 1 : 0;
  return text.length >= 6 ? 2 : text.length >= 4 ? 1 : 0;
}

/**
 * Edits between two texts, two neighbours that changed places counting as one (optimal string alignment distance); more than `most` where it is more.
 */
function mistakes(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    let least = row;
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1];
      let edits = Math.min((previous[column - 1] ?? 0) + (same ? 0 : 1), (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        edits = Math.min(edits, (before[column - 2] ?? 0) + 1);
      }
      current.push(edits);
      least = Math.min(least, edits);
    }
    if (least > most) return most + 1;
    [before, previous] = [previous, current];
  }
  return previous[b.length] ?? most + 1;
}
