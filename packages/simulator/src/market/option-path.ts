import { requireDay } from '@svc-gateway/contract/time';
import { openContracts, optionVolume } from '../pricing/contract-volume.js';
import { intrinsic, type OptionInputs, type Outlook } from '../pricing/option-terms.js';
import { optionValuation } from '../pricing/option-value.js';
import { mix, uniform } from '../rng/random.js';
import type { Option } from '../world/instrument.js';
import { DerivedPath } from './derived-path.js';
import type { ContractValuation } from './market.js';
import type { TradingDay } from './trading-days.js';
import type { UnderlyingModel } from './underlying-model.js';

/** Contracts a day of all options on an index, by its market; of those on a stock or fund, shares behind them for each that is traded. */
const INDEX_CONTRACTS: Readonly<Record<string, number>> = { US: 1_500_000, HK: 40_000 };
const SHARES_BEHIND = 0.5;

/** See {@link DerivedPath}. */
export class OptionPath extends DerivedPath {
  readonly #strike: number;
  readonly #total: number;

  constructor(
    private readonly key: number,
    private readonly option: Option,
    underlying: UnderlyingModel,
    expires: number,
  ) {
    super(underlying, expires, requireDay(option.listDate));
    this.#strike = Number(option.option.strike) / 1e9;
    const { instrument } = underlying;
    const multiplier = Number(option.multiplier) / 1e9;
    this.#total =
      instrument.kind === 'index'
        ? (INDEX_CONTRACTS[instrument.market] ?? 0)
        : (instrument.dailyVolume * SHARES_BEHIND) / Math.max(1, multiplier);
  }

  valuation(day: TradingDay, time: number): ContractValuation {
    const outlook = this.outlook(this.unitAt(day, time), day, time);
    const inputs = this.#inputs(outlook);
    const { value, delta, gamma, vega, theta, rho } = optionValuation(inputs);
    return { value, delta, gamma, vega, theta, rho, outlook, volatility: inputs.volatility, open: this.openInterest(day) };
  }

  protected volume(day: TradingDay, spot: number): number {
    return this.#volume(day, spot) * (0.6 + 0.8 * uniform(mix(this.key, day.number), 1));
  }

  /** Contracts that are open when a day begins. */
  openInterest(day: TradingDay): number {
    const draw = 0.5 + uniform(this.key, 2);
    return openContracts(this.#volume(day, this.unitAt(day, day.start)) * draw, day.number - this.listed);
  }

  protected price(spot: number, day: TradingDay, time: number): number {
    if (time >= this.expires) return intrinsic(this.option.option.right, spot, this.#strike);
    return optionValuation(this.#inputs(this.outlook(spot, day, time))).value;
  }

  #volume(day: TradingDay, spot: number): number {
    const { forward, years, volatility } = this.outlook(spot, day, day.start);
    return optionVolume(this.#total, Math.log(this.#strike / forward), volatility(forward) * Math.sqrt(years), years);
  }

  #inputs({ spot, years, rate, yield: paid, dividends, volatility }: Outlook): OptionInputs {
    const { right, style } = this.option.option;
    const strike = this.#strike;
    return { right, style, spot, strike, years, rate, yield: paid, dividends, volatility: volatility(strike) };
  }
}
