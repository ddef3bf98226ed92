import { DECIMAL_ONE, type Decimal } from '@svc-gateway/contract/decimal';
import { addDays, requireDay } from '@svc-gateway/contract/time';
import type { CorporateActions } from '../../companies/corporate-actions.js';
import { kinds, type World } from '../../world/index.js';
import type { Option } from '../../world/instrument.js';
import { riskFreeRate } from '../../world/risk-free-rate.js';
import { unitValue } from '../margin.js';
import { exchangeShares, sharesDelivered } from './expire-contracts.js';
import type { EndOrders, Roll } from './roll.js';

const DAYS_PER_YEAR = 365n;

/**
 * Assigns sold American calls at the close before an ex-day, where whoever holds them gains by exercising: where the dividend is more than the time value
 * that exercise gives up. By put-call parity that is the price of the put of the same strike and expiry, and the interest on the strike until then (Hull, Options,
 * Futures, and Other Derivatives, "Early exercise in practice"). Then all holders exercise, so that every sold contract is assigned. Nobody exercises what is
 * held here: a holder who wants the dividend's worth sells the option.
 */
export function assignEarly(roll: Roll, world: World, actions: CorporateActions, endOrders: EndOrders): void {
  for (const holding of roll.holdings()) {
    const { account, instrument, position } = holding;
    if (position.quantity >= 0n || instrument.kind !== 'option' || !isExercisedEarly(roll, instrument, world, actions)) continue;
    if (!exchangeShares(roll, holding, world, actions, 'assignment')) continue;
    // An order to buy back what is sold no more would open a position.
    endOrders(roll.change, instrument.symbol, `cancelled by the brokerage: ${instrument.symbol} was assigned`, account);
  }
}

function isExercisedEarly(roll: Roll, call: Option, world: World, actions: CorporateActions): boolean {
  const { option } = call;
  const { style, right, strike, expiry } = option;
  const underlying = world.instrument(option.underlying);
  if (style !== 'american' || right !== 'call' || underlying === undefined || !kinds[underlying.kind].isShare) return false;
  // Ex-dates before the next trading day are booked with it.
  const ex = roll.calendar.nextTradingDay(roll.day);
  const cash = actions
    .corporateActions(option.underlying, addDays(roll.day, 1), ex)
    .reduce((sum, action) => (action.kind === 'dividend' ? sum + action.cash : sum), 0n);
  if (cash === 0n || expiry <= roll.day) return false;
  const [shares, parts] = sharesDelivered(call, 1n, roll.day, actions);
  const perContract = (price: Decimal) => (price * shares) / parts;
  const paid = unitValue(call, strike);
  if (perContract(roll.closingPrice(underlying, roll.day)) <= paid) return false;
  const put = putBeside(call, world, roll.day);
  if (put === undefined) return false;
  const timeValue = unitValue(put, roll.closingPrice(put, roll.day)) + interest(paid, call, roll.day);
  return perContract(cash) > timeValue;
}

/** The put of the same series and strike. */
function putBeside({ option, multiplier }: Option, world: World, day: string): Option | undefined {
  const underlying = world.instrument(option.underlying);
  if (underlying === undefined) return undefined;
  for (const series of world.optionSeries(underlying, day)) {
    if (series.expiry !== option.expiry) continue;
    const found = world
      .optionChain(underlying, series, day)
      .find((each) => each.option.right === 'put' && each.option.strike === option.strike && each.multiplier === multiplier);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Interest on money from a day until an option expires, at the rate of the day. */
function interest(money: Decimal, { option, currency }: Option, day: string): Decimal {
  const today = requireDay(day);
  const days = BigInt(requireDay(option.expiry) - today);
  const percent = riskFreeRate(today, currency === 'HKD' ? 'hk' : 'us');
  return (money * percent * days) / (DECIMAL_ONE * 100n * DAYS_PER_YEAR);
}
