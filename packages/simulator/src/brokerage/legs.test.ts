import { expect, it } from 'vitest';
import { dec, Fixture, ids } from '../../../../test/support/brokerage.js';
import type { Clearing } from './clearing/settlement.js';
import { execute } from './execution.js';
import { totalFees } from './fees.js';
import { frozenCash, type OrderLeg, type OrderRecord, reservedMargin } from './order.js';

const clearing: Clearing = { balance: 'unsettled', venue: 'HK', day: '2026-11-24' };

it('an order of several legs holds for each, is charged for each, and is filled when all of them are', async () => {
  const f = Fixture.open();
  const { records } = f.brokerage;
  const account = f.account(ids.hkMargin);
  const model = f.order(await f.place(ids.hkMargin, { code: '00700', qty: 100, price: 600 }));
  const leg = (symbol: string, side: OrderLeg['side'], ratio: bigint, held: string): OrderLeg => {
    return { symbol, side, ratio, filledQuantity: 0n, filledValue: 0n, cashPerUnit: dec(held), marginPerUnit: dec(held) / 2n };
  };
  await f.cancel(ids.hkMargin, model.id);
  await f.pass();
  const id = records.nextId(f.clock.now());
  let order: OrderRecord = {
    ...model,
    id,
    quantity: 100n,
    status: 'submitted',
    feeReserve: 0n,
    legs: [leg('HK.00700', 'buy', 1n, '600'), leg('HK.00005', 'sell_short', 4n, '100')],
  };
  const change = records.begin();
  records.putOrder(change, order);
  expect([frozenCash(order), reservedMargin(order)]).toEqual([dec('100000'), dec('50000')]);
  expect(records.ledger.frozen(account, 'HKD')).toBe(dec('100000'));
  expect(records.ledger.working(account.id, 'HK.00005', 'sell_short')).toBe(400n);

  const fill = (index: number, symbol: string, price: string, quantity: bigint): void => {
    const instrument = f.instrument(symbol);
    const of = {
      account,
      instrument,
      order,
      leg: index,
      price: dec(price),
      quantity,
      multipliers: [dec('1'), dec('1')],
      time: f.clock.now(),
      day: '2026-11-20',
      clearing,
    };
    order = execute(records, change, of);
  };
  fill(1, 'HK.00005', '110', 400n);
  expect(order).toMatchObject({ status: 'filled_part', filledQuantity: 0n });
  expect(records.ledger.frozen(account, 'HKD')).toBe(dec('60000'));
  fill(0, 'HK.00700', '600', 40n);
  expect(order).toMatchObject({ status: 'filled_part', filledQuantity: 40n });
  fill(0, 'HK.00700', '599', 60n);
  expect(order).toMatchObject({ status: 'filled_all', filledQuantity: 100n, filledValue: dec('59940') - dec('44000') });
  expect(records.ledger.frozen(account, 'HKD')).toBe(0n);
  await records.commit(change);

  expect(records.ledger.position(account.id, 'HK.00700')?.quantity).toBe(100n);
  expect(records.ledger.position(account.id, 'HK.00005')?.quantity).toBe(-400n);
  // Each leg is charged as an order of its own: its commission is the least there is, twice.
  expect(order.fees.find(({ title }) => title === 'Platform Fee')?.value).toBe(dec('30'));
  const { unsettled } = records.money.balances(account.id, 'HKD');
  expect(unsettled).toBe(dec('44000') - dec('59940') - totalFees(order.fees));
});
