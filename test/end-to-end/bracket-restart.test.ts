import { create } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import type { Response as Notice } from '@svc-gateway/contract/generated/Notify_pb';
import type { Bracket } from '@svc-gateway/contract/generated/svc/get_brackets_pb';
import { ModifyOrderOp, type Order } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as OrderList, type C2S as OrderListC2S } from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import { C2SSchema as ModifyOrder } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import { C2SSchema as PlaceOrder } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, quote, trade } from '@svc-gateway/contract/operations';
import { type Backend, BackendTimeout, type CallContext, payloadOf } from '@svc-gateway/gateway';
import type { Store } from '@svc-gateway/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from '../support/desk.js';
import { FullStore } from '../support/full-store.js';
import { FakeSink, lineFormat } from '../support/push-fakes.js';

/** Exits that were sent while the disk took no writes, after a start from what the disk has. */

const OPEN = 2;
const CLOSED = 3;
const UNCLEAR = 5;
/** Trd_Common.OrderStatus. */
const SUBMITTED = 5;
const WAITING = 1;
const FUTURES = '281756478396547008';
const futures = { acc_id: FUTURES, market: 'FUTURES', env: 'simulate' };
const contract = { ...futures, symbol: 'HK.HSI2612', side: 'BUY', order_type: 'MARKET' };
const header = { accID: BigInt(FUTURES), trdEnv: 0, trdMarket: 5 };
const context = { requestId: 'other', deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };

const desks: Desk[] = [];
let brokerage: Backend | undefined;
/** A disk that is full once prices are asked for. */
let fillsUp: FullStore | undefined;
let [listsCurrent, keepsRemarks]: [true | undefined, boolean] = [undefined, true];
/** A read whose next fresh list the brokerage does not answer. */
let swallowed: Operation | undefined;
afterEach(async () => {
  for (const desk of desks.splice(0)) await desk.close();
  brokerage = undefined;
  fillsUp = undefined;
  [listsCurrent, keepsRemarks] = [undefined, true];
  swallowed = undefined;
});

const now = () => desks.at(-1) as Desk;
/** The brokerage, which goes on while the gateways before it end and start. */
const outside = () => brokerage as Backend;

/** Another process on what the disk has; the one before is gone. */
async function start(store: Store): Promise<void> {
  const before = desks.at(-1);
  before?.gateway.stop();
  const desk = await openDesk({
    keys: { desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'] } },
    store,
    ...(before === undefined ? {} : { start: before.clock.now() }),
    backend(simulated) {
      brokerage ??= simulated;
      const backend = brokerage;
      return {
        listsCurrent: listsCurrent as never,
        async call(operation, request, about) {
          if (operation === quote.getSnapshot && fillsUp !== undefined) await fill(fillsUp);
          if (operation === swallowed && (request as OrderListC2S).refreshCache) {
            swallowed = undefined;
            return unanswered(now().clock, about);
          }
          const answer = await backend.call(operation, request, about);
          const listed = operation === account.getOrders || operation === account.getHistoryOrders;
          const orders = listed && !keepsRemarks ? payloadOf(account.getOrders, answer)?.orderList : undefined;
          for (const order of orders ?? []) order.remark = '';
          return answer;
        },
      };
    },
  });
  desks.push(desk);
}

/** A read that comes to nothing, given up as the port says. */
function unanswered(clock: Clock, { deadline, answerMs = Number.POSITIVE_INFINITY }: CallContext): Promise<never> {
  const waits = Math.min(deadline - clock.monotonic(), answerMs);
  return new Promise((_, reject) => clock.after(waits, () => reject(new BackendTimeout('no answer'))));
}

async function pass(seconds: number): Promise<void> {
  for (let s = 0; s < seconds; s++) {
    for (const { clock } of desks) clock.advance(1_000);
    for (let turn = 0; turn < 40; turn++) await new Promise(setImmediate);
  }
}

const bracketOf = async (id: string) => (await now().payload(trade.getBrackets, { ...futures, bracket_id: id })).bracketList[0] as Bracket;
/** Exits at the brokerage by their numbers, as it has them. */
async function exitsOf(id: string): Promise<Order[]> {
  const answer = await outside().call(account.getOrders, create(OrderList, { header }), context);
  const orders = payloadOf(account.getOrders, answer)?.orderList ?? [];
  return orders
    .filter(({ remark }) => remark.startsWith(`svc-bracket ${id}/`) && !remark.endsWith('/0'))
    .sort((a, b) => (a.remark < b.remark ? -1 : 1));
}
const working = (orders: readonly Order[]) => orders.filter(({ orderStatus }) => orderStatus === SUBMITTED || orderStatus === WAITING);
async function held(): Promise<number> {
  const { positionList } = await now().payload(account.getPositions, futures);
  return positionList.find(({ code }) => code === 'HSI2612')?.qty ?? 0;
}
const lastPrice = async () => (await now().payload(quote.getQuote, { symbols: ['HK.HSI2612'] })).basicQotList[0]?.curPrice ?? 0;
async function change(order: Order, terms: { qty: number; auxPrice: number }): Promise<void> {
  const packetID = { connID: 9n, serialNo: ++serial };
  const request = { header, packetID, orderIDEx: order.orderIDEx, modifyOrderOp: ModifyOrderOp.ModifyOrderOp_Normal, ...terms };
  expect(await outside().call(trade.modifyOrder, create(ModifyOrder, request), context)).toMatchObject({ retType: 0 });
}
let serial = 0;
/** Lets a disk fill up, and that be known. */
async function fill(disk: FullStore): Promise<void> {
  disk.full = true;
  await disk.write(() => undefined).catch(() => undefined);
  await new Promise(setImmediate);
}
/** Sends an order like an exit once more. */
async function placeTwin({ trdSide, orderType, code, secMarket, qty, auxPrice, timeInForce }: Order, remark: string): Promise<void> {
  const packetID = { connID: 9n, serialNo: ++serial };
  const twin = { header, packetID, trdSide, orderType, code, secMarket, qty, auxPrice, timeInForce, remark };
  expect(await outside().call(trade.placeOrder, create(PlaceOrder, twin), context)).toMatchObject({ retType: 0 });
}

/** A bracket whose entry fills while the disk is full: its exit is in the market, and no row has it. */
async function sentUnrecorded(disk: FullStore): Promise<{ id: string; last: number; exit: Order }> {
  await start(disk);
  const last = await lastPrice();
  const body = { ...contract, qty: 2, order_type: 'NORMAL', price: Math.round(last * 0.98), stop_loss_price: Math.round(last * 0.9) };
  const { bracketId: id, orderIDEx: order_id_ex } = await now().payload(trade.placeBracketOrder, body);
  await pass(6);
  await fill(disk);
  const raise = {
    header,
    packetID: { connID: 9n, serialNo: ++serial },
    orderIDEx: order_id_ex,
    modifyOrderOp: 1,
    qty: 2,
    price: last * 1.02,
  };
  expect(await outside().call(trade.modifyOrder, create(ModifyOrder, { ...raise, price: Math.round(raise.price) }), context)).toMatchObject(
    {
      retType: 0,
    },
  );
  await pass(20);
  const [exit, ...others] = await exitsOf(id);
  expect([exit?.qty, others, await held()]).toEqual([2, [], 2]);
  expect(disk.crashed().table<{ exits: number }>('brackets').get(id)).toMatchObject({ exits: 0, exit: undefined });
  return { id, last, exit: exit as Order };
}

describe.each([undefined, true] as const)('an exit that no row has (lists are never behind: %s)', (current) => {
  it('is known by its remark after a start, and no other is sent', async () => {
    listsCurrent = current;
    const disk = new FullStore();
    const { id, exit } = await sentUnrecorded(disk);
    await start(disk.crashed());
    await pass(60);
    expect((await exitsOf(id)).map(({ orderIDEx }) => orderIDEx)).toEqual([exit.orderIDEx]);
    expect(await bracketOf(id)).toMatchObject({ state: OPEN, exitOrderIdEx: exit.orderIDEx, exitQty: 2, entryFilledQty: 2 });
  });

  it.each([0, 3])('closes its bracket if it filled %d days ago: exits never cover other holdings of the account', async (days) => {
    listsCurrent = current;
    const disk = new FullStore();
    const { id, exit } = await sentUnrecorded(disk);
    now().gateway.stop();
    const packetID = { connID: 9n, serialNo: ++serial };
    const more = { header, packetID, trdSide: 1, orderType: 2, code: 'HSI2612', secMarket: 1, qty: 3 };
    expect(await outside().call(trade.placeOrder, create(PlaceOrder, more), context)).toMatchObject({ retType: 0 });
    await change(exit, { qty: 2, auxPrice: Math.round(await lastPrice()) + 5 });
    await pass(5);
    for (let hour = 0; hour < days * 24; hour++) for (const { clock } of desks) clock.advance(3_600_000);
    await start(disk.crashed());
    await pass(60);
    expect(await bracketOf(id)).toMatchObject({ state: CLOSED, closedQty: 2 });
    expect(await exitsOf(id)).toMatchObject(days === 0 ? [{ orderIDEx: exit.orderIDEx }] : []);
    expect(await held()).toBe(3);
  });

  it('is adopted if it replaced the exit in the row', async () => {
    listsCurrent = current;
    const disk = new FullStore();
    await start(disk);
    const stop = Math.round((await lastPrice()) * 0.9);
    const { bracketId: id } = await now().payload(trade.placeBracketOrder, { ...contract, qty: 2, stop_loss_price: stop });
    await pass(20);
    const [first] = await exitsOf(id);
    await fill(disk);
    await change(first as Order, { qty: 1, auxPrice: stop });
    await pass(30);
    expect(await exitsOf(id)).toMatchObject([{ orderIDEx: first?.orderIDEx }, { qty: 2 }]);
    await start(disk.crashed());
    await pass(60);
    const [, second, ...others] = await exitsOf(id);
    expect([working([second as Order]).length, others]).toEqual([1, []]);
    expect(await bracketOf(id)).toMatchObject({ state: OPEN, exitOrderIdEx: second?.orderIDEx, exitQty: 2, closedQty: 0 });
  });

  it('goes where there are two of them, and its owner is told', async () => {
    listsCurrent = current;
    const disk = new FullStore();
    const { id, exit } = await sentUnrecorded(disk);
    now().gateway.stop();
    await placeTwin(exit, exit.remark);
    await pass(1);
    expect(working(await exitsOf(id))).toHaveLength(2);
    await start(disk.crashed());
    const format = lineFormat();
    now().gateway.push.connect({ iface: 'websocket', owner: 'key:desk', permits: () => true, format, sink: new FakeSink() });
    await pass(60);
    const [kept, ...others] = working(await exitsOf(id));
    expect(others).toEqual([]);
    expect(await exitsOf(id)).toHaveLength(2);
    expect(await bracketOf(id)).toMatchObject({ state: OPEN, exitOrderIdEx: kept?.orderIDEx, exitQty: 2 });
    const notices = format.encoded.filter((event) => event.type === 'notify').map((event) => event.message as unknown as Notice);
    expect(notices.map(({ s2c }) => s2c?.event?.desc).join()).toMatch(/had a second exit in the market, order \S+, which is cancelled/);
  });
});

it('an entry is not sent once the disk has stopped taking writes, though it was let in before', async () => {
  const disk = new FullStore();
  await start(disk);
  fillsUp = disk;
  const answer = await now().call(trade.placeBracketOrder, { ...contract, qty: 2, stop_loss_price: 10_000 });
  expect(answer).toMatchObject({ code: 'storage.failed' });
  expect(now().calls.map(({ operation }) => operation)).not.toContain('place_order');
  expect((await now().payload(trade.getBrackets, futures)).bracketList).toEqual([]);
});

it('two lists of all orders serve the brackets of an account', async () => {
  const disk = new FullStore();
  await start(disk);
  const body = { ...contract, qty: 1, order_type: 'NORMAL', price: Math.round((await lastPrice()) * 0.9), stop_loss_price: 10_000 };
  for (let n = 0; n < 20; n++) await now().payload(trade.placeBracketOrder, body);
  await start(disk.crashed());
  await pass(30);
  const fresh = now().calls.filter(({ operation, request }) => operation === 'get_orders' && (request as OrderListC2S).refreshCache);
  expect(fresh).toHaveLength(2);
});

it.each([account.getOrders, account.getPositions])(
  'a list that is not answered ($name) is asked for again soon: a stop-loss waits for it',
  async (list) => {
    const disk = new FullStore();
    await start(disk);
    const last = await lastPrice();
    const body = { ...contract, qty: 2, order_type: 'NORMAL', price: Math.round(last * 0.98), stop_loss_price: Math.round(last * 0.9) };
    const { bracketId: id, orderIDEx } = await now().payload(trade.placeBracketOrder, body);
    await pass(6);
    now().gateway.stop();
    const packetID = { connID: 9n, serialNo: ++serial };
    const raise = {
      header,
      packetID,
      orderIDEx,
      modifyOrderOp: ModifyOrderOp.ModifyOrderOp_Normal,
      qty: 2,
      price: Math.round(last * 1.02),
    };
    expect(await outside().call(trade.modifyOrder, create(ModifyOrder, raise), context)).toMatchObject({ retType: 0 });
    await pass(5);
    await start(disk.crashed());
    swallowed = list;
    await pass(30);
    expect(swallowed).toBeUndefined();
    expect(working(await exitsOf(id))).toMatchObject([{ qty: 2 }]);
  },
);

it.each([1, 2])('an exit with the number %d that a push shows beside that of the row does not stay', async (number) => {
  await start(new FullStore());
  const stop = Math.round((await lastPrice()) * 0.9);
  const { bracketId: id } = await now().payload(trade.placeBracketOrder, { ...contract, qty: 2, stop_loss_price: stop });
  await pass(20);
  const [exit] = await exitsOf(id);
  await placeTwin(exit as Order, `svc-bracket ${id}/${number}`);
  await pass(30);
  expect(await exitsOf(id)).toHaveLength(2);
  const [kept, ...others] = working(await exitsOf(id));
  expect([kept?.remark, others]).toEqual([`svc-bracket ${id}/${number}`, []]);
  expect(await bracketOf(id)).toMatchObject({ state: OPEN, exitOrderIdEx: kept?.orderIDEx, exitQty: 2 });
});

describe('an exit that no row has, at a brokerage that keeps no remarks', () => {
  it('is known as the only order like it', async () => {
    const disk = new FullStore();
    keepsRemarks = false;
    const { id, exit } = await sentUnrecorded(disk);
    await start(disk.crashed());
    await pass(60);
    expect(await bracketOf(id)).toMatchObject({ state: OPEN, exitOrderIdEx: exit.orderIDEx, exitQty: 2 });
    expect(await exitsOf(id)).toHaveLength(1);
  });

  it('makes the bracket unclear where nothing tells it from an order of somebody else', async () => {
    const disk = new FullStore();
    keepsRemarks = false;
    const { id, last, exit } = await sentUnrecorded(disk);
    now().gateway.stop();
    await change(exit, { qty: 1, auxPrice: Math.round(last * 0.5) });
    await start(disk.crashed());
    await pass(60);
    expect(await bracketOf(id)).toMatchObject({ state: UNCLEAR, note: expect.stringContaining('check the orders and positions') });
    expect(await exitsOf(id)).toHaveLength(1);
  });
});
