import { decimalFromNumber } from '../../contract/decimal.js';
import type { Order } from '../../contract/generated/Trd_Common_pb.js';
import { quoteMarketOfSecMarket } from '../../contract/markets.js';
import { Rejection, type StandingTerms } from '../../contract/rejection.js';
import { sideName } from '../trade-names.js';
import { legsText } from './legs-text.js';
import type { ValuedLeg } from './order-facts.js';

/** Marks a refusal with the order or position that it is of, for the audit trail; one that is marked stays as it is. */
export function ofStandingTerms(rejection: Rejection, order: StandingTerms): Rejection {
  if (rejection.details.order !== undefined) return rejection;
  return new Rejection(rejection.code, rejection.message, { ...rejection.details, order });
}

/** Terms of an existing order. */
export function termsOfOrder({ comboLegs, secMarket, code, trdSide, qty, price }: Order): StandingTerms {
  const isCombo = comboLegs.length > 0;
  return {
    symbol: isCombo ? legsText(comboLegs) : `${quoteMarketOfSecMarket(secMarket)?.name ?? secMarket}.${code}`,
    side: isCombo ? undefined : sideName(trdSide),
    qty: decimalFromNumber(qty),
    price: price === 0 ? undefined : decimalFromNumber(price),
  };
}

/** Terms of the orders that reverse or roll a position: the side is that which closes it. */
export function termsOfLegs(legs: readonly Pick<ValuedLeg, 'symbol' | 'side' | 'qty'>[]): StandingTerms {
  const [closing] = legs;
  const symbol = [...new Set(legs.map((leg) => leg.symbol))].join(' + ');
  return { symbol, side: closing?.side, qty: closing?.qty };
}
