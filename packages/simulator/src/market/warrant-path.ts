import { requireDay } from '@svc-gateway/contract/time';
import { callableValuation, residualValue } from '../pricing/callable-contract.js';
import { inlineValuation } from '../pricing/inline-warrant.js';
import type { OptionInputs, Outlook, Valuation } from '../pricing/option-terms.js';
import { optionValuation } from '../pricing/option-value.js';
import { keyOf, mix, uniform } from '../rng/random.js';
import type { Warrant } from '../world/instrument.js';
import { DerivedPath } from './derived-path.js';
import type { Call } from './knock-outs.js';
import type { ContractValuation } from './market.js';
import type { PriceRange } from './price-range.js';
import type { TradingDay } from './trading-days.js';
import type { UnderlyingModel } from './underlying-model.js';

/** Volatility that issuers ask for on top, and what they charge above the risk-free rate for the money in callable contracts. */
const MARGIN = { least: 0.01, range: 0.04 };
const FUNDING = { least: 0.01, range: 0.025 };
/** Part of an issue that the public holds once it has been listed for long. */
const HELD_MOST = 0.7;
const SELLS_DAYS = 90;

/** See {@link DerivedPath}. `conversionRatio` units make one of the underlying. */
export class WarrantPath extends DerivedPath {
  readonly #strike: number;
  readonly #upper: number;
  readonly #ratio: number;
  /** Mark-up of the issuer, from 0 to 1. */
  readonly #dear: number;

  /** @param callBy when a callable contract was called, on that day or one before; undefined while it was not */
  constructor(
    private readonly key: number,
    private readonly warrant: Warrant,
    underlying: UnderlyingModel,
    expires: number,
    private readonly callBy: (day: TradingDay) => Call | undefined,
  ) {
    super(underlying, expires, requireDay(warrant.listDate));
    const { strike, upperStrike = strike, issuer, conversionRatio } = warrant.warrant;
    this.#strike = Number(strike) / 1e9;
    this.#upper = Number(upperStrike) / 1e9;
    this.#ratio = conversionRatio;
    this.#dear = uniform(keyOf(`issuer ${issuer}`), 0);
  }

  valuation(day: TradingDay, time: number): ContractValuation {
    const outlook = this.outlook(this.unitAt(day, time), day, time);
    const { value, delta, gamma, vega, theta, rho } = this.#valued(outlook, day, time);
    const [volatility, ratio] = [this.#volatility(outlook, this.#strike), this.#ratio];
    const part = { value: value / ratio, delta: delta / ratio, gamma: gamma / ratio, vega: vega / ratio };
    return { ...part, theta: theta / ratio, rho: rho / ratio, outlook, volatility, open: this.held(day) };
  }

  protected volume({ number }: TradingDay): number {
    return this.warrant.dailyVolume * (0.3 + 1.4 * uniform(mix(this.key, number), 1));
  }

  /** Units that the public holds when a day begins. */
  held(day: TradingDay): number {
    const sold = HELD_MOST * uniform(this.key, 3) ** 2 * -Math.expm1(-Math.max(0, day.number - this.listed) / SELLS_DAYS);
    return Math.round((sold * Number(this.warrant.sharesIssued)) / this.warrant.lotSize) * this.warrant.lotSize;
  }

  protected price(spot: number, day: TradingDay, time: number): number {
    return this.#valued(this.outlook(spot, day, time), day, time).value / this.#ratio;
  }

  /** The value of an inline warrant is highest in the middle of its range. */
  protected override turns(day: TradingDay, { high, low }: PriceRange, time: number): readonly number[] {
    if (this.warrant.warrant.type !== 'inline') return [];
    const unit = this.shares(day) / 1e9;
    const middle = Math.sqrt(this.#strike * this.#upper);
    return low * unit < middle && middle < high * unit ? [this.price(middle, day, time) * 1e9] : [];
  }

  #valued(outlook: Outlook, day: TradingDay, time: number): Valuation {
    const { type } = this.warrant.warrant;
    switch (type) {
      case 'call':
      case 'put':
        return optionValuation(this.#inputs(outlook));
      case 'inline':
        return inlineValuation(this.#inline(outlook));
      case 'bull':
      case 'bear': {
        const residual = this.#residual(type, day, time);
        if (residual !== undefined) return { value: residual, delta: 0, gamma: 0, vega: 0, theta: 0, rho: 0 };
        return callableValuation(this.#callable(type, outlook));
      }
    }
  }

  /** Residual value of a called contract for a unit of the underlying, by its range up to now; undefined while it is not called. */
  #residual(type: 'bull' | 'bear', day: TradingDay, time: number): number | undefined {
    const call = this.callBy(day);
    if (call === undefined || time < call.time) return undefined;
    const { high, low } = this.underlying.range(call.time, Math.max(Math.min(time, call.day.end), call.time + 1));
    return residualValue(type, ((type === 'bull' ? low : high) / 1e9) * this.shares(day), this.#strike);
  }

  #volatility({ volatility }: Outlook, strike: number): number {
    return volatility(strike) + MARGIN.least + MARGIN.range * this.#dear;
  }

  /** Derivative warrants of Hong Kong are European and settled in cash. */
  #inputs(outlook: Outlook): OptionInputs {
    const { spot, years, rate, yield: paid, dividends } = outlook;
    const right = this.warrant.warrant.type === 'put' ? 'put' : 'call';
    const strike = this.#strike;
    const volatility = this.#volatility(outlook, strike);
    return { right, style: 'european', spot, strike, years, rate, yield: paid, dividends, volatility };
  }

  #inline(outlook: Outlook) {
    const { forward, years, rate, yield: paid } = outlook;
    const [lower, upper] = [this.#strike, this.#upper];
    // On the spot price without the dividends to come.
    const spot = forward * Math.exp(-(rate - paid) * years);
    const volatilities = [this.#volatility(outlook, lower), this.#volatility(outlook, upper)] as const;
    return { spot, lower, upper, years, rate, yield: paid, volatilities };
  }

  #callable(type: 'bull' | 'bear', { spot, years, rate }: Outlook) {
    return { type, spot, strike: this.#strike, years, funding: rate + FUNDING.least + FUNDING.range * this.#dear };
  }
}
