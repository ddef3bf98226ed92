import { create } from '@bufbuild/protobuf';
import type { LimitFlags } from '@svc-gateway/access';
import type { Response as Notice } from '@svc-gateway/contract/generated/Notify_pb';
import { C2SSchema as PlaceC2S, type C2S as PlaceRequest } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, admin, quote, trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { type Backend, BackendLost, type ResponseMessage } from '@svc-gateway/gateway';
import { MemoryStore } from '@svc-gateway/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { HK_MARGIN } from '../support/accounts.js';
import { type Desk, type DeskOptions, openDesk } from '../support/desk.js';
import { type Lag, lagging } from '../support/lagging-lists.js';
import { FakeSink, lineFormat } from '../support/push-fakes.js';
import { signal, until } from '../support/until.js';

/** An upstream's lists are seconds behind: nothing is decided by what they lack. */

const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
const SETTLED_MS = 500;
const LAG_MS = 4_000;
/** After a start, so long nothing relies on what lists lack. */
const START_MS = 10_000;
const list = { market: 'HK', acc_id: HK_MARGIN, env: 'simulate' };
const resting = { ...list, symbol: 'HK.00700', side: 'BUY', qty: 100, price: 1 };
const taking = { ...list, symbol: 'HK.00700', side: 'BUY', order_type: 'MARKET', qty: 100 };

let desk: Desk;
let brokerage: Backend;
afterEach(() => desk.close());

async function open(limits: LimitFlags = {}, over: Partial<Backend> = {}, others: Partial<DeskOptions> = {}, how: Partial<Lag> = {}) {
  const lagged: Lag = { ms: LAG_MS, ...how };
  desk = await openDesk({
    keys: {
      desk: { scopes, limits },
      free: { scopes },
      other: { scopes },
      blind: { scopes: ['qot:read', 'trade:simulate'] },
      ops: { scopes: ['admin'] },
    },
    backend: (simulated) => {
      brokerage = simulated;
      return { ...lagging(simulated, () => desk.clock, lagged), ...over };
    },
    ...others,
  });
  if (others.store === undefined) desk.clock.advance(START_MS);
}

/** Lets time pass until something has come of it. */
async function inTime<T>(work: Promise<T>): Promise<T> {
  let isDone = false;
  const done = work.finally(() => {
    isDone = true;
  });
  while (!isDone) {
    desk.clock.advance(SETTLED_MS);
    for (let turn = 0; turn < 50 && !isDone; turn++) await new Promise(setImmediate);
  }
  return done;
}

async function codeOf(operation: Operation, body: object, as = 'desk'): Promise<string | undefined> {
  const answer = await desk.call(operation, body, { as });
  if (!(answer instanceof Rejection) && answer.retType !== 0) throw new Error(answer.retMsg);
  return answer instanceof Rejection ? answer.code : undefined;
}
const place = async (body: object, as = 'desk') => (await desk.payload(trade.placeOrder, body, { as })).orderIDEx;
const halt = (body: object) => inTime(desk.payload(admin.adminHalt, body, { as: 'ops', iface: 'grpc' }));
const statuses = async () => {
  const { header } = create(PlaceC2S, { header: { trdEnv: 0, accID: BigInt(HK_MARGIN), trdMarket: 1 } });
  const query = create(account.getOrders.messages.C2SSchema, { header } as Record<string, unknown>);
  const answer = await brokerage.call(account.getOrders, query, context);
  return ((answer as ResponseMessage & { s2c: { orderList: { orderStatus: number }[] } }).s2c.orderList ?? []).map(
    ({ orderStatus }) => orderStatus,
  );
};
const answer = ({ messages }: Operation, retType: number) =>
  create(messages.ResponseSchema, { retType } as Record<string, unknown>) as ResponseMessage;
const context = { requestId: 'outside', deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
const CANCELLED = 15;
const FILLED = 11;
const cancels: readonly Operation[] = [trade.cancelOrder, trade.cancelAllOrder];

describe('halt --cancel-all over lists that are behind', () => {
  it('cancels what this daemon has placed, and what a later look shows', async () => {
    await open();
    const { call } = brokerage;
    brokerage.call = (operation, request, own) =>
      operation === trade.cancelAllOrder ? answer(operation, -1) : call.call(brokerage, operation, request, own);
    for (let n = 0; n < 3; n++) await place(resting);
    const header = { trdEnv: 0, accID: BigInt(HK_MARGIN), trdMarket: 1 };
    const packetID = { connID: 7n, serialNo: 1 };
    const foreign = { header, packetID, trdSide: 1, orderType: 1, code: '00700', secMarket: 1, qty: 100, price: 1 };
    expect(await brokerage.call(trade.placeOrder, create(PlaceC2S, foreign), context)).toMatchObject({ retType: 0 });
    const { accountList, failure } = await halt({ cancel_all: true });
    expect(accountList).toMatchObject([{ orderCount: 4, acceptedCount: 4, failure: '', unconfirmedCount: 0 }]);
    expect(failure).toBe('');
    expect(await statuses()).toEqual([CANCELLED, CANCELLED, CANCELLED, CANCELLED]);
    expect(desk.audit.map(({ reason }) => reason)).toContain('cancels accepted for 4 of 4 open orders');
  });

  it('cancels what this daemon has placed where the brokerage does not list its orders, and says that', async () => {
    await open();
    for (let n = 0; n < 2; n++) await place(resting);
    const { call } = brokerage;
    let isListing = false;
    brokerage.call = (operation, request, own) =>
      (operation === account.getOrders && !isListing) || operation === trade.cancelAllOrder
        ? answer(operation, -1)
        : call.call(brokerage, operation, request, own);
    const { accountList } = await halt({ cancel_all: true });
    expect(accountList.find(({ accId }) => accId === BigInt(HK_MARGIN))).toMatchObject({
      ...{ orderCount: 2, acceptedCount: 2, unconfirmedCount: 2, failure: 'the brokerage does not list its orders' },
    });
    isListing = true;
    expect(await statuses()).toEqual([CANCELLED, CANCELLED]);
  });

  it.each([
    ['refuses to list', () => answer(account.listAccounts, -1)],
    ['does not answer for', () => new Promise<never>((_, reject) => desk.clock.after(9_000, () => reject(new BackendLost('no answer'))))],
  ])('cancels what this daemon has placed where the brokerage %s its accounts', async (_, accounts) => {
    await open();
    for (let n = 0; n < 2; n++) await place(resting);
    const { call } = brokerage;
    brokerage.call = (operation, request, own) =>
      operation === account.listAccounts ? accounts() : call.call(brokerage, operation, request, own);
    const { accountList, failure } = await halt({ cancel_all: true });
    expect(accountList).toMatchObject([{ accId: BigInt(HK_MARGIN), orderCount: 2, acceptedCount: 2 }]);
    expect(failure).not.toBe('');
    expect(await statuses()).toEqual([CANCELLED, CANCELLED]);
  });

  it('cancels what this daemon has placed while the brokerage does not answer for its list', async () => {
    let [isMute, isAsked] = [false, false];
    const { promise: isAnswering, resolve: answerLists } = signal();
    const backend = (simulated: Backend): Partial<Backend> => {
      brokerage = simulated;
      return {
        listsCurrent: undefined as never,
        async call(operation, request, own) {
          if (operation === account.getOrders && isMute) {
            isAsked ||= (request as PlaceRequest).header?.accID === BigInt(HK_MARGIN);
            await isAnswering;
          }
          return simulated.call(operation, request, own);
        },
      };
    };
    await open({}, {}, { backend });
    for (let n = 0; n < 2; n++) await place(resting);
    isMute = true;
    const halting = desk.payload(admin.adminHalt, { cancel_all: true }, { as: 'ops', iface: 'grpc' });
    await until(() => isAsked, 'the question for the list');
    // Less than the halt waits for its answers.
    desk.clock.advance(1_500);
    await until(async () => {
      desk.clock.advance(1);
      return (await statuses()).join() === [CANCELLED, CANCELLED].join();
    }, 'the cancels');
    answerLists();
    expect((await inTime(halting)).accountList).toMatchObject([{ orderCount: 2, acceptedCount: 2, unconfirmedCount: 0 }]);
  });

  const leg = (code: string) => ({ security: { market: 'HK', code }, side: 'BUY', qty_ratio: 1 });
  const header = { trd_env: 'simulate', acc_id: HK_MARGIN, trd_market: 'HK' };
  const pair = { header, combo_legs: [leg('00700'), leg('00005')], qty: 400, price: 1, order_type: 'NORMAL' };
  const sent: readonly [Operation, object][] = [
    [trade.placeOrder, resting],
    [trade.placeComboOrder, pair],
  ];

  it.each(sent.flatMap(([operation, body]) => ['answer', 'push'].map((how) => [operation.name, how, operation, body] as const)))(
    'names a %s that is under way, and cancels it when its %s comes',
    async (_, how, operation, body) => {
      const { promise: isReleased, resolve: release } = signal();
      await open();
      const { call } = brokerage;
      brokerage.call = async (asked, request, own) => {
        if (asked !== operation) return call.call(brokerage, asked, request, own);
        await isReleased;
        // It has left already: a halt does not keep it back any more.
        const placed = await call.call(brokerage, operation, request, context);
        if (how === 'push') throw new BackendLost('the connection was lost');
        return placed;
      };
      await desk.payload(account.subAccPush, { acc_id_list: [HK_MARGIN] });
      const placing = desk.call(operation, body).catch(() => undefined);
      await until(() => desk.calls.some((call) => call.operation === operation.name) || undefined, 'the order to be sent');
      expect((await halt({ cancel_all: true })).accountList).toMatchObject([
        { unconfirmedCount: 1, failure: 'sent and not answered yet, and cancelled once they are: 1' },
      ]);
      release();
      await placing;
      await until(async () => {
        desk.clock.advance(SETTLED_MS);
        return (await statuses()).includes(CANCELLED) || undefined;
      }, 'the cancel');
      expect(await statuses()).toEqual([CANCELLED]);
    },
  );

  /** More board lots than are taken without a confirmation. */
  const KEPT_BACK = 400_000;
  const changes: readonly [string, Operation, object, object][] = [
    ['an enable', trade.modifyOrder, resting, { op: 'enable' }],
    ['a larger quantity', trade.modifyOrder, resting, { op: 'normal', qty: 200, price: 1 }],
    ['a confirmation', trade.reconfirmOrder, { ...resting, qty: KEPT_BACK }, { reconfirm_op: 'QTY_TOO_LARGE' }],
  ];

  it.each(changes.flatMap(([name, ...change]) => ['answer', 'push'].map((how) => [name, how, ...change] as const)))(
    'names %s that is under way, and cancels its order when its %s comes',
    async (name, how, operation, order, change) => {
      let [isSent, isOut] = [false, false];
      const { promise: isReleased, resolve: release } = signal();
      await open({}, {}, {}, { refreshes: true });
      const { orderID, orderIDEx } = await desk.payload(trade.placeOrder, order);
      const { call } = brokerage;
      const named =
        operation === trade.reconfirmOrder ? { acc_id: HK_MARGIN, order_id: String(orderID) } : { ...list, order_id_ex: orderIDEx };
      if (name === 'an enable') await inTime(desk.payload(operation, { ...named, op: 'disable' }));
      brokerage.call = async (asked, request, own) => {
        // The cancels of the halt come too early for this order.
        if (isSent && cancels.includes(asked) && !isOut) return answer(asked, 0);
        if (asked !== operation || isSent) return call.call(brokerage, asked, request, own);
        isSent = true;
        await isReleased;
        isOut = true;
        const changed = await call.call(brokerage, operation, request, context);
        if (how === 'push') throw new BackendLost('the connection was lost');
        return changed;
      };
      await desk.payload(account.subAccPush, { acc_id_list: [HK_MARGIN] });
      const changing = desk.call(operation, { ...named, ...change }).catch(() => undefined);
      await until(() => isSent || undefined, 'the change to be sent');
      expect((await halt({ cancel_all: true })).accountList).toMatchObject([
        { failure: expect.stringContaining('sent and not answered yet, and cancelled once they are: 1') },
      ]);
      release();
      await changing;
      await until(async () => {
        desk.clock.advance(SETTLED_MS);
        return (await statuses()).includes(CANCELLED) || undefined;
      }, 'the cancel');
    },
  );

  it('says which orders it could not confirm to be over', async () => {
    await open();
    const id = await place(resting);
    const { call } = brokerage;
    brokerage.call = (operation, request, own) =>
      cancels.includes(operation) ? answer(operation, 0) : call.call(brokerage, operation, request, own);
    expect((await halt({ cancel_all: true })).accountList).toMatchObject([
      { orderCount: 1, acceptedCount: 1, unconfirmedCount: 1, failure: `not confirmed to be over: order ${id}` },
    ]);
    expect(desk.audit.map(({ reason }) => reason)).toContain('cancels accepted for 1 of 1 open orders, 1 not confirmed to be over');
  });
});

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
          return brokerage.call(operation, request, own);
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
  const outside = async (id: string, terms: object) => {
    const header = { trdEnv: 0, accID: BigInt(HK_MARGIN), trdMarket: 1 };
    const packetID = { connID: 7n, serialNo: 1 };
    const change = { packetID, header, orderID: 0n, orderIDEx: id, modifyOrderOp: 1, ...terms };
    const changed = create(trade.modifyOrder.messages.C2SSchema, change as Record<string, unknown>);
    expect(await brokerage.call(trade.modifyOrder, changed, context)).toMatchObject({ retType: 0 });
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
    await outside(order_id_ex, far);
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
    const { call } = brokerage;
    const lag = desk.clock.now();
    brokerage.call = async (operation, request, own) => {
      if (operation !== trade.modifyOrder) return call.call(brokerage, operation, request, own);
      throw new BackendLost('the connection was lost');
    };
    await desk.call(trade.modifyOrder, { ...change, ...far }, { as: 'free' });
    brokerage.call = call;
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
  const futures = { market: 'FUTURES', acc_id: '281756478396547008', env: 'simulate' };
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
    const { call } = brokerage;
    brokerage.call = async (operation, request, own) => {
      if (operation !== trade.modifyOrder) return call.call(brokerage, operation, request, own);
      isSent = true;
      await isReleased;
      return call.call(brokerage, operation, request, context);
    };
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

describe('closing a position over lists that are behind', () => {
  const sale = { ...taking, side: 'SELL' };

  it.each<[string, Partial<Lag>, object]>([
    ['at the market', {}, sale],
    ['at a limit', {}, { ...sale, order_type: 'NORMAL', price: 9_000 }],
    ['with lists asked for afresh', { refreshes: true }, sale],
  ])('happens once under a halt (%s)', async (_, how, body) => {
    await open({}, {}, {}, how);
    await place({ ...taking, qty: 200 });
    desk.clock.advance(LAG_MS + SETTLED_MS);
    await halt({});
    desk.clock.advance(LAG_MS);
    const codes: (string | undefined)[] = [];
    for (let n = 0; n < 8; n++) {
      codes.push(await codeOf(trade.placeOrder, { ...body, qty: n === 0 ? 200 : 100 }));
      desk.clock.advance(SETTLED_MS);
    }
    expect(codes).toEqual([undefined, ...Array.from({ length: 7 }, () => 'trading.halted')]);
  });

  it('goes on with the rest of it', async () => {
    await open();
    await place({ ...taking, qty: 300 });
    desk.clock.advance(LAG_MS + SETTLED_MS);
    await halt({});
    const codes: (string | undefined)[] = [];
    for (let n = 0; n < 4; n++) codes.push(await codeOf(trade.placeOrder, sale));
    expect(codes).toEqual([undefined, undefined, undefined, 'trading.halted']);
  });

  it('counts nothing for refused orders', async () => {
    await open();
    await place(taking);
    desk.clock.advance(LAG_MS + SETTLED_MS);
    await halt({});
    const { call } = brokerage;
    brokerage.call = (operation, request, own) =>
      operation === trade.placeOrder ? answer(operation, -1) : call.call(brokerage, operation, request, own);
    expect(await desk.call(trade.placeOrder, sale)).toMatchObject({ retType: -1 });
    brokerage.call = call;
    expect(await codeOf(trade.placeOrder, sale)).toBeUndefined();
  });
});

describe('closing a position that orders of others close already', () => {
  const sale = { ...taking, side: 'SELL' };
  const held = async (how: Partial<Lag> = {}, limits: LimitFlags = {}) => {
    await open(limits, {}, {}, how);
    await place({ ...taking, qty: 300 }, 'free');
    desk.clock.advance(2 * LAG_MS + SETTLED_MS);
    await halt({ key_id: 'other' });
    desk.clock.advance(LAG_MS);
  };

  it.each<[string, Partial<Lag>, object]>([
    ['no list shows them', {}, sale],
    ['no fresh list shows them', { refreshes: true }, sale],
    ['they rest', {}, { ...sale, order_type: 'NORMAL', price: 9_000 }],
  ])('is refused to a halted key where %s', async (_, how, body) => {
    await held(how);
    await place({ ...body, qty: 200 }, 'free');
    for (let n = 0; n < 11; n++) {
      expect(await codeOf(trade.placeOrder, { ...sale, qty: 200 }, 'other')).toBe('trading.halted');
      desk.clock.advance(SETTLED_MS);
    }
    expect(await codeOf(trade.placeOrder, sale, 'other')).toBeUndefined();
  });

  it('is refused to one that has sold before its halt, and to one with too many orders', async () => {
    await held({}, { maxOpenOrders: '0' });
    await desk.payload(admin.adminResume, { key_id: 'other' }, { as: 'ops', iface: 'grpc' });
    await place({ ...sale, qty: 300 }, 'other');
    await halt({ key_id: 'other' });
    expect(await codeOf(trade.placeOrder, sale, 'other')).toBe('trading.halted');
    expect(await codeOf(trade.placeOrder, sale)).toBe('limit.open_orders');
  });

  it.each<[string, Operation, object]>([
    ['an order', trade.placeOrder, { ...sale, qty: 300 }],
    ['one whose answer is lost', trade.placeOrder, { ...sale, qty: 300 }],
  ])('is refused while %s is on its way', async (how, operation, body) => {
    await held({ ms: 0 });
    const { call } = brokerage;
    const { promise: isAnswered, resolve: answerIt } = signal();
    brokerage.call = async (asked, request, own) => {
      if (asked !== operation) return call.call(brokerage, asked, request, own);
      if (how !== 'an order') throw new BackendLost('the connection was lost');
      await isAnswered;
      return call.call(brokerage, asked, request, own);
    };
    const placing = desk.call(operation, body, { as: 'free' }).catch(() => undefined);
    await until(() => desk.calls.filter((one) => one.operation === operation.name).length > 1 || undefined, 'the order to be sent');
    expect(await codeOf(trade.placeOrder, sale, 'other')).toBe('trading.halted');
    answerIt();
    await placing;
    brokerage.call = call;
    desk.clock.advance(60_000);
    expect(await codeOf(trade.placeOrder, sale, 'other')).toBe(how === 'an order' ? 'trading.halted' : undefined);
  });

  it('is refused where a change that no list shows has made one of them larger', async () => {
    await held();
    const order_id_ex = await place({ ...sale, order_type: 'NORMAL', price: 9_000, qty: 100 }, 'free');
    desk.clock.advance(2 * LAG_MS);
    const change = { ...list, order_id_ex, op: 'normal', price: 9_000, qty: 300 };
    expect(await codeOf(trade.modifyOrder, change, 'free')).toBeUndefined();
    expect(await codeOf(trade.placeOrder, sale, 'other')).toBe('trading.halted');
  });
});

/** Lists of orders are right, those of positions behind, and nothing is pushed. */
const positionsBehind = (): Partial<Backend> => {
  const lists: { readonly at: number; readonly answer: ResponseMessage }[] = [];
  return {
    listsCurrent: undefined as never,
    onPush: () => () => undefined,
    async call(operation, request, own) {
      if (operation !== account.getPositions) return brokerage.call(operation, request, own);
      const at = desk.clock.now();
      lists.push({ at, answer: await brokerage.call(operation, request, own) });
      return (lists.findLast((one) => at - one.at >= LAG_MS) ?? lists[0])?.answer as ResponseMessage;
    },
  };
};

describe('closing a position while only the list of positions is behind', () => {
  const sale = { ...taking, side: 'SELL' };
  const ask = { ...sale, order_type: 'NORMAL', price: 9_000 };
  const held = async (qty: number) => {
    await open({}, positionsBehind());
    await place({ ...taking, qty }, 'free');
    desk.clock.advance(60_000);
    await halt({ key_id: 'other' });
    await look();
    desk.clock.advance(LAG_MS + SETTLED_MS);
  };
  /** Lets the brokerage's list of this moment be one that it gives later. */
  const look = () => desk.payload(account.getPositions, { ...list, refresh_cache: true }, { as: 'free' });
  const sells = (qty: number) => codeOf(trade.placeOrder, { ...sale, qty }, 'other');
  const fill = async (order_id_ex: string, qty: number) => {
    await desk.payload(trade.modifyOrder, { ...list, order_id_ex, op: 'normal', price: 1, qty }, { as: 'free' });
    desk.clock.advance(SETTLED_MS);
    expect(await statuses()).toContain(FILLED);
  };

  it('counts what another sells after an own sale has been shown', async () => {
    await held(200);
    expect(await sells(100)).toBeUndefined();
    for (let n = 0; n < 3; n++) {
      desk.clock.advance(LAG_MS);
      await look();
    }
    await place(sale, 'free');
    desk.clock.advance(SETTLED_MS);
    expect(await sells(100)).toBe('trading.halted');
  });

  it('counts the fill of a sale that has rested for long', async () => {
    await held(100);
    const resting = await place(ask, 'free');
    desk.clock.advance(120_000);
    await look();
    await fill(resting, 100);
    expect(await sells(100)).toBe('trading.halted');
  });

  it('counts a sale that was made larger by what it has filled', async () => {
    await held(300);
    const resting = await place(ask, 'free');
    desk.clock.advance(LAG_MS);
    await look();
    await fill(resting, 300);
    expect(await sells(200)).toBe('trading.halted');
  });

  it('counts the fill of an order of before the start that is changed from here', async () => {
    await held(100);
    const request = create(PlaceC2S, {
      header: { trdEnv: 0, accID: BigInt(HK_MARGIN), trdMarket: 1 },
      packetID: { connID: 7n, serialNo: 1 },
      ...{ trdSide: 2, orderType: 1, code: '00700', secMarket: 1, qty: 100, price: 9_000 },
    });
    const placed = (await brokerage.call(trade.placeOrder, request, context)) as { s2c?: { orderIDEx: string } };
    await fill(placed.s2c?.orderIDEx ?? '', 100);
    expect(await sells(100)).toBe('trading.halted');
  });
});

describe('a stop order over lists that are behind', () => {
  const futures = { market: 'FUTURES', acc_id: '281756478396547008', env: 'simulate' };
  const buying = { ...futures, symbol: 'HK.HSI2612', side: 'BUY', qty: 1 };
  const opened = async (how: Partial<Lag> = {}) => {
    await open({}, {}, {}, how);
    await halt({ key_id: 'other' });
    const last = (await desk.payload(quote.getQuote, { symbols: ['HK.HSI2612'] })).basicQotList[0]?.curPrice ?? 0;
    const stop = { ...buying, side: 'SELL', order_type: 'STOP', aux_price: Math.round(last * 0.9) };
    return { stop, resting: { ...buying, price: Math.round(last * 0.9) } };
  };

  it.each<Partial<Lag>>([{}, { refreshes: true }])('guards a position that no list shows yet (%o)', async (how) => {
    const { stop } = await opened(how);
    const { call } = brokerage;
    // Positions come later than orders.
    const empty = { retType: 0, s2c: { positionList: [] } };
    brokerage.call = (operation, request, own) =>
      operation === account.getPositions ? Object.assign(answer(operation, 0), empty) : call.call(brokerage, operation, request, own);
    await place({ ...buying, order_type: 'MARKET' }, 'free');
    const order_id_ex = await place(stop, 'free');
    expect(await codeOf(trade.cancelOrder, { ...futures, order_id_ex }, 'other')).toBe('trading.halted');
    const move = { ...futures, order_id_ex, op: 'normal', qty: 1, aux_price: 1_000 };
    if (how.refreshes) expect(await codeOf(trade.modifyOrder, move, 'other')).toBe('trading.halted');
    expect(await codeOf(trade.cancelAllOrder, futures, 'other')).toBeUndefined();
    const cancelled = desk.calls.filter(({ operation }) => operation === trade.cancelOrder.name).map(({ request }) => request);
    expect(cancelled).not.toContainEqual(expect.objectContaining({ orderIDEx: order_id_ex }));
  });

  it('guards nothing once the purchase has ended and a list of some seconds later shows no position', async () => {
    const { stop, resting: bid } = await opened({ refreshes: true });
    const bidding = await place(bid, 'free');
    const order_id_ex = await place(stop, 'free');
    const cancel = () => codeOf(trade.cancelOrder, { ...futures, order_id_ex }, 'other');
    expect(await cancel()).toBe('trading.halted');
    desk.clock.advance(60_000);
    // It may have been filled a moment ago.
    expect(await cancel()).toBe('trading.halted');
    await desk.payload(trade.cancelOrder, { ...futures, order_id_ex: bidding }, { as: 'free' });
    desk.clock.advance(4_999);
    expect(await cancel()).toBeUndefined();
  });
});

describe('a halted key or one for other symbols ends an order that guards nothing', () => {
  it.each<[string, Operation, string]>([
    ['positions', account.getPositions, 'other'],
    ['orders', account.getOrders, 'other'],
    ['orders', account.getOrders, 'desk'],
  ])('while the list of %s is not answered', async (_, silent, as) => {
    await open({ allowedSymbols: 'HK.00700' }, {}, {}, { ms: 0 });
    const order_id_ex = await place(resting, as);
    await halt({ key_id: 'other' });
    const { call } = brokerage;
    let isAsked = false;
    brokerage.call = (operation, request, own) => {
      const { refreshCache, filterConditions } = request as unknown as { refreshCache?: boolean; filterConditions?: object };
      const isGateway = refreshCache || filterConditions !== undefined;
      if (operation !== silent || !isGateway) return call.call(brokerage, operation, request, own);
      // The cancel is followed by a list of its own, which is waited for.
      isAsked ||= !desk.calls.some((one) => one.operation === trade.cancelOrder.name);
      throw new BackendLost('nobody answers');
    };
    expect(await codeOf(trade.cancelOrder, { ...list, order_id_ex }, as)).toBeUndefined();
    expect(isAsked).toBe(false);
    brokerage.call = call;
    desk.clock.advance(SETTLED_MS);
    expect(await statuses()).toEqual([CANCELLED]);
  });
});

describe('fresh lists', () => {
  it("are asked for in the name of whoever wants them, and by a halt of all orders in nobody's", async () => {
    await open();
    await place({ ...taking, qty: 200 }, 'free');
    await halt({ key_id: 'other' });
    const owners = new Set<string | undefined>();
    const { call } = brokerage;
    brokerage.call = (operation, request, own) => {
      if ((request as unknown as { refreshCache?: boolean }).refreshCache) owners.add(own.owner);
      return call.call(brokerage, operation, request, own);
    };
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
    const { call } = brokerage;
    let isHalting = false;
    brokerage.call = async (operation, request, own) => {
      const answered = await call.call(brokerage, operation, request, own);
      if (operation === account.getOrders && !isHalting) {
        isHalting = true;
        await halt({ key_id: 'desk' });
      }
      return answered;
    };
    // Smaller than the list shows it, which may be behind.
    expect(await codeOf(trade.modifyOrder, { ...list, order_id_ex, op: 'normal', qty: 100, price: 1 })).toBe('trading.halted');
  });
});

describe('accounts that are halted together', () => {
  it('are looked at side by side: one whose list does not come holds up no other', async () => {
    let isHalting = false;
    const asked = new Set<bigint>();
    const { promise: second, resolve: cameSecond } = signal();
    desk = await openDesk({
      keys: { desk: { scopes }, ops: { scopes: ['admin'] } },
      backend: (simulated) => ({
        async call(operation, request, context) {
          if (operation === account.getOrders && isHalting) {
            asked.add((request as unknown as { header: { accID: bigint } }).header.accID);
            if (asked.size > 1) cameSecond();
            await second;
          }
          return simulated.call(operation, request, context);
        },
      }),
    });
    await desk.payload(trade.placeOrder, { ...resting, price: 300 });
    isHalting = true;
    const { accountList } = await desk.payload(admin.adminHalt, { cancel_all: true }, { as: 'ops', iface: 'grpc' });
    expect(accountList).toMatchObject([{ accId: BigInt(HK_MARGIN), orderCount: 1, acceptedCount: 1 }]);
  });
});

describe('shortly after a start', () => {
  it('no halted key closes a position, which an order of before may be closing', async () => {
    const store = new MemoryStore();
    await open({}, {}, { store, sharesStore: true });
    desk.clock.advance(START_MS);
    await place({ ...taking, qty: 200 });
    desk.clock.advance(LAG_MS + SETTLED_MS);
    await halt({});
    const sale = { ...taking, side: 'SELL', qty: 200 };
    const start = desk.clock.now();
    await desk.close();
    await open({}, {}, { store, sharesStore: true, start });
    // The halt refuses it anyhow, and a repetition would not help.
    expect(await codeOf(trade.placeOrder, { ...sale, qty: 300 })).toBe('trading.halted');
    expect(await codeOf(trade.placeOrder, sale)).toBe('backend.not_ready');
    expect(await desk.preview(trade.placeOrder, sale)).toMatchObject({ wouldPass: false });
    desk.clock.advance(START_MS);
    expect(await codeOf(trade.placeOrder, sale)).toBeUndefined();
  });

  it.each<[string, LimitFlags]>([
    ['a halted key', {}],
    ['a key with a limit on the day', { maxDailyValue: '100000' }],
  ])('%s changes no order, which a change of before may have made smaller; others do, and it may cancel', async (_, limits) => {
    const store = new MemoryStore();
    await open(limits, {}, { store, sharesStore: true });
    const order_id_ex = await place({ ...resting, qty: 300 }, 'free');
    desk.clock.advance(LAG_MS + SETTLED_MS);
    if (limits.maxDailyValue === undefined) await halt({ key_id: 'desk' });
    const start = desk.clock.now();
    await desk.close();
    await open(limits, {}, { store, sharesStore: true, start });
    const smaller = { ...list, order_id_ex, op: 'normal', qty: 200, price: 0.98 };
    expect(await codeOf(trade.modifyOrder, smaller)).toBe('backend.not_ready');
    expect(await desk.preview(trade.modifyOrder, smaller)).toMatchObject({ wouldPass: false });
    expect(await codeOf(trade.modifyOrder, { ...smaller, qty: 300, price: 0.99 }, 'free')).toBeUndefined();
    desk.clock.advance(START_MS);
    expect(await codeOf(trade.modifyOrder, smaller)).toBeUndefined();
    expect(await codeOf(trade.cancelOrder, { ...list, order_id_ex })).toBeUndefined();
  });

  it('no halted key ends a listed stop order, which may guard a position of before', async () => {
    const store = new MemoryStore();
    const stop = { ...taking, order_type: 'STOP', aux_price: 900 };
    await open({}, {}, { store, sharesStore: true });
    desk.clock.advance(START_MS);
    const order_id_ex = await place(stop, 'free');
    await halt({ key_id: 'other' });
    const start = desk.clock.now();
    await desk.close();
    await open({}, {}, { store, sharesStore: true, start }, { refreshes: true });
    const cancel = () => codeOf(trade.cancelOrder, { ...list, order_id_ex }, 'other');
    expect(await cancel()).toBe('trading.halted');
    desk.clock.advance(START_MS);
    expect(await cancel()).toBeUndefined();
  });

  it('a key for other symbols or markets ends no order that nobody knows', async () => {
    const store = new MemoryStore();
    await open({ allowedSymbols: 'HK.00005' }, {}, { store });
    expect(await codeOf(trade.cancelOrder, { ...list, order_id_ex: 'X1' })).toBe('backend.not_ready');
    await desk.close();
    await open({ allowedMarkets: 'HK' }, {}, { store });
    expect(await codeOf(trade.cancelOrder, { ...list, order_id_ex: 'X1' })).toBe('backend.not_ready');
    desk.clock.advance(START_MS);
    expect(await desk.call(trade.cancelOrder, { ...list, order_id_ex: 'X1' })).toMatchObject({ retType: -1 });
  });
});
