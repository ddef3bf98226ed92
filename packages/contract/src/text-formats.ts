import { formatDecimal, parseDecimal } from './decimal.js';
import { dayNumber } from './time.js';

/** A form that the text of a parameter has to have, whichever interface it comes by. An empty text is one that nobody gave. */
export interface TextFormat {
  readonly accepts: (text: string) => boolean;
  /** Completes "expected …". */
  readonly expected: string;
  /** For schemas and pages. */
  readonly example: string;
  /** A credential: its refusal repeats nothing of it. */
  readonly secret?: true;
}

/** `yyyy-MM-dd` with an optional ` HH:mm:ss`, of a day that there is. */
const TIME_TEXT = /^\d{4}-\d{2}-\d{2}( ([01]\d|2[0-3]):[0-5]\d:[0-5]\d)?$/;
const COMPACT_DAY = /^(\d{4})(\d{2})(\d{2})$/;
const MD5_HEX = /^[0-9a-f]{32}$/i;

/** Whether a text is `yyyy-MM-dd`, with or without ` HH:mm:ss`, of a day that there is: 30 February is none. */
export function isTimeText(text: string): boolean {
  return TIME_TEXT.test(text) && dayNumber(text.slice(0, 10)) !== undefined;
}

/** A day, or a time of it. */
export const dayOrTime: TextFormat = {
  accepts: isTimeText,
  expected: 'a time as yyyy-MM-dd HH:mm:ss or yyyy-MM-dd',
  example: '2026-01-31',
};

export const compactDay: TextFormat = {
  accepts: (text) => dayNumber(text.replace(COMPACT_DAY, '$1-$2-$3')) !== undefined && COMPACT_DAY.test(text),
  expected: 'a date as yyyyMMdd',
  example: '20260131',
};

export const timeZone: TextFormat = {
  accepts: isTimeZone,
  expected: 'the name of a time zone, such as Asia/Hong_Kong or UTC',
  example: 'Asia/Hong_Kong',
};

/** ISO 4217, of either case; CNH is the protocol's name of CNY. */
const CURRENCIES: ReadonlySet<string> = new Set(['CNY', 'CNH', 'USD', 'HKD', 'SGD', 'JPY', 'CAD', 'AUD', 'MYR']);

export const currencyText: TextFormat = {
  accepts: (text) => CURRENCIES.has(text.toUpperCase()),
  expected: 'a currency: CNY, USD, HKD, SGD, JPY, CAD, AUD or MYR',
  example: 'HKD',
};

/** Hexadecimal digits of either case: both are the same number. */
export const md5Hex: TextFormat = {
  accepts: (text) => MD5_HEX.test(text),
  expected: 'an MD5 as 32 hexadecimal digits',
  example: 'd41d8cd98f00b204e9800998ecf8427e',
  secret: true,
};

/** A price as decimal text: above 0, at most `max` billionths, with at most nine places. */
export function priceText(max: bigint): TextFormat {
  return {
    accepts: (text) => {
      const price = parseDecimal(text);
      return price !== undefined && price > 0n && price <= max;
    },
    expected: `a decimal above 0, at most ${formatDecimal(max)}, with at most nine places`,
    example: '1.25',
  };
}

/** One of some words, in their own case. */
export function oneWordOf(words: readonly [string, ...(readonly string[])]): TextFormat {
  return { accepts: (text) => words.includes(text), expected: `one of ${words.join(', ')}`, example: words[0] };
}

function isTimeZone(text: string): boolean {
  if (!/^[A-Za-z]/.test(text)) return false;
  try {
    return new Intl.DateTimeFormat('en', { timeZone: text }) !== undefined;
  } catch {
    return false;
  }
}
