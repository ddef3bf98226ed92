import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUY, HK_CASH, NORMAL, SIMULATE } from '../support/accounts.js';
import { SpawnedDaemon } from '../support/spawned-daemon.js';
import { Books } from './books.js';
import { type Attempt, acknowledgedId, KeepAliveLine, type Placement, placeConcurrently, refusalCode } from './load.js';
import { seededRandom } from './random.js';

/** 400 shares at 20: far from the market, so that every order rests and its value is exact. */
const ORDER_VALUE = 400 * 20;
const SCOPES = ['qot:read', 'acc:read', 'trade:simulate'] as const;
const CONNECTIONS = 16;

type KeyId = 'one' | 'two';

function restingOrders(prefix: string, orders: number): (connection: number) => Placement | undefined {
  let count = 0;
  return () => {
    if (count === orders) return undefined;
    count += 1;
    return resting(`${prefix}-${count}`);
  };
}

function resting(key: string, qty = 400): Placement {
  return { key, body: { acc_id: HK_CASH, env: SIMULATE, symbol: 'HK.00005', side: BUY, order_type: NORMAL, price: 20, qty, remark: key } };
}

const keyOf = (connection: number): KeyId => (connection % 2 === 0 ? 'one' : 'two');

/** Connections of both keys place until they are killed at a moment of the seed's choice; then the daemon is started again. */
async function loadAndKill(
  daemon: SpawnedDaemon<KeyId>,
  flags: readonly string[],
  seed: number,
  orders: number,
): Promise<readonly Attempt[]> {
  const killAfter = 5 + Math.floor(seededRandom(seed)() * orders * 0.6);
  let accepted = 0;
  let killed: Promise<unknown> | undefined;
  const load = placeConcurrently(daemon, keyOf, restingOrders(`life-${seed}`, orders * 4), {
    connections: CONNECTIONS,
    onAnswer: (attempt) => {
      if (acknowledgedId(attempt) !== undefined && ++accepted === killAfter) killed = daemon.end('SIGKILL');
    },
  });
  const attempts = await load.finished;
  if (killed === undefined) throw new Error(`only ${accepted} orders were accepted, the kill was to come after ${killAfter}`);
  await killed;
  await daemon.boot(flags);
  return attempts;
}

/** Sends again what was left unanswered, so that nothing about the day's totals stays unknown. */
async function resolve(daemon: SpawnedDaemon<KeyId>, attempts: readonly Attempt[]): Promise<Attempt[]> {
  return Promise.all(
    attempts.map(async (attempt) => {
      if (attempt.answer !== undefined) return attempt;
      const line = new KeepAliveLine(daemon, daemon.keys[keyOf(attempt.connection)]);
      const answer = await line.place(attempt);
      line.close();
      return { ...attempt, answer };
    }),
  );
}

function acceptedBy(attempts: readonly Attempt[], owner?: KeyId): number {
  return attempts.filter((attempt) => acknowledgedId(attempt) !== undefined && (owner === undefined || keyOf(attempt.connection) === owner))
    .length;
}

describe.each([11, 12])('daily caps across kill -9, seed %i', (seed) => {
  const KEY_ORDERS = 40;
  /** Less than the two keys' together: the daemon-wide cap is met before both keys' own are. */
  const ALL_ORDERS = 70;
  const flags = ['--enable-trading', '--max-daily-value', String(ALL_ORDERS * ORDER_VALUE)];
  let daemon: SpawnedDaemon<KeyId>;
  let attempts: Attempt[];

  beforeAll(async () => {
    const wish = { scopes: SCOPES, limits: { maxDailyValue: String(KEY_ORDERS * ORDER_VALUE) } };
    daemon = await SpawnedDaemon.start({ keys: { one: wish, two: wish }, flags });
    attempts = await resolve(daemon, await loadAndKill(daemon, flags, seed, KEY_ORDERS));
  });
  afterAll(() => daemon.stop());

  it('lets exactly as much pass as is left, for the key and for all keys together', async () => {
    const line = { one: new KeepAliveLine(daemon, daemon.keys.one), two: new KeepAliveLine(daemon, daemon.keys.two) };
    const place = async (owner: KeyId, key: string, qty: number) => ({
      ...resting(key, qty),
      owner,
      answer: await line[owner].place(resting(key, qty)),
    });

    const leftOfOne = KEY_ORDERS - acceptedBy(attempts, 'one');
    expect(leftOfOne).toBeGreaterThan(0);
    const over = await place('one', 'one-over', 400 * (leftOfOne + 1));
    expect([over.answer.status, refusalCode(over)]).toEqual([429, 'limit.daily_value']);
    const exact = await place('one', 'one-exact', 400 * leftOfOne);
    expect(exact.answer).toMatchObject({ status: 200 });
    expect(refusalCode(await place('one', 'one-more', 400))).toBe('limit.daily_value');

    const leftOfAll = ALL_ORDERS - KEY_ORDERS - acceptedBy(attempts, 'two');
    expect(leftOfAll).toBeGreaterThan(0);
    const overAll = await place('two', 'two-over', 400 * (leftOfAll + 1));
    expect([overAll.answer.status, refusalCode(overAll)]).toEqual([429, 'limit.daily_value']);
    expect(overAll.answer.text).toContain('daemon-wide');
    expect((await place('two', 'two-exact', 400 * leftOfAll)).answer).toMatchObject({ status: 200 });
    expect(refusalCode(await place('two', 'two-more', 400))).toBe('limit.daily_value');
    line.one.close();
    line.two.close();

    const orders = await new Books(daemon, 'one').orders();
    expect(orders.reduce((sum, { qty, price }) => sum + qty * price, 0)).toBe(ALL_ORDERS * ORDER_VALUE);
  });

  it('keeps the totals through a kill when nothing is left', async () => {
    await daemon.end('SIGKILL');
    await daemon.boot(flags);
    for (const owner of ['one', 'two'] as const) {
      const { status, json } = await daemon.as(owner).post('/api/order', resting(`${owner}-late`).body);
      expect([status, json.code]).toEqual([429, 'limit.daily_value']);
    }
  });
});

describe.each([21, 22])('rate limits across kill -9, seed %i', (seed) => {
  const KEY_RATE = 30;
  const ALL_RATE = 50;
  const flags = ['--enable-trading', '--max-orders-per-minute', String(ALL_RATE)];
  let daemon: SpawnedDaemon<KeyId>;
  let attempts: Attempt[];

  beforeAll(async () => {
    const wish = { scopes: SCOPES, limits: { maxOrdersPerMinute: String(KEY_RATE) } };
    daemon = await SpawnedDaemon.start({ keys: { one: wish, two: wish }, flags });
    attempts = await resolve(daemon, await loadAndKill(daemon, flags, seed, KEY_RATE));
  });
  afterAll(() => daemon.stop());

  it('lets no more orders pass within a minute than the key and all keys together may place', async () => {
    const load = placeConcurrently(daemon, keyOf, restingOrders('after', 4 * ALL_RATE), { connections: CONNECTIONS });
    attempts.push(...(await load.finished));
    const orders = await new Books(daemon, 'one').orders();
    const times = orders.map(({ create_timestamp: time }) => time).sort((a, b) => a - b);
    const within = (limit: number, ofTimes: readonly number[]) =>
      ofTimes.every((time, index) => index < limit || time - ofTimes[index - limit]! > 59);
    expect(within(ALL_RATE, times)).toBe(true);
    for (const owner of ['one', 'two'] as const) {
      const own = new Set(attempts.filter(({ connection }) => keyOf(connection) === owner).map(({ key }) => key));
      const ownTimes = orders.filter(({ remark }) => own.has(remark)).map(({ create_timestamp: time }) => time);
      expect(
        within(
          KEY_RATE,
          ownTimes.sort((a, b) => a - b),
        ),
      ).toBe(true);
    }
    expect(times.length).toBe(acceptedBy(attempts));
    expect(times.length).toBeGreaterThanOrEqual(ALL_RATE);
  });
});
