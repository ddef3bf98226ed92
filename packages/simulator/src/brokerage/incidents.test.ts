import { describe, expect, it } from 'vitest';
import { collected, dec, Fixture, ids } from '../../../../test/support/brokerage.js';
import { totalFees } from './fees.js';
import { fillMessage, orderMessage } from './messages.js';

const HK = 'HK.00700';
const buy = { code: '00700', trdSide: 1, qty: 200, price: 600 };

describe('an order on its way into the exchange', () => {
  it('fails where it is refused at the door, and can be deleted', async () => {
    const f = Fixture.open();
    f.brokerage.exchange.refuse();
    const id = await f.place(ids.hkCash, buy);
    const next = await f.place(ids.hkCash, buy);
    await f.pass();
    expect(f.told(id).filter((one) => one !== 'fill')).toEqual(['submitting', 'submit_failed']);
    expect(f.order(next).status).toBe('submitted');
    expect(f.order(id).lastError).toBe('the exchange refused the order');
    await f.cancel(ids.hkCash, next);
    await f.pass();
    expect(f.brokerage.records.ledger.frozen(f.account(ids.hkCash), 'HKD')).toBe(0n);
    expect(await f.modify(ids.hkCash, { orderID: id, modifyOrderOp: 5 })).toBeUndefined();
    expect(f.order(id).status).toBe('deleted');
  });

  it('is timed out while nobody answers, holds its cash, and then trades', async () => {
    const f = Fixture.open();
    f.brokerage.exchange.silence(60_000);
    f.book(HK, [], [['600', 200n]]);
    const id = await f.place(ids.hkCash, buy);
    await f.pass();
    expect(f.order(id).status).toBe('timed_out');
    expect(f.brokerage.records.ledger.frozen(f.account(ids.hkCash), 'HKD')).toBeGreaterThan(dec('120000'));
    const later = f.restarted(60_000);
    later.book(HK, [], [['600', 200n]]);
    await later.pass();
    expect(f.told(id).filter((one) => one !== 'fill')).toEqual(['submitting', 'timed_out']);
    expect(later.order(id)).toMatchObject({ status: 'filled_all', filledQuantity: 200n });
  });

  it('can be cancelled while it is timed out', async () => {
    const f = Fixture.open();
    f.brokerage.exchange.silence(60_000);
    const id = await f.place(ids.hkCash, buy);
    await f.pass();
    expect(await f.cancel(ids.hkCash, id)).toBeUndefined();
    await f.pass(120_000);
    expect(f.told(id).filter((one) => one !== 'fill')).toEqual(['submitting', 'timed_out', 'cancelling_all', 'cancelled_all']);
  });
});

describe('an order at the exchange', () => {
  it('is out of sight for a while, does not trade meanwhile, and rests again', async () => {
    const f = Fixture.open();
    const id = await f.place(ids.hkCash, buy);
    await f.pass();
    await f.brokerage.exchange.loseSight(10_000);
    await f.pass();
    expect(f.order(id).status).toBe('unknown');
    f.trade(HK, '600', 1_000n, -1);
    await f.pass();
    expect(f.order(id)).toMatchObject({ status: 'unknown', filledQuantity: 0n });
    await f.pass(10_000);
    expect(f.order(id).status).toBe('submitted');
    f.trade(HK, '600', 1_000n, -1);
    await f.pass();
    expect(f.told(id).filter((one) => one !== 'fill')).toEqual(['submitting', 'submitted', 'unknown', 'submitted', 'filled_all']);
  });
});

describe('trades that the exchange takes back', () => {
  it('leave money, fees and position unchanged, and are announced', async () => {
    const f = Fixture.open();
    const cash = () => f.brokerage.records.money.balances(ids.hkCash, 'HKD').cash;
    const before = cash();
    f.book(
      HK,
      [],
      [
        ['599', 100n],
        ['600', 100n],
      ],
    );
    const id = await f.place(ids.hkCash, buy);
    await f.pass();
    expect(f.order(id).status).toBe('filled_all');
    expect(totalFees(f.order(id).fees)).toBeGreaterThan(0n);
    expect(cash()).toBeLessThan(before);
    await f.brokerage.exchange.cancelFills(f.order(id).idEx);
    await f.pass();
    expect(f.order(id)).toMatchObject({ status: 'fill_cancelled', fees: [] });
    expect(cash()).toBe(before);
    expect(f.brokerage.records.ledger.position(ids.hkCash, HK)?.quantity).toBe(0n);
    expect(orderMessage(f.simulation.world, f.order(id))).toMatchObject({ orderStatus: 24, fillQty: 0, fillAvgPrice: 0 });
    const fills = await collected(f.brokerage.records.fillsBetween(ids.hkCash, 0, f.clock.now() + 1));
    expect(fills.map((fill) => fillMessage(f.simulation.world, fill).status)).toEqual([1, 1]);
    expect(f.events.filter((event) => event.kind === 'fill' && event.fill.cancelled)).toHaveLength(2);
    // The same after a restart.
    expect(f.restarted().order(id).status).toBe('fill_cancelled');
  });

  it('are refused of an order that is not filled', async () => {
    const f = Fixture.open();
    const id = await f.place(ids.hkCash, buy);
    await f.pass();
    await expect(f.brokerage.exchange.cancelFills(f.order(id).idEx)).rejects.toThrow('is not filled');
  });

  it('of futures give their margin and gains back', async () => {
    const f = Fixture.open();
    const symbol = 'HK.HSImain';
    const price = String(Number(f.instrument(symbol).referencePrice) / 1e9);
    f.book(symbol, [], [[price, 10n]]);
    const id = await f.place(ids.futures, { code: 'HSImain', trdSide: 1, qty: 2, price: Number(price) }, undefined, 'FUTURES');
    await f.pass();
    const before = dec('10000000');
    expect(f.order(id).status).toBe('filled_all');
    await f.brokerage.exchange.cancelFills(f.order(id).idEx);
    await f.pass();
    expect(f.brokerage.records.ledger.position(ids.futures, symbol)?.quantity).toBe(0n);
    expect(f.brokerage.records.money.balances(ids.futures, 'HKD').cash).toBe(before);
  });
});
