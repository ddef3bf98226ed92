import { atLeastZero, DECIMAL_ONE, type Decimal, decimalFromNumber, divide, multiplyUp } from '@svc-gateway/contract/decimal';
import { TrailType } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { Rejection } from '@svc-gateway/contract/rejection';

/** Trigger fields of an order; 0 = none. The trailing ratio is in percent. */
export interface TriggerTerms {
  readonly auxPrice: number;
  readonly trailType: number;
  readonly trailValue: number;
  readonly trailSpread: number;
}

/** Whether two orders follow the market alike. */
export function trailsAlike(a: TriggerTerms, b: TriggerTerms): boolean {
  return a.trailType === b.trailType && a.trailValue === b.trailValue && a.trailSpread === b.trailSpread;
}

const fields = ['auxPrice', 'trailValue', 'trailSpread'] as const;
const HUNDRED: Decimal = 100n * DECIMAL_ONE;

/**
 * The dearest price at which an order without a limit may begin to trade: the book's, the trigger's, or as far above the
 * book as a trailing order's trigger can lie. `dearest` is the book's, 0 where it has none; so is the answer where nothing is known.
 */
export function dearestStart(terms: TriggerTerms, dearest: Decimal): Decimal | Rejection {
  // Most orders wait for nothing, as the request says or as it does not say.
  if (terms.auxPrice === 0 && terms.trailValue === 0 && terms.trailSpread === 0) return dearest;
  const [trigger, trail, spread] = fields.map((field) => decimalFromNumber(terms[field]));
  if (trigger === undefined || trail === undefined || spread === undefined) {
    const field = fields.find((name) => decimalFromNumber(terms[name]) === undefined) ?? fields[0];
    return new Rejection('request.out_of_range', `${field}: ${terms[field]} has too many decimal places; at most nine are accepted`, {
      field,
    });
  }
  const distance = terms.trailType === TrailType.TrailType_Ratio ? multiplyUp(dearest, divide(trail, HUNDRED)) : trail;
  const trailed = dearest > 0n ? dearest + atLeastZero(distance) + atLeastZero(spread) : 0n;
  return [dearest, trigger, trailed].reduce((most, price) => (price > most ? price : most));
}
