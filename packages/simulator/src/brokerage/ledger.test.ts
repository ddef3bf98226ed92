import fc from 'fast-check';
import { expect, it } from 'vitest';
import { collected, Fixture, ids } from '../../../../test/support/brokerage.js';
import { totalFees } from './fees.js';
import { frozenCash, type OrderRecord, reservedMargin } from './order.js';
import { isOpen } from './order-status.js';
import { freeMargin } from './valuation.js';

const HK = 'HK.00700';
const prices = [595, 597.5, 600, 602.5, 605];

const step = fc.record({
  kind: fc.constantFrom('place', 'place', 'place', 'tick', 'book', 'cancel', 'modify'),
  account: fc.constantFrom(ids.hkCash, ids.hkMargin),
  side: fc.constantFrom(1, 2, 3, 4),
  type: fc.constantFrom(1, 1, 1, 2, 5, 8, 9),
  price: fc.constantFrom(...prices),
  lots: fc.integer({ min: 1, max: 40 }),
});

/** Everything that must hold of an account at any moment. */
async function checkAccount(f: Fixture, id: bigint): Promise<void> {
  const account = f.account(id);
  const { ledger } = f.brokerage.records;
  await f.brokerage.records.journal.whenDurable(undefined);
  const orders = await collected(f.brokerage.records.ordersBetween(id, 0, Number.MAX_SAFE_INTEGER));
  const fills = await collected(f.brokerage.records.fillsBetween(id, 0, Number.MAX_SAFE_INTEGER));
  const position = ledger.position(id, HK);
  const filled = (order: OrderRecord) => fills.filter((fill) => fill.orderId === order.id);

  for (const order of orders) {
    expect(filled(order).reduce((sum, fill) => sum + fill.quantity, 0n)).toBe(order.filledQuantity);
    expect(filled(order).reduce((sum, fill) => sum + fill.price * fill.quantity, 0n)).toBe(order.filledValue);
    expect(order.filledQuantity <= order.quantity).toBe(true);
  }
  const isBuying = (fill: { side: string }) => fill.side === 'buy' || fill.side === 'buy_back';
  const net = fills.reduce((sum, fill) => sum + (isBuying(fill) ? fill.quantity : -fill.quantity), 0n);
  expect(position?.quantity ?? 0n).toBe(net);
  if (account.type === 'cash') {
    expect(net >= 0n).toBe(true);
    expect(ledger.cash(account, 'HKD') >= ledger.frozen(account, 'HKD')).toBe(true);
  }
  expect(ledger.openOrders(account)).toBe(orders.filter((order) => isOpen(order.status)).length);
  expect(ledger.frozen(account, 'HKD')).toBe(orders.reduce((sum, order) => sum + frozenCash(order), 0n));
  expect(ledger.reservedMargin(account, 'HKD')).toBe(orders.reduce((sum, order) => sum + reservedMargin(order), 0n));
  const { valuer } = f.brokerage;
  if (account.type === 'margin') expect(valuer.free(account, 'USD')).toBe(freeMargin(valuer.valuation(account, 'USD')));

  // Cash in + what was sold − what was bought − fees = cash now; and at cost, nothing appears or is lost.
  const traded = fills.reduce((sum, fill) => sum + (isBuying(fill) ? -1n : 1n) * fill.price * fill.quantity, 0n);
  const fees = orders.reduce((sum, order) => sum + totalFees(order.fees), 0n);
  const opening = account.openingCash.HKD ?? 0n;
  expect(ledger.cash(account, 'HKD')).toBe(opening + traded - fees);
}

it('conserves money, shares and holds through any flow of orders', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 40 }), async (steps) => {
      const f = Fixture.open();
      f.book(HK, [], [['600', 2_000n]]);
      // Something to sell.
      for (const id of [ids.hkCash, ids.hkMargin]) await f.place(id, { code: '00700', qty: 1_000, price: 600 });
      await f.pass();
      for (const { kind, account, side, type, price, lots } of steps) {
        const open = [...f.brokerage.records.openOrders(f.account(account))].filter(
          (order) => order.status === 'submitted' || order.status === 'filled_part',
        );
        const quantity = lots * 100;
        if (kind === 'place') await f.tryPlace(account, { code: '00700', trdSide: side, orderType: type, qty: quantity, price });
        else if (kind === 'tick') f.trade(HK, String(price), BigInt(quantity), side % 2 === 1 ? 1 : -1);
        else if (kind === 'book') f.book(HK, [[String(price - 2.5), BigInt(quantity)]], [[String(price), BigInt(quantity)]]);
        else if (open[0] !== undefined && kind === 'cancel') await f.cancel(account, open[0].id);
        else if (open[0] !== undefined) await f.modify(account, { orderID: open[0].id, modifyOrderOp: 1, qty: quantity, price });
        if (lots % 3 !== 0) await f.pass();
        for (const id of [ids.hkCash, ids.hkMargin]) await checkAccount(f, id);
      }
      await f.pass(48 * 3_600_000 - 1);
      for (const id of [ids.hkCash, ids.hkMargin]) {
        await checkAccount(f, id);
        expect(f.brokerage.records.ledger.frozen(f.account(id), 'HKD')).toBe(0n);
      }
    }),
    { numRuns: 60 },
  );
});
