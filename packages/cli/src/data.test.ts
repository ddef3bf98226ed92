import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startFixture } from '../../../test/support/sim-backend.js';
import { parseHistory } from '../../simulator/src/market/history-file.js';
import { dataCommand } from './data.js';
import { exchangeHoursOf } from './exchange-hours.js';
import type { Terminal } from './terminal.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-data-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Imports the lines of a file as the shell would; `bars` is what was written. */
async function importFile(lines: readonly string[], args: readonly string[] = [], name = 'HK.00700.csv', interactive = false) {
  const result = { out: '', explained: '', status: 0 };
  const explain = (text: string) => {
    result.explained += text;
  };
  const out = (text: string) => {
    result.out += text;
  };
  const terminal = { out, explain, interactive } as unknown as Terminal;
  const file = join(folder, name);
  writeFileSync(file, `${lines.join('\n')}\n`);
  const command = dataCommand(terminal, exchangeHoursOf);
  for (const each of [command, ...command.commands]) each.exitOverride().configureOutput({ writeErr: explain, writeOut: explain });
  await command
    .parseAsync(['import', file, '--to', join(folder, 'out'), ...args], { from: 'user' })
    .catch((thrown: { exitCode: number }) => {
      result.status = thrown.exitCode;
    });
  const written = join(folder, 'out', 'HK.00700.csv');
  return { ...result, bars: existsSync(written) ? readFileSync(written, 'utf8').trimEnd().split('\n').slice(1) : undefined };
}

const header = 'time,open,high,low,close,volume';

describe('svcctl data import', () => {
  it('writes files that the simulation loads: in order, each bar once, in the usual columns', async () => {
    const { status, bars, explained, out } = await importFile([
      'Date,Close,High,Low,Open,Volume,Adj',
      '2026-01-06,602,610,590.5,600,2000,1',
      '2026-01-05,600,605,595,598,1000.0,1',
      '"2026-01-06",602,610,590.5,600,2000,2',
    ]);
    expect([status, explained]).toEqual([0, expect.stringContaining('HK.00700: 2 days, 2026-01-05 to 2026-01-06 (left out: 1 repeated)')]);
    expect(bars).toEqual(['2026-01-05,598,605,595,600,1000', '2026-01-06,600,610,590.5,602,2000']);
    const { simulation } = await startFixture();
    const { world } = simulation;
    const calendar = world.calendar(world.instrument('HK.00700')!);
    expect(parseHistory(readFileSync(out.trim(), 'utf8'), calendar)).toMatchObject({ bars: { length: 2 } });
    await simulation.close();
  });

  it.each([
    ['2026-01-05 01:30', ['--zone', 'UTC']],
    ['2026-01-05T01:30:00Z', []],
    ['2026-01-04 20:30:00-05:00', []],
    ['20260105 09:30', []],
    ['1767576600', []],
    ['1767576600000', []],
  ])('writes the time %s %j on the clocks of the exchange', async (time, args) => {
    expect((await importFile([header, `${time},1,1,1,1,1`], args)).bars).toEqual(['2026-01-05 09:30,1,1,1,1,1']);
  });

  it('takes columns by header or number, and another separator', async () => {
    const args = ['--symbol', 'hk.00700', '--columns', 'time=when,open=2,high=3,low=4,close=5,volume=6', '--separator', ';'];
    const { bars } = await importFile(['When;a;b;c;d;e', '2026-01-05;1;2;0.5;1.5;7'], args, 'export.csv');
    expect(bars).toEqual(['2026-01-05,1,2,0.5,1.5,7']);
  });

  it('names bad rows by line and column, and imports nothing unless they are to be left out', async () => {
    const lines = [
      header,
      '2026-01-05,1,1,1,1,1',
      '2026-02-30,1,1,1,1,1',
      '2026-01-06,1,0.5,1,1,1',
      '2026-01-07,1,2,1.5,1,1',
      '2026-01-08,0,1,1,1,1',
      '2026-01-09,1,1,1,1,1.5',
      '2026-01-05,2,2,2,2,2',
      '2026-01-12 09:30,1,1,1,1,1',
      '5 May,1,1,1,1,1',
      '2026-01-13',
      '2026-01-10,1,1,1,1,1',
    ];
    const { status, bars, explained } = await importFile(lines);
    expect([status, bars]).toEqual([1, undefined]);
    for (const said of [
      ':3: column time: found "2026-02-30"; expected a day that there is',
      ':4: column high: found "0.5"; expected a price not below open, low and close',
      ':5: column low: found "1.5"; expected a price not above open and close',
      ':6: column open: found "0"; expected a positive decimal',
      ':7: column volume: found "1.5"; expected a whole number',
      ':8: column time: 2026-01-05 stands in line 2 with other figures',
      ':9: column time: a minute; line 2 is a day',
      ':10: column time: found "5 May"; expected "2026-11-20"',
      ':11: column open: found ""',
      ':12: column time: found "2026-01-10"; expected a trading day of the exchange (Asia/Hong_Kong)',
      'bad rows: nothing was imported',
    ])
      expect(explained).toContain(said);
    const skipped = await importFile(
      lines.filter((line) => !line.includes('09:30')),
      ['--skip-bad'],
    );
    expect([skipped.status, skipped.bars]).toEqual([0, ['2026-01-05,1,1,1,1,1']]);
  });

  it('takes minutes that are named by their end, and says so where they are none by their start', async () => {
    const lines = [header, '2026-01-05 09:31,1,1,1,1,1', '2026-01-05 16:00,1,1,1,1,1'];
    const { bars, explained } = await importFile(lines);
    expect(bars).toBeUndefined();
    expect(explained).toContain(
      ':3: column time: found "2026-01-05 16:00"; expected the start of a minute inside a session (Asia/Hong_Kong); one inside a session ends then: is it --stamp end?',
    );
    expect((await importFile(lines, ['--stamp', 'end'])).bars).toEqual(['2026-01-05 09:30,1,1,1,1,1', '2026-01-05 15:59,1,1,1,1,1']);
    expect((await importFile(lines, ['--stamp', 'end', '--zone', 'UTC'])).explained).toContain(
      'expected the end of a minute inside a session',
    );
  });

  it('rounds binary fractions that were written in full to nine places', async () => {
    const { bars } = await importFile([
      header,
      '2026-01-05,100.07000000000001,100.61999999999999,99.9999999995,100.5,1',
      '2026-01-05,100.07,100.62,100,100.5,1',
    ]);
    expect(bars).toEqual(['2026-01-05,100.07,100.62,100,100.5,1']);
  });

  it('takes nothing that the daemon would refuse', async () => {
    const minutes = ['2026-01-05 12:30', '2026-01-01', '2026-01-04'];
    const { bars, explained } = await importFile([header, ...minutes.map((time) => `${time},1,1,1,1,1`)]);
    expect(bars).toBeUndefined();
    expect(explained.match(/expected (a trading day|the start of a minute inside a session)/g)).toHaveLength(3);
  });

  it('tells of gaps that no holiday and no lunch break explains', async () => {
    const minutes = ['2026-01-05 09:30', '2026-01-05 11:59', '2026-01-05 13:00', '2026-01-05 15:30', '2026-02-02 09:30'];
    const { explained } = await importFile([header, ...minutes.map((time) => `${time},1,1,1,1,1`)]);
    expect(explained.match(/^no bars from .*$/gm)).toEqual([
      'no bars from 2026-01-05 09:30 to 2026-01-05 11:59',
      'no bars from 2026-01-05 13:00 to 2026-01-05 15:30',
      'no bars from 2026-01-05 15:30 to 2026-02-02 09:30',
    ]);
  });

  it('shows its progress to a person alone', async () => {
    // Rows that are none are counted as well.
    const lines = [header, ...Array.from({ length: 20_500 }, () => '2026-01-05,1,1,1,1,1')];
    expect((await importFile(lines, [], 'HK.00700.csv', true)).explained).toMatch(/\r\[#{29}\.\] 20000 of 20502 lines/);
    expect((await importFile(lines)).explained).not.toContain('[#');
  });

  it.each([
    [['--symbol', 'HK.99999'], '--symbol: the simulated brokerage has no HK.99999'],
    [['--symbol', 'HK.LIST1001'], '--symbol: HK.LIST1001 is a plate: its prices follow from others, and no bars of it can be loaded'],
    [['--stamp', 'middle'], '--stamp: expected start or end, found "middle"'],
    [['--symbol', 'Tencent'], '--symbol: expected MARKET.CODE such as HK.00700, found "Tencent"'],
    [['--zone', 'Mars'], '--zone: unknown time zone "Mars"; expected an IANA name'],
    [['--columns', 'price=1'], '--columns: expected <field>=<header or number> with a field of time, open'],
    [['--columns', 'close=Last'], 'no column "Last"; the header has time, open, high, low, close, volume'],
  ])('refuses %j', async (args, said) => {
    const { status, bars, explained } = await importFile([header, '2026-01-05,1,1,1,1,1'], args);
    expect(status).toBeGreaterThan(0);
    expect([bars, explained]).toEqual([undefined, expect.stringContaining(said)]);
  });
});
