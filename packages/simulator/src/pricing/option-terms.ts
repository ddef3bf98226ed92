/** Cash that goes off a share while an option on it runs. */
export interface ExpectedDividend {
  /** Years until its ex-day; above 0. */
  readonly years: number;
  /** Cash per share, in the strike's currency. */
  readonly cash: number;
}

/** Inputs of an option's value. Rates are fractions a year, continuously compounded; years have 365 days. */
export interface OptionInputs {
  readonly right: 'call' | 'put';
  readonly style: 'american' | 'european';
  readonly spot: number;
  readonly strike: number;
  /** Years until expiry; 0 or less afterwards. */
  readonly years: number;
  readonly rate: number;
  /** Continuous yield of the underlying: of an index, its dividend yield. */
  readonly yield: number;
  /** Dividends that go off up to the expiry, in their order. */
  readonly dividends: readonly ExpectedDividend[];
  readonly volatility: number;
}

/** The underlying as options and warrants of one expiry see it. Money per unit, rates as fractions a year. */
export interface Outlook {
  readonly spot: number;
  /** Forward price of a unit at the expiry. */
  readonly forward: number;
  readonly years: number;
  readonly rate: number;
  readonly yield: number;
  readonly dividends: readonly ExpectedDividend[];
  volatility(strike: number): number;
}

/** A value and its derivatives, of one unit of the underlying. */
export interface Valuation {
  readonly value: number;
  /** Change per unit of the underlying. */
  readonly delta: number;
  readonly gamma: number;
  /** Change per 1 (a hundred points) of volatility. */
  readonly vega: number;
  /** Change per year of time decay. */
  readonly theta: number;
  /** Change per 1 of the rate. */
  readonly rho: number;
}

/** Value of an option that expires at `spot`. */
export function intrinsic(right: 'call' | 'put', spot: number, strike: number): number {
  return Math.max(0, right === 'call' ? spot - strike : strike - spot);
}

/** Today's value of cash to come. */
export function presentValue(dividends: readonly ExpectedDividend[], rate: number): number {
  let sum = 0;
  for (const { years, cash } of dividends) sum += cash * Math.exp(-rate * years);
  return sum;
}
