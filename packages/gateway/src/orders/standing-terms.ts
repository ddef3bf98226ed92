import { decimalFromNumber } from '@svc-gateway/contract/decimal';
import { type Order, type Position, PositionSide } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { Rejection, type StandingTerms } from '@svc-gateway/contract/rejection';
import { securitiesOf } from '../sight.js';
import { sideName } from '../trade-names.js';
import { legsText } from './legs-text.js';
import type { ValuedLeg } from './order-facts.js';
import { symbolOf } from './unsettled-trades.js';

/** Contract that a position is rolled into. */
type Contract = Pick<Position, 'code' | 'secMarket'>;

/** Marks a refusal with the order or position that it is of, for the audit trail; one that is marked stays as it is. */
export function ofStandingTerms(rejection: Rejection, order: StandingTerms): Rejection {
  if (rejection.details.order !== undefined) return rejection;
  return new Rejection(rejection.code, rejection.message, { ...rejection.details, order });
}

/** Terms of an existing order. @param trading its trading market where the record has none. */
export function termsOfOrder(order: Order, trading: number): StandingTerms {
  const { comboLegs, secMarket, code, trdSide, qty, price } = order;
  const isCombo = comboLegs.length > 0;
  return {
    securities: securitiesOf(order, trading),
    symbol: isCombo ? legsText(comboLegs) : symbolOf({ secMarket, code }),
    side: isCombo ? undefined : sideName(trdSide),
    qty: decimalFromNumber(qty),
    price: price === 0 ? undefined : decimalFromNumber(price),
  };
}

/** Terms of the orders that reverse or roll a position: the side is that which closes it. */
export function termsOfLegs(legs: readonly Pick<ValuedLeg, 'markets' | 'symbol' | 'side' | 'qty'>[]): StandingTerms {
  const [closing] = legs;
  return { symbol: joined(legs), securities: legs, side: closing?.side, qty: closing?.qty };
}

/** Terms of the orders that reverse a position, or roll it into `target`. */
export function termsOfPosition(position: Position, target: Contract | undefined, trading: number): StandingTerms {
  const { trdMarket, qty, positionSide } = position;
  const securities = [position, ...(target === undefined ? [] : [target])].flatMap(({ secMarket, code }) =>
    securitiesOf({ trdMarket, secMarket, code }, trading),
  );
  const isLong = positionSide === PositionSide.PositionSide_Long;
  return { symbol: joined(securities), securities, side: isLong ? 'SELL' : 'BUY', qty: decimalFromNumber(Math.abs(qty)) };
}

function joined(securities: readonly { readonly symbol: string }[]): string {
  return [...new Set(securities.map(({ symbol }) => symbol))].join(' + ');
}
