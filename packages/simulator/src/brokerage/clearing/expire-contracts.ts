import { DECIMAL_ONE, type Decimal } from '@svc-gateway/contract/decimal';
import { addDays } from '@svc-gateway/contract/time';
import type { CorporateActions } from '../../companies/corporate-actions.js';
import type { Cause, Entry } from '../../ledger/index.js';
import { type Instrument, kinds, type World } from '../../world/index.js';
import type { Option } from '../../world/instrument.js';
import { positionToTrade, tradeEntries } from '../execution.js';
import { unitValue } from '../margin.js';
import { afterTrade, closedAt } from '../position.js';
import type { Holding, Roll } from './roll.js';
import { settlementDay } from './settlement.js';

/** OCC exercises what is a cent in the money; a cent is the tick of Hong Kong's options too. */
const EXERCISED_FROM: Decimal = DECIMAL_ONE / 100n;

/** Shares that contracts deliver, all at the strike. */
interface Delivery {
  readonly underlying: Instrument;
  readonly side: 'buy' | 'sell';
  readonly shares: bigint;
  /** For one share. */
  readonly price: Decimal;
}

/**
 * Ends positions in options and warrants whose last day has closed, and in callable contracts that were called. What is worth nothing lapses. Options on stocks and funds are exercised
 * and assigned: the shares change hands at the strike. Options on indices, warrants and callable contracts are paid their worth in cash, and so are options
 * whose shares a cash account could not pay for or does not have, as if its broker had sold them.
 */
export function expireContracts(roll: Roll, world: World, actions: CorporateActions): void {
  for (const holding of roll.holdings()) {
    const { kind } = holding.instrument;
    if ((kind === 'option' || kind === 'warrant') && roll.isOver(holding.instrument)) expire(roll, holding, world, actions);
  }
}

function expire(roll: Roll, holding: Holding, world: World, actions: CorporateActions): void {
  const worth = roll.settlementPrice(holding.instrument);
  const price = holding.instrument.kind === 'option' && worth < EXERCISED_FROM ? 0n : worth;
  const cause = holding.position.quantity > 0n ? 'exercise' : 'assignment';
  if (price === 0n || !exchangeShares(roll, holding, world, actions, cause))
    close(roll, holding, unitValue(holding.instrument, price), 'expiry');
}

/**
 * Ends a position in options by delivering their shares at the strike. False where nothing was done: where the option is on no shares, or a cash account could
 * not pay for them or does not have them.
 */
export function exchangeShares(
  roll: Roll,
  holding: Holding,
  world: World,
  actions: CorporateActions,
  cause: 'exercise' | 'assignment',
): boolean {
  const delivery = deliveryOf(roll, holding, world, actions);
  if (delivery === undefined) return false;
  // The contract's value is in the price of the shares from here on.
  close(roll, holding, 0n, cause);
  deliver(roll, holding, delivery, cause);
  return true;
}

/** Closes a position at what one unit of it is paid. */
function close(roll: Roll, { account, instrument, position }: Holding, paid: Decimal, cause: Cause): void {
  const { quantity } = position;
  const amount = paid * quantity;
  const { position: closed, realised } = closedAt(position, paid);
  roll.records.putPosition(roll.change, closed);
  const { currency, symbol } = instrument;
  const of = { currency, venue: roll.calendar.name, day: settlementDay(instrument, roll.calendar, roll.day) } as const;
  const entries: Entry[] = [];
  if (amount !== 0n) entries.push({ ...of, balance: 'unsettled', kind: 'cash_settlement', amount });
  if (realised !== 0n) entries.push({ ...of, balance: 'realised', kind: 'realised', amount: realised });
  const remark =
    amount === 0n && cause === 'expiry' ? `${quantity} lapsed` : `${quantity} ${cause === 'expiry' ? 'settled in cash' : `by ${cause}`}`;
  roll.book(account, { cause, symbol, remark, entries });
}

/** Delivery for a position; undefined where it is settled in cash. */
function deliveryOf(roll: Roll, { account, instrument, position }: Holding, world: World, actions: CorporateActions): Delivery | undefined {
  if (instrument.kind !== 'option') return undefined;
  const { option } = instrument;
  const underlying = world.instrument(option.underlying);
  if (underlying === undefined || !kinds[underlying.kind].isShare) return undefined;
  const contracts = position.quantity < 0n ? -position.quantity : position.quantity;
  const [numerator, denominator] = sharesDelivered(instrument, contracts, roll.day, actions);
  const shares = numerator / denominator;
  const money = unitValue(instrument, option.strike) * contracts;
  if (shares === 0n || numerator % denominator !== 0n || money % shares !== 0n) return undefined;
  const side = (option.right === 'call') === position.quantity > 0n ? 'buy' : 'sell';
  if (account.type === 'cash') {
    const { ledger } = roll.records;
    const { currency } = instrument;
    const free = ledger.cash(account, currency) - ledger.frozen(account, currency);
    if (side === 'buy' ? free < money : ledger.sellable(account.id, underlying.symbol) < shares) return undefined;
  }
  return { underlying, side, shares, price: money / shares };
}

/** Shares that options deliver on a day, as a fraction: what the shares of a contract have become since it was listed. */
export function sharesDelivered(
  { option, multiplier, listDate }: Option,
  contracts: bigint,
  day: string,
  actions: CorporateActions,
): readonly [numerator: bigint, denominator: bigint] {
  let [numerator, denominator] = [contracts * multiplier, DECIMAL_ONE];
  for (const action of actions.corporateActions(option.underlying, addDays(listDate, 1), day)) {
    if (action.kind !== 'split' && action.kind !== 'bonus') continue;
    numerator *= action.ratio[0];
    denominator *= action.ratio[1];
  }
  return [numerator, denominator];
}

function deliver(roll: Roll, { account, position: of }: Holding, { underlying, side, shares, price }: Delivery, cause: Cause): void {
  const { records, change, day, calendar } = roll;
  const { symbol } = underlying;
  const before = positionToTrade(records, account, { symbol, tradeMarket: of.tradeMarket, day, time: roll.moment.time });
  const { position, realised } = afterTrade(before, { side, quantity: shares, unitValue: price, day });
  records.putPosition(change, position);
  const clearing = { balance: 'unsettled', venue: calendar.name, day: settlementDay(underlying, calendar, day) } as const;
  const amount = side === 'buy' ? -price * shares : price * shares;
  const entries = tradeEntries(underlying, clearing, { amount, fee: 0n, realised });
  roll.book(account, { cause, symbol, remark: `${shares} ${side === 'buy' ? 'bought' : 'sold'} for ${of.symbol}`, entries });
}
