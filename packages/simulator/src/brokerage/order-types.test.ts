import { describe, expect, it } from 'vitest';
import { dec, Fixture, ids } from '../../../../test/support/brokerage.js';

const HK = 'HK.00700';
const buy = { code: '00700', trdSide: 1, qty: 100, price: 600 };

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
    expect(f.told(id)).toEqual(['waiting_submit', 'submitting', 'submitted', 'fill', 'filled_all']);
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
