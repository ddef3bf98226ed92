import { create } from '@bufbuild/protobuf';
import type { LimitFlags } from '@svc-gateway/access';
import type { Response as Notice } from '@svc-gateway/contract/generated/Notify_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, quote, trade } from '@svc-gateway/contract/operations';
import type { Rejection } from '@svc-gateway/contract/rejection';
import { BackendLost, type ResponseMessage } from '@svc-gateway/gateway';
import { MemoryStore } from '@svc-gateway/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { HK_MARGIN } from '../support/accounts.js';
import { CANCELLED, futures, LAG_MS, LaggingDesk, list, outside, resting, SETTLED_MS, taking } from '../support/lagging-desk.js';
import type { Lag } from '../support/lagging-lists.js';
import { FakeSink, lineFormat } from '../support/push-fakes.js';
import { until } from '../support/until.js';

/** An upstream's lists are seconds behind: nothing is decided by what they lack. */

const desk = new LaggingDesk();
const { open, codeOf, place, halt, statuses } = desk;
afterEach(() => desk.close());

const answer = ({ messages }: Operation, retType: number) =>
  create(messages.ResponseSchema, { retType } as Record<string, unknown>) as ResponseMessage;

describe('max_open_orders over lists that are behind', () => {
  it.each<Partial<Lag>>([{}, { refreshes: true }])('lets no second order through (%o)', async (how) => {
    await open({ maxOpenOrders: '1' }, {}, {}, how);
    const id = await place(resting);
    for (let n = 0; n < 12; n++) {
      expect(await codeOf(trade.placeOrder, resting)).toBe('limit.open_orders');
      desk.clock.advance(700);
    }
    expect(await codeOf(trade.cancelOrder, { ...list, order_id_ex: id })).toBeUndefined();
    desk.clock.advance(LAG_MS + SETTLED_MS);
    expect(await codeOf(trade.placeOrder, resting)).toBeUndefined();
    expect(await codeOf(trade.placeOrder, resting)).toBe('limit.open_orders');
  });

  it('counts a list that two callers share as one, from when it was asked for', async () => {
    let askedAt: number | undefined;
    await open(
      { maxOpenOrders: '1' },
      {
        listsCurrent: undefined as never,
        async call(operation, request, own) {
          if (operation === account.getOrders && askedAt !== undefined) {
            own.onAsked?.(askedAt);
            return Object.assign(answer(operation, 0), { s2c: { orderList: [] } });
          }
          return desk.ask(operation, request, own);
        },
      },
    );
    await place(resting);
    desk.clock.advance(SETTLED_MS);
    askedAt = desk.clock.monotonic();
    expect(await codeOf(trade.placeOrder, resting)).toBe('limit.open_orders');
    desk.clock.advance(5_100);
    expect(await codeOf(trade.placeOrder, resting)).toBe('limit.open_orders');
    askedAt = desk.clock.monotonic();
    expect(await codeOf(trade.placeOrder, resting)).toBeUndefined();
  });

  it('knows its orders after a restart, and lets go of one that two lists lack some seconds apart', async () => {
    const store = new MemoryStore();
    await open({ maxOpenOrders: '1' }, {}, { store });
    await place(resting);
    const start = desk.clock.now();
    await desk.close();
    // The brokerage of this desk has never heard of the order.
    await open({ maxOpenOrders: '1' }, {}, { store, start });
    expect(await codeOf(trade.placeOrder, resting)).toBe('limit.open_orders');
    desk.clock.advance(4_999);
    expect(await codeOf(trade.placeOrder, resting)).toBe('limit.open_orders');
    desk.clock.advance(1);
    expect(await codeOf(trade.placeOrder, resting)).toBeUndefined();
  });
});

describe.each<Partial<Lag>>([{}, { refreshes: true }])('an order that no list shows yet (%o)', (how) => {
  const header = (trdMarket: number) => ({ trdEnv: 0, accID: BigInt(HK_MARGIN), trdMarket });
  const named = (order: { orderID: bigint; orderIDEx: string }, by: 'number' | 'text') =>
    by === 'text' ? { order_id_ex: order.orderIDEx } : { order_id: String(order.orderID) };

  it.each(['number', 'text'] as const)('guards as it was placed, named by its %s', async (by) => {
    await open({ allowedSymbols: 'HK.00005' }, {}, {}, how);
    await place({ ...taking, qty: 200 }, 'free');
    desk.clock.advance(LAG_MS + SETTLED_MS);
    const stop = { ...taking, side: 'SELL', order_type: 'STOP', aux_price: 100 };
    const order = await desk.payload(trade.placeOrder, stop, { as: 'free' });
    expect(await codeOf(trade.cancelOrder, { ...list, ...named(order, by) })).toBe('limit.symbol');
    await halt({ key_id: 'free' });
    const another = await desk.payload(trade.placeOrder, { ...stop }, { as: 'other' });
    expect(await codeOf(trade.cancelOrder, { ...list, ...named(another, by) }, 'free')).toBe('trading.halted');
    expect(await codeOf(trade.cancelAllOrder, list, 'free')).toBeUndefined();
    expect(await statuses()).toEqual(expect.arrayContaining([1, 1]));
  });

  it('is of the market in which it was placed, whatever market a request writes', async () => {
    await open({ allowedMarkets: 'US' }, {}, {}, how);
    const order = await desk.payload(trade.placeOrder, resting, { as: 'free' });
    for (const op of [2, 3]) {
      const cancel = create(trade.modifyOrder.messages.C2SSchema, { header: header(2), orderID: order.orderID, modifyOrderOp: op });
      expect(await desk.call(trade.modifyOrder, cancel, { iface: 'grpc' })).toMatchObject({ code: 'limit.market' });
    }
  });
});

it('a loss of the day counts though the list of positions is behind', async () => {
  await open({ maxDailyLoss: '0' }, {}, {}, { refreshes: true });
  // A round trip costs the spread.
  await place(taking);
  desk.clock.advance(SETTLED_MS);
  await place({ ...taking, side: 'SELL' });
  desk.clock.advance(SETTLED_MS);
  expect(await codeOf(trade.placeOrder, taking)).toBe('limit.daily_loss');
});

it('a halted key without acc:read is not told that an unlisted order may guard a position', async () => {
  await open();
  await halt({ key_id: 'blind' });
  const refused = await desk.call(trade.cancelOrder, { ...list, order_id_ex: 'X1' }, { as: 'blind' });
  expect(refused).toMatchObject({ code: 'trading.halted', message: expect.stringContaining('acc:read') });
  expect((refused as Rejection).message).not.toMatch(/listed|guard/);
});

describe.each<Partial<Lag>>([{}, { refreshes: true }])('a change that no list shows yet (%o)', (how) => {
  it('is the basis for judging the next change', async () => {
    await open({ maxDailyValue: '200' }, {}, {}, how);
    const { orderIDEx: order_id_ex } = await desk.payload(trade.placeOrder, { ...resting, qty: 300, price: 2 }, { as: 'free' });
    desk.clock.advance(LAG_MS + SETTLED_MS);
    const change = { ...list, order_id_ex, op: 'normal' };
    expect(await codeOf(trade.modifyOrder, { ...change, qty: 100, price: 1 }, 'free')).toBeUndefined();
    await halt({ key_id: 'other' });
    expect(await codeOf(trade.modifyOrder, { ...change, qty: 300, price: 2 }, 'other')).toBe('trading.halted');
    expect(await codeOf(trade.modifyOrder, { ...change, qty: 300, price: 2 })).toBe('limit.daily_value');
    expect(await codeOf(trade.modifyOrder, { ...change, qty: 100, price: 1 }, 'other')).toBeUndefined();
  });
});

describe('a change by another program, after one here', () => {
  const [near, far] = [
    { qty: 300, price: 2 },
    { qty: 100, price: 1 },
  ];
  const changeOutside = async (id: string, terms: object) => {
    const header = { trdEnv: 0, accID: BigInt(HK_MARGIN), trdMarket: 1 };
    const packetID = { connID: 7n, serialNo: 1 };
    const change = { packetID, header, orderID: 0n, orderIDEx: id, modifyOrderOp: 1, ...terms };
    const changed = create(trade.modifyOrder.messages.C2SSchema, change as Record<string, unknown>);
    expect(await desk.ask(trade.modifyOrder, changed, outside)).toMatchObject({ retType: 0 });
  };

  it.each<[string, number]>([
    ['at once', 1_000],
    ['much later', 20_000],
  ])('is the basis for judging a third one, made %s', async (_, ms) => {
    await open({ maxDailyValue: '200' }, {}, {}, { ms: 0 });
    await halt({ key_id: 'other' });
    const order_id_ex = await place({ ...resting, ...far }, 'free');
    const change = { ...list, order_id_ex, op: 'normal' };
    expect(await codeOf(trade.modifyOrder, { ...change, ...near }, 'free')).toBeUndefined();
    desk.clock.advance(SETTLED_MS);
    await changeOutside(order_id_ex, far);
    desk.clock.advance(ms);
    expect(await codeOf(trade.modifyOrder, { ...change, ...near }, 'other')).toBe('trading.halted');
    expect(await codeOf(trade.modifyOrder, { ...change, ...near })).toBe('limit.daily_value');
    expect(await codeOf(trade.modifyOrder, { ...change, ...far }, 'other')).toBeUndefined();
  });

  it('and one here whose answer is lost: either may be what the order has', async () => {
    await open({}, {}, {}, { ms: 0 });
    await halt({ key_id: 'other' });
    const order_id_ex = await place({ ...resting, ...near }, 'free');
    const change = { ...list, order_id_ex, op: 'normal' };
    const lag = desk.clock.now();
    desk.answer(async (operation, _, pass) => {
      if (operation !== trade.modifyOrder) return pass();
      throw new BackendLost('the connection was lost');
    });
    await desk.call(trade.modifyOrder, { ...change, ...far }, { as: 'free' });
    desk.answer();
    expect(desk.clock.now()).toBe(lag);
    expect(await codeOf(trade.modifyOrder, { ...change, ...near }, 'other')).toBe('trading.halted');
    desk.clock.advance(60_000);
    expect(await codeOf(trade.modifyOrder, { ...change, ...near }, 'other')).toBeUndefined();
  });

  it('counts beside it until no list can be older: one that shows it again may be from before both', async () => {
    await open();
    await halt({ key_id: 'other' });
    const order_id_ex = await place({ ...resting, ...far }, 'free');
    desk.clock.advance(LAG_MS + SETTLED_MS);
    const change = { ...list, order_id_ex, op: 'normal' };
    expect(await codeOf(trade.modifyOrder, { ...change, ...near }, 'free')).toBeUndefined();
    desk.clock.advance(SETTLED_MS);
    expect(await codeOf(trade.modifyOrder, { ...change, ...far }, 'free')).toBeUndefined();
    // The list shows the order as it was placed, and then for a moment as the first change left it.
    for (let n = 0; n < 12; n++) {
      expect(await codeOf(trade.modifyOrder, { ...change, ...near }, 'other')).toBe('trading.halted');
      desk.clock.advance(SETTLED_MS);
    }
  });
});

describe('the exit of a bracket over lists that are behind', () => {
  const contract = { ...futures, symbol: 'HK.HSI2612', order_type: 'MARKET' };

  it('is not for a position that only an old list shows, and its owner is told of that', async () => {
    await open();
    const last = (await desk.payload(quote.getQuote, { symbols: ['HK.HSI2612'] })).basicQotList[0]?.curPrice ?? 0;
    const format = lineFormat();
    desk.gateway.push.connect({ iface: 'websocket', owner: 'key:desk', permits: () => true, format, sink: new FakeSink() });
    await place({ ...contract, side: 'BUY', qty: 2 });
    desk.clock.advance(LAG_MS + SETTLED_MS);
    await place({ ...contract, side: 'SELL', qty: 4 });
    desk.clock.advance(LAG_MS / 2);
    const bracket = { ...contract, side: 'BUY', qty: 2, stop_loss_price: Math.round(last * 0.9) };
    const { bracketId } = await desk.payload(trade.placeBracketOrder, bracket);
    const notes = new Set<string>();
    for (let s = 0; s < 40; s++) {
      desk.clock.advance(SETTLED_MS);
      for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate);
      for (const { note } of (await desk.payload(trade.getBrackets, futures)).bracketList) notes.add(note);
    }
    const { orderList } = await desk.payload(account.getOrders, futures);
    expect(orderList.filter(({ remark }) => remark.startsWith(`svc-bracket ${bracketId}/`)).map(({ remark }) => remark.at(-1))).toEqual([
      '0',
    ]);
    const note = 'the brokerage does not list 2 of its position: no exit is sent for that';
    expect([...notes]).toContain(note);
    const notices = format.encoded.filter((event) => event.type === 'notify').map((event) => event.message as unknown as Notice);
    expect(notices.map(({ s2c }) => s2c?.event?.desc)).toContain(`bracket ${bracketId} in account ${futures.acc_id} waits: ${note}`);
  });

  it('stays at a halt though a change of it is under way', async () => {
    let [isSent, release] = [false, (): void => undefined];
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    await open({}, {}, {}, { refreshes: true });
    const last = (await desk.payload(quote.getQuote, { symbols: ['HK.HSI2612'] })).basicQotList[0]?.curPrice ?? 0;
    const entry = { ...contract, side: 'BUY', qty: 2, stop_loss_price: Math.round(last * 0.9) };
    const { bracketId } = await desk.payload(trade.placeBracketOrder, entry);
    const exit = await until(async () => {
      desk.clock.advance(SETTLED_MS);
      const { bracketList } = await desk.payload(trade.getBrackets, { ...futures, bracket_id: bracketId });
      return bracketList[0]?.exitOrderIdEx || undefined;
    }, 'the exit');
    desk.answer(async (operation, _, pass) => {
      if (operation !== trade.modifyOrder) return pass();
      isSent = true;
      await isReleased;
      return pass(outside);
    });
    const larger = { ...futures, order_id_ex: exit, op: 'normal', qty: 2, aux_price: Math.round(last * 0.85) };
    const changing = desk.call(trade.modifyOrder, larger);
    await until(() => isSent, 'the change to be sent');
    expect((await halt({ cancel_all: true })).accountList).toMatchObject([{ keptCount: 1, unconfirmedCount: 0, failure: '' }]);
    release();
    expect(await changing).toMatchObject({ retType: 0 });
    desk.clock.advance(SETTLED_MS);
    const { orderList } = await desk.payload(account.getOrders, futures);
    expect(orderList.find(({ orderIDEx }) => orderIDEx === exit)?.orderStatus).not.toBe(CANCELLED);
  });
});

describe('fresh lists', () => {
  it("are asked for in the name of whoever wants them, and by a halt of all orders in nobody's", async () => {
    await open();
    await place({ ...taking, qty: 200 }, 'free');
    await halt({ key_id: 'other' });
    const owners = new Set<string | undefined>();
    desk.answer((_, request, pass, own) => {
      if ((request as unknown as { refreshCache?: boolean }).refreshCache) owners.add(own.owner);
      return pass();
    });
    const wishes: readonly [Operation, object][] = [
      [account.getOrders, { ...list, refresh_cache: true }],
      [trade.cancelOrder, { ...list, order_id_ex: 'X1' }],
      [trade.cancelAllOrder, list],
      [trade.placeOrder, { ...taking, side: 'SELL' }],
    ];
    desk.clock.advance(LAG_MS + SETTLED_MS);
    for (const [operation, body] of wishes) {
      owners.clear();
      await desk.call(operation, body, { as: 'other' });
      expect([operation.name, ...owners]).toEqual([operation.name, 'key:other']);
    }
    owners.clear();
    await halt({ cancel_all: true });
    expect([...owners]).toEqual([undefined]);
  });

  it.each<[string, number, LimitFlags, object, object, string?]>([
    ['of a limit order by a caller without limits', 0, {}, {}, { qty: 200, price: 1 }],
    ['under a limit on values', 1, { maxDailyValue: '100000' }, {}, { qty: 200, price: 1 }],
    ['under a halt', 1, {}, {}, { qty: 100, price: 1 }, 'desk'],
    ['under the halt of another key', 0, {}, {}, { qty: 200, price: 1 }, 'other'],
    ['that keeps a term', 1, {}, { order_type: 'STOP_LIMIT', aux_price: 2 }, { qty: 200, price: 1 }],
    ['of the entry of a bracket', 1, {}, { stop_loss_price: 0.5 }, { qty: 200, price: 1 }],
  ])('are asked for by a change where old terms decide: %s', async (_, times, limits, order, change, halted) => {
    await open(limits);
    const placing = 'stop_loss_price' in order ? trade.placeBracketOrder : trade.placeOrder;
    const { orderIDEx: order_id_ex } = await desk.payload(placing, { ...resting, ...order });
    desk.clock.advance(LAG_MS + SETTLED_MS);
    if (halted !== undefined) await halt({ key_id: halted });
    const { length } = desk.calls;
    expect(await codeOf(trade.modifyOrder, { ...list, order_id_ex, op: 'normal', ...change })).toBeUndefined();
    const lists = desk.calls.slice(length).filter(({ operation }) => operation === account.getOrders.name);
    const asked = lists.filter(({ request }) => (request as { refreshCache?: boolean }).refreshCache === true);
    expect(asked).toHaveLength(times);
  });

  it('are asked for by a change of an order that no list shows', async () => {
    await open({}, {}, {}, { refreshes: true });
    const order_id_ex = await place(resting);
    expect(await codeOf(trade.modifyOrder, { ...list, order_id_ex, op: 'normal', qty: 200, price: 1 })).toBeUndefined();
  });

  it('a change that was judged without one does not pass a halt that is taken meanwhile', async () => {
    await open();
    const order_id_ex = await place({ ...resting, qty: 200 });
    desk.clock.advance(LAG_MS + SETTLED_MS);
    let isHalting = false;
    desk.answer(async (operation, _, pass) => {
      const answered = await pass();
      if (operation === account.getOrders && !isHalting) {
        isHalting = true;
        await halt({ key_id: 'desk' });
      }
      return answered;
    });
    // Smaller than the list shows it, which may be behind.
    expect(await codeOf(trade.modifyOrder, { ...list, order_id_ex, op: 'normal', qty: 100, price: 1 })).toBe('trading.halted');
  });
});
