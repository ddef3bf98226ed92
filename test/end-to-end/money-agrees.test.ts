import type { Message } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import { parseJson } from '@svc-gateway/contract/json/parse';
import type { Operation } from '@svc-gateway/contract/operation';
import { operations } from '@svc-gateway/contract/operations';
import { requestDecoder } from '@svc-gateway/contract/request';
import { normal, uniform } from '@svc-gateway/simulator/rng/random';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, MARKET, SELL, SIMULATE } from '../support/accounts.js';
import { TestDaemon, untilConnected } from '../support/daemon.js';
import { Doors } from '../support/doors.js';

const DAY_MS = 86_400_000;
const SEED = 7;
const ORDERS = 12;
const symbols = ['00700', '00005', '09988'];

/** Money is the same on every interface, to the last digit: after some days of trading, read at one moment of a world that stands still. */
describe('what every interface says of money after some days of trading', () => {
  const clock = new ManualClock(Date.UTC(2026, 10, 17, 3));
  const account = { acc_id: HK_MARGIN, env: SIMULATE, market: HK };
  let doors: Doors;
  const daemon = TestDaemon.forAll<'desk'>({
    simulationClock: clock,
    keys: { desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'], sdk: true } },
    flags: ['--enable-trading'],
  });
  beforeAll(async () => {
    const { gateway } = daemon.daemon;
    doors = await Doors.open(
      { gateway, url: daemon.url, ca: daemon.ca, log: daemon.log, key: () => daemon.keys.desk },
      'desk',
      daemon.grpc(),
      operations,
    );
    for (let i = 0; i < ORDERS; i++) {
      const code = symbols[Math.floor(uniform(SEED, i) * symbols.length)];
      const order = { ...account, code, side: i < 4 || normal(SEED, i) > 0 ? BUY : SELL, order_type: MARKET, qty: 400 };
      // Sales of what is not held are refused, which is part of a day.
      await inTime(daemon.as('desk').post('/api/order', order));
      for (let turn = 0; turn < 20; turn++) await aWhile();
      // Nobody outside is told of every tick of the night.
      if (i % 4 === 3) clock.sleep(DAY_MS);
    }
    for (let turn = 0; turn < 20; turn++) await aWhile();
    await untilConnected(daemon.daemon);
  });
  afterAll(async () => {
    await doors.close();
  });

  async function aWhile(): Promise<void> {
    clock.advance(50);
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** The world goes on until an answer is there. */
  async function inTime<T>(answer: Promise<T>): Promise<T> {
    let done = false;
    const ended = answer.finally(() => {
      done = true;
    });
    while (!done) await aWhile();
    return ended;
  }

  it.each([
    ['get_funds', { ...account, currency: 1 }],
    ['get_positions', account],
    ['get_history_deals', { ...account, begin_time: '2026-11-16', end_time: '2026-11-30' }],
    ['get_acc_cash_flow', { ...account, clearing_date: '2026-11-17' }],
    ['get_flow_summary', { ...account, clearing_date: '2026-11-17' }],
    ['get_cash_log', { ...account, max_cnt: 20 }],
    ['get_margin_info', account],
  ])('%s', async (name, body) => {
    const told = new Map<string, string[]>();
    for (const { way, hear } of doors.attempts(...requestOf(name, body))) {
      const { verdict, text } = await hear();
      expect([way, verdict, text]).toEqual([way, 'served', text]);
      told.set(way, moneyIn(JSON.parse(text)).sort());
    }
    const [first = [], ...others] = [...told.values()];
    expect(first.length).toBeGreaterThan(2);
    for (const [way, money] of told) expect([way, ...money]).toEqual([way, ...first]);
    expect(others.length).toBeGreaterThan(5);
  });
});

describe('money', () => {
  it('has the decimals of its currency: none of a yen, two of the others', async () => {
    const daemon = await TestDaemon.start({ keys: { desk: { scopes: ['acc:read', 'trade:simulate'] } }, flags: ['--enable-trading'] });
    const desk = daemon.as('desk');
    const { acc_list } = (await desk.get('/api/list-accounts', { 'x-svc-int64': 'string' })).json.s2c;
    let shown = 0;
    for (const { acc_id, trd_env, trd_market_auth_list } of acc_list) {
      const account = { acc_id, env: trd_env, market: trd_market_auth_list[0] };
      for (const currency of CURRENCIES) {
        for (const path of ['/api/funds', '/api/margin-info']) {
          const { json } = await desk.post(path, { ...account, currency });
          if (json.ret_type !== 0) continue;
          const money = moneyIn(json.s2c).map((each) => each.split(' ')[1] ?? '');
          // Yen appear beside other currencies in the list of balances: those of one currency are asked for alone.
          for (const amount of money) expect(amount).toMatch(/^-?\d+(\.\d{1,2})?$/);
          if (currency === YEN)
            for (const amount of [json.s2c.funds?.power, json.s2c.net_assets]) expect(amount ?? 0).toSatisfy(Number.isInteger);
          shown += 1;
        }
      }
    }
    expect(shown).toBeGreaterThan(20);
    await daemon.stop();
  });
});

/** Trd_Common.Currency. */
const CURRENCIES = [1, 2, 3, 4, 5, 8];
const YEN = 4;

function requestOf(name: string, body: object): [Operation, Message] {
  const operation = operations.find((one) => one.name === name);
  if (operation === undefined) throw new Error(`no operation ${name}`);
  const parsed = parseJson(JSON.stringify(body).replace(/"(\d{16,})"/, '$1'));
  const decoded = parsed.ok && requestDecoder(operation, 'rest')(parsed.value);
  if (decoded === false || !decoded.ok) throw new Error(`${name}: ${JSON.stringify(decoded)}`);
  return [operation, decoded.value as Message];
}

const MONEY = /(amount|amt|cash|assets?|power|balance|debt|val|mv|margin|price|pl|fee|qty)$/;

/** "cashflowamount -12.5" of every figure with the name of money, wherever it stands. Amounts that are texts keep their digits. */
function moneyIn(value: unknown, name = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => moneyIn(item, name));
  if (typeof value === 'object' && value !== null) return Object.entries(value).flatMap(([key, inner]) => moneyIn(inner, key));
  const plain = name.toLowerCase().replaceAll('_', '');
  const isFigure = typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value));
  return isFigure && MONEY.test(plain) ? [`${plain} ${value}`] : [];
}
