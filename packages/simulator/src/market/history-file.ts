import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Decimal, parseDecimal } from '@svc-gateway/contract/decimal';
import { quoted } from '@svc-gateway/contract/shown';
import { dayNumber, parseLocal } from '@svc-gateway/contract/time';
import type { Calendar } from '../world/calendar.js';
import type { Instrument } from '../world/instrument.js';
import { kinds } from '../world/kinds.js';
import type { LoadedBar, LoadedHistory } from './history.js';

const COLUMNS = ['time', 'open', 'high', 'low', 'close', 'volume'] as const;
const HEADER = COLUMNS.join(',');
const PRICE_MAX: Decimal = 9_000_000_000_000_000n;
const VOLUME_TEXT = /^\d{1,18}$/;

/** Contents and problems of a folder of history files; each problem names file, line, column and what is accepted. */
export interface LoadedFolder {
  readonly histories: readonly LoadedHistory[];
  readonly problems: readonly string[];
}

/** Reads the `MARKET.CODE.csv` files of a folder; other files are left alone. Rejects when the folder cannot be read. */
export async function loadHistoryFolder(
  folder: string,
  instrumentOf: (symbol: string) => Instrument | undefined,
  calendarOf: (instrument: Instrument) => Calendar,
): Promise<LoadedFolder> {
  const histories: LoadedHistory[] = [];
  const problems: string[] = [];
  const names = (await readdir(folder)).filter((name) => name.toLowerCase().endsWith('.csv')).sort();
  for (const name of names) {
    const instrument = instrumentOf(name.slice(0, -'.csv'.length));
    if (instrument === undefined) {
      problems.push(`${name}: the simulation has no such symbol; expected MARKET.CODE.csv, such as HK.00700.csv`);
      continue;
    }
    const { noun, takesHistory } = kinds[instrument.kind];
    if (!takesHistory) {
      problems.push(
        `${name}: this is ${noun}, whose prices follow from others; expected a share, a fund, an index, a currency pair or a future`,
      );
      continue;
    }
    const parsed = parseHistory(await readFile(join(folder, name), 'utf8'), calendarOf(instrument));
    if ('problem' in parsed) problems.push(`${name}:${parsed.problem}`);
    else histories.push({ instrument, bars: parsed.bars });
  }
  return { histories, problems };
}

/** Where a file goes wrong: "3: column 2 (open): …". */
class Problem {
  constructor(readonly text: string) {}
}

/**
 * The bars of one history file: the header `time,open,high,low,close,volume`, then a line a bar by rising time. `time`
 * is "YYYY-MM-DD", a trading day, in all lines (day bars) or "YYYY-MM-DD HH:MM[:00]" in all lines (start of the minute on the exchange's
 * clocks, inside a session). Prices are positive decimals, volume a whole number.
 */
export function parseHistory(text: string, calendar: Calendar): { readonly bars: readonly LoadedBar[] } | { readonly problem: string } {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  while (lines.at(-1) === '') lines.pop();
  if (lines[0] !== HEADER) return { problem: `1: the header is ${JSON.stringify(lines[0] ?? '')}; expected "${HEADER}"` };
  if (lines.length === 1) return { problem: '2: no bars; expected at least one line after the header' };
  const bars: LoadedBar[] = [];
  for (const [i, line] of lines.entries()) {
    if (i === 0) continue;
    const bar = parseBar(line, calendar, bars.at(-1));
    if (bar instanceof Problem) return { problem: `${i + 1}: ${bar.text}` };
    bars.push(bar);
  }
  return { bars };
}

function parseBar(line: string, calendar: Calendar, previous: LoadedBar | undefined): LoadedBar | Problem {
  const fields = line.split(',');
  if (fields.length !== COLUMNS.length) return new Problem(`${fields.length} columns; expected ${COLUMNS.length}: ${HEADER}`);
  const [timeText = '', openText = '', highText = '', lowText = '', closeText = '', volumeText = ''] = fields;
  const time = parseTime(timeText, calendar, previous);
  if (time instanceof Problem) return time;
  const prices: Decimal[] = [];
  for (const [i, priceText] of [openText, highText, lowText, closeText].entries()) {
    const price = parsePrice(i + 1, priceText);
    if (price instanceof Problem) return price;
    prices.push(price);
  }
  const [open = 0n, high = 0n, low = 0n, close = 0n] = prices;
  if (high < open || high < close || high < low) return at(2, highText, 'a price not below open, low and close');
  if (low > open || low > close) return at(3, lowText, 'a price not above open and close');
  if (!VOLUME_TEXT.test(volumeText)) return at(5, volumeText, 'a whole number of up to 18 digits');
  return { ...time, open, high, low, close, volume: BigInt(volumeText) };
}

function parseTime(
  text: string,
  calendar: Calendar,
  previous: LoadedBar | undefined,
): Pick<LoadedBar, 'day' | 'minute' | 'extended'> | Problem {
  const number = dayNumber(text);
  if (number !== undefined) {
    if (previous?.minute !== undefined) return at(0, text, 'a minute, "YYYY-MM-DD HH:MM", as in the lines before');
    if (previous !== undefined && previous.day >= number) return at(0, text, 'a day after that of the line before');
    // No bar shows it, and yet the next day's price would go on from it.
    if (!calendar.isTradingDay(text)) return at(0, text, `a trading day of the exchange (${calendar.timeZone})`);
    return { day: number };
  }
  const minute = parseLocal(/^\S+ \d\d:\d\d$/.test(text) ? `${text}:00` : text, calendar.timeZone);
  if (minute === undefined || minute % 60_000 !== 0) return at(0, text, '"YYYY-MM-DD" or "YYYY-MM-DD HH:MM"');
  if (previous !== undefined && previous.minute === undefined) return at(0, text, 'a day, "YYYY-MM-DD", as in the lines before');
  if (previous?.minute !== undefined && previous.minute >= minute) return at(0, text, 'a minute after that of the line before');
  const day = dayNumber(calendar.tradingDay(minute));
  const session = calendar.sessionAt(minute);
  if (day === undefined || session === undefined) return at(0, text, `a minute inside a session (${calendar.timeZone})`);
  return { day, minute, ...(session.kind === 'extended' ? { extended: true } : {}) };
}

function parsePrice(column: number, text: string): Decimal | Problem {
  const value = parseDecimal(text);
  if (value === undefined || value <= 0n || value > PRICE_MAX) {
    return at(column, text, 'a positive decimal of up to nine places, at most 9000000');
  }
  return value;
}

function at(column: number, text: string, accepted: string): Problem {
  return new Problem(`column ${column + 1} (${COLUMNS[column]}): found ${quoted(text)}; expected ${accepted}`);
}
