import type { Decimal } from '@svc-gateway/contract/decimal';
import type { TradeMarket } from './terms.js';

/** Trades of today in one symbol of one account. Values are in the instrument's currency. */
export interface DayTrades {
  /** "2026-11-20": trading day of the market. */
  readonly day: string;
  readonly buyQuantity: bigint;
  readonly buyValue: Decimal;
  readonly sellQuantity: bigint;
  readonly sellValue: Decimal;
}

/** Position of an account in one symbol. Never changed in place. */
export interface PositionRecord {
  readonly id: bigint;
  readonly accId: bigint;
  readonly symbol: string;
  readonly tradeMarket: TradeMarket;
  /** Units held; below zero for a short position. */
  readonly quantity: bigint;
  /** Cost of the open units: count × average cost × multiplier. Never below zero. */
  readonly cost: Decimal;
  /**
   * Last settlement value of the open units: their cost, and after a day's close their value at its settlement price.
   * Futures only: securities are paid in full.
   */
  readonly carried?: Decimal;
  /** Bought less sold since the position was opened: the value that diluted cost is made of. */
  readonly invested: Decimal;
  /** Profit and loss of what was closed since the position was opened, before fees. */
  readonly realised: Decimal;
  readonly today: DayTrades;
}

export interface Trade {
  readonly side: 'buy' | 'sell';
  readonly quantity: bigint;
  /** Price × multiplier: what one unit trades for. */
  readonly unitValue: Decimal;
  readonly day: string;
}

/** A position that has not begun. `settles`: in the difference day by day, as futures do. */
export function emptyPosition(
  key: Pick<PositionRecord, 'id' | 'accId' | 'symbol' | 'tradeMarket'>,
  day: string,
  settles = false,
): PositionRecord {
  return { ...key, quantity: 0n, cost: 0n, invested: 0n, realised: 0n, today: noTrades(day), ...(settles ? { carried: 0n } : {}) };
}

function noTrades(day: string): DayTrades {
  return { day, buyQuantity: 0n, buyValue: 0n, sellQuantity: 0n, sellValue: 0n };
}

/** The day's trades of a position, nothing once the day is over. */
export function tradesOn(position: PositionRecord, day: string): DayTrades {
  return position.today.day === day ? position.today : noTrades(day);
}

/** Effect of a trade on a position. */
export interface TradeOutcome {
  readonly position: PositionRecord;
  /** Profit of what it closed, over its cost. */
  readonly realised: Decimal;
  /** The same over what it was last settled at: what futures are paid. 0 for securities. */
  readonly settled: Decimal;
}

/**
 * A position after a trade. A trade against the position closes at average cost; what it has left over opens the other
 * side. A position that was flat begins anew.
 */
export function afterTrade(before: PositionRecord, trade: Trade): TradeOutcome {
  const buying = trade.side === 'buy';
  const held = before.quantity < 0n ? -before.quantity : before.quantity;
  const closing = before.quantity === 0n || before.quantity > 0n === buying ? 0n : trade.quantity < held ? trade.quantity : held;
  const opening = trade.quantity - closing;

  const partClosed = (whole: Decimal): Decimal => (closing === 0n ? 0n : closing === held ? whole : (whole * closing) / held);
  const closedFor = trade.unitValue * closing;
  const gainOver = (value: Decimal): Decimal => (before.quantity > 0n ? closedFor - value : value - closedFor);
  const costClosed = partClosed(before.cost);
  const realised = gainOver(costClosed);
  const carriedClosed = before.carried === undefined ? undefined : partClosed(before.carried);

  const signed = (quantity: bigint): bigint => (buying ? quantity : -quantity);
  const fresh = closing === held;
  const position: PositionRecord = {
    ...before,
    quantity: before.quantity + signed(trade.quantity),
    cost: before.cost - costClosed + trade.unitValue * opening,
    invested: fresh && opening > 0n ? signed(opening) * trade.unitValue : before.invested + signed(trade.quantity) * trade.unitValue,
    realised: fresh && opening > 0n ? 0n : before.realised + realised,
    today: addTrade(tradesOn(before, trade.day), trade),
    ...(before.carried === undefined || carriedClosed === undefined
      ? {}
      : { carried: before.carried - carriedClosed + trade.unitValue * opening }),
  };
  return { position, realised, settled: carriedClosed === undefined ? 0n : gainOver(carriedClosed) };
}

function addTrade(today: DayTrades, trade: Trade): DayTrades {
  const value = trade.unitValue * trade.quantity;
  return trade.side === 'buy'
    ? { ...today, buyQuantity: today.buyQuantity + trade.quantity, buyValue: today.buyValue + value }
    : { ...today, sellQuantity: today.sellQuantity + trade.quantity, sellValue: today.sellValue + value };
}

/** A position after all of it was closed at what one unit is paid, and the profit over its cost. */
export function closedAt(position: PositionRecord, paid: Decimal): { readonly position: PositionRecord; readonly realised: Decimal } {
  const { quantity, cost, carried, invested } = position;
  const amount = paid * quantity;
  const realised = quantity > 0n ? amount - cost : amount + cost;
  const closed = { ...position, quantity: 0n, cost: 0n, invested: invested - amount, realised: position.realised + realised };
  return { position: carried === undefined ? closed : { ...closed, carried: 0n }, realised };
}
