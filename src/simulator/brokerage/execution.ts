import type { Decimal } from '../../contract/decimal.js';
import type { Instrument } from '../world/index.js';
import type { Account } from './account.js';
import { feesOf, totalFees } from './fees.js';
import { feeReserve } from './holds.js';
import { readableId } from './ids.js';
import { unitValue } from './margin.js';
import { type FillRecord, isBuying, type OrderRecord, remainingOf } from './order.js';
import { moved } from './order-status.js';
import { afterTrade, emptyPosition } from './position.js';
import type { Change, Records } from './records.js';

export interface Execution {
  readonly account: Account;
  readonly instrument: Instrument;
  readonly order: OrderRecord;
  readonly price: Decimal;
  readonly quantity: bigint;
  /** Epoch ms. */
  readonly time: number;
  /** Trading day of the market, "2026-11-20". */
  readonly day: string;
}

/**
 * Books one trade of an order: the fill, the order's new state, cash, fees and the position, all in one change. The
 * fill's event comes before the order's.
 */
export function execute(records: Records, change: Change, execution: Execution): OrderRecord {
  const { account, instrument, order, price, quantity, time, day } = execution;
  const buying = isBuying(order.side);
  if (quantity <= 0n || quantity > remainingOf(order))
    throw new Error(`order ${order.id} cannot fill ${quantity} of ${remainingOf(order)}`);
  if (buying ? price > order.worstPrice : price < order.worstPrice) throw new Error(`order ${order.id} cannot trade at ${price}`);

  const filledQuantity = order.filledQuantity + quantity;
  const filledValue = order.filledValue + price * quantity;
  const fees = feesOf(instrument, buying, unitValue(instrument, filledValue), filledQuantity);
  const fee = totalFees(fees) - totalFees(order.fees);
  const full = filledQuantity === order.quantity;
  const filled: OrderRecord = {
    ...order,
    filledQuantity,
    filledValue,
    fees,
    updatedAt: time,
    status: moved(order.status, full ? 'filled_all' : 'filled_part'),
  };
  const next =
    order.feeReserve === 0n
      ? filled
      : { ...filled, feeReserve: feeReserve(instrument, buying, order.worstPrice, remainingOf(filled), filled) };

  const id = records.nextId(time);
  const fill: FillRecord = {
    id,
    idEx: readableId(day, id),
    orderId: order.id,
    orderIdEx: order.idEx,
    accId: order.accId,
    symbol: order.symbol,
    tradeMarket: order.tradeMarket,
    side: order.side,
    quantity,
    price,
    time,
  };
  records.putFill(change, fill);
  records.putOrder(change, next);
  bookTrade(records, change, execution, fee);
  const canSell = records.ledger.canSell(account, order.symbol);
  change.events.push({ kind: 'fill', account, fill, order: next, canSell }, { kind: 'order', account, order: next, canSell });
  return next;
}

function bookTrade(records: Records, change: Change, execution: Execution, fee: Decimal): void {
  const { account, instrument, order, price, quantity, time, day } = execution;
  const buying = isBuying(order.side);
  const value = unitValue(instrument, price);
  const held = records.ledger.position(account.id, order.symbol);
  const before =
    held === undefined || held.quantity === 0n
      ? {
          ...(held ?? emptyPosition({ id: 0n, accId: account.id, symbol: order.symbol, tradeMarket: order.tradeMarket }, day)),
          id: records.nextId(time),
        }
      : held;
  const { position, realised } = afterTrade(before, { side: buying ? 'buy' : 'sell', quantity, unitValue: value, day });
  records.putPosition(change, position);
  // Futures settle in the difference; securities are paid for in full.
  const proceeds = account.trades === 'futures' ? realised : buying ? -value * quantity : value * quantity;
  records.addCash(change, account, order.currency, proceeds - fee);
}
