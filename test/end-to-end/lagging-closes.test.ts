import { create } from '@bufbuild/protobuf';
import type { LimitFlags } from '@svc-gateway/access';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, admin, quote, trade } from '@svc-gateway/contract/operations';
import { type Backend, BackendLost, type ResponseMessage } from '@svc-gateway/gateway';
import { MemoryStore } from '@svc-gateway/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { CANCELLED, FILLED, futures, LAG_MS, LaggingDesk, list, resting, SETTLED_MS, START_MS, taking } from '../support/lagging-desk.js';
import type { Lag } from '../support/lagging-lists.js';
import { signal, until } from '../support/until.js';

/** An upstream's lists are seconds behind: positions are closed once, and guarded as they really are. */

const desk = new LaggingDesk();
const { open, codeOf, place, halt, statuses } = desk;
afterEach(() => desk.close());

const answer = ({ messages }: Operation, retType: number) =>
  create(messages.ResponseSchema, { retType } as Record<string, unknown>) as ResponseMessage;

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
    desk.answer((operation, _, pass) => (operation === trade.placeOrder ? answer(operation, -1) : pass()));
    expect(await desk.call(trade.placeOrder, sale)).toMatchObject({ retType: -1 });
    desk.answer();
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
    const { promise: isAnswered, resolve: answerIt } = signal();
    desk.answer(async (asked, _, pass) => {
      if (asked !== operation) return pass();
      if (how !== 'an order') throw new BackendLost('the connection was lost');
      await isAnswered;
      return pass();
    });
    const placing = desk.call(operation, body, { as: 'free' }).catch(() => undefined);
    await until(() => desk.calls.filter((one) => one.operation === operation.name).length > 1 || undefined, 'the order to be sent');
    expect(await codeOf(trade.placeOrder, sale, 'other')).toBe('trading.halted');
    answerIt();
    await placing;
    desk.answer();
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
      if (operation !== account.getPositions) return desk.ask(operation, request, own);
      const at = desk.clock.now();
      lists.push({ at, answer: await desk.ask(operation, request, own) });
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
    await fill(await desk.placeOutside({ trdSide: 2, price: 9_000 }), 100);
    expect(await sells(100)).toBe('trading.halted');
  });
});

describe('a stop order over lists that are behind', () => {
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
    // Positions come later than orders.
    const empty = { retType: 0, s2c: { positionList: [] } };
    desk.answer((operation, _, pass) => (operation === account.getPositions ? Object.assign(answer(operation, 0), empty) : pass()));
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
    let isAsked = false;
    desk.answer((operation, request, pass) => {
      const { refreshCache, filterConditions } = request as unknown as { refreshCache?: boolean; filterConditions?: object };
      const isGateway = refreshCache || filterConditions !== undefined;
      if (operation !== silent || !isGateway) return pass();
      // The cancel is followed by a list of its own, which is waited for.
      isAsked ||= !desk.calls.some((one) => one.operation === trade.cancelOrder.name);
      throw new BackendLost('nobody answers');
    });
    expect(await codeOf(trade.cancelOrder, { ...list, order_id_ex }, as)).toBeUndefined();
    expect(isAsked).toBe(false);
    desk.answer();
    desk.clock.advance(SETTLED_MS);
    expect(await statuses()).toEqual([CANCELLED]);
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
