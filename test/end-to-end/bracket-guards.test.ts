import { createHash } from 'node:crypto';
import { create, type Message } from '@bufbuild/protobuf';
import type { LimitFlags } from '@svc-gateway/access';
import { CompanyAct, RehabSchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { Bracket } from '@svc-gateway/contract/generated/svc/get_brackets_pb';
import { type C2S as PlaceC2S, C2SSchema as PlaceOrder } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { C2SSchema as Unlock } from '@svc-gateway/contract/generated/Trd_UnlockTrade_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, admin, metadata, quote, subscription, trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { type Backend, BackendLost, BackendRefused, payloadOf, type ResponseMessage } from '@svc-gateway/gateway';
import { MemoryStore, type Transaction } from '@svc-gateway/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { HK_MARGIN, REAL } from '../support/accounts.js';
import { type Desk, type DeskOptions, openDesk } from '../support/desk.js';
import { FullStore } from '../support/full-store.js';
import { until } from '../support/until.js';

/** Brackets are bound by keys, halts and limits, and by the position that their exits are for. */

const FUTURES = '281756478396547008';
const SETTLED_MS = 500;
/** svc.get_brackets.Bracket: state. */
const PLACING = 1;
const OPEN = 2;
const CLOSED = 3;
const CANCELLED = 4;
const UNCLEAR = 5;
/** Trd_Common.OrderStatus. */
const CANCELLED_ALL = 15;
/** Trd_Common.OrderType. */
const MARKET = 2;
const STOP = 10;
const STOP_LIMIT = 11;
const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
const shares = { acc_id: HK_MARGIN, market: 'HK', env: 'simulate' };
const futures = { acc_id: FUTURES, market: 'FUTURES', env: 'simulate' };
const taking = { ...shares, side: 'BUY', symbol: 'HK.00700', qty: 100, order_type: 'MARKET' };
const contract = { ...futures, symbol: 'HK.HSI2612', qty: 1, order_type: 'MARKET' };

let desk: Desk;
afterEach(() => desk.close());

async function open(limits: LimitFlags = {}, others: Partial<DeskOptions> = {}): Promise<void> {
  desk = await openDesk({
    keys: {
      desk: { scopes: [...scopes, 'trade:real', 'trade:unlock'] },
      limited: { scopes, limits },
      ops: { scopes: ['admin'] },
    },
    ...others,
  });
}

type Place = typeof shares;
const bracketOf = async (of: Place, id: string) =>
  (await desk.payload(trade.getBrackets, { ...of, bracket_id: id })).bracketList[0] as Bracket;
/** The bracket, once it is as it should be. */
async function comesTo(of: Place, id: string, isSo: (bracket: Bracket) => boolean): Promise<Bracket> {
  return until(async () => {
    desk.clock.advance(1_000);
    const bracket = await bracketOf(of, id);
    return isSo(bracket) ? bracket : undefined;
  }, `bracket ${id}`);
}
const place = async (body: object) => (await desk.payload(trade.placeBracketOrder, body)).bracketId;
const guarded = (of: Place, id: string) => comesTo(of, id, ({ exitOrderIdEx }) => exitOrderIdEx !== '');
async function code(operation: typeof trade.placeBracketOrder | typeof trade.cancelBracket, body: object, as = 'limited') {
  const answer = await desk.call(operation, body, { as });
  return answer instanceof Rejection ? answer.code : answer.retMsg;
}
async function exitsOf(of: Place, id: string) {
  const { orderList } = await desk.payload(account.getOrders, of);
  return orderList.filter(({ remark }) => remark.startsWith(`svc-bracket ${id}/`) && !remark.endsWith('/0'));
}
async function held(symbol: string): Promise<number> {
  const { positionList } = await desk.payload(account.getPositions, futures);
  return positionList.find(({ code: own }) => `HK.${own}` === symbol)?.qty ?? 0;
}
async function lastOf(symbol: string): Promise<number> {
  return (await desk.payload(quote.getQuote, { symbols: [symbol] })).basicQotList[0]?.curPrice ?? 0;
}

function isStop(request: Message): boolean {
  return (request as PlaceC2S).orderType === STOP;
}
function refusal({ messages }: Operation, retMsg: string): ResponseMessage {
  return create(messages.ResponseSchema, { retType: -1, retMsg } as Record<string, unknown>) as ResponseMessage;
}
/** Where no last price is known, a stop-loss that is reached already is not refused with its entry. */
const withoutSnapshots = (simulated: Backend): Partial<Backend> => ({
  call: (operation, request, context) =>
    operation === quote.getSnapshot ? refusal(operation, 'no snapshots') : simulated.call(operation, request, context),
});
const refusedOrder = (retMsg: string) => refusal(trade.placeOrder, retMsg);

describe('a bracket is of its own account and market', () => {
  it('and a key for simulated accounts neither sees nor ends one of a real account', async () => {
    await open();
    const pwdMD5 = createHash('md5').update('123456').digest('hex');
    await desk.call(trade.unlockTrade, create(Unlock, { unlock: true, pwdMD5 }), { iface: 'grpc' });
    const real = { acc_id: REAL, market: 'HK', env: 'real' };
    const id = await place({ ...taking, ...real, stop_loss_price: 300 });
    await guarded(real, id);
    const simulated = { ...real, env: 'simulate' };
    const unknown = `unknown account ${REAL}: it is not in the list of accounts for simulate`;
    expect(await desk.call(trade.getBrackets, simulated, { as: 'limited' })).toMatchObject({ retType: -1, retMsg: unknown });
    expect(await code(trade.cancelBracket, { ...simulated, bracket_id: id })).toBe(unknown);
    expect(await code(trade.cancelBracket, { ...real, bracket_id: id })).toBe('auth.scope');
    expect(await bracketOf(real, id)).toMatchObject({ state: OPEN });
  });

  it('and a key for another market does not end it, whatever market it names', async () => {
    await open({ allowedMarkets: 'US' });
    const id = await place({ ...taking, stop_loss_price: 300 });
    await guarded(shares, id);
    expect(await code(trade.cancelBracket, { ...shares, market: 'US', bracket_id: id })).toBe('limit.market');
    expect(await bracketOf(shares, id)).toMatchObject({ state: OPEN });
  });
});

describe('an entry adds risk, also where it closes a position', () => {
  const entry = { ...contract, side: 'BUY', stop_loss_price: 20_000 };

  it('and so a halt refuses it, as its exits would open the position again', async () => {
    await open();
    await desk.payload(trade.placeOrder, { ...contract, side: 'SELL' });
    desk.clock.advance(SETTLED_MS);
    await desk.payload(admin.adminHalt, {}, { as: 'ops', iface: 'grpc' });
    expect(await code(trade.placeBracketOrder, entry)).toBe('trading.halted');
    expect(await desk.call(trade.placeOrder, { ...contract, side: 'BUY' })).toMatchObject({ retType: 0 });
  });

  it('and so a limit on open orders counts it', async () => {
    await open({ maxOpenOrders: '1' });
    await desk.payload(trade.placeOrder, { ...contract, side: 'SELL' });
    desk.clock.advance(SETTLED_MS);
    await desk.payload(trade.placeOrder, { ...taking, order_type: 'NORMAL', price: 1 }, { as: 'limited' });
    expect(await code(trade.placeBracketOrder, entry)).toBe('limit.open_orders');
  });

  it('and a halt stops one that waits for the disk', async () => {
    class WaitingStore extends MemoryStore {
      held: (() => void)[] | undefined;
      override async write(change: (transaction: Transaction) => void): Promise<void> {
        const written = super.write(change);
        const { held: waiting } = this;
        if (waiting !== undefined && [...this.table('brackets').entries()].length > 0) {
          await new Promise<void>((resolve) => waiting.push(resolve));
        }
        return written;
      }
    }
    const store = new WaitingStore();
    await open({}, { store });
    store.held = [];
    const { held: waiting } = store;
    const answer = desk.call(trade.placeBracketOrder, { ...taking, stop_loss_price: 300 });
    while (waiting.length === 0) await new Promise(setImmediate);
    store.held = undefined;
    await desk.payload(admin.adminHalt, {}, { as: 'ops', iface: 'grpc' });
    for (const release of waiting) release();
    expect(await answer).toMatchObject({ code: 'trading.halted' });
    expect(desk.calls.map(({ operation }) => operation)).not.toContain('place_order');
    expect([...store.table('brackets').entries()]).toEqual([]);
  });
});

describe('an entry that is changed', () => {
  it('is shown, and guarded, as it is then', async () => {
    await open();
    const last = await lastOf('HK.00700');
    const id = await place({ ...taking, order_type: 'NORMAL', price: Math.round(last * 0.8), stop_loss_price: Math.round(last * 0.7) });
    const { entryOrderIdEx } = await bracketOf(shares, id);
    desk.clock.advance(SETTLED_MS);
    await desk.payload(trade.modifyOrder, {
      ...shares,
      order_id_ex: entryOrderIdEx,
      op: 'normal',
      qty: 300,
      price: Math.round(last * 1.1),
    });
    expect(await comesTo(shares, id, ({ exitQty }) => exitQty === 300)).toMatchObject({ entryQty: 300, entryFilledQty: 300 });
  });
});

describe.each([true, undefined])('the entry of a bracket that is brought to the market (lists are never behind: %s)', (listsCurrent) => {
  const backend = (simulated: Backend) => ({ listsCurrent, call: simulated.call.bind(simulated) }) as Partial<Backend>;
  const changed = async (id: string, price: number, as: string) => {
    const { entryOrderIdEx: order_id_ex } = await bracketOf(futures, id);
    const answer = await desk.call(trade.modifyOrder, { ...futures, order_id_ex, op: 'normal', qty: 2, price: Math.round(price) }, { as });
    return answer instanceof Rejection ? answer.code : answer.retType;
  };
  /** A purchase of two far below the market, while nothing is held; then somebody sells two short. */
  async function beforeShort(limits: LimitFlags, profitAt: number): Promise<{ id: string; last: number }> {
    await open(limits, { backend });
    const last = await lastOf('HK.HSI2612');
    const [price, target] = [Math.round(last * 0.9), Math.round(last * profitAt)];
    const body = { ...contract, side: 'BUY', qty: 2, order_type: 'NORMAL', price, take_profit_price: target };
    const { bracketId: id } = await desk.payload(trade.placeBracketOrder, body, { as: 'limited' });
    desk.clock.advance(SETTLED_MS);
    await desk.payload(trade.placeOrder, { ...contract, side: 'SELL', qty: 2 });
    desk.clock.advance(SETTLED_MS);
    expect(await held('HK.HSI2612')).toBe(-2);
    return { id, last };
  }

  it('meets the gate for the side of its exits as when it was placed', async () => {
    const { id, last } = await beforeShort({ allowedTrdSides: 'BUY' }, 1.2);
    expect(await changed(id, last * 1.01, 'limited')).toBe('limit.side');
    expect(await changed(id, last * 0.8, 'limited')).toBe(0);
  });

  it('is refused at a price that its take-profit does not better', async () => {
    const { id, last } = await beforeShort({}, 0.95);
    expect(await changed(id, last * 1.01, 'desk')).toBe('request.invalid');
    expect(await changed(id, last * 0.94, 'desk')).toBe(0);
  });

  it('is followed by no exit where it closes a position, and opens none', async () => {
    const { id, last } = await beforeShort({}, 1.03);
    expect(await changed(id, last * 1.01, 'desk')).toBe(0);
    const ended = await comesTo(futures, id, ({ state }) => state !== OPEN);
    expect(ended).toMatchObject({ state: CLOSED, entryFilledQty: 2, closedQty: 0 });
    expect(await exitsOf(futures, id)).toEqual([]);
    expect(await held('HK.HSI2612')).toBe(0);
  });
});

describe('a bracket whose take-profit is reached', () => {
  it('takes its profit, and is over', async () => {
    await open({}, { backend: withoutSnapshots });
    const last = await lastOf('HK.00700');
    const id = await place({ ...taking, take_profit_price: Math.round(last * 0.9), stop_loss_price: Math.round(last * 0.7) });
    expect(await comesTo(shares, id, ({ state }) => state !== OPEN)).toMatchObject({ state: CLOSED, entryFilledQty: 100, closedQty: 100 });
  });
});

describe('a bracket whose stop-loss is reached', () => {
  it('stops its loss at the market', async () => {
    await open({}, { backend: withoutSnapshots });
    const last = await lastOf('HK.00700');
    const id = await place({ ...taking, take_profit_price: Math.round(last * 1.3), stop_loss_price: Math.round(last * 1.1) });
    expect(await comesTo(shares, id, ({ state }) => state !== OPEN)).toMatchObject({ state: CLOSED, entryFilledQty: 100, closedQty: 100 });
    expect((await exitsOf(shares, id)).every(({ qty }) => qty <= 100)).toBe(true);
  });

  it('of a short sale buys back', async () => {
    await open({}, { backend: withoutSnapshots });
    const last = await lastOf('HK.00700');
    const prices = { take_profit_price: Math.round(last * 0.8), stop_loss_price: Math.round(last * 0.9) };
    const id = await place({ ...taking, side: 'SELL_SHORT', ...prices });
    expect(await comesTo(shares, id, ({ state }) => state !== OPEN)).toMatchObject({ state: CLOSED, exitSide: 4, closedQty: 100 });
  });
});

describe('an entry that closes a position', () => {
  const buys = { ...contract, side: 'BUY' };
  const stopBelow = async () => ({ stop_loss_price: Math.round((await lastOf('HK.HSI2612')) * 0.8) });

  it('meets the gate for the side of its exits, which could open one', async () => {
    await open({ allowedTrdSides: 'BUY' });
    await desk.payload(trade.placeOrder, { ...contract, side: 'SELL' });
    desk.clock.advance(SETTLED_MS);
    expect(await code(trade.placeBracketOrder, { ...buys, ...(await stopBelow()) })).toBe('limit.side');
    expect(await desk.preview(trade.placeBracketOrder, { ...buys, ...(await stopBelow()) }, { as: 'limited' })).toMatchObject({
      wouldPass: false,
    });
    expect(await desk.call(trade.placeOrder, buys, { as: 'limited' })).toMatchObject({ retType: 0 });
    desk.clock.advance(SETTLED_MS);
    expect(await code(trade.placeBracketOrder, { ...buys, ...(await stopBelow()) })).toBe('');
  });

  it.each([true, undefined])('has exits only for what it opens (lists are never behind: %s)', async (listsCurrent) => {
    await open({}, { backend: (simulated) => ({ listsCurrent, call: simulated.call.bind(simulated) }) as Partial<Backend> });
    await desk.payload(trade.placeOrder, { ...contract, side: 'SELL' });
    desk.clock.advance(SETTLED_MS);
    const id = await place({ ...buys, qty: 3, ...(await stopBelow()) });
    await guarded(futures, id);
    expect(await exitsOf(futures, id)).toMatchObject([{ qty: 2 }]);
    const closing = await place({ ...contract, side: 'SELL', qty: 1, stop_loss_price: Math.round((await lastOf('HK.HSI2612')) * 1.2) });
    expect(await comesTo(futures, closing, ({ state }) => state !== OPEN)).toMatchObject({ state: CLOSED, closedQty: 0 });
    expect(await exitsOf(futures, closing)).toEqual([]);
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
    expect(await held('HK.HSI2612')).toBe(0);
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
    ['is refused once', () => refusedOrder('system busy, please try again later')],
    [
      'has to wait for the brokerage’s limits',
      () => {
        throw new BackendRefused('backend.rate', 'too many orders', 30);
      },
    ],
  ])('rests at the brokerage all the same when its stop order %s', async (_, refuse) => {
    let refusals = 0;
    const backend = (simulated: Backend): Partial<Backend> => ({
      call: (operation, request, context) =>
        operation === trade.placeOrder && isStop(request) && ++refusals === 1 ? refuse() : simulated.call(operation, request, context),
    });
    await open({}, { backend });
    const id = await place({ ...taking, stop_loss_price: 300 });
    await comesTo(shares, id, ({ note }) => note.startsWith('its stop-loss was refused'));
    expect(await guarded(shares, id)).toMatchObject({ stopHeld: false, note: '' });
    expect(await exitsOf(shares, id)).toMatchObject([{ orderType: STOP }]);
  });

  it('is retried every five seconds while refused, the stop-loss and then the take-profit', async () => {
    let sent = 0;
    const backend = (simulated: Backend): Partial<Backend> => ({
      call(operation, request, context) {
        if (operation !== trade.placeOrder || (request as PlaceC2S).remark.endsWith('/0'))
          return simulated.call(operation, request, context);
        sent += 1;
        return refusedOrder('the account is closed for orders');
      },
    });
    await open({}, { backend });
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
    await open({}, { backend: withoutSnapshots });
    const last = await lastOf('HK.00700');
    // The stop is reached already, and a limit of a ninth of the price looks like a slip.
    const id = await place({ ...taking, stop_loss_price: Math.round(last * 1.2), stop_loss_limit_price: 1 });
    expect(await comesTo(shares, id, ({ state }) => state !== OPEN)).toMatchObject({ state: CLOSED, closedQty: 100, note: '' });
    expect(desk.calls.map(({ operation }) => operation)).toContain('reconfirm_order');
    expect(desk.audit.map(({ reason }) => reason)).toContain(`bracket ${id}: stop-loss confirmed`);
  });

  it('held back by the brokerage without a way to confirm it says so', async () => {
    const backend = (simulated: Backend): Partial<Backend> => ({
      call(operation, request, context) {
        if (operation === quote.getSnapshot) return refusal(operation, 'no snapshots');
        if (operation !== trade.reconfirmOrder) return simulated.call(operation, request, context);
        return create(operation.messages.ResponseSchema, { retType: -1, retMsg: 'not here' } as Record<string, unknown>) as ResponseMessage;
      },
    });
    await open({}, { backend });
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
    const backend = (simulated: Backend): Partial<Backend> => ({
      call: async (operation, request, context) =>
        (operation === quote.getQuote && isHidden) || operation === quote.getSnapshot
          ? refusal(operation, 'no prices')
          : simulated.call(operation, request, context),
      subscribe: async () => refusal(subscription.subscribe, 'no prices'),
    });
    await open({}, { backend });
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
    await open({}, { backend: withoutSnapshots });
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
  function losing(isLost: (remark: string) => boolean, listed: () => boolean = () => true) {
    return (simulated: Backend): Partial<Backend> => ({
      async call(operation, request, context) {
        if (operation === account.getOrders && !listed()) {
          return refusal(operation, 'too often');
        }
        const lost = operation === trade.placeOrder && isLost((request as unknown as { remark: string }).remark);
        if (lost) throw new BackendLost('the connection was lost');
        return simulated.call(operation, request, context);
      },
    });
  }

  it('is looked for as long as the brokerage would not list the orders', async () => {
    let listed = true;
    const isExit = (remark: string) => remark.startsWith('svc-bracket') && remark.endsWith('/1');
    await open({}, { backend: losing(isExit, () => listed) });
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
    const isExit = (remark: string) => remark.startsWith('svc-bracket') && remark.endsWith('/1');
    let brokerage: Backend | undefined;
    await open(
      {},
      {
        backend: (simulated) => {
          brokerage = simulated;
          return losing(isExit)(simulated);
        },
      },
    );
    const id = await place({ ...taking, stop_loss_price: 300 });
    const remark = `svc-bracket ${id}/1`;
    // Not over this gateway, which refuses it.
    const refusal = { code: 'request.invalid', details: { field: 'remark' } };
    expect(await desk.call(trade.placeOrder, { ...taking, remark })).toMatchObject(refusal);
    expect(await desk.call(trade.placeBracketOrder, { ...taking, remark, stop_loss_price: 300 })).toMatchObject(refusal);
    const header = { accID: BigInt(HK_MARGIN), trdEnv: 0, trdMarket: 1 };
    const foreign = {
      header,
      packetID: { connID: 7n, serialNo: 1 },
      trdSide: 1,
      orderType: 1,
      code: '00700',
      secMarket: 1,
      qty: 100,
      price: 1,
      remark,
    };
    const context = { requestId: 'other', deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
    expect(await brokerage?.call(trade.placeOrder, create(PlaceOrder, foreign), context)).toMatchObject({ retType: 0 });
    expect(await comesTo(shares, id, ({ state }) => state !== OPEN)).toMatchObject({ state: UNCLEAR, exitOrderIdEx: '' });
  });

  it('is not an older order with the same remark', async () => {
    let lost = false;
    await open({}, { backend: losing((remark) => lost && remark === 'bot') });
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

describe('a stop-loss that the gateway holds itself', () => {
  /** Corporate actions in the world of these tests: share counts before and on the day after. */
  it.each([
    { symbol: 'HK.00700', day: Date.UTC(2021, 2, 30, 14), qty: 1_000, becomes: 2, from: 1 },
    { symbol: 'HK.01378', day: Date.UTC(2022, 1, 13, 14), qty: 5_000, becomes: 1, from: 10 },
  ])('follows its issuer’s $becomes for $from once, over a restart too', async ({ symbol, day, qty, becomes, from }) => {
    let reached = 0;
    const store = new MemoryStore();
    /** Takes no stop orders, as simulated accounts elsewhere, and has the price that a test wants. */
    const backend = (simulated: Backend): Partial<Backend> => ({
      async call(operation, request, context) {
        if (operation === trade.placeOrder && isStop(request)) return refusedOrder('no stop orders');
        const answer = await simulated.call(operation, request, context);
        const quoted = operation === quote.getQuote ? payloadOf(quote.getQuote, answer)?.basicQotList[0] : undefined;
        if (quoted !== undefined && reached > 0) quoted.curPrice = reached;
        return answer;
      },
    });
    await open({}, { backend, store, sharesStore: true, start: day });
    const stop = Math.round((await lastOf(symbol)) * 8) / 10;
    const id = await place({ ...taking, symbol, qty, stop_loss_price: stop });
    await comesTo(shares, id, ({ stopHeld, entryFilledQty }) => stopHeld && entryFilledQty === qty);
    const expected = { state: OPEN, stopLossPrice: (stop * from) / becomes, entryFilledQty: qty, closedQty: 0, exitOrderIdEx: '' };
    await until(async () => {
      desk.clock.advance(600_000);
      return (await bracketOf(shares, id)).stopLossPrice !== stop;
    }, 'the ex-day');
    expect(await bracketOf(shares, id)).toMatchObject(expected);

    const now = desk.clock.now();
    await desk.close();
    await open({}, { backend, store, sharesStore: true, start: now });
    for (let s = 0; s < 30; s++) {
      desk.clock.advance(1_000);
      expect(await bracketOf(shares, id)).toMatchObject(expected);
    }
    reached = expected.stopLossPrice * 0.99;
    const left = (qty * becomes) / from;
    expect(await comesTo(shares, id, ({ state }) => state !== OPEN)).toMatchObject({ state: CLOSED, closedQty: left });
    expect(await exitsOf(shares, id)).toMatchObject([{ qty: left, fillQty: left }]);
  });
});

describe('a stop-loss that an issue of bonus shares leaves with a broken lot', () => {
  const bonus = create(RehabSchema, {
    ...{ time: '2026-11-21', companyActFlag: BigInt(CompanyAct.CompanyAct_Bonus), bonusBase: 10, bonusErt: 1 },
    ...{ fwdFactorA: 1, fwdFactorB: 0, bwdFactorA: 1, bwdFactorB: 0 },
  });

  /** Buys 100 shares under a bracket beside 200 others, has 10 more given, and lets the price fall to the half. */
  async function fall(refusesExits = false): Promise<string> {
    let falls = false;
    const backend = (simulated: Backend): Partial<Backend> => ({
      async call(operation, request, context) {
        if (operation === trade.placeOrder && isStop(request)) return refusedOrder('no stop orders');
        const isExit = operation === trade.placeOrder && (request as PlaceC2S).trdSide === 2;
        if (isExit && refusesExits) return refusedOrder('the account is closed for orders');
        const answer = await simulated.call(operation, request, context);
        const adjustments = operation === metadata.getRehab ? payloadOf(metadata.getRehab, answer) : undefined;
        if (adjustments !== undefined) adjustments.rehabList = [bonus];
        const quoted = operation === quote.getQuote ? payloadOf(quote.getQuote, answer)?.basicQotList[0] : undefined;
        if (quoted !== undefined && falls) quoted.curPrice /= 2;
        return answer;
      },
      subscribe: async () => refusal(subscription.subscribe, 'no prices'),
    });
    await open({}, { backend });
    await desk.payload(trade.placeOrder, { ...taking, qty: 200 });
    const id = await place({ ...taking, stop_loss_price: Math.round((await lastOf('HK.00700')) * 0.8) });
    await comesTo(shares, id, ({ stopHeld }) => stopHeld);
    await until(async () => {
      desk.clock.advance(3_600_000);
      return (await bracketOf(shares, id)).note.includes('11 for 10');
    }, 'the ex-day');
    falls = true;
    return id;
  }

  it('sells the whole lots, and states the remaining odd lot', async () => {
    const id = await fall();
    expect(await comesTo(shares, id, ({ state }) => state !== OPEN)).toMatchObject({
      state: CLOSED,
      closedQty: 100,
      note: '10 of its position stay open: exits are for whole lots of 100',
    });
    expect(await exitsOf(shares, id)).toMatchObject([{ qty: 100, fillQty: 100 }]);
  });

  it('is tried with all of them again where it was refused for something else', async () => {
    const id = await fall(true);
    await comesTo(shares, id, ({ note }) => note.includes('closed for orders'));
    const tried = () => desk.calls.flatMap(({ operation, request }) => (operation === 'place_order' ? [(request as PlaceC2S).qty] : []));
    await until(() => {
      desk.clock.advance(1_000);
      return tried().length >= 8;
    }, 'another try');
    expect(tried().slice(-4)).toEqual([110, 100, 110, 100]);
  });
});

describe('an exit that ends with a change of the shares', () => {
  it.each(['stop_loss_price', 'take_profit_price'])('(%s) leaves the position guarded at the new prices', async (level) => {
    await open({}, { store: new MemoryStore(), sharesStore: true, start: Date.UTC(2021, 2, 30, 14) });
    const price = Math.round((await lastOf('HK.00700')) * (level === 'stop_loss_price' ? 8 : 14)) / 10;
    const id = await place({ ...taking, qty: 1_000, [level]: price });
    await guarded(shares, id);
    const levelOf = ({ stopLossPrice, takeProfitPrice }: Bracket) => stopLossPrice + takeProfitPrice;
    await until(async () => {
      desk.clock.advance(600_000);
      const bracket = await bracketOf(shares, id);
      return bracket.state !== OPEN || levelOf(bracket) !== price;
    }, 'the ex-day');
    for (let s = 0; s < 30; s++) {
      const bracket = await bracketOf(shares, id);
      expect([bracket.state, levelOf(bracket), bracket.closedQty]).toEqual([OPEN, price / 2, 0]);
      desk.clock.advance(1_000);
    }
    // A take-profit rests at its new price; a stop-loss that the brokerage ended once is held here.
    const { exitOrderIdEx, exitQty } = await bracketOf(shares, id);
    expect([exitOrderIdEx !== '', exitQty]).toEqual(level === 'take_profit_price' ? [true, 2_000] : [false, 0]);
  });
});

describe('a bracket that is cancelled before its entry is answered', () => {
  /** The brokerage, which goes on while the gateway before it ends and starts; what it says of an entry is held back. */
  class Outside {
    brokerage: Backend | undefined;
    answered: Promise<unknown> = Promise.resolve();
    #says: () => void = () => undefined;
    #holds = false;

    hold(): void {
      this.#holds = true;
      this.answered = new Promise((resolve) => {
        this.#says = () => resolve(undefined);
      });
    }

    release(): void {
      this.#holds = false;
      this.#says();
    }

    readonly backend = (simulated: Backend): Partial<Backend> => {
      this.brokerage ??= simulated;
      const { brokerage } = this;
      return {
        call: async (operation, request, context) => {
          const answer = await brokerage.call(operation, request, context);
          if (operation === trade.placeOrder && this.#holds) await this.answered;
          return answer;
        },
      };
    };
  }

  const listed = async () => (await desk.payload(trade.getBrackets, shares)).bracketList;
  const entryOf = async (id: string) =>
    (await desk.payload(account.getOrders, shares)).orderList.find(({ remark }) => remark === `svc-bracket ${id}/0`);
  /** Places one whose entry is not answered, and cancels it. */
  async function placeAndCancel(body: object): Promise<{ id: string; answer: ReturnType<Desk['call']> }> {
    const answer = desk.call(trade.placeBracketOrder, body);
    answer.catch(() => undefined);
    const [bracket] = await until(async () => {
      desk.clock.advance(100);
      const list = await listed();
      return list.length > 0 && (await entryOf(list[0]?.bracketId ?? '')) !== undefined ? list : undefined;
    }, 'its entry');
    const id = bracket?.bracketId ?? '';
    const cancelled = await desk.payload(trade.cancelBracket, { ...shares, bracket_id: id });
    expect(cancelled).toMatchObject({ bracketId: id, note: expect.stringMatching(/^the brokerage has yet to answer its entry/) });
    return { id, answer };
  }
  const resting = { ...taking, order_type: 'NORMAL', price: 1, stop_loss_price: 0.5 };

  it('ends, and its entry too, once that is answered', async () => {
    const outside = new Outside();
    await open({}, { backend: outside.backend });
    outside.hold();
    const { id, answer } = await placeAndCancel(resting);
    expect(await bracketOf(shares, id)).toMatchObject({ state: PLACING });
    outside.release();
    expect(await answer).toMatchObject({ retType: 0 });
    expect(await comesTo(shares, id, ({ state }) => state !== OPEN)).toMatchObject({ state: CANCELLED, entryFilledQty: 0, note: '' });
    expect(await entryOf(id)).toMatchObject({ orderStatus: CANCELLED_ALL });
  });

  it('has exits for what its entry has filled', async () => {
    const outside = new Outside();
    await open({}, { backend: outside.backend });
    outside.hold();
    const { id } = await placeAndCancel({ ...taking, stop_loss_price: 300 });
    outside.release();
    expect(await guarded(shares, id)).toMatchObject({ state: OPEN, entryFilledQty: 100, exitQty: 100 });
    await desk.payload(trade.cancelBracket, { ...shares, bracket_id: id });
    await comesTo(shares, id, ({ state }) => state === CANCELLED);
  });

  it('ends likewise where the process ends before the answer comes', async () => {
    const outside = new Outside();
    const store = new MemoryStore();
    await open({}, { backend: outside.backend, store });
    outside.hold();
    const { id } = await placeAndCancel(resting);
    const before = desk;
    await open({}, { backend: outside.backend, store });
    // The process is gone: it hears of nothing any more.
    before.gateway.stop();
    outside.hold();
    expect((await bracketOf(shares, id)).note).toMatch(/^the brokerage has yet to answer/);
    await until(async () => {
      before.clock.advance(1_000);
      desk.clock.advance(1_000);
      return (await bracketOf(shares, id)).state === CANCELLED;
    }, 'its end');
    expect(await entryOf(id)).toMatchObject({ orderStatus: CANCELLED_ALL });
    await before.close();
  });
});

it('a full disk is told of once, at however many looks of brackets', async () => {
  const store = new FullStore();
  await open({}, { store, sharesStore: true });
  for (let i = 0; i < 3; i++) await guarded(shares, await place({ ...taking, stop_loss_price: 300 }));
  const looks = () => desk.calls.filter(({ operation }) => operation === 'get_orders').length;
  store.full = true;
  const [seen, told] = [looks(), desk.log.length];
  expect(await desk.call(trade.placeOrder, taking)).toMatchObject({ code: 'storage.failed' });
  await until(() => {
    desk.clock.advance(5_000);
    return looks() - seen >= 30;
  }, 'ten looks at each');
  // The gates' own notices of the disk are not in this log.
  const lines = desk.log.slice(told).flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));
  expect(lines.filter(({ level }) => level >= 50).map(({ msg }) => msg)).toEqual(['the database accepts no writes']);
});

it('one key has some of the places for brackets, and not all', async () => {
  const full = {
    exits: 0,
    state: 'open',
    keyId: 'limited',
    accId: BigInt(HK_MARGIN),
    trdEnv: 0,
    trdMarket: 1,
    secMarket: 1,
    code: '00700',
  };
  const nothing = { entryFilled: 0n, closed: 0n, gone: 0n, takeProfit: 0n, stopLimit: 0n, stopLoss: 1n, entryQty: 1n };
  const rest = { exitSide: 2, ending: false, entryOver: false, stopHeld: false, note: '', createdAt: 1, updatedAt: 1 };
  const store = new MemoryStore();
  const rows = store.table<object>('brackets');
  await store.write((change) => {
    for (let i = 0; i < 249; i++)
      change.put(rows, `old ${i}`, { ...full, ...nothing, ...rest, id: `old ${i}`, entryRemark: `old ${i}`, entryIdEx: `old ${i}` });
  });
  await open({}, { store });
  const order = { ...taking, stop_loss_price: 300 };
  // Two at once: each counts though neither has been answered.
  const both = await Promise.all([code(trade.placeBracketOrder, order), code(trade.placeBracketOrder, order)]);
  expect(both.sort()).toEqual(['', 'limit.brackets']);
  const answer = await desk.call(trade.placeBracketOrder, order, { as: 'limited' });
  expect(answer).toMatchObject({ message: expect.stringContaining('key "limited" has 250 brackets that go on') });
  expect(await code(trade.placeBracketOrder, order, 'desk')).toBe('');
});
