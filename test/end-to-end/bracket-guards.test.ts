import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import type { LimitFlags } from '@svc-gateway/access';
import { C2SSchema as Unlock } from '@svc-gateway/contract/generated/Trd_UnlockTrade_pb';
import { account, admin, trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Backend } from '@svc-gateway/gateway';
import { MemoryStore } from '@svc-gateway/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { HK_MARGIN, REAL } from '../support/accounts.js';
import { bracketsOver, CANCELLED, CLOSED, contract, futures, OPEN, PLACING, shares, taking } from '../support/brackets.js';
import { type Desk, type DeskOptions, openDesk } from '../support/desk.js';
import { FullStore } from '../support/full-store.js';
import { until } from '../support/until.js';
import { WaitingStore } from '../support/waiting-store.js';

/** Brackets are bound by keys, halts and limits, from their entry on. */

const SETTLED_MS = 500;
/** Trd_Common.OrderStatus. */
const CANCELLED_ALL = 15;
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
async function code(operation: typeof trade.placeBracketOrder | typeof trade.cancelBracket, body: object, as = 'limited') {
  const answer = await desk.call(operation, body, { as });
  return answer instanceof Rejection ? answer.code : answer.retMsg;
}

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
    const store = new WaitingStore();
    await open({}, { store });
    store.hold(() => [...store.table('brackets').entries()].length > 0);
    const answer = desk.call(trade.placeBracketOrder, { ...taking, stop_loss_price: 300 });
    const release = await store.waiting();
    await desk.payload(admin.adminHalt, {}, { as: 'ops', iface: 'grpc' });
    release();
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
    expect(await heldOf(futures, 'HSI2612')).toBe(-2);
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
    expect(await heldOf(futures, 'HSI2612')).toBe(0);
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
