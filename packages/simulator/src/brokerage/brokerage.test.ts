import { describe, expect, it } from 'vitest';
import { dec, Fixture, ids } from '../../../../test/support/brokerage.js';

const HK = 'HK.00700';
const buy = { code: '00700', trdSide: 1, qty: 100, price: 600 };
const sell = { code: '00700', trdSide: 2, qty: 100, price: 600 };
describe('the life of an order', () => {
  it('is acknowledged, submitted, filled in parts, and told in order', async () => {
    const f = Fixture.open();
    f.book(HK, [], [['600', 200n]]);
    const id = await f.place(ids.hkCash, { ...buy, qty: 500 });
    expect(f.order(id).status).toBe('submitting');
    await f.pass();
    expect(f.order(id)).toMatchObject({ status: 'filled_part', filledQuantity: 200n });
    await f.pass();
    f.trade(HK, '600', 300n, -1);
    await f.pass();
    expect(f.order(id)).toMatchObject({ status: 'filled_all', filledQuantity: 500n });
    expect(f.told(id)).toEqual(['submitting', 'submitted', 'fill', 'filled_part', 'fill', 'filled_all']);
  });

  it('ends in a cancellation that is confirmed after it is acknowledged', async () => {
    const f = Fixture.open();
    const id = await f.place(ids.hkCash, buy);
    await f.pass();
    expect(await f.cancel(ids.hkCash, id)).toBeUndefined();
    expect(f.order(id).status).toBe('cancelling_all');
    await f.pass();
    expect(f.told(id)).toEqual(['submitting', 'submitted', 'cancelling_all', 'cancelled_all']);
    expect(await f.cancel(ids.hkCash, id)).toContain('is cancelled and cannot be cancelled');
    expect(f.market.book(f.instrument(HK), 5).bids).toEqual([]);
    expect(f.market.isWatched(f.instrument(HK))).toBe(false);
  });

  it('keeps its fills when the rest is cancelled', async () => {
    const f = Fixture.open();
    f.book(HK, [], [['600', 200n]]);
    const id = await f.place(ids.hkCash, { ...buy, qty: 500 });
    await f.pass();
    expect(await f.cancel(ids.hkCash, id)).toBeUndefined();
    await f.pass();
    expect(f.order(id)).toMatchObject({ status: 'cancelled_part', filledQuantity: 200n });
    expect(f.brokerage.records.ledger.frozen(f.account(ids.hkCash), 'HKD')).toBe(0n);
  });

  it('can be cancelled before it has reached the exchange', async () => {
    const f = Fixture.open();
    f.book(HK, [], [['600', 200n]]);
    const id = await f.place(ids.hkCash, buy);
    await f.cancel(ids.hkCash, id);
    await f.pass(1_000);
    expect(f.order(id)).toMatchObject({ status: 'cancelled_all', filledQuantity: 0n });
  });

  it('ends with the trading day', async () => {
    const f = Fixture.open();
    const day = await f.place(ids.hkCash, buy);
    const gtc = await f.place(ids.hkCash, { ...buy, timeInForce: 1 });
    await f.pass(24 * 3_600_000);
    expect(f.order(day)).toMatchObject({ status: 'cancelled_all', lastError: 'expired at the end of the trading day' });
    expect(f.order(gtc).status).toBe('submitted');
    await f.pass(90 * 24 * 3_600_000);
    expect(f.order(gtc).status).toBe('cancelled_all');
  });

  it('disables, enables and deletes Hong Kong orders without fills', async () => {
    const f = Fixture.open();
    const id = await f.place(ids.hkCash, buy);
    await f.pass();
    expect(await f.modify(ids.hkCash, { orderID: id, modifyOrderOp: 3 })).toBeUndefined();
    expect(f.order(id).status).toBe('disabled');
    expect(f.brokerage.records.ledger.frozen(f.account(ids.hkCash), 'HKD')).toBe(0n);
    expect(await f.modify(ids.hkCash, { orderID: id, modifyOrderOp: 4 })).toBeUndefined();
    await f.pass();
    expect(f.order(id).status).toBe('submitted');
    expect(await f.modify(ids.hkCash, { orderID: id, modifyOrderOp: 5 })).toContain('only a finished order without fills');
    await f.modify(ids.hkCash, { orderID: id, modifyOrderOp: 3 });
    expect(await f.modify(ids.hkCash, { orderID: id, modifyOrderOp: 5 })).toBeUndefined();
    expect(f.order(id).status).toBe('deleted');
    const us = await f.place(ids.us, { code: 'AAPL', qty: 1, price: 100 });
    expect(await f.modify(ids.us, { orderID: us, modifyOrderOp: 3 })).toContain('only Hong Kong orders');
  });
});

describe('a change of an order', () => {
  it('counts what is filled in the new total', async () => {
    const f = Fixture.open();
    f.book(HK, [], [['600', 200n]]);
    const id = await f.place(ids.hkCash, { ...buy, qty: 500 });
    await f.pass();
    expect(await f.modify(ids.hkCash, { orderID: id, modifyOrderOp: 1, qty: 200, price: 600 })).toContain('already filled');
    expect(await f.modify(ids.hkCash, { orderID: id, modifyOrderOp: 1, qty: 300, price: 600 })).toBeUndefined();
    await f.pass();
    f.trade(HK, '600', 900n, -1);
    await f.pass();
    expect(f.order(id)).toMatchObject({ status: 'filled_all', filledQuantity: 300n });
  });

  it('keeps the place in the queue when only the quantity falls, and loses it otherwise', async () => {
    const f = Fixture.open();
    const first = await f.place(ids.hkCash, { ...buy, qty: 300 });
    const second = await f.place(ids.hkMargin, buy);
    await f.pass();
    await f.modify(ids.hkCash, { orderID: first, modifyOrderOp: 1, qty: 200, price: 600 });
    await f.pass();
    f.trade(HK, '600', 100n, -1);
    await f.pass();
    expect([f.order(first).filledQuantity, f.order(second).filledQuantity]).toEqual([100n, 0n]);
    await f.modify(ids.hkCash, { orderID: first, modifyOrderOp: 1, qty: 400, price: 600 });
    await f.pass();
    f.trade(HK, '600', 100n, -1);
    await f.pass();
    expect([f.order(first).filledQuantity, f.order(second).filledQuantity]).toEqual([100n, 100n]);
  });

  it('trades when the new price reaches the other side', async () => {
    const f = Fixture.open();
    f.book(HK, [], [['605', 100n]]);
    const id = await f.place(ids.hkCash, buy);
    await f.pass();
    await f.modify(ids.hkCash, { orderID: id, modifyOrderOp: 1, qty: 100, price: 605 });
    await f.pass();
    expect(f.order(id)).toMatchObject({ status: 'filled_all', filledValue: dec('60500') });
  });

  it('is checked against the funds with what the order already holds', async () => {
    const f = Fixture.open();
    const id = await f.place(ids.hkCash, { ...buy, qty: 16_000 });
    expect(await f.modify(ids.hkCash, { orderID: id, modifyOrderOp: 1, qty: 16_500, price: 600 })).toBeUndefined();
    expect(await f.modify(ids.hkCash, { orderID: id, modifyOrderOp: 1, qty: 17_000, price: 600 })).toContain('insufficient buying power');
    expect(f.order(id).quantity).toBe(16_500n);
  });

  it('cancels every open order of an account, of one market where it says so', async () => {
    const f = Fixture.open();
    f.unlock();
    const hk = await f.place(ids.real, buy);
    const us = await f.place(ids.real, { code: 'AAPL', qty: 1, price: 100 }).catch(() => undefined);
    expect(us).toBeUndefined();
    const other = await f.place(ids.hkCash, buy);
    expect(await f.modify(ids.real, { modifyOrderOp: 2, forAll: true, trdMarket: 2 })).toBeUndefined();
    expect(f.order(hk).status).toBe('submitting');
    expect(await f.modify(ids.real, { modifyOrderOp: 2, forAll: true })).toBeUndefined();
    await f.pass();
    expect(f.order(hk).status).toBe('cancelled_all');
    expect(f.order(other).status).toBe('submitted');
  });
});

describe('refusals', () => {
  it.each([
    ['an unknown code', ids.hkCash, { ...buy, code: '99999' }, 'unknown symbol HK.99999'],
    ['a code with its market', ids.hkCash, { ...buy, code: 'HK.00700' }, 'no market prefix'],
    ['another market', ids.hkCash, { ...buy, code: 'AAPL', secMarket: 2 }, 'sec_market 2 does not belong to market 1'],
    ['an index', ids.hkCash, { ...buy, code: '800000' }, 'is an index'],
    ['part of a lot', ids.hkCash, { ...buy, qty: 150 }, 'not a multiple of the lot size 100'],
    ['part of a share', ids.us, { code: 'AAPL', qty: 1.5, price: 100 }, 'qty 1.5 must be a whole number'],
    ['no quantity', ids.hkCash, { ...buy, qty: 0 }, 'qty 0 must be a whole number'],
    ['a price between ticks', ids.hkCash, { ...buy, price: 600.03 }, 'nearest: 600 and 600.5'],
    ['no price', ids.hkCash, { code: '00700', qty: 100 }, 'price is required'],
    ['a negative price', ids.hkCash, { ...buy, price: -1 }, 'price -1 must be above 0'],
    [
      'an order type of another market',
      ids.us,
      { code: 'AAPL', qty: 1, price: 100, orderType: 8 },
      'order type 8 (special_limit) is not accepted',
    ],
    ['an unknown order type', ids.hkCash, { ...buy, orderType: 3 }, 'orderType 3 is not accepted; accepted: 1 normal'],
    ['an unknown side', ids.hkCash, { ...buy, trdSide: 9 }, 'trdSide 9 is not accepted'],
    [
      'a position that it does not have',
      ids.hkCash,
      { ...sell, positionID: 5n },
      'positionID 5: account 281756478396547001 has no position in HK.00700',
    ],
    ['too much', ids.hkCash, { ...buy, qty: 17_000 }, 'insufficient buying power'],
    ['what is not held', ids.hkCash, sell, 'insufficient position: 0 of HK.00700 can be sold'],
    ['a short sale in a cash account', ids.hkCash, { ...sell, trdSide: 3 }, 'needs a margin account'],
    ['a long remark', ids.hkCash, { ...buy, remark: 'é'.repeat(33) }, 'remark has 66 bytes'],
    ['a trigger that is missing', ids.hkCash, { ...buy, orderType: 10 }, 'auxPrice, the trigger price, is required'],
    ['outside hours elsewhere than in the US', ids.hkCash, { ...buy, fillOutsideRTH: true }, 'US stocks'],
    ['a locked real account', ids.real, buy, 'trading is locked'],
  ])('%s', async (_, account, order, text) => {
    const f = Fixture.open();
    expect(await f.refusal(account, order)).toContain(text);
    expect(f.events).toEqual([]);
  });

  it('says what is needed and free in whole amounts of the currency', async () => {
    const f = Fixture.open();
    f.unlock();
    f.market.trade(f.instrument('JP.7203'), dec('3000'), 100n, 1);
    const refused = await f.tryPlace(ids.real, { code: '7203', trdSide: 1, qty: 1_000_000, price: 3_000 }, undefined, 'JP');
    expect(refused).toMatchObject({ message: expect.stringMatching(/needs \d+ JPY of margin, \d+ JPY is free$/) });
  });

  it('moves a price to a tick when asked, within the bound', async () => {
    const f = Fixture.open();
    const up = await f.place(ids.hkCash, { ...buy, price: 600.03, adjustPrice: true, adjustSideAndLimit: 0.01 });
    const down = await f.place(ids.hkCash, { ...buy, price: 600.03, adjustPrice: true, adjustSideAndLimit: -0.01 });
    expect([f.order(up).price, f.order(down).price]).toEqual([dec('600.5'), dec('600')]);
    expect(await f.refusal(ids.hkCash, { ...buy, price: 600.03, adjustPrice: true, adjustSideAndLimit: 0.0001 })).toContain(
      'cannot be adjusted',
    );
  });

  it('sells no more than is held, open sell orders counted', async () => {
    const f = Fixture.open();
    f.book(HK, [], [['600', 300n]]);
    await f.place(ids.hkCash, { ...buy, qty: 300 });
    await f.pass();
    await f.place(ids.hkCash, { ...sell, price: 700, qty: 200 });
    expect(await f.refusal(ids.hkCash, { ...sell, price: 700, qty: 200 })).toContain('100 of HK.00700 can be sold');
  });
});
