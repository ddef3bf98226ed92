import { create, type Message } from '@bufbuild/protobuf';
import type { LimitFlags } from '@svc-gateway/access';
import { type C2S as PlaceC2S, C2SSchema as PlaceOrder } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, admin, quote, subscription, trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { type Backend, BackendLost, BackendRefused, type ResponseMessage } from '@svc-gateway/gateway';
import { MemoryStore } from '@svc-gateway/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { HK_MARGIN } from '../support/accounts.js';
import { bracketsOver, CANCELLED, CLOSED, contract, futures, OPEN, shares, taking, UNCLEAR } from '../support/brackets.js';
import { type Answering, type Desk, type DeskOptions, openDesk } from '../support/desk.js';
import { refuse } from '../support/gateway.js';

/** The exits of brackets, which are for the position that there is. */

/** Trd_Common.OrderType. */
const [MARKET, STOP, STOP_LIMIT] = [2, 10, 11];
const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;

let desk: Desk;
afterEach(() => desk.close());

async function open(limits: LimitFlags = {}, others: Partial<DeskOptions> = {}): Promise<void> {
  const keys = {
    desk: { scopes: [...scopes, 'trade:real', 'trade:unlock'] as const },
    limited: { scopes, limits },
    ops: { scopes: ['admin'] as const },
  };
  desk = await openDesk({ keys, ...others });
}
const { place, bracketOf, comesTo, guarded, exitsOf, heldOf, lastOf } = bracketsOver(() => desk);
const isStopOrder = (operation: Operation, request: Message) => operation === trade.placeOrder && (request as PlaceC2S).orderType === STOP;
/** Where no last price is known, a stop-loss that is reached already is not refused with its entry. */
const withoutSnapshots: Answering = (operation, _, pass) => (operation === quote.getSnapshot ? refuse(operation, 'no snapshots') : pass());

describe('a bracket', () => {
  it.each([
    ['takes its profit', 'BUY', 0.9, 0.7, 2],
    ['stops its loss at the market', 'BUY', 1.3, 1.1, 2],
    ['of a short sale buys back', 'SELL_SHORT', 0.8, 0.9, 4],
  ])('%s where its price is reached, and is over', async (_, side, profit, loss, exitSide) => {
    await open({}, { answer: withoutSnapshots });
    const last = await lastOf('HK.00700');
    const levels = { take_profit_price: Math.round(last * profit), stop_loss_price: Math.round(last * loss) };
    const id = await place({ ...taking, side, ...levels });
    const over = await comesTo(shares, id, ({ state }) => state !== OPEN);
    expect(over).toMatchObject({ state: CLOSED, exitSide, entryFilledQty: 100, closedQty: 100 });
    expect((await exitsOf(shares, id)).every(({ qty }) => qty <= 100)).toBe(true);
  });
});

describe('an exit', () => {
  it('goes when somebody else has closed the position, and opens no other', async () => {
    await open();
    const last = await lastOf('HK.HSI2612');
    const id = await place({ ...contract, side: 'BUY', stop_loss_price: Math.round(last * 0.8) });
    await guarded(futures, id);
    await desk.payload(trade.placeOrder, { ...contract, side: 'SELL' });
    const bracket = await comesTo(futures, id, ({ state }) => state !== OPEN);
    expect(bracket).toMatchObject({ state: CLOSED, closedQty: 0, note: '1 of its position were closed by somebody else' });
    expect(await exitsOf(futures, id)).toMatchObject([{ fillQty: 0, orderStatus: 15 }]);
    expect(await heldOf(futures, 'HSI2612')).toBe(0);
  });

  it('goes also when that happens while the gateway is away, or before its first look', async () => {
    const store = new MemoryStore();
    await open({}, { store, sharesStore: true });
    const id = await place({ ...contract, side: 'BUY', stop_loss_price: Math.round((await lastOf('HK.HSI2612')) * 0.8) });
    await guarded(futures, id);
    const start = desk.clock.now();
    await desk.close();
    await open({}, { store, sharesStore: true, start });
    await desk.payload(trade.placeOrder, { ...contract, side: 'SELL' });
    expect(await comesTo(futures, id, ({ state }) => state !== OPEN)).toMatchObject({ state: CLOSED, closedQty: 0 });
    expect(await exitsOf(futures, id)).toMatchObject([{ fillQty: 0, orderStatus: 15 }]);
  });

  it.each<[string, () => ResponseMessage]>([
    ['is refused once', () => refuse(trade.placeOrder, 'system busy, please try again later')],
    [
      'has to wait for the brokerage’s limits',
      () => {
        throw new BackendRefused('backend.rate', 'too many orders', 30);
      },
    ],
  ])('rests at the brokerage all the same when its stop order %s', async (_, refused) => {
    let refusals = 0;
    await open({}, { answer: (operation, request, pass) => (isStopOrder(operation, request) && ++refusals === 1 ? refused() : pass()) });
    const id = await place({ ...taking, stop_loss_price: 300 });
    await comesTo(shares, id, ({ note }) => note.startsWith('its stop-loss was refused'));
    expect(await guarded(shares, id)).toMatchObject({ stopHeld: false, note: '' });
    expect(await exitsOf(shares, id)).toMatchObject([{ orderType: STOP }]);
  });

  it('is retried every five seconds while refused, the stop-loss and then the take-profit', async () => {
    let sent = 0;
    const answer: Answering = (operation, request, pass) => {
      if (operation !== trade.placeOrder || (request as PlaceC2S).remark.endsWith('/0')) return pass();
      sent += 1;
      return refuse(operation, 'the account is closed for orders');
    };
    await open({}, { answer });
    const id = await place({ ...taking, stop_loss_price: 300, take_profit_price: 1000 });
    await comesTo(shares, id, ({ stopHeld, note }) => stopHeld && note.startsWith('its take-profit was refused'));
    const before = sent;
    for (let s = 0; s < 30; s++) {
      desk.clock.advance(1_000);
      await bracketOf(shares, id);
    }
    expect(sent - before).toBeGreaterThan(1);
    expect(sent - before).toBeLessThanOrEqual(6);
    // The trail has each reason once, with the terms of the exit.
    const refused = desk.audit.filter(({ endpoint, outcome }) => endpoint === 'bracket' && outcome === 'reject');
    expect(refused.map(({ code, trade: terms }) => [code, terms?.symbol, terms?.side])).toEqual(
      ['stop-loss', 'take-profit'].map(() => ['backend.refused', 'HK.00700', 'SELL']),
    );
    expect(refused.map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/^refused: bracket \S+: its stop-loss was refused: the account is closed/),
      expect.stringMatching(/^refused: bracket \S+: its take-profit was refused: /),
    ]);
  });

  it('stays for what is left of the position, of the older bracket first', async () => {
    await open();
    const stop = Math.round((await lastOf('HK.HSI2612')) * 0.8);
    const older = await place({ ...contract, side: 'BUY', qty: 2, stop_loss_price: stop });
    await guarded(futures, older);
    const younger = await place({ ...contract, side: 'BUY', qty: 2, stop_loss_price: stop });
    await guarded(futures, younger);
    await desk.payload(trade.placeOrder, { ...contract, side: 'SELL' });
    expect(await comesTo(futures, younger, ({ exitQty }) => exitQty === 1)).toMatchObject({ state: OPEN });
    expect(await bracketOf(futures, older)).toMatchObject({ state: OPEN, exitQty: 2 });
  });

  it('is placed on a step of the price, if it was given between two', async () => {
    await open();
    const last = await lastOf('HK.00700');
    const id = await place({
      ...taking,
      stop_loss_price: Math.round(last * 0.8) + 0.13,
      stop_loss_limit_price: Math.round(last * 0.7) + 0.13,
    });
    await guarded(shares, id);
    expect(await exitsOf(shares, id)).toMatchObject([
      { orderType: STOP_LIMIT, auxPrice: Math.round(last * 0.8) + 0.2, price: Math.round(last * 0.7) + 0.2 },
    ]);
    expect(await bracketOf(shares, id)).toMatchObject({ stopHeld: false, note: '' });
  });

  it('held back by the brokerage for its price is confirmed, and closes the position', async () => {
    await open({}, { answer: withoutSnapshots });
    const last = await lastOf('HK.00700');
    // The stop is reached already, and a limit of a ninth of the price looks like a slip.
    const id = await place({ ...taking, stop_loss_price: Math.round(last * 1.2), stop_loss_limit_price: 1 });
    expect(await comesTo(shares, id, ({ state }) => state !== OPEN)).toMatchObject({ state: CLOSED, closedQty: 100, note: '' });
    expect(desk.calls.map(({ operation }) => operation)).toContain('reconfirm_order');
    expect(desk.audit.map(({ reason }) => reason)).toContain(`bracket ${id}: stop-loss confirmed`);
  });

  it('held back by the brokerage without a way to confirm it says so', async () => {
    const answer: Answering = (operation, _, pass) =>
      operation === quote.getSnapshot || operation === trade.reconfirmOrder ? refuse(operation, 'not here') : pass();
    await open({}, { answer });
    const last = await lastOf('HK.00700');
    const id = await place({ ...taking, stop_loss_price: Math.round(last * 1.2), stop_loss_limit_price: 1 });
    expect(await comesTo(shares, id, ({ note }) => note !== '')).toMatchObject({
      state: OPEN,
      note: 'its stop-loss waits to be confirmed: not here',
    });
    expect(await exitsOf(shares, id)).toHaveLength(1);
  });

  it('made smaller by its owner is replaced by one for the whole open quantity', async () => {
    await open();
    const id = await place({ ...taking, qty: 200, stop_loss_price: 300 });
    const { exitOrderIdEx: first } = await guarded(shares, id);
    await desk.payload(trade.modifyOrder, { ...shares, order_id_ex: first, op: 'normal', qty: 100, aux_price: 300 });
    const { exitOrderIdEx } = await comesTo(shares, id, (now) => now.exitOrderIdEx !== '' && now.exitOrderIdEx !== first);
    const exits = await exitsOf(shares, id);
    expect(exits.find(({ orderIDEx }) => orderIDEx === exitOrderIdEx)).toMatchObject({ qty: 200 });
  });

  it.each([
    ['stop-loss', { stop_loss_price: 300.13 }, { aux_price: 1 }, { auxPrice: 300.2 }],
    ['limit of the stop-loss', { stop_loss_price: 300, stop_loss_limit_price: 290 }, { aux_price: 300, price: 200 }, { price: 290 }],
    ['take-profit', { take_profit_price: 600 }, { price: 700 }, { price: 600 }],
  ])('moved to another price by its owner (%s) is replaced by one at the bracket’s price', async (_, levels, moved, own) => {
    await open();
    const id = await place({ ...taking, ...levels });
    const { exitOrderIdEx: first } = await guarded(shares, id);
    await desk.payload(trade.modifyOrder, { ...shares, order_id_ex: first, op: 'normal', qty: 100, ...moved }, { as: 'limited' });
    const { exitOrderIdEx } = await comesTo(shares, id, (now) => now.exitOrderIdEx !== '' && now.exitOrderIdEx !== first);
    const exits = await exitsOf(shares, id);
    expect(exits).toHaveLength(2);
    expect(exits.find(({ orderIDEx }) => orderIDEx === exitOrderIdEx)).toMatchObject(own);
    expect(desk.log.join()).toMatch(/somebody changed the price of its (stop-loss|take-profit): another replaces it/);
    // The replacement order stays.
    for (let s = 0; s < 30; s++) await comesTo(shares, id, () => true);
    expect(await exitsOf(shares, id)).toHaveLength(2);
  });

  it.each([{ aux_price: 1 }, { aux_price: 299 }, { qty: 100 }])('is not changed by a key that is halted: %j', async (change) => {
    await open();
    const id = await place({ ...taking, qty: 200, stop_loss_price: 300 });
    const { exitOrderIdEx: order_id_ex } = await guarded(shares, id);
    await desk.payload(admin.adminHalt, { key_id: 'limited', reason: 'runaway' }, { as: 'ops', iface: 'grpc' });
    const body = { ...shares, order_id_ex, op: 'normal', qty: 200, aux_price: 300, ...change };
    expect(await desk.call(trade.modifyOrder, body, { as: 'limited' })).toMatchObject({ code: 'trading.halted' });
    const cancel = { ...shares, order_id_ex };
    expect(await desk.call(trade.cancelOrder, cancel, { as: 'limited' })).toMatchObject({ code: 'trading.halted' });
  });

  it('triggered too far from its price to be filled is followed by another', async () => {
    let isHidden = false;
    /** Tells no price for a while, so that the stop-loss rests at the brokerage: there it is past what its order may trade at. */
    const answer: Answering = (operation, _, pass) =>
      (operation === quote.getQuote && isHidden) || operation === quote.getSnapshot ? refuse(operation, 'no prices') : pass();
    await open({}, { answer, backend: { subscribe: async () => refuse(subscription.subscribe, 'no prices') } });
    const stop = Math.round((await lastOf('HK.00700')) * 1.2);
    isHidden = true;
    const id = await place({ ...taking, stop_loss_price: stop });
    await comesTo(shares, id, ({ stopHeld, note }) => stopHeld && note.includes('could not be filled at once'));
    isHidden = false;
    expect(await comesTo(shares, id, ({ state }) => state !== OPEN)).toMatchObject({ state: CLOSED, closedQty: 100 });
    const exits = (await exitsOf(shares, id)).map(({ orderType, fillQty }) => [orderType, fillQty]).sort();
    expect(exits).toEqual([
      [STOP, 0],
      [MARKET, 100],
    ]);
  });

  it('ends the bracket when its owner cancels it, also when its price is reached', async () => {
    await open({}, { answer: withoutSnapshots });
    const last = await lastOf('HK.00700');
    // The stop is reached already, and its limit is out of the market: the order stays.
    const id = await place({ ...taking, stop_loss_price: Math.round(last * 1.2), stop_loss_limit_price: Math.round(last * 1.15) });
    const { exitOrderIdEx } = await guarded(shares, id);
    await desk.payload(trade.cancelOrder, { ...shares, order_id_ex: exitOrderIdEx });
    expect(await comesTo(shares, id, ({ state }) => state !== OPEN)).toMatchObject({ state: CANCELLED });
    expect(await exitsOf(shares, id)).toHaveLength(1);
  });
});

describe('an order whose answer was lost', () => {
  /** Loses orders on their way to the brokerage. */
  function losing(isLost: (remark: string) => boolean, listed: () => boolean = () => true): Answering {
    return async (operation, request, pass) => {
      if (operation === account.getOrders && !listed()) return refuse(operation, 'too often');
      if (operation === trade.placeOrder && isLost((request as PlaceC2S).remark)) throw new BackendLost('the connection was lost');
      return pass();
    };
  }
  const isExit = (remark: string) => remark.startsWith('svc-bracket') && remark.endsWith('/1');

  it('is looked for as long as the brokerage would not list the orders', async () => {
    let listed = true;
    await open({}, { answer: losing(isExit, () => listed) });
    const id = await place({ ...taking, stop_loss_price: 300 });
    await comesTo(shares, id, ({ exitKind }) => exitKind !== 0);
    listed = false;
    for (let s = 0; s < 90; s += 1) {
      desk.clock.advance(1_000);
      await bracketOf(shares, id);
    }
    expect(await bracketOf(shares, id)).toMatchObject({ state: OPEN });
    listed = true;
    expect(await comesTo(shares, id, ({ state }) => state !== OPEN)).toMatchObject({ state: UNCLEAR });
  });

  it('is not an order of somebody else with its remark', async () => {
    let brokerage: Backend | undefined;
    const backend = (simulated: Backend) => {
      brokerage = simulated;
      return {};
    };
    await open({}, { backend, answer: losing(isExit) });
    const id = await place({ ...taking, stop_loss_price: 300 });
    const remark = `svc-bracket ${id}/1`;
    // Not over this gateway, which refuses it.
    const refusal = { code: 'request.invalid', details: { field: 'remark' } };
    expect(await desk.call(trade.placeOrder, { ...taking, remark })).toMatchObject(refusal);
    expect(await desk.call(trade.placeBracketOrder, { ...taking, remark, stop_loss_price: 300 })).toMatchObject(refusal);
    const header = { accID: BigInt(HK_MARGIN), trdEnv: 0, trdMarket: 1 };
    const packetID = { connID: 7n, serialNo: 1 };
    const foreign = { header, packetID, trdSide: 1, orderType: 1, code: '00700', secMarket: 1, qty: 100, price: 1, remark };
    const context = { requestId: 'other', deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
    expect(await brokerage?.call(trade.placeOrder, create(PlaceOrder, foreign), context)).toMatchObject({ retType: 0 });
    expect(await comesTo(shares, id, ({ state }) => state !== OPEN)).toMatchObject({ state: UNCLEAR, exitOrderIdEx: '' });
  });

  it('is not an older order with the same remark', async () => {
    let lost = false;
    await open({}, { answer: losing((remark) => lost && remark === 'bot') });
    const order = { ...taking, remark: 'bot' };
    await desk.payload(trade.placeOrder, order);
    desk.clock.advance(60_000);
    lost = true;
    expect(await desk.call(trade.placeBracketOrder, { ...order, stop_loss_price: 300 })).toBeInstanceOf(Rejection);
    const list = async () => (await desk.payload(trade.getBrackets, shares)).bracketList;
    const [bracket] = await list();
    expect(await comesTo(shares, bracket?.bracketId ?? '', ({ state }) => state !== 1)).toMatchObject({
      state: UNCLEAR,
      entryFilledQty: 0,
    });
    expect(await exitsOf(shares, bracket?.bracketId ?? '')).toEqual([]);
  });
});
