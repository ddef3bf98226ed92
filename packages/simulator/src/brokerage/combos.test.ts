import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collected, dec, Fixture, ids } from '../../../../test/support/brokerage.js';
import { netPrice } from '../exchange/index.js';
import { nextTurn } from '../pace.js';
import { Refusal } from '../refusal.js';
import { totalFees } from './fees.js';
import { orderMessage } from './messages.js';
import { isBuying, type OrderRecord } from './order.js';
import type { ComboRequest, LegRequest } from './place-request.js';

const HK = 'HK.00700';
const OTHER = 'HK.00005';
const pair: readonly LegRequest[] = [
  { code: '00700', secMarket: 0, side: 'buy', ratio: 1 },
  { code: '00005', secMarket: 0, side: 'sell_short', ratio: 4 },
];

function request(f: Fixture, accountId: bigint, changes: Partial<ComboRequest> = {}): ComboRequest {
  const account = f.account(accountId);
  const tradeMarket = account.markets[0]!;
  return {
    packet: undefined,
    fingerprint: '',
    account,
    tradeMarket,
    type: 'normal',
    timeInForce: 'day',
    remark: '',
    legs: pair,
    quantity: 100,
    price: 200,
    ...changes,
  };
}

async function place(f: Fixture, accountId: bigint, changes: Partial<ComboRequest> = {}): Promise<bigint> {
  const answer = await f.brokerage.desk.placeCombo(request(f, accountId, changes));
  if (answer instanceof Refusal) throw new Error(answer.message);
  return answer.orderId;
}

function refusal(f: Fixture, accountId: bigint, changes: Partial<ComboRequest>): string {
  const answer = f.brokerage.desk.placeCombo(request(f, accountId, changes));
  return answer instanceof Refusal ? answer.message : 'accepted';
}

async function fillsOf(f: Fixture, id: bigint) {
  const { accId } = f.order(id);
  const fills = await collected(f.brokerage.records.recentFills(f.account(accId), f.clock.now()));
  return fills.filter(({ orderId }) => orderId === id);
}

/** Money and positions as the fills say they are, against what the ledger has. */
async function expectBooked(f: Fixture, order: OrderRecord, opening: bigint): Promise<void> {
  const fills = await fillsOf(f, order.id);
  let paid = 0n;
  for (const leg of order.legs) {
    const own = fills.filter(({ symbol }) => symbol === leg.symbol);
    const volume = own.reduce((sum, { quantity }) => sum + quantity, 0n);
    const value = own.reduce((sum, { quantity, price }) => sum + quantity * price, 0n);
    // Never out of ratio.
    expect(volume).toBe(order.filledQuantity * leg.ratio);
    expect({ volume: leg.filledQuantity, value: leg.filledValue }).toEqual({ volume, value });
    expect(f.brokerage.records.ledger.position(order.accId, leg.symbol)?.quantity ?? 0n).toBe(isBuying(leg.side) ? volume : -volume);
    paid += isBuying(leg.side) ? value : -value;
  }
  expect(order.filledValue).toBe(paid);
  // Never worse than the limit.
  expect(paid <= order.price * order.filledQuantity).toBe(true);
  const { cash } = f.brokerage.records.money.balances(order.accId, 'HKD');
  expect(cash).toBe(opening - paid - totalFees(order.fees));
}

describe('an order of several legs', () => {
  it('takes what all its books have in ratio, rests with what is left, and trades it when they come', async () => {
    const f = Fixture.open();
    const account = f.account(ids.hkMargin);
    const opening = f.brokerage.records.ledger.cash(account, 'HKD');
    // 600 − 4 × 100 = 200: what is left at 601 is too dear.
    f.book(
      HK,
      [['599', 500n]],
      [
        ['600', 200n],
        ['601', 900n],
      ],
    );
    f.book(OTHER, [['100', 5_000n]], [['100.1', 5_000n]]);
    const id = await place(f, ids.hkMargin, { quantity: 500 });
    expect(f.order(id)).toMatchObject({ status: 'submitting', filledQuantity: 0n });
    await f.pass();
    expect(f.order(id)).toMatchObject({ status: 'filled_part', filledQuantity: 200n, filledValue: dec('40000') });
    await expectBooked(f, f.order(id), opening);
    // One book alone changes nothing; a bid that pays more for the other leg makes up for the dearer one.
    f.book(HK, [['599', 500n]], [['601', 900n]]);
    await f.pass();
    expect(f.order(id).filledQuantity).toBe(200n);
    f.book(OTHER, [['100.25', 800n]], [['100.3', 5_000n]]);
    await f.pass();
    expect(f.order(id)).toMatchObject({ status: 'filled_part', filledQuantity: 400n });
    f.book(OTHER, [['101', 4_000n]], [['101.1', 5_000n]]);
    await f.pass();
    expect(f.order(id)).toMatchObject({ status: 'filled_all', filledQuantity: 500n });
    await expectBooked(f, f.order(id), opening);
    expect(f.brokerage.records.ledger.frozen(account, 'HKD')).toBe(0n);
    expect(f.brokerage.records.ledger.reservedMargin(account, 'HKD')).toBe(0n);
    // Each leg is charged as an order of its own.
    expect(f.order(id).fees.find(({ title }) => title === 'Platform Fee')?.value).toBe(dec('30'));
    // Nobody is told of a state between two legs.
    const told = f.events.flatMap((event) => (event.kind === 'order' && event.order.id === id ? [event.order] : []));
    for (const order of told) for (const leg of order.legs) expect(leg.filledQuantity).toBe(order.filledQuantity * leg.ratio);
    expect(told.filter(({ filledQuantity }) => filledQuantity > 0n)).toHaveLength(3);
    // Both books are let go.
    for (const symbol of [HK, OTHER]) expect(f.market.isWatched(f.instrument(symbol))).toBe(false);
  });

  it('never trades a leg out of ratio, nor beyond its price, whatever the books do; entries sum', async () => {
    const price = (from: number) => fc.integer({ min: 0, max: 8 }).map((ticks) => (from + ticks * 0.5).toFixed(1));
    const book = (from: number) =>
      fc.record({
        bids: fc.array(fc.tuple(price(from - 5), fc.bigInt({ min: 1n, max: 900n })), { maxLength: 4 }),
        asks: fc.array(fc.tuple(price(from), fc.bigInt({ min: 1n, max: 900n })), { maxLength: 4 }),
      });
    const step = fc.record({
      first: book(600),
      second: book(100),
      crash: fc.boolean(),
      replace: fc.option(fc.integer({ min: 1, max: 9 })),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 190, max: 215 }),
        fc.constantFrom('buy', 'sell') as fc.Arbitrary<'buy' | 'sell'>,
        fc.integer({ min: 1, max: 4 }),
        async (steps, limit, direction, ratio) => {
          let f = Fixture.open();
          const opening = f.brokerage.records.ledger.cash(f.account(ids.hkMargin), 'HKD');
          const legs: LegRequest[] =
            direction === 'buy'
              ? [
                  { ...pair[0]!, ratio: 1 },
                  { ...pair[1]!, ratio: 4 },
                ]
              : [
                  { ...pair[0]!, side: 'sell_short', ratio: 1 },
                  { ...pair[1]!, side: 'buy', ratio },
                ];
          const net = direction === 'buy' ? limit : ratio * 100 - 600 + (limit - 200);
          const id = await place(f, ids.hkMargin, { legs, quantity: 400, price: net });
          for (const { first, second, crash, replace } of steps) {
            f.book(HK, first.bids, first.asks);
            f.book(OTHER, second.bids, second.asks);
            await f.pass();
            const order = f.order(id);
            await expectBooked(f, order, opening);
            if (crash) {
              const again = f.restarted();
              expect(again.order(id)).toEqual(order);
              f = again;
              await f.pass();
              await expectBooked(f, f.order(id), opening);
            }
            if (replace !== null && replace !== undefined)
              await f.modify(ids.hkMargin, { orderID: id, modifyOrderOp: 1, qty: replace * 100, price: net });
          }
          await f.cancel(ids.hkMargin, id);
          await f.pass();
          const { ledger } = f.brokerage.records;
          expect([ledger.frozen(f.account(ids.hkMargin), 'HKD'), ledger.reservedMargin(f.account(ids.hkMargin), 'HKD')]).toEqual([0n, 0n]);
        },
      ),
      { numRuns: 60 },
    );
  });

  it('meets callers who rest in one of its books, and gives them their fills in the same write', async () => {
    const f = Fixture.open();
    f.book(HK, [], [['599', 300n]]);
    f.book(OTHER, [['100', 5_000n]], []);
    await f.place(ids.hkCash, { code: '00700', qty: 300, price: 599 });
    await f.pass();
    const seller = await f.place(ids.hkCash, { code: '00700', trdSide: 2, qty: 300, price: 600 });
    await f.pass();
    const id = await place(f, ids.hkMargin, { quantity: 200 });
    await f.pass();
    expect(f.order(id)).toMatchObject({ status: 'filled_all' });
    expect(f.order(seller)).toMatchObject({ status: 'filled_part', filledQuantity: 200n, filledValue: dec('120000') });
    const again = f.restarted();
    expect([again.order(id), again.order(seller)]).toEqual([f.order(id), f.order(seller)]);
  });

  it('waits for the opening, ends with its day, and ends at once where it may not rest', async () => {
    const f = Fixture.open({ mode: 'calendar', start: Date.UTC(2026, 10, 20, 0) });
    f.book(HK, [], [['600', 1_000n]]);
    f.book(OTHER, [['100', 9_000n]], []);
    const id = await place(f, ids.hkMargin);
    expect(f.order(id).status).toBe('waiting_submit');
    f.clock.advance(3 * 3_600_000);
    await f.pass();
    expect(f.order(id).status).toBe('filled_all');
    f.book(HK, [], []);
    const rest = await place(f, ids.hkMargin);
    const ioc = await place(f, ids.hkMargin, { timeInForce: 'ioc' });
    await f.pass();
    expect(f.order(ioc)).toMatchObject({ status: 'cancelled_all', lastError: expect.stringContaining('could not be filled at once') });
    expect(f.order(rest).status).toBe('submitted');
    f.clock.advance(8 * 3_600_000);
    await f.pass();
    expect(f.order(rest)).toMatchObject({ status: 'cancelled_all', lastError: expect.stringContaining('end of the trading day') });
    expect(f.brokerage.records.ledger.frozen(f.account(ids.hkMargin), 'HKD')).toBe(0n);
  });

  it('is replaced and cancelled as a whole', async () => {
    const f = Fixture.open();
    f.book(HK, [], [['600', 100n]]);
    f.book(OTHER, [['100', 9_000n]], []);
    const id = await place(f, ids.hkMargin, { quantity: 300, price: 200 });
    await f.pass();
    expect(f.order(id).filledQuantity).toBe(100n);
    expect(await f.modify(ids.hkMargin, { orderID: id, modifyOrderOp: 1, qty: 100, price: 200 })).toContain('above the 100 already filled');
    expect(await f.modify(ids.hkMargin, { orderID: id, modifyOrderOp: 1, qty: 200, price: 202.5 })).toBeUndefined();
    f.book(HK, [], [['602.5', 900n]]);
    await f.pass();
    expect(f.order(id)).toMatchObject({ status: 'filled_all', quantity: 200n, filledValue: dec('40250') });
    const next = await place(f, ids.hkMargin, { quantity: 100, price: 100 });
    await f.pass();
    expect(await f.cancel(ids.hkMargin, next)).toBeUndefined();
    expect(f.order(next).status).toBe('cancelling_all');
    f.book(HK, [], [['400', 900n]]);
    await f.pass();
    expect(f.order(next)).toMatchObject({ status: 'cancelled_all', filledQuantity: 0n });
    expect(await fillsOf(f, next)).toEqual([]);
  });

  it('holds what it may cost, and margin and fees for each leg', async () => {
    const f = Fixture.open();
    f.book(HK, [['599', 500n]], [['600', 500n]]);
    f.book(OTHER, [['100', 5_000n]], [['100.5', 500n]]);
    const account = f.account(ids.hkMargin);
    const order = f.order(await place(f, ids.hkMargin, { quantity: 100, price: 150 }));
    const fees = order.feeReserve;
    expect(fees > 0n).toBe(true);
    // The highest cost of a unit is frozen once; margin is half of purchases and three fifths of sales.
    expect(f.brokerage.records.ledger.frozen(account, 'HKD')).toBe(dec('15000') + fees);
    expect(f.brokerage.records.ledger.reservedMargin(account, 'HKD')).toBe(dec('30000') + dec('24000') + fees);
    const free = f.brokerage.valuer.free(account, 'HKD');
    const much = Number(free / dec('540') / 100n) * 100 + 1_000;
    expect(refusal(f, ids.hkMargin, { quantity: much, price: 150 })).toContain('insufficient buying power');
  });

  it('is ended where the account cannot carry a leg any more that has risen', async () => {
    const f = Fixture.open();
    f.book(HK, [['599', 500n]], [['600', 5_000n]]);
    f.book(OTHER, [['100', 50_000n]], [['100.5', 500n]]);
    const account = f.account(ids.hkMargin);
    const per = dec('540');
    const units = (Number(f.brokerage.valuer.free(account, 'HKD') / per / 100n) - 2) * 100;
    const id = await place(f, ids.hkMargin, { quantity: units, price: 150 });
    await f.pass();
    expect(f.order(id).status).toBe('submitted');
    // Both legs are three times as dear: the price of both together is met.
    f.book(HK, [['1799', 500n]], [['1800', 50_000n]]);
    f.book(OTHER, [['500', 500_000n]], [['500.5', 500n]]);
    await f.pass();
    expect(f.order(id)).toMatchObject({
      status: 'failed',
      filledQuantity: 0n,
      lastError: expect.stringContaining('insufficient buying power'),
    });
  });

  it('is listed with its legs and its price for all of them', async () => {
    const f = Fixture.open();
    f.book(HK, [], [['600', 100n]]);
    f.book(OTHER, [['100', 9_000n]], []);
    const id = await place(f, ids.hkMargin, { quantity: 100, remark: 'pair' });
    await f.pass();
    const message = orderMessage(f.simulation.world, f.order(id));
    expect(message).toMatchObject({ code: '00700', trdSide: 1, qty: 100, price: 200, fillQty: 100, fillAvgPrice: 200, remark: 'pair' });
    expect(message.comboLegs.map(({ security, side, qtyRatio }) => [security?.code, side, qtyRatio])).toEqual([
      ['00700', 1, 1],
      ['00005', 3, 4],
    ]);
    expect(
      netPrice(
        f.order(id).legs.map((leg) => ({
          ratio: leg.ratio,
          side: isBuying(leg.side) ? ('buy' as const) : ('sell' as const),
          price: leg.filledValue / leg.filledQuantity,
        })),
      ),
    ).toBe(dec('200'));
  });

  it('ends where an issuer changes one of its legs', async () => {
    const split = {
      kind: 'split',
      announcedDay: '2026-11-01',
      exDay: '2026-11-23',
      recordDay: '2026-11-23',
      payDay: '2026-11-23',
      ratio: [2n, 1n],
    } as const;
    const actions = {
      corporateActions: (symbol: string, from: string, to: string) =>
        symbol === OTHER && from <= split.exDay && split.exDay <= to ? [split] : [],
    };
    const f = Fixture.open({ corporateActions: actions });
    const id = await place(f, ids.hkMargin, { timeInForce: 'gtc', price: 1 });
    await f.pass();
    expect(f.order(id).status).toBe('submitted');
    f.clock.advance(4 * 86_400_000);
    await f.pass();
    expect(f.order(id)).toMatchObject({ status: 'cancelled_all', filledQuantity: 0n });
  });

  it.each<[string, Partial<ComboRequest>, string]>([
    ['one leg', { legs: pair.slice(0, 1) }, 'an order of several legs has two or more'],
    ['a code that is none', { legs: [pair[0]!, { ...pair[1]!, code: 'X' }] }, 'comboLegs[1]: unknown symbol HK.X'],
    ['a security twice', { legs: [pair[0]!, { ...pair[0]!, side: 'sell_short' }] }, 'comboLegs[1]: HK.00700 is named twice'],
    ['half a unit', { legs: [pair[0]!, { ...pair[1]!, ratio: 0.5 }] }, 'comboLegs[1].qtyRatio 0.5 must be a whole number from 1 to 1000'],
    ['ratios with a divisor', { legs: [{ ...pair[0]!, ratio: 2 }, pair[1]!] }, 'have a common divisor'],
    ['odd lots', { quantity: 50 }, 'qty 50 is not a multiple of 100'],
    ['another type', { type: 'market' }, 'order type 2 (market) is not accepted for several legs; accepted: 1 (normal)'],
    ['no price', { price: undefined }, 'price is required'],
    ['a price between ticks', { price: 200.0005 }, 'price 200.0005 is not a multiple of 0.001'],
    ['a price of another world', { price: -1e8 }, 'must lie between -10000000 and 10000000'],
    ['what it does not have', { legs: [pair[0]!, { ...pair[1]!, side: 'sell' }] }, 'insufficient position: 0 of HK.00005 can be sold'],
  ])('is refused for %s', (_, changes, text) => {
    const f = Fixture.open();
    expect(refusal(f, ids.hkMargin, changes)).toContain(text);
  });

  it('names in a leg only the position that the leg closes', async () => {
    const f = Fixture.open();
    const account = f.account(ids.hkMargin);
    f.book(OTHER, [], [['60', 400n]]);
    await f.place(ids.hkMargin, { code: '00005', trdSide: 1, qty: 400, price: 60 });
    await f.pass();
    const own = f.brokerage.records.ledger.position(account.id, OTHER)!.id;
    const closing = (positionId: bigint, side: 'buy' | 'sell' = 'sell'): Partial<ComboRequest> => ({
      legs: [pair[0]!, { ...pair[1]!, side, positionId }],
    });
    expect(refusal(f, ids.hkMargin, closing(own + 1n))).toBe(
      `comboLegs[1].positionID ${own + 1n}: account ${account.id} has position ${own} in HK.00005`,
    );
    expect(refusal(f, ids.hkMargin, { legs: [{ ...pair[0]!, positionId: own }, pair[1]!] })).toContain(
      `comboLegs[0].positionID ${own}: account ${account.id} has no position in HK.00700`,
    );
    expect(refusal(f, ids.hkMargin, closing(own, 'buy'))).toContain('the position is long, only an order that sells closes it');
    expect(await place(f, ids.hkMargin, closing(own))).toBeGreaterThan(0n);
  });

  it('is refused beyond a number of them, until one ends', async () => {
    const f = Fixture.open();
    const legs: LegRequest[] = ['F', 'T'].map((code) => ({ code, secMarket: 0, side: 'buy', ratio: 1 }));
    const small = { legs, quantity: 1, price: 1 };
    const first = await place(f, ids.us, small);
    for (let i = 1; i < 200; i++) await place(f, ids.us, small);
    await f.pass();
    expect(refusal(f, ids.us, small)).toContain('limit of 200 open orders with several legs');
    expect(await f.cancel(ids.us, first)).toBeUndefined();
    await f.pass();
    // Many steps take several turns.
    for (let turn = 0; turn < 50 && f.order(first).status !== 'cancelled_all'; turn++) await nextTurn();
    expect(await place(f, ids.us, small)).toBeGreaterThan(0n);
  });
});
