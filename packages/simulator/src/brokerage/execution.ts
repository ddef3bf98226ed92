import { DECIMAL_ONE, type Decimal, lesser } from '@svc-gateway/contract/decimal';
import { netPrice, type PricedLeg } from '../exchange/index.js';
import type { Entry } from '../ledger/index.js';
import type { Instrument } from '../world/index.js';
import type { Account } from './account.js';
import type { Clearing } from './clearing/settlement.js';
import { type FeeItem, totalFees } from './fees.js';
import { feeReserve, legFees } from './holds.js';
import { textOfId } from './ids.js';
import { unitValue } from './margin.js';
import { type FillRecord, isBuying, isCombo, legRemaining, type OrderLeg, type OrderRecord } from './order.js';
import { moved } from './order-status.js';
import { afterTrade, emptyPosition, type PositionRecord } from './position.js';
import type { Change, Records } from './records.js';

/** A trade of one leg of an order. */
export interface Execution {
  readonly account: Account;
  readonly instrument: Instrument;
  readonly order: OrderRecord;
  /** Index among the order's legs. */
  readonly leg: number;
  readonly price: Decimal;
  readonly quantity: bigint;
  /** Money that a unit of each leg of the order is worth at a price of 1. */
  readonly multipliers: readonly Decimal[];
  /** Epoch ms. */
  readonly time: number;
  /** Trading day of the market, "2026-11-20". */
  readonly day: string;
  /** When it is paid for. */
  readonly clearing: Clearing;
}

/**
 * Books one trade of an order: the fill, the order's new state, money, fees and the position, all in one change. The
 * fill's event comes before the order's; the caller adds that of an order of several legs.
 */
export function execute(records: Records, change: Change, execution: Execution): OrderRecord {
  const { account, instrument, order, price, quantity, time } = execution;
  const leg = legOf(execution);
  const buying = isBuying(leg.side);
  if (quantity <= 0n || quantity > legRemaining(order, leg))
    throw new Error(`order ${order.id} cannot fill ${quantity} of ${legRemaining(order, leg)}`);
  // Several legs keep to the price of the order together.
  const isBeyond = buying ? price > order.worstPrice : price < order.worstPrice;
  if (isBeyond && !isCombo(order)) throw new Error(`order ${order.id} cannot trade at ${price}`);

  const { order: filled, fee } = afterFill(execution, leg);
  const id = records.nextId(time);
  const fill: FillRecord = {
    id,
    idEx: textOfId(id),
    orderId: order.id,
    orderIdEx: order.idEx,
    accId: order.accId,
    symbol: leg.symbol,
    tradeMarket: order.tradeMarket,
    side: leg.side,
    quantity,
    price,
    time,
  };
  records.putFill(change, fill);
  records.putOrder(change, filled);
  bookTrade(records, change, execution, fill, fee);
  const canSell = records.ledger.canSell(account, instrument.symbol);
  change.events.push({ kind: 'fill', account, fill, order: filled, canSell });
  // A combo order is announced once all legs have traded: the state between two legs is not visible.
  if (!isCombo(order)) change.events.push({ kind: 'order', account, order: filled, canSell });
  return filled;
}

function legOf({ order, leg: index }: Execution): OrderLeg {
  const leg = order.legs[index];
  if (leg === undefined) throw new Error(`order ${order.id} has no leg ${index}`);
  return leg;
}

/** The order after the trade, and what the trade added to its fees. */
function afterFill(
  { instrument, order, leg: index, price, quantity, time, multipliers }: Execution,
  leg: OrderLeg,
): { order: OrderRecord; fee: Decimal } {
  const filledLeg: OrderLeg = {
    ...leg,
    filledQuantity: leg.filledQuantity + quantity,
    filledValue: leg.filledValue + price * quantity,
  };
  const legs = order.legs.with(index, filledLeg) as [OrderLeg, ...OrderLeg[]];
  const paid = !isCombo(order) ? order.fees : legFees(instrument, leg);
  const toPay = legFees(instrument, filledLeg);
  const fee = totalFees(toPay) - totalFees(paid);
  const filledQuantity = legs.map(({ filledQuantity: units, ratio }) => units / ratio).reduce(lesser);
  const full = legs.every((one) => legRemaining({ ...order, legs }, one) === 0n);
  const filled: OrderRecord = {
    ...order,
    legs,
    filledQuantity,
    filledValue: isCombo(order) ? netValue(legs, multipliers) : legs[0].filledValue,
    fees: !isCombo(order) ? toPay : replacedFees(order.fees, paid, toPay),
    updatedAt: time,
    status: moved(order.status, full ? 'filled_all' : 'filled_part'),
  };
  if (order.feeReserve === 0n) return { order: filled, fee };
  const reserve = (one: OrderLeg, fees: readonly FeeItem[]): Decimal =>
    feeReserve(instrument, isBuying(one.side), one.worstPrice ?? order.worstPrice, legRemaining(order, one), { ...one, fees });
  const own = !isCombo(order) ? order.feeReserve : reserve(leg, paid);
  return { order: { ...filled, feeReserve: order.feeReserve - own + reserve(filledLeg, toPay) }, fee };
}

/** Cost of all legs, bought less sold, in the price of the order. */
function netValue(legs: readonly OrderLeg[], multipliers: readonly Decimal[]): Decimal {
  const priced = legs.map(({ side, filledValue }, i): PricedLeg => {
    const multiplier = multipliers[i] ?? DECIMAL_ONE;
    return { side: isBuying(side) ? 'buy' : 'sell', ratio: 1n, price: filledValue, multiplier };
  });
  return netPrice(priced);
}

/** An order's fees with those of one leg replaced. */
function replacedFees(all: readonly FeeItem[], before: readonly FeeItem[], after: readonly FeeItem[]): readonly FeeItem[] {
  const sums = new Map(all.map(({ title, value }) => [title, value]));
  for (const { title, value } of before) sums.set(title, (sums.get(title) ?? 0n) - value);
  for (const { title, value } of after) sums.set(title, (sums.get(title) ?? 0n) + value);
  return Array.from(sums, ([title, value]) => ({ title, value }));
}

function bookTrade(records: Records, change: Change, execution: Execution, fill: FillRecord, fee: Decimal): void {
  const { account, instrument, order, price, quantity, time, day, clearing } = execution;
  const { symbol, tradeMarket, side } = fill;
  const buying = isBuying(side);
  const isFutures = account.trades === 'futures';
  const value = unitValue(instrument, price);
  const before = positionToTrade(records, account, { symbol, tradeMarket, day, time });
  const { position, realised, settled } = afterTrade(before, { side: buying ? 'buy' : 'sell', quantity, unitValue: value, day });
  records.putPosition(change, position);
  // Futures settle in the difference; securities are paid for in full.
  const amount = isFutures ? settled : buying ? -value * quantity : value * quantity;
  const entries = tradeEntries(instrument, clearing, { amount, fee, realised });
  records.book(change, { id: fill.id, accId: account.id, time, cause: 'fill', symbol, orderId: order.id, remark: '', entries });
}

/** The position that a trade changes; one that is flat begins anew, under a number of its own. */
export function positionToTrade(
  records: Records,
  account: Account,
  { symbol, tradeMarket, day, time }: Pick<PositionRecord, 'symbol' | 'tradeMarket'> & Pick<Execution, 'day' | 'time'>,
): PositionRecord {
  const held = records.ledger.position(account.id, symbol);
  if (held !== undefined && held.quantity !== 0n) return held;
  const id = records.nextId(time);
  return held === undefined
    ? emptyPosition({ id, accId: account.id, symbol, tradeMarket }, day, account.trades === 'futures')
    : { ...held, id };
}

/** Entries of a trade: what it brings, its fee, and the profit of what it closed; those of nothing are left out. */
export function tradeEntries(
  { currency }: Instrument,
  clearing: Clearing,
  { amount, fee, realised }: { readonly amount: Decimal; readonly fee: Decimal; readonly realised: Decimal },
): readonly Entry[] {
  const entries: readonly Entry[] = [
    { ...clearing, currency, kind: 'trade', amount },
    { ...clearing, currency, kind: 'fee', amount: -fee },
    { ...clearing, currency, balance: 'realised', kind: 'realised', amount: realised },
  ];
  return entries.filter((entry) => entry.amount !== 0n);
}
