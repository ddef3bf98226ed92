import { describe, expect, it } from 'vitest';
import { dec, Fixture, ids } from '../../../../test/support/brokerage.js';
import { tradeMarketOf } from './account.js';
import { totalFees } from './fees.js';
import { averagePrice, units } from './order.js';

const HK = 'HK.00700';
const buy = { code: '00700', trdSide: 1, qty: 100, price: 600 };
const sell = { code: '00700', trdSide: 2, qty: 100, price: 600 };

describe('the ledger', () => {
  it('books a purchase and a sale to the cent', async () => {
    const f = Fixture.open();
    const account = f.account(ids.hkCash);
    f.book(HK, [], [['600', 200n]]);
    const bought = await f.place(ids.hkCash, { ...buy, qty: 200 });
    const frozen = f.brokerage.records.ledger.frozen(account, 'HKD');
    await f.pass();
    // 120,000: commission 36, platform 15, stamp duty 120, trading 6.78, SFC 3.24, AFRC 0.18, settlement 5.04.
    const fees = totalFees(f.order(bought).fees);
    expect(fees).toBe(dec('186.24'));
    expect(frozen).toBe(dec('120186.24'));
    expect(f.brokerage.records.ledger.cash(account, 'HKD')).toBe(dec('9879813.76'));
    f.book(HK, [['610', 100n]], []);
    const sold = await f.place(ids.hkCash, { ...sell, price: 610 });
    await f.pass();
    const position = f.brokerage.records.ledger.position(ids.hkCash, HK);
    expect(position).toMatchObject({ quantity: 100n, cost: dec('60000'), realised: dec('1000'), invested: dec('59000') });
    expect(f.brokerage.records.ledger.cash(account, 'HKD')).toBe(dec('9879813.76') + dec('61000') - totalFees(f.order(sold).fees));
  });

  it('charges an order the same fees whether it fills at once or in parts', async () => {
    const whole = Fixture.open();
    whole.book(HK, [], [['600', 500n]]);
    const atOnce = await whole.place(ids.hkCash, { ...buy, qty: 500 });
    await whole.pass();
    const parts = Fixture.open();
    const inParts = await parts.place(ids.hkCash, { ...buy, qty: 500 });
    await parts.pass();
    for (let i = 0; i < 5; i += 1) {
      parts.trade(HK, '600', 100n, -1);
      await parts.pass();
    }
    expect(parts.order(inParts).fees).toEqual(whole.order(atOnce).fees);
    expect(parts.order(inParts).status).toBe('filled_all');
  });

  it('opens a short position on margin only, and closes it by buying back', async () => {
    const f = Fixture.open();
    f.book(HK, [['600', 500n]], []);
    await f.place(ids.hkMargin, { ...sell, trdSide: 3, qty: 200 });
    await f.pass();
    expect(f.brokerage.records.ledger.position(ids.hkMargin, HK)).toMatchObject({ quantity: -200n, cost: dec('120000') });
    expect(await f.refusal(ids.hkMargin, { ...buy, qty: 300 })).toContain('is short 200');
    f.book(HK, [], [['590', 500n]]);
    await f.place(ids.hkMargin, { ...buy, trdSide: 4, qty: 200 });
    await f.pass();
    expect(f.brokerage.records.ledger.position(ids.hkMargin, HK)).toMatchObject({ quantity: 0n, cost: 0n, realised: dec('2000') });
  });

  it.each([
    ['limit', { price: 0.1 }],
    ['stop limit', { orderType: 11, price: 0.1, auxPrice: 599 }],
    ['limit if touched', { orderType: 13, price: 0.1, auxPrice: 601 }],
    ['special limit', { orderType: 8, price: 0.1 }],
    ['auction limit', { orderType: 7, price: 0.1 }],
  ])('takes the margin of a short %s order at the price at which it may fill, not at its limit', async (_, terms) => {
    const f = Fixture.open();
    f.book(HK, [['600', 100_000n]], []);
    // 10,000,000 carry 27,700 shares at 600: 60 % of 16.6 million.
    expect(await f.refusal(ids.hkMargin, { ...sell, ...terms, trdSide: 3, qty: 28_000 })).toContain('insufficient buying power');
    const order = await f.place(ids.hkMargin, { ...sell, ...terms, trdSide: 3, qty: 1_000 });
    expect(f.brokerage.records.ledger.reservedMargin(f.account(ids.hkMargin), 'HKD')).toBeGreaterThanOrEqual(dec('360000'));
    expect(await f.cancel(ids.hkMargin, order)).toBeUndefined();
  });

  it('takes the margin of a short future at the price at which it may fill, not at its limit', async () => {
    const f = Fixture.open();
    f.book('HK.HSImain', [['26000', 500n]], []);
    expect(await f.refusal(ids.futures, { code: 'HSImain', trdSide: 2, price: 1, qty: 300 })).toContain('insufficient buying power');
  });

  it('ends a short order that its account cannot carry any more when it reaches the market', async () => {
    const f = Fixture.open();
    f.book(HK, [['600', 100_000n]], []);
    const terms = { ...sell, orderType: 11, price: 0.1, auxPrice: 599, trdSide: 3 };
    const first = await f.place(ids.hkMargin, { ...terms, qty: 15_000 });
    const second = await f.place(ids.hkMargin, { ...terms, qty: 10_000 });
    f.book(HK, [['900', 100_000n]], []);
    await f.pass();
    // A second trade confirms a price so far from the quotes.
    f.trade(HK, '599', 100n, -1);
    f.trade(HK, '599', 100n, -1);
    await f.pass();
    const { ledger } = f.brokerage.records;
    expect([f.order(first).status, f.order(second).status]).toEqual(['failed', 'filled_all']);
    expect(f.order(first).lastError).toContain('insufficient buying power');
    expect(ledger.position(ids.hkMargin, HK)).toMatchObject({ quantity: -10_000n, cost: dec('9000000') });
    expect(ledger.reservedMargin(f.account(ids.hkMargin), 'HKD')).toBe(0n);
  });

  it('settles futures in the difference', async () => {
    const f = Fixture.open();
    const symbol = 'HK.HSImain';
    const account = f.account(ids.futures);
    f.book(symbol, [], [['26000', 5n]]);
    const bought = await f.place(ids.futures, { code: 'HSImain', qty: 2, price: 26_000 });
    await f.pass();
    expect(f.order(bought).status).toBe('filled_all');
    f.book(symbol, [['26100', 5n]], []);
    const sold = await f.place(ids.futures, { code: 'HSImain', trdSide: 2, qty: 2, price: 26_100 });
    await f.pass();
    const fees = totalFees(f.order(bought).fees) + totalFees(f.order(sold).fees);
    // Two contracts, 100 points, 50 HKD a point.
    expect(f.brokerage.records.ledger.cash(account, 'HKD')).toBe(dec('10000000') + dec('10000') - fees);
  });

  it('gives the exact average price', async () => {
    const f = Fixture.open();
    f.book(
      HK,
      [],
      [
        ['600', 100n],
        ['600.2', 200n],
        ['600.4', 100n],
      ],
    );
    const id = await f.place(ids.hkCash, { ...buy, price: 601, qty: 400 });
    await f.pass();
    expect(averagePrice(f.order(id)) * 4n).toBe(dec('600') + 2n * dec('600.2') + dec('600.4'));
    expect(f.order(id).filledQuantity).toBe(400n);
    expect(units(1n)).toBe(dec('1'));
  });
});

it('lets two callers trade with each other, on the tape once', async () => {
  const f = Fixture.open();
  f.book(HK, [], [['600', 100n]]);
  await f.place(ids.hkCash, buy);
  await f.pass();
  const sold = await f.place(ids.hkCash, { ...sell, price: 605 });
  await f.pass();
  const bought = await f.place(ids.hkMargin, { ...buy, price: 605 });
  await f.pass();
  expect([f.order(sold).status, f.order(bought).status]).toEqual(['filled_all', 'filled_all']);
  expect(f.market.ticks(f.instrument(HK), 10).filter((tick) => tick.price === dec('605'))).toHaveLength(1);
});

describe('every account', () => {
  const accounts = Fixture.open().brokerage.accounts.flatMap(({ id, lacks, markets }) =>
    lacks === undefined ? markets.map((market) => [id, market] as const) : [],
  );

  it.each(accounts)('%s trades in %s', async (id, market) => {
    const f = Fixture.open();
    f.unlock();
    const account = f.account(id);
    const instrument = f.simulation.world
      .instruments()
      .find((one) => tradeMarketOf(one, account.environment) === market && (one.kind !== 'future' || one.future.month === undefined));
    if (instrument === undefined) throw new Error(`the world has nothing to trade in ${market}`);
    const price = Number(instrument.referencePrice) / 1e9;
    f.market.setBook(instrument, [], [[instrument.referencePrice, 1_000n]]);
    const order = await f.place(id, { code: instrument.code, qty: instrument.lotSize, price }, undefined, market);
    await f.pass();
    expect(f.order(order)).toMatchObject({ status: 'filled_all', tradeMarket: market, currency: instrument.currency });
    expect(f.brokerage.records.ledger.position(id, instrument.symbol)?.quantity).toBe(BigInt(instrument.lotSize));
  });

  it('of simulated futures goes by the one market of all futures too', async () => {
    const f = Fixture.open();
    const order = await f.place(ids.futures, { code: 'HSImain', qty: 1, price: 26_000 }, undefined, 'FUTURES');
    expect(f.order(order).tradeMarket).toBe('FUTURES_SIMULATE_HK');
  });
});
