import type { LimitFlags } from '@svc-gateway/access';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, admin, quote, trade } from '@svc-gateway/contract/operations';
import { type Backend, BackendLost } from '@svc-gateway/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Desk, openDesk } from '../support/desk.js';
import { lagging } from '../support/lagging-lists.js';

/** Orders that got lost on their way to a brokerage whose lists are behind, and that are sent again under their idempotency keys. */

const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
const HK_FUTURES = '281756478396547008';
/** Later than a lost order is looked for. */
const FORGOTTEN_MS = 61_000;
const futures = { market: 'FUTURES', acc_id: HK_FUTURES, env: 'simulate' };
const purchase = { ...futures, symbol: 'HK.HSI2612', side: 'BUY', order_type: 'MARKET', qty: 1 };
const sale = { ...purchase, side: 'SELL' };

/** Limits that a key gets after its order was lost, by the refusal of the repetition. */
const narrowings = [
  ['limit.symbol', { allowed_symbols: ['HK.00005'] }],
  ['limit.market', { allowed_markets: ['US'] }],
  ['limit.side', { allowed_trd_sides: ['SELL'] }],
  ['limit.order_value', { max_order_value: 1 }],
  ['limit.daily_value', { max_daily_value: 1 }],
  ['limit.hours', { hours_window: '00:00-00:01' }],
  ['limit.open_orders', { max_open_orders: 0 }],
] as const;

let desk: Desk;
let last: number;
/** The operation whose requests do not arrive. */
let lost: Operation | undefined;
/** When the list of orders that callers share was asked for; undefined where each has its own. */
let sharedAt: number | undefined;
beforeEach(() => {
  lost = undefined;
  sharedAt = undefined;
});
afterEach(() => desk.close());

async function open(limits: LimitFlags = {}): Promise<void> {
  desk = await openDesk({
    keys: { desk: { scopes, limits }, free: { scopes }, other: { scopes }, ops: { scopes: ['admin'] } },
    backend: (simulated) => {
      const behind = lagging(simulated, () => desk.clock, { ms: 4_000 }) as Backend;
      return {
        ...behind,
        async call(operation, request, context) {
          if (operation === lost) throw new BackendLost('lost');
          if (operation === account.getOrders && sharedAt !== undefined) context.onAsked?.(sharedAt);
          return behind.call(operation, request, context);
        },
      };
    },
  });
  desk.clock.advance(FORGOTTEN_MS);
  last = (await desk.payload(quote.getQuote, { symbols: ['HK.HSI2612'] })).basicQotList[0]?.curPrice ?? 0;
}

/** Sends a write that does not arrive, and lets so much time pass. */
async function lose(
  operation: Operation,
  body: object,
  { as, under = 'once', ms = FORGOTTEN_MS }: { as: string; under?: string; ms?: number },
) {
  lost = operation;
  expect(await codeOf(operation, body, as, under)).toBe('backend.disconnected');
  lost = undefined;
  desk.clock.advance(ms);
}

const codeOf = (operation: Operation, body: object, as: string, under?: string) =>
  desk.code(operation, body, { as, ...(under === undefined ? {} : { idempotencyKey: under }) });
const place = async (body: object, as = 'free') => (await desk.payload(trade.placeOrder, body, { as })).orderIDEx;

/** An account with so many contracts, bought long ago, and a halted key. */
async function holding(qty: number): Promise<void> {
  await open();
  if (qty > 0) await place({ ...purchase, qty });
  desk.clock.advance(FORGOTTEN_MS);
  await desk.payload(admin.adminHalt, { key_id: 'other' }, { as: 'ops', iface: 'grpc' });
}

describe('a lost order that is sent again', () => {
  it('closes the position, which no halted key closes once more', async () => {
    await holding(1);
    await lose(trade.placeOrder, sale, { as: 'free' });
    expect(await codeOf(trade.placeOrder, sale, 'free', 'once')).toBeUndefined();
    desk.clock.advance(500);
    expect(await codeOf(trade.placeOrder, sale, 'other')).toBe('trading.halted');
  });

  it('opens a position whose stop order no halted key ends', async () => {
    await holding(0);
    await lose(trade.placeOrder, purchase, { as: 'free' });
    expect(await codeOf(trade.placeOrder, purchase, 'free', 'once')).toBeUndefined();
    const stop = await place({ ...sale, order_type: 'STOP', aux_price: Math.round(last * 0.9) });
    desk.clock.advance(500);
    expect(await codeOf(trade.cancelOrder, { ...futures, order_id_ex: stop }, 'other')).toBe('trading.halted');
  });

  it('counts as it was changed, where the change got lost at first', async () => {
    await holding(3);
    const order = await place({ ...sale, order_type: 'NORMAL', price: Math.round(last * 1.1) });
    desk.clock.advance(FORGOTTEN_MS);
    const change = { ...futures, order_id_ex: order, op: 'normal', qty: 3, price: Math.round(last * 1.1) };
    await lose(trade.modifyOrder, change, { as: 'free' });
    expect(await codeOf(trade.modifyOrder, change, 'free', 'once')).toBeUndefined();
    expect(await codeOf(trade.placeOrder, { ...sale, qty: 2 }, 'other')).toBe('trading.halted');
  });

  it('counts as one open order with its first sending, and anew once lists have shown that it was not there', async () => {
    await open({ maxOpenOrders: '1' });
    const resting = { ...purchase, order_type: 'NORMAL', price: Math.round(last * 0.9) };
    await lose(trade.placeOrder, resting, { as: 'desk', ms: 0 });
    expect(await codeOf(trade.placeOrder, resting, 'desk')).toBe('limit.open_orders');
    desk.clock.advance(6_000);
    expect(await codeOf(trade.placeOrder, resting, 'desk')).toBeUndefined();
    expect(await codeOf(trade.placeOrder, resting, 'desk', 'once')).toBe('limit.open_orders');
    await desk.payload(trade.cancelAllOrder, futures, { as: 'desk' });
    desk.clock.advance(FORGOTTEN_MS);
    await lose(trade.placeOrder, resting, { as: 'desk', under: 'twice', ms: 0 });
    expect(await codeOf(trade.placeOrder, resting, 'desk', 'twice')).toBeUndefined();
    expect(await codeOf(trade.placeOrder, resting, 'desk')).toBe('limit.open_orders');
  });

  it.each(narrowings)('meets the limits that its key has by then: %s', async (code, limits) => {
    await open();
    await lose(trade.placeOrder, purchase, { as: 'desk' });
    desk.editKey('desk', { limits });
    const answer = await desk.call(trade.placeOrder, purchase, { as: 'desk', idempotencyKey: 'once' });
    expect(answer).toMatchObject({ code, message: expect.stringContaining('may have taken effect') });
  });

  it('counts in the minute and in the day in which it is sent', async () => {
    await open({ maxOrdersPerMinute: '1' });
    for (const under of ['one', 'two']) await lose(trade.placeOrder, purchase, { as: 'desk', under });
    expect(await codeOf(trade.placeOrder, purchase, 'desk', 'one')).toBeUndefined();
    expect(await codeOf(trade.placeOrder, purchase, 'desk', 'two')).toBe('limit.rate');
    desk.clock.advance(FORGOTTEN_MS);
    expect(await codeOf(trade.placeOrder, purchase, 'desk', 'two')).toBeUndefined();
  });

  it('adds its value to the day once', async () => {
    await open({ maxDailyValue: String(Math.round(last * 50 * 1.5)) });
    await lose(trade.placeOrder, purchase, { as: 'desk', ms: 1_000 });
    expect(await codeOf(trade.placeOrder, purchase, 'desk')).toBe('limit.daily_value');
    expect(await codeOf(trade.placeOrder, purchase, 'desk', 'once')).toBeUndefined();
  });
});

describe('a list that was asked for before an order was placed', () => {
  it('is no sign of its end', async () => {
    await open({ maxOpenOrders: '1' });
    const resting = { ...purchase, order_type: 'NORMAL', price: Math.round(last * 0.9) };
    const askedAt = desk.clock.monotonic();
    desk.clock.advance(1_100);
    await place(resting, 'desk');
    desk.clock.advance(400);
    sharedAt = askedAt;
    expect(await codeOf(trade.placeOrder, resting, 'desk')).toBe('limit.open_orders');
    sharedAt = undefined;
    // Four seconds behind, so that the order is not in it.
    desk.clock.advance(3_500);
    expect(await codeOf(trade.placeOrder, resting, 'desk')).toBe('limit.open_orders');
  });
});
