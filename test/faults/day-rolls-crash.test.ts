import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync, watch } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BUY, HK_CASH, HK_MARGIN, NORMAL, SELL_SHORT, SIMULATE, US_MARGIN } from '../support/accounts.js';
import { SpawnedDaemon } from '../support/spawned-daemon.js';
import { seededRandom } from './random.js';

const [CN_CASH, SG_CASH, JP_CASH, MY_CASH, FUTURES] = ['4', '5', '6', '7', '8'].map((last) => `28175647839654700${last}`) as [
  string,
  string,
  string,
  string,
  string,
];
/** Account, market and what it trades: issuers that pay, split (HK.02020, on the Monday after), and money that is owed. */
const orders = [
  [HK_CASH, 1, 'HK.00005', BUY, 4_000],
  [HK_CASH, 1, 'HK.02020', BUY, 400],
  [HK_MARGIN, 1, 'HK.02020', BUY, 120_000],
  [HK_MARGIN, 1, 'HK.00700', SELL_SHORT, 1_000],
  [CN_CASH, 3, 'SH.600036', BUY, 10_000],
  [SG_CASH, 6, 'SG.D05', BUY, 1_000],
  [JP_CASH, 15, 'JP.7203', BUY, 1_000],
  [MY_CASH, 111, 'MY.1155', BUY, 1_000],
  [FUTURES, 5, 'HK.HSImain', BUY, 2],
] as const;
const ordersOfNewYork = [
  [US_MARGIN, 2, 'US.AAPL', BUY, 300],
  [US_MARGIN, 2, 'US.MSFT', BUY, 7_000],
  [US_MARGIN, 2, 'US.XOM', SELL_SHORT, 500],
] as const;
const accounts = [...new Set([...orders, ...ordersOfNewYork].map(([account, market]) => `${account} ${market}`))];

const EXACT = { 'x-svc-int64': 'string' };
const at = (time: string) => ['--enable-trading', '--sim-clock', `replay:${time}`];
const FRIDAY = at('2021-05-28T10:15:00+08:00');
const FRIDAY_EVENING = at('2021-05-28T11:30:00-04:00');
/** So slow that it stands still: what is shown of it can be compared. */
const MONTHS_LATER = at('2021-09-15T10:30:00+08:00@0.001');
/** Starts that are killed, each after at most so many changes of files. */
const LIVES = 4;
const CHANGES_MAX = 60;
/** Room for some of the months, in the shell's blocks of 512 or 1,024 bytes. */
const LIMITED = ['bash', '-c', 'ulimit -f 24; exec "$0" "$@"', process.execPath] as const;

const hasBash = spawnSync('bash', ['-c', 'ulimit -f 24']).status === 0;

const root = join(import.meta.dirname, '..', '..');
const daemon = new SpawnedDaemon<'bot'>(true);
const state = join(daemon.folder, 'state');
const before = join(daemon.folder, 'before');
let expected: unknown[] = [];
afterAll(() => daemon.stop());

async function place(wanted: readonly (readonly [string, number, string, number, number])[]): Promise<void> {
  const bot = daemon.as('bot');
  for (const [acc_id, market, symbol, side, qty] of wanted) {
    const book = await bot.s2c('/api/orderbook', { symbol, num: 10 });
    const { price } = (side === BUY ? book.order_book_ask_list : book.order_book_bid_list).at(-1);
    const of = { acc_id, env: SIMULATE, market };
    await bot.s2c('/api/order', { ...of, symbol, side, qty, price, order_type: NORMAL });
    const held = async () =>
      (await bot.s2c('/api/positions', of)).position_list.some(({ code }: { code: string }) => symbol.endsWith(code));
    while (!(await held())) await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Everything that accounts show of money and positions. */
async function books(): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const each of accounts) {
    const [acc_id, market] = each.split(' ');
    const of = { acc_id, market: Number(market), env: SIMULATE };
    const { funds } = await daemon.as('bot').s2c('/api/funds', of, EXACT);
    const { position_list } = await daemon.as('bot').s2c('/api/positions', of, EXACT);
    all.push({ acc_id, funds, position_list });
  }
  return all;
}

/** Starts the daemon and kills it once files of its state have changed so often, or when it is ready. Whether it had not come so far. */
async function killedAfter(changes: number): Promise<boolean> {
  const child = spawn(process.execPath, [join(root, 'bin/svcd'), ...daemon.flags, ...MONTHS_LATER], {
    env: { PATH: process.env.PATH, HOME: daemon.folder, ...daemon.variables },
    cwd: daemon.folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'exit');
  let isReady = false;
  child.stdout.once('data', () => {
    isReady = true;
    child.kill('SIGKILL');
  });
  let left = changes;
  const watcher = watch(state, { recursive: true }, () => {
    left -= 1;
    if (left === 0) child.kill('SIGKILL');
  });
  await exited;
  watcher.close();
  return !isReady;
}

beforeAll(async () => {
  await daemon.addKey('bot', { scopes: ['qot:read', 'acc:read', 'trade:simulate'] });
  await daemon.boot(FRIDAY);
  await place(orders);
  await daemon.end();
  await daemon.boot(FRIDAY_EVENING);
  await place(ordersOfNewYork);
  await daemon.end();
  cpSync(state, before, { recursive: true });
  await daemon.boot(MONTHS_LATER);
  expected = await books();
  await daemon.end();
});

function restore(): void {
  rmSync(state, { recursive: true });
  cpSync(before, state, { recursive: true });
}

describe('what months bring is booked once', () => {
  beforeEach(restore);
  afterEach(() => daemon.end('SIGKILL'));

  it('however often the daemon is killed while it catches up', async () => {
    const random = seededRandom(1);
    let killed = 0;
    for (let life = 0; life < LIVES; life++) if (await killedAfter(1 + Math.floor(random() * CHANGES_MAX))) killed += 1;
    expect(killed).toBeGreaterThan(0);
    await daemon.boot(MONTHS_LATER);
    expect(await books()).toEqual(expected);
  });

  it.skipIf(!hasBash)('when the disk takes no more in the middle of it', async () => {
    await daemon.boot(MONTHS_LATER, LIMITED);
    const answer = await daemon.as('bot').post('/api/funds', { acc_id: HK_CASH, market: 1, env: SIMULATE });
    expect([answer.status, answer.json.ret_type]).toEqual([200, 0]);
    await daemon.end('SIGKILL');
    await daemon.boot(MONTHS_LATER);
    expect(await books()).toEqual(expected);
  });
});
