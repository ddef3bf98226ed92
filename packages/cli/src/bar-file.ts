import { dayNumber } from '@svc-gateway/contract/time';
import { BadRow, type BarField, type BarRow, barFields, type ReadingRules, readBarRow } from './bar-rows.js';

/** Bars of a foreign file, and the problems found in it. */
export interface ReadBars {
  /** In order of time, without duplicates. */
  readonly rows: readonly BarRow[];
  /** Invalid rows, by line of the file: "17: column high: …". */
  readonly bad: readonly string[];
  /** Number of rows that repeat an earlier one. */
  readonly duplicates: number;
  /** Gaps that no weekend, holiday or lunch break explains. */
  readonly gaps: readonly string[];
}

const PROGRESS_LINES = 20_000;
/** Longest closure of an exchange: the weeks around a lunar new year. */
const CLOSED_DAYS_MAX = 11;
/** The longest lunch break. */
const BREAK_MINUTES_MAX = 120;

/** Common column names of each field. */
const usualNames: Readonly<Record<BarField, readonly string[]>> = {
  time: ['time', 'date', 'datetime', 'timestamp', 'time_key', 'day'],
  open: ['open', 'o', 'open_price'],
  high: ['high', 'h', 'high_price'],
  low: ['low', 'l', 'low_price'],
  close: ['close', 'c', 'close_price', 'last'],
  volume: ['volume', 'v', 'vol', 'volume_traded'],
};

/** Finds the columns by their headers. `named` maps fields to the header, or number from 1, that the caller gave. */
export function columnsOf(
  header: readonly string[],
  named: Readonly<Partial<Record<BarField, string>>>,
): Record<BarField, number> | string {
  const headers = header.map((name) => name.trim().replace(/^"|"$/g, '').toLowerCase());
  const columns: Partial<Record<BarField, number>> = {};
  for (const field of barFields) {
    const given = named[field];
    const number = given === undefined || !/^\d+$/.test(given) ? undefined : Number(given) - 1;
    const wanted = given === undefined ? usualNames[field] : [given.toLowerCase()];
    const found = number ?? headers.findIndex((name) => wanted.includes(name));
    if (found < 0 || found >= headers.length) {
      return `no column ${given === undefined ? `for ${field}` : JSON.stringify(given)}; the header has ${header.join(', ')}: say --columns ${field}=<header or number>`;
    }
    columns[field] = found;
  }
  return columns as Record<BarField, number>;
}

/** Reads the lines after the header. `progress` is called with the number of lines read. */
export function readBars(lines: readonly string[], rules: ReadingRules, progress: (done: number) => void): ReadBars {
  const bad: string[] = [];
  const found: Found[] = [];
  // Fast path: a row later than all before it is no duplicate.
  let byTime: Map<string, Found> | undefined;
  let duplicates = 0;
  for (let index = 1; index < lines.length; index++) {
    if (index % PROGRESS_LINES === 0) progress(index);
    const line = lines[index] ?? '';
    if (line === '') continue;
    const row = readBarRow(line, rules);
    if (row instanceof BadRow) {
      bad.push(`${index + 1}: ${row.reason}`);
      continue;
    }
    const one = { row, line: index + 1 };
    const last = found.at(-1);
    if (last !== undefined && row.time <= last.row.time) byTime ??= new Map(found.map((each) => [each.row.time, each]));
    const known = byTime?.get(row.time);
    if (known === undefined) {
      found.push(one);
      byTime?.set(row.time, one);
    } else if (known.row.figures === row.figures) duplicates += 1;
    else bad.push(`${index + 1}: column time: ${row.time} stands in line ${known.line} with other figures`);
  }
  const rows = found.map(({ row }) => row);
  if (byTime !== undefined) rows.sort((a, b) => (a.time < b.time ? -1 : 1));
  return { rows, bad: [...bad, ...mixed(found)], duplicates, gaps: gapsIn(rows) };
}

interface Found {
  readonly row: BarRow;
  readonly line: number;
}

/** Refuses a mix of day bars and minute bars. */
function mixed(rows: readonly Found[]): string[] {
  let first: { readonly isDay: boolean; readonly line: number } | undefined;
  for (const { row, line } of rows) {
    const isDay = row.time.length === 10;
    first ??= { isDay, line };
    if (first.isDay === isDay) continue;
    return [
      `${line}: column time: a ${isDay ? 'day' : 'minute'}; line ${first.line} is a ${isDay ? 'minute' : 'day'}, and one file holds one kind`,
    ];
  }
  return [];
}

function gapsIn(rows: readonly BarRow[]): string[] {
  const gaps: string[] = [];
  let before: BarRow | undefined;
  for (const row of rows) {
    if (before !== undefined && isGap(before.time, row.time)) gaps.push(`${before.time} to ${row.time}`);
    before = row;
  }
  return gaps;
}

function isGap(from: string, to: string): boolean {
  const [fromDay, toDay] = [from.slice(0, 10), to.slice(0, 10)];
  if (fromDay !== toDay) return (dayNumber(toDay) ?? 0) - (dayNumber(fromDay) ?? 0) > CLOSED_DAYS_MAX;
  return minuteOfDay(to) - minuteOfDay(from) > BREAK_MINUTES_MAX;
}

function minuteOfDay(time: string): number {
  return Number(time.slice(11, 13)) * 60 + Number(time.slice(14, 16));
}
