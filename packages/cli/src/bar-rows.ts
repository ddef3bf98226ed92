import { type Decimal, formatDecimal, parseDecimal } from '@svc-gateway/contract/decimal';
import { quoted } from '@svc-gateway/contract/shown';
import { dayNumber, fromWall, localDateTime } from '@svc-gateway/contract/time';

/** Columns of a history file, in order. */
export const barFields = ['time', 'open', 'high', 'low', 'close', 'volume'] as const;
export type BarField = (typeof barFields)[number];

/** Column of each field in a foreign file, counted from 0. */
export type BarColumns = Readonly<Record<BarField, number>>;

/** Trading hours of a symbol. */
export interface ExchangeHours {
  /** IANA time zone of the exchange; bars are in its local time. */
  readonly timeZone: string;
  /** True for a trading day, such as "2026-11-20". */
  isTradingDay(day: string): boolean;
  /** The session at `time`, epoch ms; undefined outside all sessions. */
  sessionAt(time: number): unknown;
}

export interface ReadingRules {
  readonly columns: BarColumns;
  readonly separator: string;
  /** IANA time zone of times without an offset. */
  readonly zone: string;
  /** End of the minute that a bar's time names. */
  readonly stamp: 'start' | 'end';
  readonly hours: ExchangeHours;
}

/** A bar as the simulation loads it. */
export interface BarRow {
  /** "2026-11-20", or "2026-11-20 09:30" in the exchange's local time: sorts as text. */
  readonly time: string;
  /** "open,high,low,close,volume", with at most nine decimal places. */
  readonly figures: string;
}

/** Problem of a row: the column, the value found, and the values accepted. */
export class BadRow {
  constructor(readonly reason: string) {}
}

const DATE = /^(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})$/;
const DATE_TIME = /^(\d{4})[-/.]?(\d{2})[-/.]?(\d{2})[T ](\d{2}):?(\d{2})(?::?(\d{2})(?:\.\d+)?)? ?(Z|[+-]\d{2}:?\d{2})?$/;
const DATE_LENGTH_MAX = 10;
const MINUTE_MS = 60_000;
/** Unix seconds or milliseconds. */
const EPOCH = /^\d{10}(\d{3})?$/;
const TIMES = '"2026-11-20", "2026-11-20 09:30", the same with :SS, Z or +08:00, or Unix seconds or milliseconds';
const VOLUME = /^(\d{1,18})(?:\.0*)?$/;
/** Digits up to the ninth decimal place, and those beyond. */
const LONG_DECIMAL = /^(\d+\.\d{9})(\d)\d*$/;
const PRICE_MAX: Decimal = 9_000_000_000_000_000n;

/** Reads a line of a foreign file. */
export function readBarRow(line: string, rules: ReadingRules): BarRow | BadRow {
  const { columns, separator } = rules;
  const cells = line.split(separator);
  const texts = {} as Record<BarField, string>;
  for (const field of barFields) texts[field] = unquoted(cells[columns[field]]);
  const time = readTime(texts.time, rules);
  if (time instanceof BadRow) return time;
  const prices: Decimal[] = [];
  for (const field of ['open', 'high', 'low', 'close'] as const) {
    const text = texts[field];
    let price = parseDecimal(text);
    if (price === undefined) {
      price = rounded(text);
      if (price !== undefined) texts[field] = formatDecimal(price);
    }
    if (price === undefined || price <= 0n || price > PRICE_MAX) return bad(field, text, 'a positive decimal, at most 9000000');
    prices.push(price);
  }
  const [open = 0n, high = 0n, low = 0n, close = 0n] = prices;
  if (high < open || high < close || high < low) return bad('high', texts.high, 'a price not below open, low and close');
  if (low > open || low > close) return bad('low', texts.low, 'a price not above open and close');
  const volume = VOLUME.exec(texts.volume)?.[1];
  if (volume === undefined) return bad('volume', texts.volume, 'a whole number of up to 18 digits');
  return { time, figures: `${texts.open},${texts.high},${texts.low},${texts.close},${volume}` };
}

/** Rounds a decimal to nine places: spreadsheets and data frames write binary fractions in full. */
function rounded(text: string): Decimal | undefined {
  const [, kept = '', next = ''] = LONG_DECIMAL.exec(text) ?? [];
  const price = parseDecimal(kept);
  return price === undefined || next < '5' ? price : price + 1n;
}

function unquoted(text: string | undefined): string {
  const trimmed = (text ?? '').trim();
  return trimmed.startsWith('"') && trimmed.endsWith('"') && trimmed.length > 1 ? trimmed.slice(1, -1) : trimmed;
}

function readTime(text: string, rules: ReadingRules): string | BadRow {
  const { zone, hours, stamp } = rules;
  const date = text.length > DATE_LENGTH_MAX ? null : DATE.exec(text);
  if (date !== null) {
    const day = `${date[1]}-${date[2]}-${date[3]}`;
    if (dayNumber(day) === undefined) return bad('time', text, 'a day that there is');
    return hours.isTradingDay(day) ? day : bad('time', text, `a trading day of the exchange (${hours.timeZone})`);
  }
  if (EPOCH.test(text)) return minuteOf(text.length === 10 ? Number(text) * 1_000 : Number(text), text, rules);
  const match = DATE_TIME.exec(text);
  if (match === null) return bad('time', text, TIMES);
  const [, year, month, dayText, hour = '', minute = '', second = '00', offset] = match;
  const day = `${year}-${month}-${dayText}`;
  const days = dayNumber(day);
  if (days === undefined || hour > '23' || minute > '59' || second > '59') return bad('time', text, TIMES);
  const wall = days * 86_400_000 + ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1_000;
  const written = offset === undefined && zone === hours.timeZone && stamp === 'start' ? `${day} ${hour}:${minute}` : undefined;
  return minuteOf(offset === undefined ? fromWall(wall, zone) : wall - offsetMs(offset), text, rules, written);
}

function offsetMs(text: string): number {
  if (text === 'Z') return 0;
  const digits = text.replace(':', '');
  return Number(`${digits[0]}1`) * (Number(digits.slice(1, 3)) * 60 + Number(digits.slice(3))) * 60_000;
}

/** The minute of a time, which must lie inside a session. `written`: the same in the exchange's local time, if known. */
function minuteOf(time: number, text: string, { stamp, hours }: ReadingRules, written?: string): string | BadRow {
  if (time % MINUTE_MS !== 0) return bad('time', text, `the ${stamp} of a minute`);
  const start = stamp === 'start' ? time : time - MINUTE_MS;
  if (hours.sessionAt(start) !== undefined) return written ?? localDateTime(start, hours.timeZone).slice(0, 16);
  const isEnd = stamp === 'start' && hours.sessionAt(time - MINUTE_MS) !== undefined;
  const hint = isEnd ? '; one inside a session ends then: is it --stamp end?' : '';
  return bad('time', text, `the ${stamp} of a minute inside a session (${hours.timeZone})${hint}`);
}

function bad(field: BarField, found: string, accepted: string): BadRow {
  return new BadRow(`column ${field}: found ${quoted(found)}; expected ${accepted}`);
}
