import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { err, ok, type Result } from '@svc-gateway/access';
import { parseSymbol } from '@svc-gateway/contract/markets';
import { zoneOffset } from '@svc-gateway/contract/time';
import { Command } from 'commander';
import { columnsOf, readBars } from './bar-file.js';
import { type BarField, barFields, type ExchangeHours } from './bar-rows.js';
import { EXIT_FAILED, EXIT_USAGE } from './command-line.js';
import type { Terminal } from './terminal.js';

interface ImportOptions {
  readonly symbol?: string;
  readonly to: string;
  readonly columns?: string;
  readonly zone?: string;
  readonly separator: string;
  readonly stamp: string;
  readonly skipBad?: true;
}

/** Looks up the trading hours of a symbol; the error says why its bars cannot be loaded. */
export type HoursOf = (symbol: string) => Promise<Result<ExchangeHours, string>>;

/** Most problems and gaps printed; the others are counted. */
const SHOWN_MAX = 20;
const FILE_BYTES_MAX = 1024 ** 3;
const BAR_WIDTH = 30;
const HEADER = barFields.join(',');

/** `svcctl data`: history files of the simulated brokerage. */
export function dataCommand(terminal: Terminal, hoursOf: HoursOf): Command {
  return new Command('data')
    .description("bring real bars into the simulated brokerage's history")
    .addCommand(importCommand(terminal, hoursOf));
}

function importCommand(terminal: Terminal, hoursOf: HoursOf): Command {
  const command = new Command('import')
    .description('check the bars of a CSV file and write them into a folder for "svcd --sim-data"')
    .argument('<file>', 'CSV file with a header: a line a bar, of days or of minutes')
    .requiredOption('--to <folder>', 'the folder to give to svcd --sim-data; made if it does not exist')
    .option('--symbol <symbol>', 'whose bars they are, as MARKET.CODE (default: the name of the file)')
    .option(
      '--columns <list>',
      `which column is which, by header or number: time=Date,close=4 (default: the usual names of ${barFields.join(', ')})`,
    )
    .option('--zone <zone>', "time zone of times that name none, such as UTC or America/New_York (default: the exchange's)")
    .option('--separator <text>', 'what stands between columns; \\t for a tab', ',')
    .option('--stamp <start|end>', 'which end of its minute the time of a bar names', 'start')
    .option('--skip-bad', 'leave out rows that are none, instead of importing nothing')
    .addHelpText(
      'after',
      '\nTimes: 2026-11-20, 2026-11-20 09:30, the same with Z or +08:00, Unix seconds or milliseconds.\nRows need not be in order; repeated ones count once.',
    );
  return command.action(async (file: string, options: ImportOptions) => {
    const prepared = await prepare(file, options, hoursOf);
    if (!prepared.ok) return command.error(`error: ${prepared.error}`, { exitCode: EXIT_USAGE });
    const problem = importBars(prepared.value, terminal);
    if (problem !== undefined) return command.error(`error: ${problem}`, { exitCode: EXIT_FAILED });
  });
}

interface Import {
  readonly file: string;
  readonly symbol: string;
  readonly folder: string;
  readonly named: Readonly<Partial<Record<BarField, string>>>;
  readonly zone: string;
  readonly stamp: 'start' | 'end';
  readonly hours: ExchangeHours;
  readonly separator: string;
  readonly skipBad: boolean;
}

async function prepare(file: string, options: ImportOptions, hoursOf: HoursOf): Promise<Result<Import, string>> {
  const name = options.symbol ?? basename(file).replace(/\.csv$/i, '');
  const parsed = parseSymbol(name);
  if (parsed === undefined) {
    return err(
      `--symbol: expected MARKET.CODE such as HK.00700, found ${JSON.stringify(name)}${options.symbol === undefined ? ' (the name of the file)' : ''}`,
    );
  }
  const named: Partial<Record<BarField, string>> = {};
  for (const part of (options.columns ?? '').split(',').filter((each) => each !== '')) {
    const [field = '', column = ''] = part.split('=');
    const known = barFields.find((each) => each === field.trim());
    if (known === undefined || column.trim() === '') {
      return err(`--columns: expected <field>=<header or number> with a field of ${barFields.join(', ')}, found ${JSON.stringify(part)}`);
    }
    named[known] = column.trim();
  }
  const symbol = `${parsed.market.name}.${parsed.code}`;
  const found = await hoursOf(symbol);
  if (!found.ok) return err(`--symbol: ${found.error}`);
  const hours = found.value;
  const zone = options.zone ?? hours.timeZone;
  if (!isZone(zone)) return err(`--zone: unknown time zone ${JSON.stringify(zone)}; expected an IANA name such as Asia/Hong_Kong, or UTC`);
  const separator = options.separator === '\\t' ? '\t' : options.separator;
  if (separator === '') return err('--separator: expected at least one character');
  const { stamp } = options;
  if (stamp !== 'start' && stamp !== 'end') return err(`--stamp: expected start or end, found ${JSON.stringify(stamp)}`);
  return ok({ file, symbol, folder: options.to, named, zone, stamp, hours, separator, skipBad: options.skipBad === true });
}

function isZone(zone: string): boolean {
  try {
    zoneOffset(0, zone);
    return true;
  } catch {
    return false;
  }
}

/** Writes all bars or none. Returns the problem if it cannot. */
function importBars(asked: Import, terminal: Terminal): string | undefined {
  const { file, symbol, folder, named, separator, skipBad } = asked;
  let text: string;
  try {
    const { size } = statSync(file);
    if (size > FILE_BYTES_MAX) return `${file} has ${size} bytes; at most ${FILE_BYTES_MAX} can be imported at once: split it`;
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return `cannot read ${file}: ${(error as Error).message}`;
  }
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const columns = columnsOf((lines[0] ?? '').split(separator), named);
  if (typeof columns === 'string') return `${file}:1: ${columns}`;
  const { rows, bad, duplicates, gaps } = readBars(lines, { ...asked, columns }, (done) => showProgress(terminal, done, lines.length));
  if (terminal.interactive) terminal.explain('\r\u001b[K');
  for (const problem of bad.slice(0, SHOWN_MAX)) terminal.explain(`${file}:${problem}\n`);
  if (bad.length > SHOWN_MAX) terminal.explain(`… and ${bad.length - SHOWN_MAX} more\n`);
  if (bad.length > 0 && !skipBad) return `${bad.length} bad rows: nothing was imported; correct them, or leave them out with --skip-bad`;
  const [first, last] = [rows[0], rows.at(-1)];
  if (first === undefined || last === undefined) return `${file} has no bars`;
  const target = join(folder, `${symbol}.csv`);
  try {
    mkdirSync(folder, { recursive: true });
    // Atomic rename: a reader never sees half a file.
    writeFileSync(`${target}.part`, `${HEADER}\n${rows.map(({ time, figures }) => `${time},${figures}\n`).join('')}`);
    renameSync(`${target}.part`, target);
  } catch (error) {
    return `cannot write ${target}: ${(error as Error).message}`;
  }
  for (const gap of gaps.slice(0, SHOWN_MAX)) terminal.explain(`no bars from ${gap}\n`);
  if (gaps.length > SHOWN_MAX) terminal.explain(`… and ${gaps.length - SHOWN_MAX} more gaps\n`);
  const left = [...(duplicates > 0 ? [`${duplicates} repeated`] : []), ...(bad.length > 0 ? [`${bad.length} bad`] : [])];
  const kind = first.time.length === 10 ? 'days' : `minutes on the clocks of ${asked.hours.timeZone}`;
  terminal.explain(
    `${symbol}: ${rows.length} ${kind}, ${first.time} to ${last.time}${left.length === 0 ? '' : ` (left out: ${left.join(', ')})`}\n`,
  );
  terminal.explain(`start the daemon with: svcd --sim-data ${folder}\n`);
  terminal.out(`${target}\n`);
  return undefined;
}

function showProgress({ interactive, explain }: Terminal, done: number, total: number): void {
  if (!interactive) return;
  const filled = Math.floor((done / total) * BAR_WIDTH);
  explain(`\r[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${done} of ${total} lines`);
}
