import { type Instrument, tradedOn } from '../../world/index.js';
import { unitValue } from '../margin.js';
import type { EndOrders, Holding, Roll } from './roll.js';

/**
 * Where a continuous contract goes over to the next one, what is held of it is rolled at the closing prices of both: its cost moves with the price, and nobody
 * gains or loses by it. What is ordered of it ends, as its prices were meant for the contract that it was.
 */
export function rollContracts(roll: Roll, endOrders: EndOrders): void {
  for (const holding of roll.holdings()) {
    const contracts = rolled(roll, holding.instrument);
    if (contracts !== undefined) hold(roll, holding, contracts);
  }
  for (const symbol of roll.orderedSymbols()) {
    const instrument = roll.instrument(symbol);
    const contracts = instrument === undefined ? undefined : rolled(roll, instrument);
    if (contracts === undefined) continue;
    const [from, to] = contracts;
    endOrders(roll.change, symbol, `cancelled by the brokerage: ${symbol} goes over from ${from.code} to ${to.code}`);
  }
}

type Contracts = readonly [from: Instrument, to: Instrument];

/** The contracts of the day that has closed and of the next one, where they differ. */
function rolled(roll: Roll, instrument: Instrument): Contracts | undefined {
  const [from, to] = [tradedOn(instrument, roll.day), tradedOn(instrument, roll.calendar.nextTradingDay(roll.day))];
  return from === to ? undefined : [from, to];
}

function hold(roll: Roll, { instrument, position }: Holding, [from, to]: Contracts): void {
  const { quantity, cost, carried = cost, invested } = position;
  const value = (contract: Instrument) => unitValue(instrument, roll.closingPrice(contract, roll.day));
  const moved = value(to) - value(from);
  const size = quantity < 0n ? -quantity : quantity;
  roll.records.putPosition(roll.change, {
    ...position,
    cost: cost + moved * size,
    carried: carried + moved * size,
    invested: invested + moved * quantity,
  });
}
