import { describe, expect, it } from 'vitest';
import { dec, Fixture, ids } from '../../../../../test/support/brokerage.js';

const DAY = 24 * 3_600_000;
const main = 'HK.HSImain';

/** On 25 November 2026, with a position of so many contracts at 26,000 that has been marked at the prices of the hand-over. */
async function rolled(trdSide: number) {
  const f = Fixture.open({ mode: 'calendar' });
  f.book(main, [['26000', 100n]], [['26000', 100n]]);
  await f.place(ids.futures, { code: 'HSImain', qty: 2, price: 26_000, trdSide });
  await f.pass();
  f.book(main, [], []);
  const order = await f.place(ids.futures, { code: 'HSImain', qty: 1, price: 20_000, timeInForce: 1 });
  f.trade(main, '26050', 1n, 1);
  f.trade('HK.HSI2611', '26050', 1n, 1);
  f.trade('HK.HSI2612', '26120', 1n, 1);
  // Past the close of the 25th, its last day as the front month.
  await f.pass(Date.parse('2026-11-25T17:00:00+08:00') - f.clock.now());
  return { f, order, position: () => f.brokerage.records.ledger.position(ids.futures, main)! };
}

describe('a continuous contract that goes over to the next month', () => {
  it.each([
    ['long', 1, 1n],
    ['short', 2, -1n],
  ] as const)('leaves who is %s with its gain so far and nothing more', async (_, trdSide, sign) => {
    const { f, position } = await rolled(trdSide);
    // 26,070 = 26,000 and the 70 points between the contracts, twice at 50 a point.
    expect(position()).toMatchObject({ quantity: 2n * sign, cost: dec('2607000'), carried: dec('2612000') });
    expect(position().realised).toBe(0n);
    const { cash } = f.brokerage.records.money.balances(ids.futures, 'HKD');
    f.trade(main, '26120', 1n, 1);
    await f.pass(DAY);
    expect(f.brokerage.records.money.balances(ids.futures, 'HKD').cash).toBe(cash);
  });

  it('ends what is ordered of it', async () => {
    const { f, order } = await rolled(1);
    const lastError = 'cancelled by the brokerage: HK.HSImain goes over from HSI2611 to HSI2612';
    expect(f.order(order)).toMatchObject({ status: 'cancelled_all', lastError });
  });
});
