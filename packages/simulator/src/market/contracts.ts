import type { Decimal } from '@svc-gateway/contract/decimal';
import { LruCache } from '../rng/lru-cache.js';
import { keyOf, mix } from '../rng/random.js';
import { catalogue } from '../world/catalogue.js';
import { carryOf, spotInstrument } from '../world/futures.js';
import type { Future, Instrument, Option, Warrant } from '../world/instrument.js';
import { roundToTick } from '../world/ticks.js';
import { ContractPath } from './contract-path.js';
import type { FollowedMarket } from './followed-market.js';
import { KnockOuts, type TradedUnderlying } from './knock-outs.js';
import { Makers, type Quoting } from './makers.js';
import { OptionPath } from './option-path.js';
import { Spot } from './spot.js';
import type { TradingDay } from './trading-days.js';
import { UnderlyingModel } from './underlying-model.js';
import { WarrantPath } from './warrant-path.js';

const CACHED_PATHS = 1_000;
const CACHED_DERIVED = 5_000;
/** Stream of what spot prices do between their days. */
const NIGHTS = keyOf('nights');

/** A contract whose price follows from another's. */
type Following = Future | Option | Warrant;

/** The contracts whose prices follow from others': dated futures, options and warrants. */
export class Contracts {
  readonly #paths = new LruCache<Instrument, ContractPath>(CACHED_PATHS);
  readonly #spots = new LruCache<Instrument, Spot>(CACHED_PATHS);
  readonly #makers = new LruCache<Instrument, Makers>(CACHED_PATHS);
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

  /** When market makers quote a contract: see {@link Makers}. */
  quoting(contract: Following, time: number): Quoting {
    const of = contract.kind === 'future' ? spotInstrument(contract.future.product) : this.#underlyingOf(contract);
    return this.#makers.get(of, () => new Makers(this.background.profile(of).key, this.#spot(of))).at(time);
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
    return this.#knockOuts.calledOn(warrant, this.#traded(this.#underlyingOf(warrant)), through);
  }

  /** Whether a callable contract has been called by a moment of a day on which it was listed. */
  isCalled(warrant: Warrant, day: TradingDay, time: number): boolean {
    if (warrant.warrant.callPrice === undefined) return false;
    const call = this.#knockOuts.call(warrant, this.#traded(this.#underlyingOf(warrant)), day.number);
    return call !== undefined && call.time <= time;
  }

  /** Payout of one unit of a contract if `now` were its last moment, on the tick that it is settled in. */
  payout(contract: Option | Warrant, now: number): Decimal {
    const path = this.derived(contract);
    const time = Math.min(now, path.expires);
    return BigInt(Math.round(path.at(this.background.tradingDays(contract).at(Math.min(time, path.expires - 1)), time)));
  }

  #makeDerived(contract: Option | Warrant): OptionPath | WarrantPath {
    const { key } = this.background.profile(contract);
    const days = this.background.tradingDays(contract);
    if (contract.kind === 'option') {
      const underlying = this.#underlying(this.#underlyingOf(contract));
      return new OptionPath(key, contract, underlying, days.on(contract.option.expiry).regular.end);
    }
    const of = this.#underlyingOf(contract);
    const callBy = ({ number }: TradingDay) => this.#knockOuts.call(contract, this.#traded(of), number);
    return new WarrantPath(key, contract, this.#underlying(of), days.on(contract.warrant.maturity).regular.end, callBy);
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

  #traded(of: Instrument): TradedUnderlying {
    const model = this.#underlying(of);
    return {
      index: this.background.profile(of).index,
      days: this.background.tradingDays(of),
      on: (day) => this.background.day(of, day),
      sharesSince: (day, earlier) => model.sharesSince(day, earlier),
    };
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
      const { key, daily } = this.background.profile(of);
      return new Spot(mix(key, NIGHTS), daily, this.background.tradingDays(of), (day) => this.background.spotDay(of, day));
    });
  }
}
