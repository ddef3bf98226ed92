/**
 * How long `svcctl data import` takes for ten years of one symbol's minutes, and how long a start with them takes that one without does not: by processor
 * time, which is the time on a machine that does nothing else.
 *
 *   node bench/import.mjs [rounds]
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { systemClock } from '@svc-gateway/contract/clock';
import { localDateTime } from '@svc-gateway/contract/time';
import { createWorld } from '@svc-gateway/simulator/world';
import { temporaryFolder } from './lib/fixture.mjs';
import { number, report } from './lib/report.mjs';
import { median, spread } from './lib/statistics.mjs';

const IMPORT_S = 10;
const SYMBOL = 'US.AAPL';
const [FIRST_DAY, LAST_DAY] = ['2016-01-01', '2025-12-31'];
const MINUTE_MS = 60_000;
const rounds = Number(process.argv[2] ?? 5);
const svcctl = fileURLToPath(new URL('../bin/svcctl', import.meta.url));

const folder = temporaryFolder();
const file = join(folder, `${SYMBOL}.csv`);
const rows = await writeMinutes();
const results = [];
for (let round = 0; round < rounds; round++) results.push(await imported());
const seconds = median(results.map((result) => result.cpuS));
report([
  {
    name: `svcctl data import: ${number(rows)} minutes of ${SYMBOL}`,
    value: `${number(median(results.map((result) => result.s)), 1)} s, ${number(seconds, 1)} s of processor time`,
    spread: `${spread(results.map((result) => result.s))} s`,
    floor: `< ${IMPORT_S} s of processor time`,
    pass: seconds < IMPORT_S,
    score: -seconds,
  },
]);

/** Every minute of regular trading in ten years, as vendors write them; how many there are. */
async function writeMinutes() {
  const world = createWorld({ clock: systemClock, calendarMode: 'calendar', generatedInstruments: 0, seed: 0 });
  const calendar = world.calendar(world.instrument(SYMBOL));
  const out = createWriteStream(file);
  out.write('timestamp,open,high,low,close,volume\n');
  let count = 0;
  for (const { day } of calendar.tradingDays(FIRST_DAY, LAST_DAY)) {
    const lines = [];
    for (const { start, end } of calendar.sessions(day).filter(({ kind }) => kind === 'regular')) {
      for (let time = start; time < end; time += MINUTE_MS) {
        const price = 100 + (count % 997) / 10;
        const prices = [price, price + 0.52, price - 0.31, price + 0.17].map((each) => each.toFixed(2));
        lines.push(`${localDateTime(time, calendar.timeZone)},${prices.join()},${1000 + (count % 4999)}\n`);
        count += 1;
      }
    }
    if (!out.write(lines.join(''))) await once(out, 'drain');
  }
  out.end();
  await once(out, 'finish');
  return count;
}

async function imported() {
  const started = performance.now();
  const script = `process.on('exit', () => { const { user, system } = process.cpuUsage(); process.send((user + system) / 1e6); });`;
  const args = [
    '--import',
    `data:text/javascript,${encodeURIComponent(script)}`,
    svcctl,
    'data',
    'import',
    file,
    '--to',
    join(folder, 'history'),
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  let cpuS = Number.NaN;
  child.on('message', (used) => {
    cpuS = used;
  });
  const [status] = await once(child, 'exit');
  if (status !== 0) throw new Error(`svcctl ended with ${status}`);
  return { s: (performance.now() - started) / 1000, cpuS };
}
