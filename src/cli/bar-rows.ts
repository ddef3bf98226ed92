import { type Decimal, parseDecimal } from '../contract/decimal.js';
import { dayNumber, fromWall, localDateTime, weekdayOfNumber } from '../contract/time.js';

/** What a history file has, in its order. */
export const barFields = ['time', 'open', 'high', 'low', 'close', 'volume'] as const;
export type BarField = (typeof barFields)[number];

/** Which column of a foreign file is which field, counted from 0. */
export type BarColumns = Readonly<Record<BarField, number>>;

export interface ReadingRules {
  readonly columns: BarColumns;
  readonly separator: string;
  /** IANA zone of times that name none. */
  readonly zone: string;
  /** Of the symbol's exchange: what is written. */
  readonly exchangeZone: string;
}

/** A bar as the simulation loads it. */
export interface BarRow {
  /** "2026-11-20", or "2026-11-20 09:30" on the exchange's clocks: rises as text as it does in time. */
  readonly time: string;
  /** open,high,low,close,volume as they are written. */
  readonly figures: string;
}

/** What is wrong with a row: the column, what it holds, and what is accepted. */
export class BadRow {
  constructor(readonly reason: string) {}
}

const DATE = /^(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})$/;
const DATE_TIME = /^(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})[T ](\d{2}):?(\d{2})(?::?(\d{2})(?:\.\d+)?)? ?(Z|[+-]\d{2}:?\d{2})?$/;
const DATE_LENGTH_MAX = 10;
const WEEKEND: readonly number[] = [0, 6];
/** Unix seconds or milliseconds. */
const EPOCH = /^\d{10}(\d{3})?$/;
const TIMES = '"2026-11-20", "2026-11-20 09:30", the same with :SS, Z or +08:00, or Unix seconds or milliseconds';
const VOLUME = /^(\d{1,18})(?:\.0*)?$/;
const PRICE_MAX: Decimal = 9_000_000_000_000_000n;

/** Reads a line of a foreign file. */
export function readBarRow(line: string, { columns, separator, zone, exchangeZone }: ReadingRules): BarRow | BadRow {
  const cells = line.split(separator);
  const texts = {} as Record<BarField, string>;
  for (const field of barFields) texts[field] = unquoted(cells[columns[field]]);
  const time = readTime(texts.time, zone, exchangeZone);
  if (time instanceof BadRow) return time;
  const prices: Decimal[] = [];
  for (const field of ['open', 'high', 'low', 'close'] as const) {
    const text = texts[field];
    const price = parseDecimal(text);
    if (price === undefined || price <= 0n || price > PRICE_MAX) return bad(field, text, 'a positive decimal of up to nine places');
    prices.push(price);
  }
  const [open = 0n, high = 0n, low = 0n, close = 0n] = prices;
  if (high < open || high < close || high < low) return bad('high', texts.high, 'a price not below open, low and close');
  if (low > open || low > close) return bad('low', texts.low, 'a price not above open and close');
  const volume = VOLUME.exec(texts.volume)?.[1];
  if (volume === undefined) return bad('volume', texts.volume, 'a whole number of up to 18 digits');
  return { time, figures: `${texts.open},${texts.high},${texts.low},${texts.close},${volume}` };
}

function unquoted(text: string | undefined): string {
  const trimmed = (text ?? '').trim();
  return trimmed.startsWith('"') && trimmed.endsWith('"') && trimmed.length > 1 ? trimmed.slice(1, -1) : trimmed;
}

function readTime(text: string, zone: string, exchangeZone: string): string | BadRow {
  const date = text.length > DATE_LENGTH_MAX ? null : DATE.exec(text);
  if (date !== null) {
    const day = `${date[1]}-${date[2]}-${date[3]}`;
    const number = dayNumber(day);
    if (number === undefined) return bad('time', text, 'a day that there is');
    // A whole file of such days was written in another zone. The daemon knows the holidays as well, and takes trading days alone.
    return WEEKEND.includes(weekdayOfNumber(number)) ? bad('time', text, 'a trading day, and this is a weekend') : day;
  }
  if (EPOCH.test(text)) return minuteOf(text.length === 10 ? Number(text) * 1_000 : Number(text), text, exchangeZone);
  const match = DATE_TIME.exec(text);
  if (match === null) return bad('time', text, TIMES);
  const [, year, month, dayText, hour = '', minute = '', second = '00', offset] = match;
  const day = `${year}-${month}-${dayText}`;
  const days = dayNumber(day);
  if (days === undefined || hour > '23' || minute > '59' || second > '59') return bad('time', text, TIMES);
  if (offset === undefined && zone === exchangeZone && second === '00') return `${day} ${hour}:${minute}`;
  const wall = days * 86_400_000 + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1_000;
  return minuteOf(offset === undefined ? fromWall(wall, zone) : wall - offsetMs(offset), text, exchangeZone);
}

function offsetMs(text: string): number {
  if (text === 'Z') return 0;
  const digits = text.replace(':', '');
  return Number(`${digits[0]}1`) * (Number(digits.slice(1, 3)) * 60 + Number(digits.slice(3))) * 60_000;
}

function minuteOf(time: number, text: string, zone: string): string | BadRow {
  return time % 60_000 === 0 ? localDateTime(time, zone).slice(0, 16) : bad('time', text, 'the start of a minute');
}

function bad(field: BarField, found: string, accepted: string): BadRow {
  return new BadRow(`column ${field}: found ${JSON.stringify(found.slice(0, 60))}; expected ${accepted}`);
}
