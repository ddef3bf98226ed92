import type { C2S as PositionsC2S } from '@svc-gateway/contract/generated/Trd_GetPositionList_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, quote, trade } from '@svc-gateway/contract/operations';
import { BackendLost, BackendRefused, payloadOf, type ResponseMessage } from '@svc-gateway/gateway';
import { MemoryStore } from '@svc-gateway/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { bracketsOver, CANCELLED, contract, futures, OPEN, shares, taking } from '../support/brackets.js';
import { type Answering, type Desk, type DeskOptions, openDesk } from '../support/desk.js';
import { refuse } from '../support/gateway.js';

/** Brackets beside an owner's own trading: orders that look like theirs, and positions that are gone before they look. */

/** Trd_Common.OrderStatus. */
const SUBMITTED = 5;
type Place = typeof shares;

let desk: Desk;
afterEach(() => desk.close());
async function open(options: Partial<DeskOptions> = {}): Promise<void> {
  desk = await openDesk({ keys: { desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'] } }, ...options });
}
const { place, bracketOf, exitsOf, heldOf, lastOf } = bracketsOver(() => desk);
const ordersOf = async (of: Place) => (await desk.payload(account.getOrders, of)).orderList;
/** Lets time go by in steps; whatever follows from each has happened before the next. */
async function pass(seconds: number, step = 1): Promise<void> {
  for (let s = 0; s < seconds; s += step) {
    desk.clock.advance(step * 1_000);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  }
}
describe('an entry whose answer was lost', () => {
  /** Loses a bracket's entry on its way, under a remark of the caller's. */
  async function lose(of: Place, body: object): Promise<string> {
    let isLost = true;
    await open({
      async answer(operation, _, pass) {
        if (operation !== trade.placeOrder || !isLost) return pass();
        isLost = false;
        throw new BackendLost('the connection was lost');
      },
    });
    await desk.call(trade.placeBracketOrder, body);
    return (await desk.payload(trade.getBrackets, of)).bracketList[0]?.bracketId ?? '';
  }

  it('is no order of the other side with its remark', async () => {
    const order = { ...contract, remark: 'bot' };
    const id = await lose(futures, { ...order, side: 'BUY', stop_loss_price: 10_000 });
    await desk.payload(trade.placeOrder, { ...order, side: 'SELL' });
    await pass(90);
    expect(await exitsOf(futures, id)).toEqual([]);
    expect(await heldOf(futures, 'HSI2612')).toBe(-1);
  });

  it('is no order that a caller was told to have placed: a bracket that is withdrawn cancels none of those', async () => {
    const order = { ...shares, symbol: 'HK.00700', qty: 100, side: 'BUY', remark: 'bot' };
    const id = await lose(shares, { ...order, order_type: 'MARKET', stop_loss_price: 300 });
    await desk.payload(trade.cancelBracket, { ...shares, bracket_id: id });
    const { orderIDEx } = await desk.payload(trade.placeOrder, { ...order, order_type: 'NORMAL', price: 350 });
    await pass(90);
    const own = (await ordersOf(shares)).find((one) => one.orderIDEx === orderIDEx);
    expect(own?.orderStatus).toBe(SUBMITTED);
    expect(await bracketOf(shares, id)).toMatchObject({ entryOrderIdEx: '' });
  });
});

describe('an entry that is acknowledged by its number alone', () => {
  const withoutText: Answering = async (operation, _, pass) => {
    const answered = await pass();
    const placed = operation === trade.placeOrder ? payloadOf(trade.placeOrder, answered) : undefined;
    if (placed !== undefined) placed.orderIDEx = '';
    return answered;
  };

  it.each([true, false])('is guarded (the brokerage records in the same store: %s)', async (sharesStore) => {
    await open({ answer: withoutText, sharesStore });
    const id = await place({ ...taking, stop_loss_price: 300 });
    await pass(6);
    expect(await bracketOf(shares, id)).toMatchObject({ state: OPEN, entryFilledQty: 100, exitQty: 100 });
    expect(await exitsOf(shares, id)).toHaveLength(1);
  });

  it('is not taken for that of another bracket', async () => {
    await open({ answer: withoutText });
    const order = { ...taking, order_type: 'NORMAL', price: 1, stop_loss_price: 0.5 };
    const both = await Promise.all([place(order), place(order)]);
    expect(new Set(both).size).toBe(2);
  });
});

describe('a position that its owner closes before the gateway has seen it', () => {
  it('takes the stop-loss with it that the gateway holds', async () => {
    let price = 0;
    await open({
      async answer(operation, request, pass) {
        if (operation === trade.placeOrder && (request as PlaceC2S).orderType === 10) return refuse(operation, 'no stop orders');
        const answered = await pass();
        const quoted = operation === quote.getQuote ? payloadOf(quote.getQuote, answered)?.basicQotList[0] : undefined;
        if (quoted !== undefined && price > 0) quoted.curPrice = price;
        return answered;
      },
    });
    const last = await lastOf('HK.HSI2612');
    const entry = { ...contract, side: 'BUY', order_type: 'NORMAL', price: Math.round(last * 0.9) };
    const id = await place({ ...entry, stop_loss_price: Math.round(last * 0.8) });
    await pass(6);
    const { entryOrderIdEx } = await bracketOf(futures, id);
    await desk.payload(trade.modifyOrder, {
      ...futures,
      order_id_ex: entryOrderIdEx,
      op: 'normal',
      qty: 1,
      price: Math.round(last * 1.05),
    });
    await pass(1, 0.1);
    await desk.payload(trade.placeOrder, { ...contract, side: 'SELL' });
    await pass(120);
    expect(await bracketOf(futures, id)).toMatchObject({ note: expect.stringContaining('closed by somebody else') });
    price = Math.round(last * 0.79);
    await pass(30);
    expect(await heldOf(futures, 'HSI2612')).toBe(0);
  });

  it('takes the stop-loss with it that rests at the brokerage, also over a restart', async () => {
    let isBlind = true;
    const store = new MemoryStore();
    const answer: Answering = (operation, _, pass) => (operation === account.getPositions && isBlind ? refuse(operation, 'busy') : pass());
    await open({ answer, store, sharesStore: true });
    const id = await place({ ...contract, side: 'BUY', stop_loss_price: Math.round((await lastOf('HK.HSI2612')) * 0.9) });
    await pass(1, 0.1);
    expect(await bracketOf(futures, id)).toMatchObject({ state: OPEN, exitQty: 1 });
    const start = desk.clock.now();
    await desk.close();
    isBlind = false;
    await open({ answer, store, sharesStore: true, start });
    await desk.payload(trade.placeOrder, { ...contract, side: 'SELL' });
    await pass(60);
    expect((await exitsOf(futures, id)).map(({ orderStatus }) => orderStatus)).toEqual([15]);
  });
});

describe('a list of positions that is behind', () => {
  const last = () => lastOf('HK.00700');

  it('takes no guard, whatever another bracket fills meanwhile', async () => {
    let isBehind = false;
    let before: ResponseMessage | undefined;
    await open({
      backend: { listsCurrent: undefined as never },
      async answer(operation, _, pass) {
        if (operation !== account.getPositions) return pass();
        if (!isBehind || before === undefined) before = await pass();
        return before;
      },
    });
    const [price, stop] = [Math.round((await last()) * 0.9), Math.round((await last()) * 0.8)];
    const older = await place({ ...taking, order_type: 'NORMAL', price, stop_loss_price: stop });
    await pass(1);
    const younger = await place({ ...taking, stop_loss_price: stop });
    await pass(10);
    expect(await bracketOf(shares, younger)).toMatchObject({ exitQty: 100 });
    isBehind = true;
    const { entryOrderIdEx: order_id_ex } = await bracketOf(shares, older);
    await desk.payload(trade.modifyOrder, { ...shares, order_id_ex, op: 'normal', qty: 100, price: Math.round((await last()) * 1.02) });
    await pass(14);
    isBehind = false;
    await pass(30);
    for (const id of [older, younger]) expect(await bracketOf(shares, id)).toMatchObject({ state: OPEN, exitQty: 100, note: '' });
  });

  /** No positions, while they are said to be behind. */
  async function openHiding(isHidden: (asked: PositionsC2S) => boolean): Promise<void> {
    await open({
      backend: { listsCurrent: undefined as never },
      async answer(operation, request, pass) {
        const answered = await pass();
        const isBehind = operation === account.getPositions && isHidden(request as PositionsC2S);
        const listed = isBehind ? payloadOf(account.getPositions, answered) : undefined;
        if (listed !== undefined) listed.positionList = [];
        return answered;
      },
    });
  }

  it('takes no guard by an older sale that traded before the entry and is cancelled after it', async () => {
    let isBehind = false;
    await openHiding(() => isBehind);
    const bid = async () => (await desk.payload(quote.getOrderBook, { symbol: 'HK.00700', depth: 1 })).orderBookBidList[0];
    const qty = Number((await bid())?.volume ?? 0n) + 3_000;
    await desk.payload(trade.placeOrder, { ...taking, qty });
    await pass(1, 0.1);
    const sale = { ...taking, side: 'SELL', order_type: 'NORMAL', price: (await bid())?.price, qty };
    const { orderIDEx: order_id_ex } = await desk.payload(trade.placeOrder, sale);
    await pass(3, 0.1);
    isBehind = true;
    const id = await place({ ...taking, stop_loss_price: Math.round((await last()) * 0.9) });
    await pass(0.5, 0.1);
    await desk.payload(trade.cancelOrder, { ...shares, order_id_ex });
    await pass(10);
    isBehind = false;
    await pass(10);
    expect(await bracketOf(shares, id)).toMatchObject({ state: OPEN, exitQty: 100, note: '' });
  });

  it('is asked for afresh before a guard is dropped', async () => {
    let isBehind = false;
    await openHiding(({ refreshCache }) => isBehind && !refreshCache);
    const id = await place({ ...taking, stop_loss_price: Math.round((await last()) * 0.8) });
    await pass(6);
    isBehind = true;
    await pass(20);
    expect(await bracketOf(shares, id)).toMatchObject({ state: OPEN, exitQty: 100, note: '' });
  });
});

describe('a part of a position that its owner closes', () => {
  it('is guarded again once it is there again and no bracket guards it', async () => {
    await open();
    const order = { ...contract, side: 'BUY', stop_loss_price: Math.round((await lastOf('HK.HSI2612')) * 0.8) };
    const id = await place({ ...order, qty: 2 });
    await pass(6);
    await desk.payload(trade.placeOrder, { ...contract, side: 'SELL' });
    await pass(20);
    expect(await bracketOf(futures, id)).toMatchObject({ exitQty: 1 });
    const younger = await place(order);
    await pass(20);
    expect(await bracketOf(futures, id)).toMatchObject({ exitQty: 1 });
    expect(await bracketOf(futures, younger)).toMatchObject({ exitQty: 1 });
    await desk.payload(trade.placeOrder, { ...contract, side: 'BUY' });
    await pass(20);
    expect(await bracketOf(futures, id)).toMatchObject({ exitQty: 2 });
    expect(await bracketOf(futures, younger)).toMatchObject({ exitQty: 1 });
  });

  it.each([
    ['answers that it has none', (operation: Operation) => refuse(operation, 'not for simulated accounts')],
    [
      'is understood to have none',
      () => {
        throw new BackendRefused('backend.invalid', 'the server has no fills of simulated accounts');
      },
    ],
  ])('is off the exit each time, on a brokerage that lists no fills as well and %s', async (_how, refused) => {
    await open({
      answer: async (operation, _, pass) =>
        operation === account.getDeals || operation === account.getHistoryDeals ? refused(operation) : pass(),
    });
    const order = { ...contract, side: 'BUY', qty: 3, stop_loss_price: Math.round((await lastOf('HK.HSI2612')) * 0.8) };
    const id = await place(order);
    await pass(6);
    for (const exitQty of [2, 1]) {
      await desk.payload(trade.placeOrder, { ...contract, side: 'SELL' });
      await pass(20);
      expect(await bracketOf(futures, id)).toMatchObject({ state: OPEN, exitQty });
    }
  });
});

describe('an exit that the brokerage keeps back for its price', () => {
  it.each(['cancel', 'disable'])('ends the bracket when its owner will %s it, though it says why it was kept back', async (op) => {
    await open({
      answer: (operation, _, pass) =>
        operation === trade.reconfirmOrder || operation === quote.getSnapshot ? refuse(operation, 'not now') : pass(),
    });
    const stop = Math.round((await lastOf('HK.00700')) * 1.2);
    const id = await place({ ...taking, stop_loss_price: stop, stop_loss_limit_price: 1 });
    await pass(3);
    const { exitOrderIdEx } = await bracketOf(shares, id);
    await desk.payload(trade.modifyOrder, { ...shares, order_id_ex: exitOrderIdEx, op });
    await pass(10);
    expect(await bracketOf(shares, id)).toMatchObject({ state: CANCELLED });
    expect(await exitsOf(shares, id)).toHaveLength(1);
  });
});

it('asks again for a cancel that the brokerage refuses every five seconds, however fast prices come', async () => {
  let cancels = 0;
  await open({
    answer(operation, _, pass) {
      if (operation !== trade.cancelOrder) return pass();
      cancels += 1;
      return refuse(operation, 'not now');
    },
  });
  const aux_price = Math.round((await lastOf('HK.00700')) * 0.8);
  const id = await place({ ...taking, qty: 200, stop_loss_price: aux_price });
  await pass(5);
  const { exitOrderIdEx } = await bracketOf(shares, id);
  await desk.payload(trade.modifyOrder, { ...shares, order_id_ex: exitOrderIdEx, op: 'normal', qty: 100, aux_price });
  await pass(60);
  expect(cancels).toBeGreaterThan(8);
  expect(cancels).toBeLessThanOrEqual(14);
});
