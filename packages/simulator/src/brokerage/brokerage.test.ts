import { describe, expect, it } from 'vitest';
import { dec, Fixture, ids } from '../../../../test/support/brokerage.js';
import { tradeMarketOf } from './account.js';
import { totalFees } from './fees.js';
import { averagePrice, units } from './order.js';

const HK = 'HK.00700';
const buy = { code: '00700', trdSide: 1, qty: 100, price: 600 };
const sell = { code: '00700', trdSide: 2, qty: 100, price: 600 };
const statuses = (fixture: Fixture, id: bigint) =>
  fixture.events.flatMap((event) =>
    event.kind === 'order' && event.order.id === id
      ? [event.order.status]
      : event.kind === 'fill' && event.fill.orderId === id
        ? ['fill']
        : [],
  );

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
    expect(statuses(f, id)).toEqual(['submitting', 'submitted', 'fill', 'filled_part', 'fill', 'filled_all']);
  });

  it('ends in a cancellation that is confirmed after it is acknowledged', async () => {
    const f = Fixture.open();
    const id = await f.place(ids.hkCash, buy);
    await f.pass();
    expect(await f.cancel(ids.hkCash, id)).toBeUndefined();
    expect(f.order(id).status).toBe('cancelling_all');
    await f.pass();
    expect(statuses(f, id)).toEqual(['submitting', 'submitted', 'cancelling_all', 'cancelled_all']);
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

describe('order types', () => {
  const asks = [
    ['600', 100n],
    ['601', 100n],
  ] as const;

  it('market: trades at any price within its protection, gives the rest up', async () => {
    const f = Fixture.open();
    f.book(HK, [], [...asks, ['700', 900n]]);
    const id = await f.place(ids.hkCash, { code: '00700', orderType: 2, qty: 300 });
    await f.pass();
    expect(f.order(id)).toMatchObject({ status: 'cancelled_part', filledQuantity: 200n });
  });

  it('special limit: gives up what it cannot fill at once', async () => {
    const f = Fixture.open();
    f.book(HK, [], asks);
    const id = await f.place(ids.hkCash, { ...buy, orderType: 8, qty: 300 });
    await f.pass();
    expect(f.order(id)).toMatchObject({ status: 'cancelled_part', filledQuantity: 100n });
  });

  it('special limit all: all or nothing', async () => {
    const f = Fixture.open();
    f.book(HK, [], asks);
    const tooMuch = await f.place(ids.hkCash, { ...buy, price: 601, orderType: 9, qty: 300 });
    const fits = await f.place(ids.hkCash, { ...buy, price: 601, orderType: 9, qty: 200 });
    await f.pass();
    expect(f.order(tooMuch)).toMatchObject({ status: 'cancelled_all', filledQuantity: 0n });
    expect(f.order(fits)).toMatchObject({ status: 'filled_all', filledValue: dec('120100') });
  });

  it('absolute limit: fails unless the best price is its own', async () => {
    const f = Fixture.open();
    f.book(HK, [], asks);
    const through = await f.place(ids.hkCash, { ...buy, price: 601, orderType: 5 });
    const exact = await f.place(ids.hkCash, { ...buy, price: 600, orderType: 5 });
    await f.pass();
    expect(f.order(through)).toMatchObject({ status: 'failed', lastError: expect.stringContaining('best price') });
    expect(f.order(exact).status).toBe('filled_all');
  });

  it('immediate or cancel', async () => {
    const f = Fixture.open();
    f.book(HK, [], asks);
    const id = await f.place(ids.hkCash, { ...buy, qty: 200, timeInForce: 2 });
    await f.pass();
    expect(f.order(id)).toMatchObject({ status: 'cancelled_part', filledQuantity: 100n });
  });

  it('stop: waits for its trigger, then trades at the market', async () => {
    const f = Fixture.open();
    f.book(HK, [], [['605', 500n]]);
    const id = await f.place(ids.hkCash, { code: '00700', orderType: 10, qty: 100, auxPrice: 603 });
    await f.pass(1_000);
    expect(f.order(id).status).toBe('waiting_submit');
    f.trade(HK, '602.8', 100n, 1);
    await f.pass();
    expect(f.order(id).status).toBe('waiting_submit');
    f.trade(HK, '603', 100n, 1);
    await f.pass(100);
    expect(f.order(id)).toMatchObject({ status: 'filled_all', filledValue: dec('60500') });
    expect(statuses(f, id)).toEqual(['waiting_submit', 'submitting', 'submitted', 'fill', 'filled_all']);
  });

  it('limit if touched: waits for a better price, then rests at its limit', async () => {
    const f = Fixture.open();
    const id = await f.place(ids.hkCash, { ...buy, orderType: 13, price: 590, auxPrice: 595 });
    f.trade(HK, '596', 100n, -1);
    await f.pass();
    expect(f.order(id).status).toBe('waiting_submit');
    f.trade(HK, '594', 100n, -1);
    await f.pass(100);
    expect(f.order(id)).toMatchObject({ status: 'submitted', price: dec('590') });
  });

  it('trailing stop: follows the price, and goes when it turns by the distance', async () => {
    const f = Fixture.open();
    f.book(HK, [], [['600', 100n]]);
    await f.place(ids.hkCash, buy);
    await f.pass();
    const id = await f.place(ids.hkCash, { code: '00700', trdSide: 2, orderType: 14, qty: 100, trailType: 2, trailValue: 5 });
    expect(f.order(id).trigger?.price).toBe(dec('595'));
    await f.pass();
    f.trade(HK, '610', 100n, 1);
    await f.pass();
    expect(f.order(id).trigger?.price).toBe(dec('605'));
    f.trade(HK, '605.2', 100n, -1);
    await f.pass();
    expect(f.order(id).status).toBe('waiting_submit');
    f.book(HK, [['604', 100n]], []);
    f.trade(HK, '605', 100n, -1);
    await f.pass(100);
    expect(f.order(id)).toMatchObject({ status: 'filled_all', filledValue: dec('60400') });
  });
});

describe('sessions and auctions in calendar mode', () => {
  // Friday, 20:00 in Hong Kong: the next session is on Monday, 09:30.
  const evening = Date.UTC(2026, 10, 20, 12);
  const monday = Date.UTC(2026, 10, 23, 1, 30);

  it('keeps limit orders until the market opens, in the order in which they came', async () => {
    const f = Fixture.open({ mode: 'calendar', start: evening });
    const first = await f.place(ids.hkCash, buy);
    const second = await f.place(ids.hkMargin, buy);
    expect(f.order(first).status).toBe('waiting_submit');
    await f.pass(monday - evening - 1);
    expect(f.order(first).status).toBe('waiting_submit');
    await f.pass(1);
    expect(f.order(first).status).toBe('submitted');
    await f.pass(1);
    f.trade(HK, '600', 150n, -1);
    await f.pass();
    expect(f.order(first).filledQuantity).toBe(100n);
    expect(f.order(second).filledQuantity).toBe(50n);
    await f.pass(24 * 3_600_000);
    expect(f.order(second)).toMatchObject({ status: 'cancelled_part', lastError: 'expired at the end of the trading day' });
  });

  it('refuses market orders while the market is closed, and says when it opens', async () => {
    const f = Fixture.open({ mode: 'calendar', start: evening });
    expect(await f.refusal(ids.hkCash, { code: '00700', orderType: 2, qty: 100 })).toContain('closed until 2026-11-23 09:30:00');
  });

  it('lets auction orders meet at the next opening', async () => {
    const f = Fixture.open({ mode: 'calendar' });
    f.book(HK, [], [['600', 100n]]);
    const auction = await f.place(ids.hkCash, { code: '00700', orderType: 6, qty: 100 });
    const limited = await f.place(ids.hkCash, { ...buy, price: 599, orderType: 7 });
    await f.pass(3_600_000);
    expect(f.order(auction).status).toBe('waiting_submit');
    await f.pass(monday - f.clock.now());
    expect(f.order(auction).status).toBe('filled_all');
    expect(f.order(limited).status).toBe('submitted');
  });

  it('trades US orders in extended sessions only when they ask for it', async () => {
    // Friday, 08:00 in New York: before the regular session.
    const f = Fixture.open({ mode: 'calendar', start: Date.UTC(2026, 10, 20, 13) });
    f.book('US.AAPL', [], [['250', 100n]]);
    const regular = await f.place(ids.us, { code: 'AAPL', qty: 10, price: 250 });
    const extended = await f.place(ids.us, { code: 'AAPL', qty: 10, price: 250, fillOutsideRTH: true });
    await f.pass();
    expect(f.order(regular).status).toBe('waiting_submit');
    expect(f.order(extended).status).toBe('filled_all');
    await f.pass(2 * 3_600_000);
    expect(f.order(regular).status).toBe('filled_all');
  });

  it('trades orders for the night where the market trades around the clock, and refuses them elsewhere', async () => {
    const order = { code: 'AAPL', qty: 10, price: 250, session: 4 };
    const open = Fixture.open({ mode: 'open' });
    open.book('US.AAPL', [], [['250', 100n]]);
    const id = await open.place(ids.us, order);
    await open.pass();
    expect(open.order(id)).toMatchObject({ status: 'filled_all', hours: 'overnight' });
    const calendar = Fixture.open({ mode: 'calendar', start: Date.UTC(2026, 10, 20, 13) });
    expect(await calendar.refusal(ids.us, order)).toBe('session 4 (overnight): US.AAPL is not traded overnight');
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
    expect(await unlock(f)).toBeUndefined();
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

async function unlock(f: Fixture): Promise<string | undefined> {
  return f.brokerage.lock.unlock('e10adc3949ba59abbe56e057f20f883e')?.message;
}

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
    await unlock(f);
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
    const future = { code: 'HSImain', trdSide: 2, price: 1 };
    f.book('HK.HSImain', [['26000', 500n]], []);
    expect(await f.refusal(ids.futures, { ...future, qty: 300 })).toContain('insufficient buying power');
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
    await unlock(f);
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

describe('time in force', () => {
  it('good till a date: until the end of that day', async () => {
    const f = Fixture.open();
    const id = await f.place(ids.hkCash, { ...buy, timeInForce: 3, expireTime: '2026-11-23' });
    await f.pass(Date.UTC(2026, 10, 23, 15, 59, 59) - f.clock.now());
    expect(f.order(id).status).toBe('submitted');
    await f.pass(1_000);
    expect(f.order(id)).toMatchObject({ status: 'cancelled_all', lastError: 'expired at the end of its time in force' });
    expect(await f.refusal(ids.hkCash, { ...buy, timeInForce: 3, expireTime: 'soon' })).toContain('expireTime "soon" must be');
  });

  it('is the day for orders that do not wait', async () => {
    const f = Fixture.open();
    expect(await f.refusal(ids.hkCash, { ...buy, orderType: 8, timeInForce: 1 })).toContain('is for the day only');
    expect(await f.refusal(ids.hkCash, { ...buy, orderType: 2, timeInForce: 1 })).toContain('accepted timeInForce: 0 (day), 2 (ioc)');
  });
});
