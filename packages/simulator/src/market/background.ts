import type { Decimal } from '@svc-gateway/contract/decimal';
import type { Companies } from '../companies/companies.js';
import { exPrice } from '../companies/ex-price.js';
import type { ListingTimeline } from '../companies/listing-timeline.js';
import { LruCache } from '../rng/lru-cache.js';
import { type Anchor, chainPrice } from '../rng/price-chain.js';
import { keyOf, mix, normal } from '../rng/random.js';
import { closingPrice, dailyDeviation } from '../world/bond-price.js';
import { tradedOn } from '../world/futures.js';
import { type Future, type Instrument, isDerived, type Option, type PlateIndex, type Warrant } from '../world/instrument.js';
import { roundToTick, tickSize } from '../world/ticks.js';
import { type Aggregate, aggregateOfTotals, type Traded, turnoverOf } from './aggregate.js';
import type { BackgroundDay } from './background-day.js';
import { Contracts } from './contracts.js';
import type { Currencies } from './currencies.js';
import { DayOfSessions } from './day-of-sessions.js';
import { type DayOfTrades, totalsOf } from './day-tape.js';
import { type Filling, filledTape } from './filled-tape.js';
import type { FollowedMarket, MemberDay } from './followed-market.js';
import type { History } from './history.js';
import type { DayPrices } from './market.js';
import { OwnDays } from './own-days.js';
import { PairTape } from './pair-tape.js';
import { PlatePaths } from './plate-paths.js';
import { type PriceRange, scaled } from './price-range.js';
import type { Profile } from './profile.js';
import { priceLimit } from './profile.js';
import { tickLadder } from './tick-ladder.js';
import type { TradingDay, TradingDays } from './trading-days.js';

const DAYS_PER_YEAR = 365;
/** How far a plate goes beyond where it opens and closes, in deviations of its day: at least, and more at random. Wide enough to hold most of what its members do. */
const PLATE_REACH = { least: 0.35, more: 0.4 };
/** Room that sums of price × lots of a day leave below 2^53 for what exceeds the typical day and price. */
const AMOUNT_MAX_TYPICAL = 2 ** 46;
/** Days are kept for the symbols being looked at only: a day costs a microsecond to make. */
const CACHED_PROFILES = 20_000;
/** More than the days from 1970-01-01 to any that calendars name. */
const DAYS_MAX = 2 ** 23;
const CACHED_DAYS = 500;
/** Members of the largest plates of several markets, at a few kilobytes each. */
const CACHED_MEMBERS = 5_000;
/** Ten years of days of several symbols, at some hundred bytes each. */
const CACHED_TOTALS = 12_000;

/** The background market's days: a pure function of seed, instrument and day. */
export class Background implements FollowedMarket {
  readonly #profiles = new LruCache<Instrument, Profile>(CACHED_PROFILES);
  readonly #days = new LruCache<number, BackgroundDay>(CACHED_DAYS);
  readonly #regular = new LruCache<number, { readonly aggregate: Aggregate | undefined }>(CACHED_TOTALS);

  /** A large plate asks for a thousand a day. */
  readonly #memberDays = new LruCache<number, MemberDay>(CACHED_TOTALS);
  /** Running days of members of plates: a look at a plate of a thousand takes 5 ms, and 20 ms where these are made anew. */
  readonly #runningDays = new LruCache<number, BackgroundDay>(CACHED_MEMBERS);

  readonly #own = new OwnDays();
  readonly plates: PlatePaths;
  readonly contracts: Contracts;
  #profilesMade = 0;

  constructor(
    readonly seed: number | string,
    readonly tradingDays: (instrument: Instrument) => TradingDays,
    readonly anchor: (instrument: Instrument) => Anchor | undefined,
    readonly currencies: Currencies | undefined,
    readonly companies: Companies,
    readonly history: ReadonlyMap<string, History>,
  ) {
    this.plates = new PlatePaths(this);
    this.contracts = new Contracts(this);
  }

  historyOf({ symbol }: Instrument, { number }: TradingDay): History | undefined {
    const history = this.history.get(symbol);
    return history !== undefined && number <= history.lastDay ? history : undefined;
  }

  /** The instrument that trades on a day: for a continuous contract, the month it then stands for. */
  traded(instrument: Instrument, day: TradingDay): Instrument {
    return tradedOn(instrument, day.day);
  }

  profile(instrument: Instrument): Profile {
    return this.#profiles.get(instrument, () => this.#makeProfile(instrument));
  }

  day(instrument: Instrument, day: TradingDay): BackgroundDay {
    const traded = this.traded(instrument, day);
    return this.#days.get(this.#keyOf(traded, day), () => this.#makeDay(traded, day));
  }

  /** The price at which the last background trade of a day is (or will be) made. */
  close(instrument: Instrument, day: TradingDay): Decimal {
    const { tape, grid } = this.day(instrument, day);
    return BigInt(tape.root.close * grid);
  }

  level(instrument: Instrument, day: number): Decimal {
    return BigInt(Math.max(1, Math.round(this.profile(instrument).closeOn(day))));
  }

  /** The price of the last background trade of a day's regular trading. */
  regularClose(instrument: Instrument, day: TradingDay): Decimal {
    const known = this.#regular.peek(this.#keyOf(instrument, day))?.aggregate;
    const outlined = known === undefined ? this.outlined(instrument, day) : undefined;
    if (outlined !== undefined) return BigInt(outlined.close);
    return this.regularTotals(instrument, day)?.close ?? this.close(instrument, day);
  }

  /** Totals of a day's regular trading. They are remembered longer than the day: where there are extended hours, they are costly. */
  regularTotals(instrument: Instrument, day: TradingDay): Aggregate | undefined {
    return this.#regular.get(this.#keyOf(instrument, day), () => {
      const background = this.#peekDay(instrument, day);
      const { tape } = background;
      const { start, end } = day.regular;
      const isWhole = start === day.start && end === day.end;
      const totals = isWhole ? totalsOf(tape.root) : tape.totals([start, end])[0];
      return { aggregate: totals === undefined ? undefined : aggregateOfTotals(totals, background) };
    }).aggregate;
  }

  /** A day that need not be remembered: what is kept of it for one look alone would only clear others away. */
  #peekDay(instrument: Instrument, day: TradingDay): BackgroundDay {
    const traded = this.traded(instrument, day);
    return this.#days.peek(this.#keyOf(traded, day)) ?? this.#makeDay(traded, day);
  }

  /** Volume and turnover of each [boundaries[i], boundaries[i + 1]) of a day; undefined where nothing is traded. The day need not be remembered. */
  tradedIn(instrument: Instrument, day: TradingDay, boundaries: readonly number[]): readonly (Traded | undefined)[] {
    return tradedIn(this.#peekDay(instrument, day), boundaries);
  }

  /** Volume and turnover of a running day's regular trading before a moment. */
  tradedUpTo(instrument: Instrument, day: TradingDay, time: number): Traded | undefined {
    const running = this.#runningDays.get(this.#keyOf(instrument, day), () => this.#peekDay(instrument, day));
    return tradedIn(running, [day.regular.start, Math.min(time, day.regular.end)])[0];
  }

  /** The close as the next trading day compares with it: reduced by what goes ex on that day. On the tick. */
  reference(instrument: Instrument, next: TradingDay, close: Decimal): Decimal {
    const actions = this.profile(instrument).timeline?.on(next.number) ?? [];
    if (actions.length === 0) return close;
    const { tickTable } = instrument;
    const reference = roundToTick(tickTable, exPrice(close, actions), 'nearest');
    return reference > 0n ? reference : tickSize(tickTable, 1n);
  }

  memberDay(instrument: Instrument, day: TradingDay): MemberDay {
    return this.#memberDays.get(this.#keyOf(instrument, day), () => this.#makeMemberDay(instrument, day));
  }

  #makeMemberDay(instrument: Instrument, day: TradingDay): MemberDay {
    if (this.#goesItsOwnWay(instrument)) {
      // Its regular trading has totals before any of its trades is known.
      const profile = this.profile(instrument);
      const { previous, grid, parts } = this.#own.outline(profile, this.tradingDays(instrument), day);
      const range = parts.find(({ part }) => part.start >= day.regular.start && part.end <= day.regular.end);
      if (range !== undefined) {
        const { root } = filledTape(instrument, profile, { part: range.part, day, key: range.key, grid, previous }, range);
        const lotSize = BigInt(profile.lotSize);
        return {
          open: root.open * grid,
          close: root.close * grid,
          mean: (root.amount / root.lots) * grid,
          volume: BigInt(root.lots) * lotSize,
          turnover: BigInt(root.amount) * turnoverOf(instrument, BigInt(grid), lotSize),
        };
      }
    }
    const totals = this.regularTotals(instrument, day);
    if (totals === undefined) {
      const close = Number(this.close(instrument, day));
      return { open: close, close, mean: close, volume: 0n, turnover: 0n };
    }
    const { volume, turnover } = totals;
    return { open: Number(totals.open), close: Number(totals.close), mean: Number(turnover) / Number(volume), volume, turnover };
  }

  /** Cache key of an instrument's day. A number: building a text at every look-up cost more than the look-up. */
  #keyOf(instrument: Instrument, day: TradingDay): number {
    return this.profile(instrument).index * DAYS_MAX + day.number;
  }

  #makeProfile(instrument: Instrument): Profile {
    const ladder = tickLadder(instrument.tickTable);
    const price = Number(instrument.referencePrice);
    const key = keyOf(`${this.seed}|${instrument.symbol}`);
    const timeline = this.companies.timeline(instrument);
    let lotSize = instrument.lotSize;
    while ((price / ladder.finest) * (instrument.dailyVolume / lotSize) > AMOUNT_MAX_TYPICAL) lotSize *= 10;
    this.#profilesMade += 1;
    return {
      index: this.#profilesMade,
      key,
      ladder,
      lotSize,
      lotsADay: instrument.dailyVolume / lotSize,
      ...this.#walkOf(instrument, key, timeline),
      limit: priceLimit(instrument),
      timeline,
    };
  }

  /** How far an instrument goes in a day, and where its days close. */
  #walkOf(instrument: Instrument, key: number, timeline: ListingTimeline | undefined): Pick<Profile, 'daily' | 'closeOn'> {
    if (instrument.kind === 'bond') {
      return {
        daily: (day) => dailyDeviation(instrument, day),
        closeOn: (day) => closingPrice(instrument, day) * 1e9,
      };
    }
    const daily = instrument.volatility / Math.sqrt(DAYS_PER_YEAR);
    if (timeline !== undefined) return { daily: () => daily, closeOn: (day) => timeline.priceAt(day) };
    const known = this.anchor(instrument) ?? { price: Number(instrument.referencePrice) };
    return { daily: () => daily, closeOn: (day) => chainPrice(key, day, daily, known) };
  }

  #makeDay(instrument: Instrument, day: TradingDay): BackgroundDay {
    const profile = this.profile(instrument);
    if (this.#goesItsOwnWay(instrument)) return this.#ownDay(instrument, profile, day);
    if (instrument.kind === 'forex' && this.currencies) return this.#pairDay(instrument, profile, day, this.currencies);
    if (instrument.kind === 'plate') return this.#plateDay(instrument, profile, day);
    if (isDerived(instrument)) return this.#derivedDay(instrument, profile, day);
    return this.#contractDay(instrument as Future, profile, day);
  }

  /** Whether its prices follow from no other's. */
  #goesItsOwnWay(instrument: Instrument): boolean {
    switch (instrument.kind) {
      case 'forex':
        return this.currencies?.quotes(instrument) !== true;
      case 'future':
        return instrument.future.month === undefined;
      case 'plate':
      case 'option':
      case 'warrant':
        return false;
      default:
        return true;
    }
  }

  /** Prices of a day's regular trading, in whole billionths, of what goes its own way: it needs no tape for them. */
  outlined(instrument: Instrument, day: TradingDay): DayPrices | undefined {
    if (!this.#goesItsOwnWay(instrument)) return undefined;
    return this.#own.prices(this.profile(instrument), this.tradingDays(instrument), day);
  }

  /** A day that goes its own way, from the close before to its own. */
  #ownDay(instrument: Instrument, profile: Profile, day: TradingDay): BackgroundDay {
    const { previous, grid, parts } = this.#own.outline(profile, this.tradingDays(instrument), day);
    const tapes = parts.map((range) => filledTape(instrument, profile, { part: range.part, day, key: range.key, grid, previous }, range));
    const [only] = tapes;
    return this.#day(instrument, profile, day, grid, only === undefined || tapes.length > 1 ? new DayOfSessions(tapes) : only);
  }

  /** A day that follows the spot price. */
  #contractDay(contract: Future, profile: Profile, day: TradingDay): BackgroundDay {
    const path = this.contracts.path(contract);
    const previous = path.at(this.tradingDays(contract).previous(day).end - 1);
    const range = { ...path.range(day, day.start, day.end), open: path.at(day.start), close: path.at(day.end - 1) };
    const follows = (from: number, until: number) => path.range(day, from, until);
    return this.#followingDay(contract, profile, { day, previous }, range, follows);
  }

  /** A day of what follows from its underlying. */
  #derivedDay(contract: Option | Warrant, profile: Profile, day: TradingDay): BackgroundDay {
    const path = this.contracts.derived(contract);
    const { range, typical } = path.whole(day);
    // The deviation comes from the underlying's own day.
    const deviation = Math.max(profile.ladder.finest, 0.5 * (range.high - range.low));
    const follows = (from: number, until: number) => path.range(day, from, until);
    return this.#followingDay(contract, profile, { day, previous: range.open, deviation, typical }, range, follows);
  }

  #followingDay(
    instrument: Instrument,
    profile: Profile,
    filling: Pick<Filling, 'day' | 'previous' | 'deviation' | 'typical'>,
    range: PriceRange,
    path: ((from: number, until: number) => PriceRange) | undefined,
  ): BackgroundDay {
    const { day } = filling;
    const grid = profile.ladder.commonTick(range.low, range.high);
    const key = mix(profile.key, day.number);
    const follows = path && ((from: number, until: number) => scaled(path(from, until), 1 / grid));
    const tape = filledTape(instrument, profile, { ...filling, part: { ...day, share: 1 }, key, grid }, range, follows);
    return this.#day(instrument, profile, day, grid, tape);
  }

  /** A day of the index of a plate, which goes with its members. */
  #plateDay(plate: PlateIndex, profile: Profile, day: TradingDay): BackgroundDay {
    const { open, close, mean, deviation, follows } = this.plates.on(plate, day);
    const key = mix(profile.key, day.number);
    const high = Math.max(open, close) + deviation * (PLATE_REACH.least + PLATE_REACH.more * Math.abs(normal(key, 1)));
    const low = Math.min(open, close) - deviation * (PLATE_REACH.least + PLATE_REACH.more * Math.abs(normal(key, 2)));
    return this.#followingDay(plate, profile, { day, previous: open }, { open, close, high, low, mean }, follows);
  }

  spotDay(spot: Instrument, day: TradingDay): BackgroundDay {
    if (spot.kind !== 'future') return this.day(spot, day);
    const profile = this.profile(spot);
    return this.#days.get(this.#keyOf(spot, day), () => this.#ownDay(spot, profile, day));
  }

  #day(instrument: Instrument, { lotSize }: Profile, day: TradingDay, grid: number, tape: DayOfTrades): BackgroundDay {
    return { day, tape, grid, lotSize, amountUnit: turnoverOf(instrument, BigInt(grid), BigInt(lotSize)) };
  }

  #pairDay(pair: Instrument, profile: Profile, day: TradingDay, currencies: Currencies): BackgroundDay {
    const { finest } = profile.ladder;
    const shared = mix(keyOf(`${this.seed}|currencies`), day.number);
    const key = mix(profile.key, day.number);
    return this.#day(pair, profile, day, finest, new PairTape({ day, ...currencies.knots(pair, day), grid: finest, shared, key }));
  }
}

function tradedIn({ tape, lotSize, amountUnit }: BackgroundDay, boundaries: readonly number[]): readonly (Traded | undefined)[] {
  return tape
    .totals(boundaries)
    .map((totals) => totals && { volume: BigInt(totals.lots) * BigInt(lotSize), turnover: BigInt(totals.amount) * amountUnit });
}
