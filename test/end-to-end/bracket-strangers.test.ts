import { create } from '@bufbuild/protobuf';
import type { Bracket } from '@svc-gateway/contract/generated/svc/get_brackets_pb';
import type { C2S as PositionsC2S } from '@svc-gateway/contract/generated/Trd_GetPositionList_pb';
import type { C2S as PlaceC2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, quote, trade } from '@svc-gateway/contract/operations';
import { type Backend, BackendLost, BackendRefused, payloadOf, type ResponseMessage } from '@svc-gateway/gateway';
import { MemoryStore } from '@svc-gateway/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { HK_MARGIN } from '../support/accounts.js';
import { type Desk, type DeskOptions, openDesk } from '../support/desk.js';

/** Brackets beside an owner's own trading: orders that look like theirs, and positions that are gone before they look. */

/** svc.get_brackets.Bracket: state. */
const OPEN = 2;
const CANCELLED = 4;
/** Trd_Common.OrderStatus. */
const SUBMITTED = 5;
const shares = { acc_id: HK_MARGIN, market: 'HK', env: 'simulate' };
const futures = { acc_id: '281756478396547008', market: 'FUTURES', env: 'simulate' };
const taking = { ...shares, side: 'BUY', symbol: 'HK.00700', qty: 100, order_type: 'MARKET' };
const contract = { ...futures, symbol: 'HK.HSI2612', qty: 1, order_type: 'MARKET' };
type Place = typeof shares;

let desk: Desk;
afterEach(() => desk.close());
async function open(options: Partial<DeskOptions> = {}): Promise<void> {
  desk = await openDesk({ keys: { desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'] } }, ...options });
}
const place = async (body: object) => (await desk.payload(trade.placeBracketOrder, body)).bracketId;
const bracketOf = async (of: Place, id: string) =>
  (await desk.payload(trade.getBrackets, { ...of, bracket_id: id })).bracketList[0] as Bracket;
const ordersOf = async (of: Place) => (await desk.payload(account.getOrders, of)).orderList;
const exitsOf = async (of: Place, id: string) =>
  (await ordersOf(of)).filter(({ remark }) => remark.startsWith(`svc-bracket ${id}/`) && !remark.endsWith('/0'));
const lastOf = async (symbol: string) => (await desk.payload(quote.getQuote, { symbols: [symbol] })).basicQotList[0]?.curPrice ?? 0;
async function heldOf(of: Place, code: string): Promise<number> {
  return (await desk.payload(account.getPositions, of)).positionList.find((one) => one.code === code)?.qty ?? 0;
}
/** Lets time go by in steps; whatever follows from each has happened before the next. */
async function pass(seconds: number, step = 1): Promise<void> {
  for (let s = 0; s < seconds; s += step) {
    desk.clock.advance(step * 1_000);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  }
}
function refusal({ messages }: Operation, retMsg: string): ResponseMessage {
  return create(messages.ResponseSchema, { retType: -1, retMsg } as Record<string, unknown>) as ResponseMessage;
}

describe('an entry whose answer was lost', () => {
  /** Loses a bracket's entry on its way, under a remark of the caller's. */
  async function lose(of: Place, body: object): Promise<string> {
    let isLost = true;
    const backend = (simulated: Backend): Partial<Backend> => ({
      async call(operation, request, context) {
        if (operation !== trade.placeOrder || !isLost) return simulated.call(operation, request, context);
        isLost = false;
        throw new BackendLost('the connection was lost');
      },
    });
    await open({ backend });
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
  const withoutText = (simulated: Backend): Partial<Backend> => ({
    async call(operation, request, context) {
      const answer = await simulated.call(operation, request, context);
      const placed = operation === trade.placeOrder ? payloadOf(trade.placeOrder, answer) : undefined;
      if (placed !== undefined) placed.orderIDEx = '';
      return answer;
    },
  });

  it.each([true, false])('is guarded (the brokerage records in the same store: %s)', async (sharesStore) => {
    await open({ backend: withoutText, sharesStore });
    const id = await place({ ...taking, stop_loss_price: 300 });
    await pass(6);
    expect(await bracketOf(shares, id)).toMatchObject({ state: OPEN, entryFilledQty: 100, exitQty: 100 });
    expect(await exitsOf(shares, id)).toHaveLength(1);
  });

  it('is not taken for that of another bracket', async () => {
    await open({ backend: withoutText });
    const order = { ...taking, order_type: 'NORMAL', price: 1, stop_loss_price: 0.5 };
    const both = await Promise.all([place(order), place(order)]);
    expect(new Set(both).size).toBe(2);
  });
});

describe('a position that its owner closes before the gateway has seen it', () => {
  it('takes the stop-loss with it that the gateway holds', async () => {
    let price = 0;
    const backend = (simulated: Backend): Partial<Backend> => ({
      async call(operation, request, context) {
        if (operation === trade.placeOrder && (request as PlaceC2S).orderType === 10) return refusal(operation, 'no stop orders');
        const answer = await simulated.call(operation, request, context);
        const quoted = operation === quote.getQuote ? payloadOf(quote.getQuote, answer)?.basicQotList[0] : undefined;
        if (quoted !== undefined && price > 0) quoted.curPrice = price;
        return answer;
      },
    });
    await open({ backend });
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
    const backend = (simulated: Backend): Partial<Backend> => ({
      call: async (operation, request, context) =>
        operation === account.getPositions && isBlind ? refusal(operation, 'busy') : simulated.call(operation, request, context),
    });
    await open({ backend, store, sharesStore: true });
    const id = await place({ ...contract, side: 'BUY', stop_loss_price: Math.round((await lastOf('HK.HSI2612')) * 0.9) });
    await pass(1, 0.1);
    expect(await bracketOf(futures, id)).toMatchObject({ state: OPEN, exitQty: 1 });
    const start = desk.clock.now();
    await desk.close();
    isBlind = false;
    await open({ backend, store, sharesStore: true, start });
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
    const backend = (simulated: Backend): Partial<Backend> => ({
      listsCurrent: undefined as never,
      async call(operation, request, context) {
        if (operation !== account.getPositions) return simulated.call(operation, request, context);
        if (!isBehind || before === undefined) before = await simulated.call(operation, request, context);
        return before;
      },
    });
    await open({ backend });
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

  it('takes no guard by an older sale that traded before the entry and is cancelled after it', async () => {
    let isBehind = false;
    const backend = (simulated: Backend): Partial<Backend> => ({
      listsCurrent: undefined as never,
      async call(operation, request, context) {
        const answer = await simulated.call(operation, request, context);
        const listed = operation === account.getPositions && isBehind ? payloadOf(account.getPositions, answer) : undefined;
        if (listed !== undefined) listed.positionList = [];
        return answer;
      },
    });
    await open({ backend });
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
    const backend = (simulated: Backend): Partial<Backend> => ({
      listsCurrent: undefined as never,
      async call(operation, request, context) {
        const answer = await simulated.call(operation, request, context);
        const isCached = operation === account.getPositions && !(request as PositionsC2S).refreshCache;
        const listed = isCached && isBehind ? payloadOf(account.getPositions, answer) : undefined;
        if (listed !== undefined) listed.positionList = [];
        return answer;
      },
    });
    await open({ backend });
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
    ['answers that it has none', (operation: Operation) => refusal(operation, 'not for simulated accounts')],
    [
      'is understood to have none',
      () => {
        throw new BackendRefused('backend.invalid', 'the server has no fills of simulated accounts');
      },
    ],
  ])('is off the exit each time, on a brokerage that lists no fills as well and %s', async (_how, refuse) => {
    const backend = (simulated: Backend): Partial<Backend> => ({
      call: async (operation, request, context) =>
        operation === account.getDeals || operation === account.getHistoryDeals
          ? refuse(operation)
          : simulated.call(operation, request, context),
    });
    await open({ backend });
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
    const backend = (simulated: Backend): Partial<Backend> => ({
      call: async (operation, request, context) =>
        operation === trade.reconfirmOrder || operation === quote.getSnapshot
          ? refusal(operation, 'not now')
          : simulated.call(operation, request, context),
    });
    await open({ backend });
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
  const backend = (simulated: Backend): Partial<Backend> => ({
    async call(operation, request, context) {
      if (operation !== trade.cancelOrder) return simulated.call(operation, request, context);
      cancels += 1;
      return refusal(operation, 'not now');
    },
  });
  await open({ backend });
  const aux_price = Math.round((await lastOf('HK.00700')) * 0.8);
  const id = await place({ ...taking, qty: 200, stop_loss_price: aux_price });
  await pass(5);
  const { exitOrderIdEx } = await bracketOf(shares, id);
  await desk.payload(trade.modifyOrder, { ...shares, order_id_ex: exitOrderIdEx, op: 'normal', qty: 100, aux_price });
  await pass(60);
  expect(cancels).toBeGreaterThan(8);
  expect(cancels).toBeLessThanOrEqual(14);
});
