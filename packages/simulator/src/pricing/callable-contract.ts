import { intrinsic, type Valuation } from './option-terms.js';

/** A bull or bear contract that has not been called. Rates are fractions a year. */
export interface CallableContract {
  readonly type: 'bull' | 'bear';
  readonly spot: number;
  readonly strike: number;
  readonly years: number;
  /** Issuer's funding cost of the strike's money. */
  readonly funding: number;
}

/**
 * Value per unit of the underlying: the difference to the strike, and the funding cost of the strike's money up to the expiry (HKEX, Callable Bull/Bear
 * Contracts, "how is the price determined": spot − strike + funding cost). The call price cuts losses off before the strike is reached, so it moves no value.
 */
export function callableValuation({ type, spot, strike, years, funding }: CallableContract): Valuation {
  const inside = intrinsic(type === 'bull' ? 'call' : 'put', spot, strike);
  return {
    value: inside + strike * funding * years,
    delta: inside > 0 ? (type === 'bull' ? 1 : -1) : 0,
    gamma: 0,
    vega: 0,
    theta: -strike * funding,
    rho: strike * years,
  };
}

/**
 * Residual value of a contract that has been called, per unit of the underlying (HKEX, category R): the strike's difference to the lowest (of bear contracts, the
 * highest) price that the underlying reached after the call.
 */
export function residualValue(type: 'bull' | 'bear', extreme: number, strike: number): number {
  return intrinsic(type === 'bull' ? 'call' : 'put', extreme, strike);
}
