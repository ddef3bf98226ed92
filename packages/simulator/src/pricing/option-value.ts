import { americanPut } from './american-put.js';
import { european } from './european.js';
import { type ExpectedDividend, intrinsic, type OptionInputs, presentValue, type Valuation } from './option-terms.js';

/** Below this there is no time left to speak of. */
const YEARS_LEAST = 1e-8;
/** Least part of a price that dividends leave. */
const SPOT_LEAST = 1e-6;

/**
 * Value of an option, and its derivatives. Dividends are known cash: the option is on what the spot price is without those that go off before it ends.
 *
 * American calls are worth exercising just before an ex-day or never: the best of these days and the last one counts (Black, "Fact and fantasy in the use of
 * options", 1975). American puts are worth exercising between ex-days: the best of those stretches counts, see {@link putStretches}.
 */
export function optionValuation(inputs: OptionInputs): Valuation {
  const { right, style, spot, strike, years } = inputs;
  if (years <= YEARS_LEAST) return exercised(right, spot, strike);
  if (style === 'european') return ofEuropean(inputs, inputs.dividends, years);
  let best = exercised(right, spot, strike);
  if (right === 'call') {
    for (const end of callEnds(inputs)) best = better(best, ofEuropean(inputs, end.before, end.years));
  } else {
    for (const stretch of putStretches(inputs)) best = better(best, ofPut(inputs, stretch));
  }
  return best;
}

function better(a: Valuation, b: Valuation): Valuation {
  return b.value >= a.value ? b : a;
}

function exercised(right: 'call' | 'put', spot: number, strike: number): Valuation {
  const value = intrinsic(right, spot, strike);
  const delta = value > 0 ? (right === 'call' ? 1 : -1) : 0;
  return { value, delta, gamma: 0, vega: 0, theta: 0, rho: 0 };
}

/** The ends that an American call may have: just before each ex-day, and its last day. */
function callEnds({ dividends, years }: OptionInputs): { readonly years: number; readonly before: readonly ExpectedDividend[] }[] {
  const ends = dividends.map((dividend, i) => ({ years: dividend.years, before: dividends.slice(0, i) }));
  return [...ends, { years, before: dividends }].filter((end) => end.years > YEARS_LEAST);
}

interface PutStretch {
  readonly put: { spot: number; strike: number; years: number; rate: number; volatility: number };
  /** Years until it begins; those until it ends are the put's. */
  readonly from: number;
  readonly before: readonly ExpectedDividend[];
}

/**
 * The stretches in which an American put may be exercised. Who exercises in one gives up the dividends of those before it and the interest up to its
 * beginning u: a put with the strike K·e^(−ru), on the spot price without those dividends, that saves the rest of the interest, at the rate r(T − u)/T.
 * Each ends with the next ex-day; or it goes on to the end, on the spot price without any dividend, with a strike that is less by those within. At least as
 * much as the European put, and never more than what can be exercised at any time in the stretch.
 */
function putStretches({ dividends, spot, strike, years, rate, volatility }: OptionInputs): PutStretch[] {
  const stretches: PutStretch[] = [];
  const add = (from: number, until: number, before: readonly ExpectedDividend[], within: number) => {
    if (until <= YEARS_LEAST || strike <= within) return;
    const put = {
      spot: Math.max(SPOT_LEAST * spot, spot - presentValue(before, rate)),
      strike: (strike - within) * Math.exp(-rate * from),
      years: until,
      rate: (rate * (until - from)) / until,
      volatility,
    };
    stretches.push({ put, from, before });
  };
  let within = dividends.reduce((sum, { cash }) => sum + cash, 0);
  for (let i = 0; i <= dividends.length; i++) {
    const from = dividends[i - 1]?.years ?? 0;
    const next = dividends[i];
    add(from, Math.min(years, next?.years ?? years), dividends.slice(0, i), 0);
    if (next === undefined) break;
    add(from, years, dividends, within);
    within -= next.cash;
  }
  return stretches;
}

function ofPut({ rate }: OptionInputs, { put, from, before }: PutStretch): Valuation {
  const valuation = americanPut(put);
  if (from === 0) return valuation;
  const { value, delta, theta, rho } = valuation;
  // The value rises with spot and strike in proportion (Euler's theorem).
  const byStrike = (value - put.spot * delta) / put.strike;
  const length = put.years - from;
  return {
    ...valuation,
    theta: theta + byStrike * rate * put.strike + (rho * rate * length) / put.years ** 2 - delta * rate * presentValue(before, rate),
    rho: (rho * length) / put.years - byStrike * from * put.strike + delta * duration(before, rate),
  };
}

function ofEuropean(inputs: OptionInputs, before: readonly ExpectedDividend[], years: number): Valuation {
  const { rate } = inputs;
  const valuation = european(escrowed(inputs, before, years));
  if (before.length === 0) return valuation;
  return {
    ...valuation,
    theta: valuation.theta - valuation.delta * rate * presentValue(before, rate),
    rho: valuation.rho + valuation.delta * duration(before, rate),
  };
}

/** The option that ends in `years`, on the spot price without the dividends before. */
function escrowed(inputs: OptionInputs, before: readonly ExpectedDividend[], years: number) {
  const { right, spot, strike, rate, yield: paid, volatility } = inputs;
  const held = before.length === 0 ? spot : Math.max(SPOT_LEAST * spot, spot - presentValue(before, rate));
  return { right, spot: held, strike, years, rate, yield: paid, volatility };
}

function duration(dividends: readonly ExpectedDividend[], rate: number): number {
  let sum = 0;
  for (const { years, cash } of dividends) sum += years * cash * Math.exp(-rate * years);
  return sum;
}
