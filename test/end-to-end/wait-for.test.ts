import { clone, create } from '@bufbuild/protobuf';
import { type Response as BookResponse, ResponseSchema as BookResponseSchema } from '@svc-gateway/contract/generated/Qot_GetOrderBook_pb';
import type { S2C } from '@svc-gateway/contract/generated/svc/wait_for_pb';
import { OrderStatus } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { quote, subscription, trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Answer, ResponseMessage, StreamsListener } from '@svc-gateway/gateway';
import { payloadOf } from '@svc-gateway/gateway';
import { afterEach, describe, expect, it } from 'vitest';
import { HK_CASH, HK_MARGIN } from '../support/accounts.js';
import { type Answering, type Approach, type Desk, type DeskOptions, openDesk } from '../support/desk.js';

const { waitFor } = subscription;
const everything = ['qot:read', 'acc:read', 'trade:simulate'] as const;
const TENCENT = { condition: 'price', symbol: 'HK.00700' };

let desk: Desk;
afterEach(() => desk.close());

async function open(options: Partial<DeskOptions> = {}): Promise<Desk> {
  desk = await openDesk({ keys: { desk: { scopes: [...everything] } }, ...options });
  return desk;
}

/** A call that is under way; `answered` is undefined while it waits. */
class Waiting {
  answered: Answer | undefined;
  readonly answer: Promise<Answer>;

  constructor(body: object, approach?: Approach) {
    this.answer = desk.call(waitFor, body, approach).then((answer) => {
      this.answered = answer;
      return answer;
    });
  }

  /** The payload of what must be a success. */
  async payload(): Promise<S2C> {
    const answer = await this.answer;
    const payload = answer instanceof Rejection ? undefined : payloadOf(waitFor, answer);
    if (payload === undefined) throw new Error(answer instanceof Rejection ? `${answer.code}: ${answer.message}` : answer.retMsg);
    return payload;
  }
}

/** Lets every promise of this moment settle. */
async function turn(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve));
}

/** A call that has begun to wait. */
async function waiting(body: object, approach?: Approach): Promise<Waiting> {
  const call = new Waiting(body, approach);
  await turn();
  expect(call.answered).toBeUndefined();
  return call;
}

/** Lets time pass until a call is answered, at most an hour. */
async function passing(call: Waiting, stepMs = 1000): Promise<void> {
  for (let passed = 0; call.answered === undefined && passed < 3_600_000; passed += stepMs) {
    desk.clock.advance(stepMs);
    await turn();
  }
}

async function lastPrice(): Promise<number> {
  const { basicQotList } = await desk.payload(quote.getQuote, { symbol: 'HK.00700' });
  return basicQotList[0]!.curPrice;
}

async function refusal(body: object, approach?: Approach): Promise<Rejection> {
  const answer = await desk.call(waitFor, body, approach);
  if (!(answer instanceof Rejection)) throw new Error('not refused');
  return answer;
}

/** Nothing is held any more of what was subscribed to for a wait. */
function expectGivenBack(): void {
  expect(desk.gateway.push.subscriptions.usedQuota).toBe(0);
  expect(desk.gateway.push.accounts.desired()).toEqual([]);
}

describe('a price', () => {
  it('is answered at once when met already', async () => {
    await open();
    const price = await lastPrice();
    for (const relation of ['at_or_above', 'at_or_below']) {
      const seen = await new Waiting({ ...TENCENT, relation, price }).payload();
      expect(seen).toMatchObject({ outcome: 1, lastPrice: price, waitedMs: 0n, time: BigInt(desk.clock.now()) });
    }
    expectGivenBack();
  });

  it.each([
    ['at_or_above', 1],
    ['at_or_below', -1],
    ['crosses', 1],
    ['crosses', -1],
  ])('is waited for by its pushes: %s, %d', async (relation, side) => {
    await open();
    const before = await lastPrice();
    const price = Number((before + side * 0.2).toFixed(3));
    const call = await waiting({ ...TENCENT, relation, price, timeout: 600 });
    expect(desk.gateway.push.subscriptions.usedQuota).toBe(1);
    const asked = desk.calls.length;
    await passing(call);
    const seen = await call.payload();
    expect(seen.outcome).toBe(1);
    if (side > 0) expect(seen.lastPrice).toBeGreaterThanOrEqual(price);
    else expect(seen.lastPrice).toBeLessThanOrEqual(price);
    expect(Number(seen.waitedMs)).toBeGreaterThan(0);
    // It was told, and nothing asked again but for the quotes by which the trade counts.
    expect(desk.calls.slice(asked).map(({ operation }) => operation)).toEqual([quote.getOrderBook.name]);
    expect(seen.lastPrice).toBe(await lastPrice());
    expectGivenBack();
  });

  it('that one trade far from the quotes has reached alone is waited for on, until they have moved there', async () => {
    let isFar = true;
    const moved = (response: BookResponse) => {
      const book = clone(BookResponseSchema, response);
      for (const level of [...book.s2c!.orderBookBidList, ...book.s2c!.orderBookAskList]) level.price *= 2;
      return book as unknown as ResponseMessage;
    };
    await open({
      async answer(operation, _, pass) {
        const answer = await pass();
        return isFar && operation === quote.getOrderBook ? moved(answer as unknown as BookResponse) : answer;
      },
    });
    // It trades some dozen times a day.
    const symbol = 'US.BRK.A';
    const { basicQotList } = await desk.payload(quote.getQuote, { symbol });
    const goal = { condition: 'price', symbol, relation: 'at_or_above', price: basicQotList[0]!.curPrice };
    const inVain = await waiting({ ...goal, timeout: 3 });
    for (let passed = 0; passed < 3; passed++) {
      desk.clock.advance(1000);
      await turn();
    }
    expect(await inVain.payload()).toMatchObject({ outcome: 2 });
    const confirmed = await waiting({ ...goal, timeout: 3 });
    isFar = false;
    desk.clock.advance(1000);
    expect(await confirmed.payload()).toMatchObject({ outcome: 1 });
    expectGivenBack();
  });

  it('is not crossed by being there already', async () => {
    await open();
    const call = await waiting({ ...TENCENT, relation: 'crosses', price: await lastPrice(), timeout: 1 });
    desk.clock.advance(1000);
    expect(await call.payload()).toMatchObject({ outcome: 2 });
  });

  it.each([
    ['bid', 'bidPrice', 'orderBookBidList', 'at_or_below'],
    ['ask', 'askPrice', 'orderBookAskList', 'at_or_below'],
  ] as const)('may be the %s', async (figure, field, list, relation) => {
    await open();
    const book = await desk.payload(quote.getOrderBook, { symbol: 'HK.00700', depth: 1 });
    const best = book[list][0]!.price;
    expect(await new Waiting({ ...TENCENT, figure, relation, price: best }).payload()).toMatchObject({ outcome: 1, [field]: best });
    const price = Number((best - 0.2).toFixed(3));
    const call = await waiting({ ...TENCENT, figure, relation, price, timeout: 600 });
    await passing(call);
    const seen = await call.payload();
    expect(seen.outcome).toBe(1);
    expect(seen[field]).toBeLessThanOrEqual(price);
  });

  it('times out with the last observed value', async () => {
    await open();
    const call = await waiting({ ...TENCENT, relation: 'at_or_above', price: 1_000_000, timeout: 7 });
    desk.clock.advance(6_999);
    await turn();
    expect(call.answered).toBeUndefined();
    desk.clock.advance(1);
    const seen = await call.payload();
    expect(seen).toMatchObject({ outcome: 2, waitedMs: 7000n, lastPrice: await lastPrice() });
    expectGivenBack();
    expect(await new Waiting({ ...TENCENT, relation: 'at_or_above', price: 1_000_000, timeout: 0 }).payload()).toMatchObject({
      outcome: 2,
    });
  });

  it('is refused for an unknown subject', async () => {
    await open();
    for (const [body, says] of [
      [{ ...TENCENT, symbol: 'HK.99999', relation: 'crosses', price: 1 }, /99999/],
      [{ ...TENCENT, figure: 'bid', symbol: 'HK.HSI', relation: 'crosses', price: 1 }, /HSI|book|type/i],
    ] as const) {
      const answer = await desk.call(waitFor, body);
      expect(answer instanceof Rejection ? answer.message : answer.retMsg).toMatch(says);
    }
    expectGivenBack();
  });
});

describe('an order', () => {
  const header = { market: 'HK', acc_id: HK_CASH, env: 'simulate' };

  async function placed(price: number): Promise<{ order_id_ex: string }> {
    const { orderIDEx } = await desk.payload(trade.placeOrder, { ...header, symbol: 'HK.00700', side: 'BUY', qty: 100, price });
    await turn();
    return { order_id_ex: orderIDEx };
  }

  it('that has the status already is answered at once', async () => {
    await open();
    const order = await placed(250);
    desk.clock.advance(1000);
    const seen = await new Waiting({ condition: 'order', ...header, ...order, order_statuses: ['Submitted'] }).payload();
    expect(seen).toMatchObject({ outcome: 1, order: { orderIDEx: order.order_id_ex, orderStatus: OrderStatus.OrderStatus_Submitted } });
    expectGivenBack();
  });

  it('is waited for until it is finished', async () => {
    await open();
    const order = await placed(250);
    desk.clock.advance(1000);
    const call = await waiting({ condition: 'order', ...header, ...order, timeout: 600 });
    await desk.payload(trade.cancelOrder, { ...header, ...order });
    await passing(call);
    expect(await call.payload()).toMatchObject({ outcome: 1, order: { orderStatus: OrderStatus.OrderStatus_Cancelled_All } });
    expectGivenBack();
  });

  it('ends as over with another final status', async () => {
    await open();
    const order = await placed(250);
    desk.clock.advance(1000);
    const call = await waiting({ condition: 'order', ...header, ...order, order_statuses: ['Filled_All'], timeout: 600 });
    await desk.payload(trade.cancelOrder, { ...header, ...order });
    await passing(call);
    expect(await call.payload()).toMatchObject({ outcome: 3, order: { orderStatus: OrderStatus.OrderStatus_Cancelled_All } });
    expect(await new Waiting({ condition: 'order', ...header, ...order, order_statuses: ['Filled_All'] }).payload()).toMatchObject({
      outcome: 3,
    });
  });

  it('is waited for by its fills', async () => {
    await open();
    const price = Math.ceil((await lastPrice()) * 1.02);
    const order = await placed(price);
    const call = new Waiting({ condition: 'order', ...header, ...order, order_statuses: ['Filled_All'], timeout: 600 });
    await passing(call, 50);
    expect(await call.payload()).toMatchObject({ outcome: 1, order: { fillQty: 100 } });
  });

  it('is refused when unknown or of another account', async () => {
    await open();
    const order = await placed(250);
    expect((await refusal({ condition: 'order', ...header, order_id_ex: 'nonsense' })).message).toMatch(/nonsense is not among the orders/);
    expect(await refusal({ condition: 'order', ...header, order_id: '77' })).toMatchObject({ details: { field: 'order_id' } });
    expect((await refusal({ condition: 'order', ...header, acc_id: HK_MARGIN, ...order })).message).toMatch(/is not among the orders/);
    expectGivenBack();
  });
});

describe('a market', () => {
  /** The states that the backend answers, by turns. */
  function inState(states: { now: number }): Answering {
    const { ResponseSchema } = quote.getMarketState.messages;
    return async (operation, _, pass) => {
      const answer = await pass();
      if (operation !== quote.getMarketState) return answer;
      const s2c = payloadOf(quote.getMarketState, answer)!;
      s2c.marketInfoList[0]!.marketState = states.now;
      return create(ResponseSchema, { retType: 0, s2c }) as typeof answer;
    };
  }

  it('is asked for its state again and again', async () => {
    const states = { now: 6 };
    await open({ answer: inState(states) });
    const body = { condition: 'market', symbol: 'HK.00700', market_states: ['Morning', 'Afternoon'], timeout: 600 };
    const call = await waiting(body);
    const other = await waiting(body);
    desk.clock.advance(20_000);
    await turn();
    expect(call.answered).toBeUndefined();
    states.now = 3;
    desk.clock.advance(5_000);
    expect(await call.payload()).toMatchObject({ outcome: 1, marketState: 3 });
    expect(await other.payload()).toMatchObject({ outcome: 1, marketState: 3 });
    const asked = desk.calls.length;
    desk.clock.advance(60_000);
    await turn();
    expect(desk.calls.length).toBe(asked);
    expect(await new Waiting(body).payload()).toMatchObject({ outcome: 1, waitedMs: 0n });
  });
});

describe('what ends a wait', () => {
  const never = { ...TENCENT, relation: 'at_or_above', price: 1_000_000, timeout: 600 };

  it('its caller goes away', async () => {
    await open();
    let go: () => void = () => undefined;
    const onGone = (listener: () => void) => {
      go = listener;
      return () => undefined;
    };
    const caller = { ...desk.callerOf(), isGone: () => false, onGone };
    const answer = desk.gateway.call(waitFor, caller, () =>
      create(waitFor.messages.C2SSchema, { condition: 1, security: { market: 1, code: '00700' }, relation: 1, price: 1e6, timeout: 600 }),
    );
    await turn();
    expect(desk.gateway.push.subscriptions.usedQuota).toBe(1);
    go();
    expect(await answer).toMatchObject({ code: 'request.cancelled' });
    await turn();
    expectGivenBack();
  });

  it('the daemon stops', async () => {
    await open();
    const call = await waiting(never);
    desk.gateway.stop();
    expect(await call.answer).toMatchObject({ code: 'daemon.stopping', message: expect.stringContaining('HK.00700') });
    expect(await refusal(never)).toMatchObject({ code: 'daemon.stopping' });
  });

  it('the pushes that it listens to are lost', async () => {
    const listeners: StreamsListener[] = [];
    await open({
      backend: (simulated) => ({
        onStreams(listener) {
          listeners.push(listener);
          return simulated.onStreams(listener);
        },
      }),
    });
    const call = await waiting(never);
    const other = await waiting({ ...never, symbol: 'HK.00005' });
    const lost = { streams: [{ symbol: 'HK.00700', subType: 1, rehabType: 0, extendedTime: false }], accIds: 'all', from: 0 } as const;
    for (const { lost: tell } of listeners) tell.call(listeners[0], { ...lost, reason: 'the connection was lost' });
    expect(await call.answer).toMatchObject({ code: 'backend.not_ready', message: expect.stringContaining('the connection was lost') });
    await turn();
    expect(other.answered).toBeUndefined();
  });

  it('too many wait already', async () => {
    await open({ keys: { desk: { scopes: [...everything] }, other: { scopes: [...everything] } }, bounds: { waits: 2 } });
    const first = await waiting(never);
    await waiting(never);
    expect(await refusal(never)).toMatchObject({ code: 'limit.waits', message: expect.stringContaining('key "desk"') });
    // Another key has its own.
    await waiting(never, { as: 'other' });
    desk.clock.advance(600_000);
    await first.payload();
    await waiting(never);
  });
});

describe('what limits a wait', () => {
  const priceOf = (symbol: string) => ({ condition: 'price', symbol, relation: 'at_or_above', price: 0.01 });

  it('the scope of its condition', async () => {
    await open({ keys: { quotes: { scopes: ['qot:read'] }, accounts: { scopes: ['acc:read'] } } });
    const order = { condition: 'order', market: 'HK', acc_id: HK_CASH, env: 'simulate', order_id_ex: 'x' };
    const market = { condition: 'market', symbol: 'HK.00700', market_states: ['Closed'] };
    expect(await refusal(order, { as: 'quotes' })).toMatchObject({ code: 'auth.scope' });
    for (const body of [priceOf('HK.00700'), market]) expect(await refusal(body, { as: 'accounts' })).toMatchObject({ code: 'auth.scope' });
    expect((await refusal(order, { as: 'accounts' })).message).toMatch(/is not among the orders/);
    expect(await new Waiting(priceOf('HK.00700'), { as: 'quotes' }).payload()).toMatchObject({ outcome: 1 });
  });

  it('lists of accounts, markets and symbols', async () => {
    const scopes = [...everything];
    await open({
      keys: {
        desk: { scopes },
        accounts: { scopes, limits: { allowedAccIds: HK_MARGIN } },
        markets: { scopes, limits: { allowedMarkets: 'US' } },
        symbols: { scopes, limits: { allowedSymbols: 'HK.00005' } },
      },
    });
    const header = { market: 'HK', acc_id: HK_CASH, env: 'simulate' };
    const { orderIDEx } = await desk.payload(trade.placeOrder, { ...header, symbol: 'HK.00700', side: 'BUY', qty: 100, price: 250 });
    const order = { condition: 'order', ...header, order_id_ex: orderIDEx, timeout: 1 };
    expect(await refusal(order, { as: 'accounts' })).toMatchObject({ code: 'auth.account' });
    expect(await refusal(order, { as: 'markets' })).toMatchObject({ code: 'limit.market' });
    expect(await refusal(order, { as: 'symbols' })).toMatchObject({ code: 'limit.symbol' });
    expect(await refusal(priceOf('HK.00700'), { as: 'markets' })).toMatchObject({ code: 'limit.market' });
    expect(await refusal(priceOf('HK.00700'), { as: 'symbols' })).toMatchObject({ code: 'limit.symbol' });
    // A price is of no account, whatever accounts the key may use.
    for (const [as, symbol] of [
      ['accounts', 'HK.00700'],
      ['markets', 'US.AAPL'],
      ['symbols', 'HK.00005'],
    ] as const)
      expect(await new Waiting(priceOf(symbol), { as }).payload()).toMatchObject({ outcome: 1 });
  });

  it('what its request says', async () => {
    await open();
    for (const [body, field] of [
      [{ condition: 'price', symbol: 'HK.00700', relation: 'crosses' }, 'price'],
      [{ condition: 'price', symbol: 'HK.00700', price: 1 }, 'relation'],
      [{ condition: 'price', relation: 'crosses', price: 1 }, 'symbol'],
      [{ condition: 'market', symbol: 'HK.00700' }, 'market_states'],
      [{ condition: 'order', market: 'HK', acc_id: HK_CASH, env: 'simulate' }, 'order_id'],
      [{ condition: 'order', market: 'HK', env: 'simulate', order_id_ex: 'x' }, 'acc_id'],
      [{ symbol: 'HK.00700', relation: 'crosses', price: 1 }, 'condition'],
      [{ ...TENCENT, relation: 'crosses', price: 1, timeout: 601 }, 'timeout'],
      [{ ...TENCENT, relation: 'crosses', price: 1, timeout: -1 }, 'timeout'],
      [{ ...TENCENT, relation: 'crosses', price: 1, order_id_ex: 'x' }, 'order_id_ex'],
      [{ ...TENCENT, relation: 'crosses', price: 0.12345678901 }, 'price'],
    ] as const) {
      const refused = await refusal(body);
      expect(refused.details.field, refused.message).toBe(field);
      expect(refused.code).toMatch(/^request\./);
    }
  });
});
