import { type Decimal, formatDecimal } from '@svc-gateway/contract/decimal';
import { OrderStatus } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUY, HK, HK_CASH, MARKET, NORMAL, SELL, SIMULATE } from '../support/accounts.js';
import { SpawnedDaemon } from '../support/spawned-daemon.js';
import { until } from '../support/until.js';
import { Books, type Fill, held, isOpen, proceeds } from './books.js';
import { type Attempt, acknowledgedId, KeepAliveLine, type Placement, placeConcurrently } from './load.js';
import { seededRandom } from './random.js';

const CONNECTIONS = 16;
const FLAGS = ['--enable-trading'];
/** Kills per seed, each under load and in a world that earlier kills left. */
const LIVES = 2;

/** Orders that trade at once, orders that rest, and orders that the brokerage may refuse for want of shares. */
function mixedOrders(seed: number): (connection: number) => Placement {
  const random = seededRandom(seed);
  let count = 0;
  return (connection) => {
    count += 1;
    const key = `seed-${seed}-${connection}-${count}`;
    const common = { acc_id: HK_CASH, env: SIMULATE, symbol: 'HK.00005', qty: 400, remark: key };
    const pick = random();
    if (pick < 0.4) return { key, body: { ...common, side: BUY, order_type: MARKET } };
    if (pick < 0.65) return { key, body: { ...common, side: SELL, order_type: MARKET } };
    return { key, body: { ...common, side: BUY, order_type: NORMAL, price: 20 } };
  };
}

describe.each([1, 2, 3])('kill -9 under load, seed %i', (seed) => {
  let daemon: SpawnedDaemon<'bot'>;
  let books: Books<'bot'>;
  let openingCash: Decimal;
  const attempts: Attempt[] = [];
  /** Fills that the push stream told of before a kill. */
  const toldFills: Fill[] = [];

  beforeAll(async () => {
    const random = seededRandom(seed * 7919);
    const next = mixedOrders(seed);
    daemon = await SpawnedDaemon.start({ keys: { bot: { scopes: ['qot:read', 'acc:read', 'trade:simulate'] } }, flags: FLAGS });
    books = new Books(daemon, 'bot');
    openingCash = await books.cash();
    for (let life = 0; life < LIVES; life++) {
      await daemon.as('bot').s2c('/api/sub-acc-push', { acc_id_list: [HK_CASH] });
      const push = await daemon.push('bot');
      const killAfter = 30 + Math.floor(random() * 150);
      let answers = 0;
      let killed: Promise<unknown> | undefined;
      const load = placeConcurrently(daemon, () => 'bot', next, {
        connections: CONNECTIONS,
        onAnswer: () => {
          answers += 1;
          if (answers === killAfter) killed = daemon.end('SIGKILL');
        },
      });
      attempts.push(...(await load.finished));
      await killed;
      await push.closed;
      toldFills.push(...fillsOf(push.texts));
      await daemon.boot(FLAGS);
    }
  });
  afterAll(() => daemon.stop());

  it('was hit in the middle of requests', () => {
    expect(attempts.some(({ answer }) => answer === undefined)).toBe(true);
    expect(attempts.filter((attempt) => acknowledgedId(attempt) !== undefined).length).toBeGreaterThan(20);
    expect(toldFills.length).toBeGreaterThan(5);
  });

  it('keeps every acknowledged order, under its id', async () => {
    const orders = new Map((await books.orders()).map((order) => [order.order_id, order.remark]));
    for (const attempt of attempts) {
      const id = acknowledgedId(attempt);
      if (id !== undefined) expect(orders.get(id), `order ${id}`).toBe(attempt.body.remark);
    }
  });

  it('keeps every fill that it told of', async () => {
    const fills = new Map((await books.fills()).map((fill) => [fill.fill_id, fill]));
    for (const told of toldFills) expect(fills.get(told.fill_id)).toMatchObject(told);
  });

  it('gives no number twice', async () => {
    const orders = await books.orders();
    const fills = await books.fills();
    expect(new Set(orders.map(({ order_id }) => order_id)).size).toBe(orders.length);
    expect(new Set(fills.map(({ fill_id }) => fill_id)).size).toBe(fills.length);
  });

  it('answers a repetition as the first time, and makes one order of what was left unanswered', async () => {
    const line = new KeepAliveLine(daemon, daemon.keys.bot);
    const resolved: Attempt[] = [];
    for (const attempt of attempts) {
      const answer = await line.place(attempt);
      if (attempt.answer !== undefined) expect(answer).toEqual(attempt.answer);
      resolved.push({ ...attempt, answer });
    }
    line.close();
    const ordersByRemark = new Map<string, string[]>();
    for (const { remark, order_id } of await books.orders()) ordersByRemark.set(remark, [...(ordersByRemark.get(remark) ?? []), order_id]);
    for (const attempt of resolved) {
      const id = acknowledgedId(attempt);
      expect(ordersByRemark.get(attempt.key) ?? [], attempt.answer?.text).toEqual(id === undefined ? [] : [id]);
    }
    expect(ordersByRemark.size).toBe(resolved.filter((attempt) => acknowledgedId(attempt) !== undefined).length);
  });

  it('goes on working the orders that were open', async () => {
    const working = (await books.orders()).find((order) => isOpen(order) && order.price === 20)!;
    const { s2c } = (await daemon.as('bot').post('/api/orderbook', { symbol: 'HK.00005', depth: 1 })).json;
    await daemon.as('bot').s2c('/api/modify-order', {
      c2s: {
        header: { trd_env: 1, acc_id: HK_CASH, trd_market: HK },
        order_id: working.order_id,
        modify_order_op: 1,
        qty: 400,
        price: s2c.order_book_ask_list.at(-1).price,
      },
    });
    const filled = await until(async () => {
      const order = (await books.orders()).find(({ order_id }) => order_id === working.order_id);
      return order?.order_status === OrderStatus.OrderStatus_Filled_All && order;
    }, `order ${working.order_id} to be filled`);
    expect(filled.fill_qty).toBe(400);
  });

  it('has cash and positions that are the sum of its fills and fees', async () => {
    await books.settle();
    const [orders, fills] = [await books.orders(), await books.fills()];
    expect(await books.positions()).toEqual(held(fills));
    expect(formatDecimal(await books.cash())).toBe(formatDecimal(openingCash + proceeds(fills) - (await books.fees(orders))));
    for (const order of orders) {
      const filled = fills.filter(({ order_id }) => order_id === order.order_id).reduce((sum, { qty }) => sum + qty, 0);
      expect(order.fill_qty, `order ${order.order_id}`).toBe(filled);
    }
  });
});

const TRADE_FILL_PUSH = 2218;

/** Fills among push frames; their numbers are read as text, beyond what a double holds. */
function fillsOf(texts: readonly string[]): Fill[] {
  return texts.flatMap((text) => {
    const { proto_id, body } = JSON.parse(text.replace(/"(fill_id|order_id)":(\d+)/g, '"$1":"$2"'));
    return proto_id === TRADE_FILL_PUSH ? [body.order_fill] : [];
  });
}
