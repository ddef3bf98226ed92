import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DECIMAL_ONE, type Decimal, parseDecimal } from '../contract/decimal.js';
import { quoteMarket } from '../contract/markets.js';
import { dayNumber, parseLocal } from '../contract/time.js';
import type { LoadedBar, LoadedHistory } from './market/index.js';
import type { Instrument, World } from './world/index.js';

/** A data folder that cannot be used: the text names the file and the line. */
export class DataFolderError extends Error {}

const COLUMNS = ['time', 'open', 'high', 'low', 'close', 'volume'];
const MINUTE_MS = 60_000;
const DAY_ONLY_LENGTH = 'YYYY-MM-DD'.length;

/**
 * Reads `MARKET.CODE.csv` files: daily or one-minute bars by rising time, with the header `time,open,high,low,close,volume`.
 * Times are of the market's zone, as in K-line answers: a date for a day, the end of the minute for a minute.
 * Throws {@link DataFolderError}.
 */
export function loadBars(folder: string, world: World): LoadedHistory[] {
  return csvFiles(folder).map((file) => {
    const instrument = world.instrument(file.slice(0, -'.csv'.length));
    if (instrument === undefined) throw new DataFolderError(`${join(folder, file)}: the file is named after no known symbol`);
    return { instrument, bars: parseBars(readFileSync(join(folder, file), 'utf8'), instrument, world, join(folder, file)) };
  });
}

function csvFiles(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith('.csv'))
      .sort();
  } catch (error) {
    throw new DataFolderError(`cannot read ${folder}: ${error instanceof Error ? error.message : error}`);
  }
}

function parseBars(text: string, instrument: Instrument, world: World, file: string): LoadedBar[] {
  const [header = '', ...lines] = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  if (header.trim().toLowerCase() !== COLUMNS.join(',')) throw new DataFolderError(`${file}:1: expected the header ${COLUMNS.join(',')}`);
  const bars: LoadedBar[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const refuse = (reason: string): never => {
      throw new DataFolderError(`${file}:${index + 2}: ${reason}`);
    };
    const bar = parseBar(
      line.split(',').map((cell) => cell.trim()),
      instrument,
      world,
      refuse,
    );
    const last = bars.at(-1);
    if (last !== undefined && (last.minute === undefined) !== (bar.minute === undefined)) refuse('days and minutes are mixed');
    if (last !== undefined && (bar.minute ?? bar.day) <= (last.minute ?? last.day)) refuse('times must rise');
    bars.push(bar);
  }
  if (bars.length === 0) throw new DataFolderError(`${file}: no bars`);
  return bars;
}

function parseBar(cells: readonly string[], instrument: Instrument, world: World, refuse: (reason: string) => never): LoadedBar {
  if (cells.length !== COLUMNS.length) refuse(`expected ${COLUMNS.length} columns, found ${cells.length}`);
  const [time = '', ...numbers] = cells;
  const price = (column: number): Decimal => {
    const value = parseDecimal(numbers[column] ?? '');
    return value !== undefined && value > 0n ? value : refuse(`${COLUMNS[column + 1]}: expected a positive price`);
  };
  const [open, high, low, close] = [price(0), price(1), price(2), price(3)];
  if (high < open || high < close || low > open || low > close) refuse('open and close must lie between low and high');
  const volume = parseDecimal(numbers[4] ?? '');
  if (volume === undefined || volume < 0n || volume % DECIMAL_ONE !== 0n) return refuse('volume: expected a whole number');
  return { ...place(time, instrument, world, refuse), open, high, low, close, volume: volume / DECIMAL_ONE };
}

function place(time: string, instrument: Instrument, world: World, refuse: (reason: string) => never): { day: number; minute?: number } {
  const at = parseLocal(time, quoteMarket(instrument.market).timeZone);
  if (at === undefined) return refuse('time: expected yyyy-MM-dd or yyyy-MM-dd HH:mm:ss');
  if (time.length === DAY_ONLY_LENGTH) return { day: dayNumber(time) ?? refuse('time: no such day') };
  if (at % MINUTE_MS !== 0) refuse('time: expected a whole minute');
  const minute = at - MINUTE_MS;
  return { minute, day: dayNumber(world.calendar(instrument).tradingDay(minute)) ?? refuse('time: no such day') };
}
