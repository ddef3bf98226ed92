import type { Entry } from '../../ledger/index.js';
import { finalSettlement, type Instrument } from '../../world/index.js';
import { unitValue } from '../margin.js';
import { closedAt } from '../position.js';
import type { EndOrders, Holding, Roll } from './roll.js';

/**
 * Pays futures' gains and losses of the day that has closed, against their closing prices; a contract that has expired is closed at its final
 * settlement price, on the day on which that is known.
 */
export function markFutures(roll: Roll): void {
  for (const holding of roll.holdings()) {
    if (holding.account.trades === 'futures') mark(roll, holding);
  }
}

/** Ends what is ordered of contracts that were traded for the last time. */
export function endExpiredOrders(roll: Roll, endOrders: EndOrders): void {
  for (const symbol of roll.orderedSymbols()) {
    const instrument = roll.instrument(symbol);
    if (instrument !== undefined && roll.isOver(instrument)) endOrders(roll.change, symbol, `${symbol} was traded for the last time`);
  }
}

/** Whether a contract's final settlement price is known by the close of this day. */
function isSettled(roll: Roll, instrument: Instrument): boolean {
  return instrument.kind === 'future' && instrument.lastTradingDay !== undefined && finalSettlement(instrument).day <= roll.day;
}

function mark(roll: Roll, { account, instrument, position }: Holding): void {
  const { quantity, cost, carried = cost } = position;
  const size = quantity < 0n ? -quantity : quantity;
  const expires = isSettled(roll, instrument);
  const each = unitValue(instrument, expires ? roll.settlementPrice(instrument) : roll.closingPrice(instrument, roll.day));
  const variation = quantity > 0n ? each * size - carried : carried - each * size;
  const { position: marked, realised } = expires
    ? closedAt(position, each)
    : { position: { ...position, carried: each * size }, realised: 0n };
  const { currency, symbol } = instrument;
  const of = { currency, venue: roll.calendar.name, day: roll.day };
  const entries: Entry[] = [];
  if (variation !== 0n) entries.push({ ...of, balance: 'settled', kind: 'variation_margin', amount: variation });
  if (realised !== 0n) entries.push({ ...of, balance: 'realised', kind: 'realised', amount: realised });
  roll.records.putPosition(roll.change, marked);
  roll.book(account, { cause: expires ? 'expiry' : 'mark_to_market', symbol, remark: '', entries });
}
