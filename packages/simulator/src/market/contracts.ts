import type { Decimal } from '@svc-gateway/contract/decimal';
import { LruCache } from '../rng/lru-cache.js';
import { catalogue } from '../world/catalogue.js';
import { carryOf, spotInstrument } from '../world/futures.js';
import type { Future, Instrument, Option, Warrant } from '../world/instrument.js';
import { roundToTick } from '../world/ticks.js';
import { ContractPath } from './contract-path.js';
import type { FollowedMarket } from './followed-market.js';
import { type Call, KnockOuts } from './knock-outs.js';
import { OptionPath } from './option-path.js';
import { type Quoting, Spot } from './spot.js';
import type { TradingDay } from './trading-days.js';
import { UnderlyingModel } from './underlying-model.js';
import { WarrantPath } from './warrant-path.js';

const CACHED_PATHS = 1_000;
const CACHED_DERIVED = 5_000;

/** A contract whose price follows from another's. */
type Following = Future | Option | Warrant;

/** The contracts whose prices follow from others': dated futures, options and warrants. */
export class Contracts {
  readonly #paths = new LruCache<Instrument, ContractPath>(CACHED_PATHS);
  readonly #spots = new LruCache<Instrument, Spot>(CACHED_PATHS);
  readonly #underlyings = new LruCache<Instrument, UnderlyingModel>(CACHED_PATHS);
  readonly #derived = new LruCache<Instrument, OptionPath | WarrantPath>(CACHED_DERIVED);
  /** Underlyings of contracts, by symbol. */
  readonly #found = new LruCache<string, Instrument>(CACHED_PATHS);
  readonly #knockOuts = new KnockOuts();

  constructor(private readonly background: FollowedMarket) {}

  /** The final settlement price of a dated contract, on the tick; undefined where it is its own last price. */
  settlementPrice(contract: Future): Decimal | undefined {
    const price = this.path(contract).settlementPrice();
    if (price === undefined) return undefined;
    const rounding = contract.future.product.settlement === 'average' ? 'down' : 'nearest';
    return roundToTick(contract.tickTable, BigInt(Math.round(price)), rounding);
  }

  /** See {@link Spot.quoting}. */
  quoting(contract: Following, time: number): Quoting {
    return this.#spot(contract.kind === 'future' ? spotInstrument(contract.future.product) : this.#underlyingOf(contract)).quoting(time);
  }

  /** Value of a contract at a moment of a trading day, in unrounded billionths. */
  worth(contract: Following, day: TradingDay, time: number): number {
    return contract.kind === 'future' ? this.path(contract).at(time) : this.derived(contract).at(day, time);
  }

  /** The path of an option or a warrant. */
  derived(contract: Option | Warrant): OptionPath | WarrantPath {
    return this.#derived.get(contract, () => this.#makeDerived(contract));
  }

  /** At-the-money volatility of options on an underlying: see {@link UnderlyingModel.atTheMoney}. */
  volatilityAtTheMoney(underlying: Instrument, day: number, years: number): number {
    return this.#underlying(underlying).atTheMoney(day, years);
  }

  /** The day, up to one (days from 1970-01-01), on which a callable contract was called. */
  calledOn(warrant: Warrant, through: number): TradingDay | undefined {
    return this.#call(warrant, through)?.day;
  }

  /** Whether a callable contract has been called by a moment of a day on which it was listed. */
  isCalled(warrant: Warrant, day: TradingDay, time: number): boolean {
    if (warrant.warrant.callPrice === undefined) return false;
    const call = this.#call(warrant, day.number);
    return call !== undefined && call.time <= time;
  }

  #call(warrant: Warrant, through: number): Call | undefined {
    const of = this.#underlyingOf(warrant);
    const model = this.#underlying(of);
    const traded = {
      index: this.background.profile(of).index,
      days: this.background.tradingDays(of),
      on: (day: TradingDay) => this.background.day(of, day),
      sharesSince: (day: number, earlier: number) => model.sharesSince(day, earlier),
    };
    return this.#knockOuts.call(warrant, traded, through);
  }

  /** Payout of one unit of a contract if `now` were its last moment, on the tick that it is settled in. */
  payout(contract: Option | Warrant, now: number): Decimal {
    const path = this.derived(contract);
    const time = Math.min(now, path.expires);
    return BigInt(Math.round(path.at(this.background.tradingDays(contract).at(Math.min(time, path.expires - 1)), time)));
  }

  #makeDerived(contract: Option | Warrant): OptionPath | WarrantPath {
    const { key } = this.background.profile(contract);
    const underlying = this.#underlying(this.#underlyingOf(contract));
    const expires = (day: string) => this.background.tradingDays(contract).on(day).regular.end;
    if (contract.kind === 'option') return new OptionPath(key, contract, underlying, expires(contract.option.expiry));
    const callBy = ({ number }: TradingDay) => this.#call(contract, number);
    return new WarrantPath(key, contract, underlying, expires(contract.warrant.maturity), callBy);
  }

  #underlyingOf(contract: Option | Warrant): Instrument {
    const { market, symbol } = contract;
    const { underlying } = contract.kind === 'option' ? contract.option : contract.warrant;
    return this.#found.get(underlying, () => {
      const found = catalogue(market).find((one) => one.symbol === underlying);
      if (found === undefined) throw new Error(`${symbol} is on ${underlying}, which the world does not have`);
      return found;
    });
  }

  #underlying(of: Instrument): UnderlyingModel {
    return this.#underlyings.get(of, () => {
      return new UnderlyingModel(
        of,
        this.#spot(of),
        (day) => Number(this.background.level(of, day)),
        this.background.profile(of).timeline,
        carryOf(of),
      );
    });
  }

  /** The path of a dated contract. */
  path(contract: Future): ContractPath {
    return this.#paths.get(contract, () => {
      const { lastTradingDay } = contract;
      if (lastTradingDay === undefined) throw new Error(`${contract.symbol} is no dated contract`);
      const last = this.background.tradingDays(contract).on(lastTradingDay);
      return new ContractPath(contract, this.#spot(spotInstrument(contract.future.product)), last);
    });
  }

  #spot(of: Instrument): Spot {
    return this.#spots.get(of, () => {
      return new Spot(this.background.profile(of), this.background.tradingDays(of), (day) => this.background.spotDay(of, day));
    });
  }
}
