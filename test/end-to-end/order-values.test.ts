import { create, type MessageInitShape } from '@bufbuild/protobuf';
import type { LimitFlags } from '@svc-gateway/access';
import { type Decimal, parseDecimal } from '@svc-gateway/contract/decimal';
import { TrdHeaderSchema } from '@svc-gateway/contract/generated/Trd_Common_pb';
import * as TrdModifyOrder from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import * as TrdPlaceOrder from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, quote, trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Backend } from '@svc-gateway/gateway';
import { previewSentence, previewText } from '@svc-gateway/gateway';
import { MemoryStore } from '@svc-gateway/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { HK_MARGIN, US_MARGIN } from '../support/accounts.js';
import { type Desk, openDesk } from '../support/desk.js';
import { previewed } from '../support/previews.js';
import { until } from '../support/until.js';

const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
const FUTURES = '281756478396547008';
/** Longer than an order takes to the exchange. */
const SETTLED_MS = 200;

/** Lets whatever can go on do so. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 40; turn++) await new Promise(setImmediate);
}

let desk: Desk;
afterEach(() => desk.close());

/** `desk` has the limits, `free` none; the brokerage has no answer to the operations in `silent`. */
async function open(
  limits: LimitFlags = {},
  backend: Partial<Backend> = {},
  flags: LimitFlags = {},
  silent: ReadonlySet<Operation> = new Set(),
): Promise<void> {
  desk = await openDesk({ keys: { desk: { scopes, limits }, free: { scopes } }, backend, flags, silent });
}

const d = (text: string | number): Decimal => parseDecimal(String(text)) ?? 0n;
const hk = create(TrdHeaderSchema, { trdEnv: 0, accID: BigInt(HK_MARGIN), trdMarket: 1 });

/** An order as the protocol has it: more types than tools have names for. A sale of 4,000 HK.00005 at 0.25 unless said otherwise. */
function placed(fields: MessageInitShape<typeof TrdPlaceOrder.C2SSchema> = {}) {
  const sale = { trdSide: 2, orderType: 1, code: '00005', secMarket: 1, qty: 4000, price: 0.25 };
  return create(TrdPlaceOrder.C2SSchema, { header: hk, ...sale, ...fields });
}

function changed(fields: MessageInitShape<typeof TrdModifyOrder.C2SSchema>) {
  return create(TrdModifyOrder.C2SSchema, { header: hk, orderID: 0n, modifyOrderOp: 1, ...fields });
}

const list = { market: 'HK', acc_id: HK_MARGIN, env: 'simulate' };

/** The code of the gateway's refusal, or undefined: what the brokerage then says is its own business. */
async function refusal(operation: Operation, request: object, as = 'desk'): Promise<string | undefined> {
  const answer = await desk.call(operation, request, { as });
  return answer instanceof Rejection ? answer.code : undefined;
}

async function bestBid(symbol = 'HK.00005'): Promise<number> {
  const { orderBookBidList } = await desk.payload(quote.getOrderBook, { symbol, depth: 1 });
  return orderBookBidList[0]?.price ?? 0;
}

describe('an order for an amount of money', () => {
  it('is worth that at the least', async () => {
    await open({ maxOrderValue: '1000' });
    const buy = { trdSide: 1, qty: 400, price: 0.25 };
    expect(await refusal(trade.placeOrder, placed({ ...buy, amount: 1000.5 }))).toBe('limit.order_value');
    expect(await refusal(trade.placeOrder, placed({ ...buy, amount: 1000 }))).toBeUndefined();
  });
});

describe('a sale', () => {
  const limited: [name: string, terms: MessageInitShape<typeof TrdPlaceOrder.C2SSchema>][] = [
    ['limit', {}],
    ['short limit', { trdSide: 3 }],
    ['absolute limit', { orderType: 5 }],
    ['auction limit', { orderType: 7 }],
    ['special limit', { orderType: 8 }],
    ['special limit, all or none', { orderType: 9 }],
    ['stop limit', { orderType: 11, auxPrice: 50 }],
    ['limit if touched', { orderType: 13, auxPrice: 50 }],
    ['limit that may be adjusted', { adjustPrice: true, adjustSideAndLimit: 0.01 }],
  ];

  it.each(limited)('by a %s order below the market counts at the best bid', async (_, terms) => {
    await open();
    const value = d(await bestBid()) * 4000n;
    const preview = await previewed(desk, 'place', trade.placeOrder, placed(terms));
    expect(preview).toMatchObject({ value, pricing: { basis: 'best_bid' }, terms: { price: d('0.25') } });
    expect(previewSentence(preview)).toContain('(best bid, above the limit)');
    await desk.close();
    for (const [cap, code] of [
      [value, undefined],
      [value - d('0.001'), 'limit.order_value'],
    ] as const) {
      await open({ maxOrderValue: (Number(cap) / 1e9).toFixed(3) });
      expect(await refusal(trade.placeOrder, placed(terms))).toBe(code);
      if (code === undefined) await desk.close();
    }
  });

  it.each<[string, MessageInitShape<typeof TrdPlaceOrder.C2SSchema>]>([
    ['market', { orderType: 2 }],
    ['auction', { orderType: 6 }],
    ['stop', { orderType: 10, auxPrice: 50 }],
    ['market if touched', { orderType: 12, auxPrice: 50 }],
    ['trailing stop', { orderType: 14, trailType: 2, trailValue: 5 }],
    ['trailing stop limit', { orderType: 15, trailType: 2, trailValue: 5, trailSpread: 1 }],
  ])('by a %s order counts at no less than the best bid plus 5 %%', async (_, terms) => {
    await open({ maxOrderValue: '1000' });
    const { value } = await previewed(desk, 'place', trade.placeOrder, placed(terms));
    expect(value ?? 0n).toBeGreaterThanOrEqual((d(await bestBid()) * 4000n * 105n) / 100n);
    expect(await refusal(trade.placeOrder, placed(terms))).toBe('limit.order_value');
  });

  it('triggered at a higher price counts at that price plus 5 %', async () => {
    await open();
    const bid = await bestBid();
    const preview = await previewed(desk, 'place', trade.placeOrder, placed({ orderType: 13, auxPrice: bid * 2 }));
    expect(preview.pricing).toMatchObject({ basis: 'trigger_plus_5_percent', price: (d(bid * 2) * 105n) / 100n });
  });

  it('above the market counts at its limit, and a purchase always does', async () => {
    await open();
    const bid = await bestBid();
    for (const terms of [{ price: bid * 2 }, { trdSide: 1, price: bid * 2 }, { trdSide: 1, orderType: 11, auxPrice: bid * 3 }]) {
      const { pricing } = await previewed(desk, 'place', trade.placeOrder, placed(terms));
      expect(pricing).toMatchObject({ basis: 'limit_price', price: d(terms.price ?? 0.25) });
    }
  });

  it('counts at the last price where nobody bids, and is refused under a cap where nothing is known', async () => {
    const silent = new Set<Operation>([quote.getOrderBook]);
    await open({ maxOrderValue: '1000' }, {}, {}, silent);
    const last = (await desk.payload(quote.getSnapshot, { symbols: ['HK.00005'] })).snapshotList[0]?.basic?.curPrice ?? 0;
    const { pricing } = await previewed(desk, 'place', trade.placeOrder, placed());
    expect(pricing).toMatchObject({ basis: 'last_price', price: expect.toSatisfy((price: bigint) => price >= d(last)) });
    expect(await refusal(trade.placeOrder, placed())).toBe('limit.order_value');
    silent.add(quote.getSnapshot);
    expect(await refusal(trade.placeOrder, placed())).toBe('limit.price_unknown');
    expect(await refusal(trade.placeOrder, placed(), 'free')).toBeUndefined();
  });
});

describe('a modify', () => {
  /** A working order of the key without limits. */
  async function working(fields: MessageInitShape<typeof TrdPlaceOrder.C2SSchema>): Promise<string> {
    const { orderIDEx } = await desk.payload(trade.placeOrder, placed({ trdSide: 1, price: 50, ...fields }), { as: 'free' });
    desk.clock.advance(SETTLED_MS);
    return orderIDEx;
  }

  it('of a short sale below the market counts at the best bid', async () => {
    await open({ maxOrderValue: '100000' });
    const bid = await bestBid();
    const orderIDEx = await working({ trdSide: 3, price: 2 * bid, qty: 400 });
    expect(await refusal(trade.modifyOrder, changed({ orderIDEx, qty: 4000, price: 0.25 }))).toBe('limit.order_value');
    expect(await refusal(trade.modifyOrder, changed({ orderIDEx, qty: 400, price: 2 * bid + 1 }))).toBeUndefined();
  });

  it('keeps the price that it gives as 0', async () => {
    await open({ maxOrderValue: '50000', maxDailyValue: '100000' });
    const orderIDEx = await working({ qty: 400 });
    expect(await refusal(trade.modifyOrder, changed({ orderIDEx, qty: 40_000, price: 0 }))).toBe('limit.order_value');
    const { value, increase } = await previewed(desk, 'modify', trade.modifyOrder, changed({ orderIDEx, qty: 800, price: 0 }));
    expect([value, increase]).toEqual([d(40_000), d(40_000)]);
    expect(await refusal(trade.modifyOrder, changed({ orderIDEx, qty: 0, price: 50 }))).toBe('request.out_of_range');
    expect(await refusal(trade.modifyOrder, changed({ orderIDEx, qty: 400, price: -50 }))).toBe('request.out_of_range');
  });

  it('of a partly filled order does not lower the value of the fills', async () => {
    await open();
    const { orderBookAskList } = await desk.payload(quote.getOrderBook, { symbol: 'HK.00005', depth: 1 });
    const [{ price = 0, volume = 0n } = {}] = orderBookAskList;
    const orderIDEx = await working({ price, qty: Number(volume) + 4000 });
    const { orderList } = await desk.payload(account.getOrders, list, { as: 'free' });
    const [{ qty = 0, fillQty = 0, fillAvgPrice = 0 } = {}] = orderList;
    expect([fillQty > 0, fillQty < qty]).toEqual([true, true]);
    const { value } = await previewed(desk, 'modify', trade.modifyOrder, changed({ orderIDEx, qty, price: 1 }));
    expect(value).toBe((d(fillQty) / 10n ** 9n) * d(fillAvgPrice) + d(qty - fillQty));
  });

  it('is valued again when another change overtook it', async () => {
    await open({ maxOrderValue: '40000' });
    const orderIDEx = await working({ price: 1, qty: 4000 });
    const changes = [
      { qty: 400, price: 40 },
      { qty: 40_000, price: 0 },
    ];
    const refusals = await Promise.all(changes.map((fields) => refusal(trade.modifyOrder, changed({ orderIDEx, ...fields }))));
    expect(refusals).toEqual([undefined, 'limit.order_value']);
    const sent = desk.calls.filter(({ operation }) => operation === 'modify_order').map(({ request }) => request);
    expect(sent).toMatchObject([changes[0]]);
  });

  it('without a change of its own does not undo another key’s reduction', async () => {
    await open({ maxDailyValue: '1000' });
    const orderIDEx = await working({ price: 50, qty: 4000 });
    const away = desk.call(trade.modifyOrder, changed({ orderIDEx, price: 1, qty: 4000 }), { as: 'free' });
    const repeated = [1, 2, 3].map(() => refusal(trade.modifyOrder, changed({ orderIDEx, price: 50, qty: 4000 })));
    expect(await away).toMatchObject({ retType: 0 });
    expect(await Promise.all(repeated)).toEqual(Array(3).fill('limit.daily_value'));
    const { orderList } = await desk.payload(account.getOrders, list, { as: 'free' });
    expect(orderList).toMatchObject([{ price: 1 }]);
  });

  it('of a stop order is sent with the trigger that it was valued at', async () => {
    await open({ maxOrderValue: '1000000' });
    const orderIDEx = await working({ orderType: 10, auxPrice: 200, qty: 400 });
    expect(await refusal(trade.modifyOrder, changed({ orderIDEx, qty: 800 }))).toBeUndefined();
    expect(desk.calls.at(-1)?.request).toMatchObject({ qty: 800, auxPrice: 200 });
  });

  it('of a trailing order counts with the trail and the trigger that it has, whatever else it says', async () => {
    await open({ maxOrderValue: '140000' });
    const orderIDEx = await working({ orderType: 14, trailType: 2, trailValue: 100, qty: 400 });
    const trigger = async () => (await desk.payload(account.getOrders, list)).orderList[0]?.auxPrice;
    const before = await trigger();
    expect(await refusal(trade.modifyOrder, changed({ orderIDEx, qty: 1600, trailValue: 0.001, auxPrice: 0.01 }))).toBe(
      'limit.order_value',
    );
    expect(await refusal(trade.modifyOrder, changed({ orderIDEx, qty: 400, trailType: 1 }))).toBe('request.missing_field');
    expect(await refusal(trade.modifyOrder, changed({ orderIDEx, qty: 600 }))).toBeUndefined();
    expect(desk.calls.at(-1)?.request).toMatchObject({ qty: 600, trailType: 2, trailValue: 100 });
    expect(await trigger()).toBe(before);
  });

  it('of a trailing stop limit order counts at the limit that it is given', async () => {
    await open({ maxOrderValue: '140000' });
    const orderIDEx = await working({ orderType: 15, trailType: 2, trailValue: 1, trailSpread: 0.5, qty: 400 });
    expect(await refusal(trade.modifyOrder, changed({ orderIDEx, qty: 1200, price: 1000 }))).toBe('limit.order_value');
  });

  it('is valued by the order that it changes: two names of two orders name none', async () => {
    await open({ maxOrderValue: '30000' });
    const small = await desk.payload(trade.placeOrder, placed({ trdSide: 1, price: 50, qty: 400 }), { as: 'free' });
    const large = await desk.payload(trade.placeOrder, placed({ trdSide: 1, price: 50, qty: 4000 }), { as: 'free' });
    desk.clock.advance(SETTLED_MS);
    const both = changed({ orderIDEx: small.orderIDEx, orderID: large.orderID, price: 49 });
    expect(await desk.call(trade.modifyOrder, both)).toMatchObject({ retType: -1, retMsg: expect.stringContaining('no order') });
    expect(desk.calls.map(({ operation }) => operation)).not.toContain('modify_order');
  });
});

describe('a change of an order that another has placed', () => {
  /** The account holds the shares, and another key has a purchase and a sale of them far from the market. */
  async function rest(limits: LimitFlags, flags: LimitFlags = {}) {
    await open(limits, {}, flags);
    const other = { as: 'free' };
    await desk.payload(trade.placeOrder, placed({ trdSide: 1, orderType: 2, qty: 4000, price: 0 }), other);
    desk.clock.advance(SETTLED_MS);
    const place = async (terms: MessageInitShape<typeof TrdPlaceOrder.C2SSchema>) =>
      (await desk.payload(trade.placeOrder, placed(terms), other)).orderIDEx;
    const orders = { purchase: await place({ trdSide: 1, price: 10 }), sale: await place({ price: 500 }) };
    desk.clock.advance(SETTLED_MS);
    return orders;
  }
  const to = (orderIDEx: string, qty: number, price: number) => changed({ orderIDEx, qty, price });

  it('counts whole where it is brought closer to the market or made larger, and not where it is made less', async () => {
    const { purchase, sale } = await rest({ maxDailyValue: '1000' });
    expect(await refusal(trade.modifyOrder, to(purchase, 4000, 10.1))).toBe('limit.daily_value');
    expect(await refusal(trade.modifyOrder, to(purchase, 4400, 10))).toBe('limit.daily_value');
    expect(await refusal(trade.modifyOrder, to(sale, 4000, 60))).toBe('limit.daily_value');
    expect((await previewed(desk, 'modify', trade.modifyOrder, to(sale, 4000, 400))).increase).toBe(d(1_600_000));
    expect(await refusal(trade.modifyOrder, to(purchase, 4000, 9))).toBeUndefined();
    expect(await refusal(trade.modifyOrder, to(sale, 2000, 600))).toBeUndefined();
  });

  it('counts once for whoever has counted it, over a restart as well', async () => {
    const store = new MemoryStore();
    const limits = { maxDailyValue: '50000' };
    const keys = { desk: { scopes, limits }, free: { scopes } };
    desk = await openDesk({ keys, store, sharesStore: true });
    const { orderIDEx } = await desk.payload(trade.placeOrder, placed({ trdSide: 1, price: 10 }));
    await desk.close();
    desk = await openDesk({ keys, store, sharesStore: true });
    desk.clock.advance(SETTLED_MS);
    expect((await previewed(desk, 'modify', trade.modifyOrder, to(orderIDEx, 4000, 12))).increase).toBe(d(8_000));
    expect(await refusal(trade.modifyOrder, to(orderIDEx, 4000, 12))).toBeUndefined();
    expect(await refusal(trade.modifyOrder, to(orderIDEx, 4000, 12.6))).toBe('limit.daily_value');
  });

  it('counts once for a key that has changed it before', async () => {
    const { purchase } = await rest({ maxDailyValue: '50000' });
    expect(await refusal(trade.modifyOrder, to(purchase, 4000, 11))).toBeUndefined();
    desk.clock.advance(SETTLED_MS);
    expect(await refusal(trade.modifyOrder, to(purchase, 4000, 12))).toBeUndefined();
    desk.clock.advance(SETTLED_MS);
    expect(await refusal(trade.modifyOrder, to(purchase, 4000, 13))).toBe('limit.daily_value');
  });

  it('counts what others have added to an order that a key has counted', async () => {
    await open({ maxDailyValue: '60000' });
    const bid = await bestBid();
    await desk.payload(trade.placeOrder, placed({ trdSide: 1, orderType: 2, qty: 8000, price: 0 }), { as: 'free' });
    desk.clock.advance(SETTLED_MS);
    for (const [trdSide, price, there] of [
      [1, 10, bid],
      [2, 80, bid - 0.5],
    ] as const) {
      const { orderIDEx } = await desk.payload(trade.placeOrder, placed({ trdSide, qty: 400, price }));
      desk.clock.advance(SETTLED_MS);
      expect(await refusal(trade.modifyOrder, to(orderIDEx, 8000, price), 'free')).toBeUndefined();
      desk.clock.advance(SETTLED_MS);
      expect(await refusal(trade.modifyOrder, to(orderIDEx, 8000, there))).toBe('limit.daily_value');
    }
  });

  it('is told soon where an earlier change is not answered, and goes on once that is', async () => {
    let answer: (() => void) | undefined;
    desk = await openDesk({
      keys: { desk: { scopes }, free: { scopes } },
      async answer(operation, _, pass) {
        if (operation === trade.modifyOrder && answer === undefined) {
          await new Promise<void>((resolve) => {
            answer = resolve;
          });
        }
        return pass();
      },
    });
    const { orderIDEx } = await desk.payload(trade.placeOrder, placed({ trdSide: 1, price: 10 }));
    desk.clock.advance(SETTLED_MS);
    const swallowed = desk.call(trade.modifyOrder, to(orderIDEx, 4000, 11), { as: 'free' });
    await until(() => answer !== undefined, 'the first change');
    const smaller = desk.call(trade.modifyOrder, to(orderIDEx, 400, 10));
    await turns();
    desk.clock.advance(5_000);
    const told = { code: 'backend.not_ready', message: expect.stringMatching(/an earlier change of order \S+ is not answered yet/) };
    expect(await smaller).toMatchObject(told);
    expect(await desk.call(trade.modifyOrder, to(orderIDEx, 400, 10))).toMatchObject(told);
    answer?.();
    expect(await swallowed).toMatchObject({ retType: 0 });
    expect(await desk.call(trade.modifyOrder, to(orderIDEx, 400, 10))).toMatchObject({ retType: 0 });
  });

  it('counts nothing of an order that a key has only made smaller', async () => {
    const { purchase } = await rest({ maxDailyValue: '1000' });
    expect(await refusal(trade.modifyOrder, to(purchase, 3600, 10))).toBeUndefined();
    desk.clock.advance(SETTLED_MS);
    expect(await refusal(trade.modifyOrder, to(purchase, 3600, 10.1))).toBe('limit.daily_value');
  });

  it('counts for the daemon only what it has not counted', async () => {
    const { purchase } = await rest({}, { maxDailyValue: '5000000' });
    const total = async () => {
      const { gates } = await previewed(desk, 'modify', trade.modifyOrder, to(purchase, 4000, 11));
      return gates.find(({ gate, holder }) => gate === 'daily_value' && holder === 'flags')?.after;
    };
    const before = Number(await total());
    expect(await refusal(trade.modifyOrder, to(purchase, 4000, 11))).toBeUndefined();
    desk.clock.advance(SETTLED_MS);
    expect(await total()).toBe(BigInt(before));
  });

  it('meets the gates for sides and open orders as a new one', async () => {
    const { purchase, sale } = await rest({ allowedTrdSides: 'BUY', maxOpenOrders: '1' });
    expect(await refusal(trade.modifyOrder, to(sale, 4000, 400))).toBe('limit.side');
    expect(await refusal(trade.modifyOrder, to(purchase, 4000, 11))).toBeUndefined();
    desk.clock.advance(SETTLED_MS);
    expect(await refusal(trade.placeOrder, placed({ trdSide: 1, qty: 400, price: 10 }))).toBe('limit.open_orders');
    expect(await refusal(trade.modifyOrder, to(purchase, 4000, 12))).toBeUndefined();
    expect(
      await refusal(
        trade.cancelOrder,
        create(TrdModifyOrder.C2SSchema, { header: hk, orderIDEx: purchase, orderID: 0n, modifyOrderOp: 2 }),
      ),
    ).toBeUndefined();
    desk.clock.advance(SETTLED_MS);
    expect(await refusal(trade.placeOrder, placed({ trdSide: 1, qty: 400, price: 10 }))).toBeUndefined();
  });
});

describe('an order that is enabled', () => {
  async function disabled(): Promise<string> {
    const { orderIDEx } = await desk.payload(trade.placeOrder, placed({ trdSide: 1, price: 50, qty: 2000 }), { as: 'free' });
    desk.clock.advance(SETTLED_MS);
    await desk.payload(trade.modifyOrder, changed({ orderIDEx, modifyOrderOp: 3 }), { as: 'free' });
    return orderIDEx;
  }
  const enable = (orderIDEx: string) => changed({ orderIDEx, modifyOrderOp: 4, qty: 1, price: 0.01 });

  it('counts as it comes back, whatever the request says', async () => {
    await open({ maxOrderValue: '1000' });
    const id = await disabled();
    expect(await previewed(desk, 'modify', trade.modifyOrder, enable(id))).toMatchObject({
      op: 'enable',
      value: d(100_000),
      increase: d(100_000),
      newQty: null,
      wouldPass: false,
    });
    expect(await refusal(trade.modifyOrder, enable(id))).toBe('limit.order_value');
    expect(desk.audit.at(-1)).toMatchObject({ outcome: 'reject', code: 'limit.order_value' });
    expect(await refusal(trade.modifyOrder, enable(id), 'free')).toBeUndefined();
  });

  it('counts whole towards the day', async () => {
    await open({ maxDailyValue: '150000' });
    expect(await refusal(trade.modifyOrder, enable(await disabled()))).toBeUndefined();
    expect(await refusal(trade.modifyOrder, enable(await disabled()))).toBe('limit.daily_value');
  });
});

describe('a contract', () => {
  const contract = { acc_id: FUTURES, env: 'simulate', market: 'FUTURES', symbol: 'HK.HSImain', side: 'BUY', qty: 1, price: 26_000 };

  it('counts with its multiplier', async () => {
    await open({ maxOrderValue: '1300000', maxDailyValue: '1300000' });
    const preview = await previewed(desk, 'place', trade.placeOrder, contract);
    expect(preview).toMatchObject({ value: d(1_300_000), multiplier: d(50), currency: 'HKD', wouldPass: true });
    expect(previewSentence(preview)).toContain('value 1,300,000 HKD, contract multiplier 50, ');
    expect(JSON.parse(previewText(preview))).toMatchObject({ value: 1_300_000, multiplier: 50 });
    expect(await refusal(trade.placeOrder, { ...contract, price: 26_001 })).toBe('limit.order_value');
    expect(await refusal(trade.placeOrder, contract)).toBeUndefined();
    expect(await refusal(trade.placeOrder, { ...contract, price: 1 })).toBe('limit.daily_value');
  });

  it('is refused under a cap where nobody knows the multiplier', async () => {
    await open({ maxDailyValue: '100000000' }, { tradingTerms: () => undefined });
    expect(await refusal(trade.placeOrder, contract)).toBe('limit.multiplier_unknown');
    expect(await refusal(trade.placeOrder, contract, 'free')).toBeUndefined();
    const preview = await previewed(desk, 'place', trade.placeOrder, contract);
    expect(preview).toMatchObject({ value: null, multiplier: null, wouldPass: false, refusal: { code: 'limit.multiplier_unknown' } });
    expect(previewSentence(preview)).toContain('value unknown, since there is no known multiplier');
  });

  it('counts in the currency that it trades in, not in that of its exchange’s shares', async () => {
    await open();
    const preview = await previewed(desk, 'place', trade.placeOrder, { ...contract, symbol: 'SG.CNmain', price: 15_000 });
    expect(preview).toMatchObject({ value: d(15_000), currency: 'USD' });
  });
});

describe('caps', () => {
  const hkOrder = { symbol: 'HK.00700', acc_id: HK_MARGIN, env: 'simulate', side: 'BUY', qty: 100, price: 100 };
  const usOrder = { symbol: 'US.AAPL', acc_id: US_MARGIN, env: 'simulate', side: 'BUY', qty: 100, price: 100 };

  it('in one currency take in the others, at the rate plus 2 %', async () => {
    await open({ maxOrderValue: '79000', maxDailyValue: '85000', limitsCurrency: 'HKD' });
    const { currency, value, gates } = await previewed(desk, 'place', trade.placeOrder, usOrder);
    expect([currency, value]).toEqual(['USD', d(10_000)]);
    const gate = gates.find((one) => one.gate === 'order_value' && one.holder === 'key');
    // 10,000 USD are about 77,725 HKD, and 79,280 with 2 % on top.
    expect(gate).toMatchObject({ currency: 'HKD', passes: false, after: expect.toSatisfy((sum: bigint) => sum > d(79_000)) });
    expect(await refusal(trade.placeOrder, usOrder)).toBe('limit.order_value');
    expect(await refusal(trade.placeOrder, { ...usOrder, qty: 95 })).toBeUndefined();
    const next = await previewed(desk, 'place', trade.placeOrder, hkOrder);
    expect(next.refusal).toMatchObject({ code: 'limit.daily_value', message: expect.stringContaining('at most 85000 HKD per UTC day') });
    expect(previewSentence(next)).toContain('day total afterwards 8');
    expect(await refusal(trade.placeOrder, hkOrder)).toBe('limit.daily_value');
    expect(await refusal(trade.placeOrder, { ...hkOrder, qty: 1 })).toBeUndefined();
  });

  it('in one currency refuse orders in currencies without a known rate', async () => {
    await open({ maxOrderValue: '1000000', limitsCurrency: 'HKD' }, { exchangeRate: () => undefined });
    expect(await refusal(trade.placeOrder, usOrder)).toBe('limit.exchange_rate_unknown');
    expect(await refusal(trade.placeOrder, hkOrder)).toBeUndefined();
  });
});

describe('an operation on orders whose risk nobody values', () => {
  it('is a defect: nothing is sent', async () => {
    await open();
    const untaught = { ...trade.placeOrder, valuer: null };
    const request = { symbol: 'HK.00700', acc_id: HK_MARGIN, env: 'simulate', side: 'BUY', qty: 100, price: 100 };
    expect(await desk.call(untaught, request)).toMatchObject({ code: 'internal' });
    expect(desk.calls.map(({ operation }) => operation)).not.toContain('place_order');
    expect(await desk.preview(untaught, request)).toMatchObject({ code: 'request.invalid' });
  });
});
