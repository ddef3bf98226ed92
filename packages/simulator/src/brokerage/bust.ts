import type { Instrument } from '../world/index.js';
import type { Account } from './account.js';
import type { Clearing } from './clearing/settlement.js';
import { tradeEntries } from './execution.js';
import { totalFees } from './fees.js';
import { legFees } from './holds.js';
import { unitValue } from './margin.js';
import { type FillRecord, isBuying, isCombo, movedTo, type OrderLeg, type OrderRecord } from './order.js';
import { afterTrade, emptyPosition } from './position.js';
import type { Change, Records } from './records.js';

/** One leg of an order whose trades the exchange takes back. */
export interface BustLeg {
  readonly instrument: Instrument;
  readonly leg: OrderLeg;
  readonly fills: readonly FillRecord[];
  /** Trading day of the market, "2026-11-20". */
  readonly day: string;
  readonly clearing: Clearing;
}

/**
 * Takes every trade of an order back, in one change: each fill is marked, its money and fees are booked the other way round, and the position is what it would be after the
 * opposite trade at the same price.
 *
 * @param time epoch ms.
 */
export function bust(records: Records, change: Change, account: Account, order: OrderRecord, legs: readonly BustLeg[], time: number): void {
  for (const leg of legs) reverse(records, change, account, order, leg, time);
  const voided: OrderRecord = { ...movedTo(order, 'fill_cancelled', time, 'the exchange has taken its trades back'), fees: [] };
  records.putOrder(change, voided);
  for (const { fills, instrument } of legs) {
    const canSell = records.ledger.canSell(account, instrument.symbol);
    for (const fill of fills) {
      const cancelled: FillRecord = { ...fill, cancelled: true };
      records.putFill(change, cancelled);
      change.events.push({ kind: 'fill', account, fill: cancelled, order: voided, canSell });
    }
  }
  const [main] = order.legs;
  change.events.push({ kind: 'order', account, order: voided, canSell: records.ledger.canSell(account, main.symbol) });
}

function reverse(
  records: Records,
  change: Change,
  account: Account,
  order: OrderRecord,
  { instrument, leg, fills, day, clearing }: BustLeg,
  time: number,
): void {
  const { symbol, side } = leg;
  const isFutures = account.trades === 'futures';
  const bought = isBuying(side);
  let [amount, realised] = [0n, 0n];
  const key = { id: records.nextId(time), accId: account.id, symbol, tradeMarket: order.tradeMarket };
  let position = records.ledger.position(account.id, symbol) ?? emptyPosition(key, day, isFutures);
  for (const { quantity, price } of fills) {
    const value = unitValue(instrument, price);
    const outcome = afterTrade(position, { side: bought ? 'sell' : 'buy', quantity, unitValue: value, day });
    position = outcome.position;
    realised += outcome.realised;
    amount += isFutures ? outcome.settled : bought ? value * quantity : -value * quantity;
  }
  records.putPosition(change, position);
  const fees = totalFees(isCombo(order) ? legFees(instrument, leg) : order.fees);
  const entries = tradeEntries(instrument, clearing, { amount, fee: -fees, realised });
  const id = records.nextId(time);
  records.book(change, { id, accId: account.id, time, cause: 'bust', symbol, orderId: order.id, remark: '', entries });
}
