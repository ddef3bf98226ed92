import type { Decimal } from '../../contract/decimal.js';
import { multiply } from '../../contract/decimal.js';
import { chainPrice } from '../chance/price-chain.js';
import { keyOf, mix, normal, uniform } from '../chance/random.js';
import { Remembered } from '../chance/remembered.js';
import type { Companies } from '../companies/companies.js';
import { exPrice } from '../companies/ex-price.js';
import type { ListingTimeline } from '../companies/listing-timeline.js';
import { spotInstrument, tradedOn, typicalVolume } from '../world/futures.js';
import type { Future, Instrument } from '../world/instrument.js';
import { roundToTick, tickSize } from '../world/ticks.js';
import { type Aggregate, aggregateOfTotals } from './aggregate.js';
import type { Anchor, BackgroundDay } from './background-day.js';
import { ContractPath } from './contract-path.js';
import type { Currencies } from './currencies.js';
import { DayTape } from './day-tape.js';
import { PairTape } from './pair-tape.js';
import { priceLimit } from './price-limit.js';
import { type PriceRange, scaled } from './price-range.js';
import { Spot } from './spot.js';
import { clamp, type Flow, marks, type Stretch } from './stretch.js';
import { type TickLadder, tickLadder } from './tick-ladder.js';
import type { TradingDay, TradingDays } from './trading-days.js';

/** What the generator knows of an instrument, whatever the day. */
export interface Profile {
  /** Of no other profile. */
  readonly index: number;
  /** Stream of the symbol's randomness. */
  readonly key: number;
  readonly ladder: TickLadder;
  /** Shares (contracts, units) that the generator counts as one lot. */
  readonly lotSize: number;
  /** Typical lots of a day; of a dated contract, while it is the front month. */
  readonly lotsADay: number;
  /** Standard deviation of a day's change, as a fraction of the price. */
  readonly daily: number;
  /** See {@link priceLimit}. */
  readonly limit: number | undefined;
  /** Of what somebody issued: its price on each day, and what goes off on which. */
  readonly timeline: ListingTimeline | undefined;
  /** Known price that the chain of days hangs on: see {@link chainPrice}. Billionths. */
  readonly anchor: { readonly price: number; readonly number?: number };
}

const DAYS_PER_YEAR = 365;
const LOTS_PER_TRADE = 6;
/** Of what follows a path: lots that may lie where the path calls for them. */
const FOLLOWING_LOTS_PER_TRADE = 12;
/** At most one trade a second: with refreshes of the book in between, a liquid symbol shows about three events a second. */
const TRADES_PER_SECOND_MAX = 1;
const TRADES_A_DAY_MIN = 12;
/** Room that sums of price × lots of a day leave below 2^53 for what exceeds the typical day and price. */
const AMOUNT_MAX_TYPICAL = 2 ** 46;
/** Days are kept for the symbols being looked at only: a day costs a microsecond to make. */
const REMEMBERED_PROFILES = 20_000;
/** More than the days from 1970-01-01 to any that calendars name. */
const DAYS_MAX = 2 ** 23;
const REMEMBERED_DAYS = 500;
const REMEMBERED_PATHS = 1_000;
/** Stream of what spot prices do between their days. */
const NIGHTS = keyOf('nights');
/** Ten years of days of several symbols, at some hundred bytes each. */
const REMEMBERED_TOTALS = 12_000;

/** The background market's days: a pure function of seed, instrument and day. */
export class Background {
  readonly #profiles = new Remembered<Instrument, Profile>(REMEMBERED_PROFILES);
  readonly #days = new Remembered<number, BackgroundDay>(REMEMBERED_DAYS);
  readonly #regular = new Remembered<number, { readonly aggregate: Aggregate | undefined }>(REMEMBERED_TOTALS);

  readonly #paths = new Remembered<Instrument, ContractPath>(REMEMBERED_PATHS);
  readonly #spots = new Remembered<Instrument, Spot>(REMEMBERED_PATHS);

  #profilesMade = 0;

  constructor(
    readonly seed: number | string,
    readonly tradingDays: (instrument: Instrument) => TradingDays,
    readonly anchor: (instrument: Instrument) => Anchor | undefined,
    readonly currencies: Currencies | undefined,
    readonly companies: Companies,
  ) {}

  /** What trades of an instrument on a day: of a continuous contract the dated one that it then is. */
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

  /** The final settlement price of a dated contract, on the tick; undefined where it is its own last price. */
  settlementPrice(contract: Future): Decimal | undefined {
    const price = this.#path(contract).settlementPrice();
    if (price === undefined) return undefined;
    const rounding = contract.future.product.settlement === 'average' ? 'down' : 'nearest';
    return roundToTick(contract.tickTable, BigInt(Math.round(price)), rounding);
  }

  /** The price at which the last background trade of a day is (or will be) made. */
  close(instrument: Instrument, day: TradingDay): Decimal {
    const { tape, grid } = this.day(instrument, day);
    return BigInt(tape.root.close * grid);
  }

  /** The price of the last background trade of a day's regular trading. */
  regularClose(instrument: Instrument, day: TradingDay): Decimal {
    return this.regularTotals(instrument, day)?.close ?? this.close(instrument, day);
  }

  /** Totals of a day's regular trading. They are remembered longer than the day: where there are extended hours, they are costly. */
  regularTotals(instrument: Instrument, day: TradingDay): Aggregate | undefined {
    return this.#regular.get(this.#keyOf(instrument, day), () => {
      const background = this.day(instrument, day);
      const { tape } = background;
      const { start, end } = day.regular;
      const isWhole = start === day.start && end === day.end;
      const totals = isWhole ? { ...tape.root, last: tape.root.first + tape.root.count - 1 } : tape.totals([start, end])[0];
      return { aggregate: totals === undefined ? undefined : aggregateOfTotals(totals, background) };
    }).aggregate;
  }

  /** What a close is compared with on the next trading day: the same, unless something goes off on that day. On the tick. */
  reference(instrument: Instrument, next: TradingDay, close: Decimal): Decimal {
    const actions = this.profile(instrument).timeline?.on(next.number) ?? [];
    if (actions.length === 0) return close;
    const { tickTable } = instrument;
    const reference = roundToTick(tickTable, exPrice(close, actions), 'nearest');
    return reference > 0n ? reference : tickSize(tickTable, 1n);
  }

  /** Of an instrument's day in what is remembered: a number, since texts would have to be put together at every look. */
  #keyOf(instrument: Instrument, day: TradingDay): number {
    return this.profile(instrument).index * DAYS_MAX + day.number;
  }

  #makeProfile(instrument: Instrument): Profile {
    const ladder = tickLadder(instrument.tickTable);
    const price = Number(instrument.referencePrice);
    const anchor = this.anchor(instrument);
    let lotSize = instrument.lotSize;
    while ((price / ladder.finest) * (instrument.dailyVolume / lotSize) > AMOUNT_MAX_TYPICAL) lotSize *= 10;
    this.#profilesMade += 1;
    return {
      index: this.#profilesMade,
      key: keyOf(`${this.seed}|${instrument.symbol}`),
      ladder,
      lotSize,
      lotsADay: instrument.dailyVolume / lotSize,
      daily: instrument.volatility / Math.sqrt(DAYS_PER_YEAR),
      limit: priceLimit(instrument),
      timeline: this.companies.timeline(instrument),
      anchor: anchor === undefined ? { price } : { price: Number(anchor.close), number: anchor.number },
    };
  }

  /**
   * Unrounded close of a day. Where the exchange limits a day's change, the chain is held within it; as a held close moves the next
   * day's limits, the days before are looked at as well: three, beyond which a run of limit days does not occur.
   */
  #rawClose(profile: Profile, days: TradingDays, day: TradingDay, held = 3): number {
    const price = profile.timeline?.priceAt(day.number) ?? chainPrice(profile.key, day.number, profile.daily, profile.anchor);
    if (profile.limit === undefined || held === 0) return price;
    const previous = this.#rawClose(profile, days, days.previous(day), held - 1);
    const band = limits(profile, rawReference(profile, day, previous));
    return clamp(price, band.low, band.high);
  }

  #makeDay(instrument: Instrument, day: TradingDay): BackgroundDay {
    const profile = this.profile(instrument);
    if (instrument.kind === 'forex' && this.currencies?.quotes(instrument)) return this.#pairDay(instrument, profile, day, this.currencies);
    if (instrument.kind === 'future' && instrument.future.month !== undefined) return this.#contractDay(instrument, profile, day);
    return this.#ownDay(instrument, profile, day);
  }

  /** A day that goes its own way, from the close before to its own. */
  #ownDay(instrument: Instrument, profile: Profile, day: TradingDay): BackgroundDay {
    const days = this.tradingDays(instrument);
    const yesterday = days.previous(day);
    const previous = rawReference(profile, day, this.#rawClose(profile, days, yesterday));
    const close = this.#rawClose(profile, days, day);
    const key = mix(profile.key, day.number);
    const deviation = previous * profile.daily;
    const band = limits(profile, previous);
    const gap = yesterday.end === day.start ? 0 : 0.25;
    const open = clamp(previous + gap * deviation * normal(key, 0), band.low, band.high);
    const high = Math.min(band.high, Math.max(open, close) + 0.45 * deviation * Math.abs(normal(key, 1)));
    const low = Math.max(band.low, Math.min(open, close) - 0.45 * deviation * Math.abs(normal(key, 2)));
    return this.#filled(instrument, profile, day, previous, { open, close, high, low });
  }

  /** A day that follows the spot price. */
  #contractDay(contract: Future, profile: Profile, day: TradingDay): BackgroundDay {
    const path = this.#path(contract);
    const before = this.tradingDays(contract).previous(day);
    const previous = path.at(before, this.tradingDays(contract).previous(before), before.end - 1);
    const whole = path.range(day, before, day.start, day.end);
    const range = { ...whole, open: path.at(day, before, day.start), close: path.at(day, before, day.end - 1) };
    return this.#filled(contract, profile, day, previous, range, (from, until) => path.range(day, before, from, until));
  }

  /** What an index trades at, or where there is none: a price of the product's own that nobody sees. */
  #spotDay(spot: Instrument, day: TradingDay): BackgroundDay {
    if (spot.kind !== 'future') return this.day(spot, day);
    const profile = this.profile(spot);
    return this.#days.get(this.#keyOf(spot, day), () => this.#ownDay(spot, profile, day));
  }

  #path(contract: Future): ContractPath {
    return this.#paths.get(contract, () => {
      const { lastTradingDay } = contract;
      if (lastTradingDay === undefined) throw new Error(`${contract.symbol} is no dated contract`);
      const last = this.tradingDays(contract).on(lastTradingDay);
      return new ContractPath(this.profile(contract).key, contract, this.#spot(spotInstrument(contract.future.product)), last);
    });
  }

  #spot(of: Instrument): Spot {
    return this.#spots.get(of, () => {
      const { key, daily } = this.profile(of);
      return new Spot(mix(key, NIGHTS), daily, this.tradingDays(of), (day) => this.#spotDay(of, day));
    });
  }

  /** A day of these prices: what it is compared with and where it goes, with volume, and its trades in order to be split. */
  #filled(
    instrument: Instrument,
    profile: Profile,
    day: TradingDay,
    previous: number,
    { open, close, high, low, mean }: Omit<PriceRange, 'mean'> & { readonly mean?: number },
    follows?: Flow['follows'],
  ): BackgroundDay {
    const key = mix(profile.key, day.number);
    const deviation = previous * profile.daily;
    const grid = profile.ladder.commonTick(low, high);
    const steps = (price: number) => Math.max(1, Math.round(price / grid));
    const highest = Math.max(steps(open), steps(close), Math.floor(high / grid));
    const lowest = Math.max(1, Math.min(steps(open), steps(close), Math.ceil(low / grid)));

    const bustle = 0.55 + 0.3 * uniform(key, 3) + 0.25 * normal(key, 4) ** 2 + (0.3 * Math.abs(close - previous)) / deviation;
    const typical = typicalVolume(instrument, day.day) * (profile.timeline?.shareFactor(day.number) ?? 1);
    const lots = Math.max(4 * TRADES_A_DAY_MIN, Math.round((typical / profile.lotSize) * bustle));
    const countMax = Math.max(TRADES_A_DAY_MIN, Math.floor(day.activity.seconds * TRADES_PER_SECOND_MAX));
    const lotsPerTrade = follows === undefined ? LOTS_PER_TRADE : FOLLOWING_LOTS_PER_TRADE;
    const count = clamp(Math.floor(lots / lotsPerTrade), TRADES_A_DAY_MIN, countMax);
    const markLots = Math.max(1, Math.floor(lots / ((follows === undefined ? 4 : 16) * count)));
    const called = marks(steps(open), steps(close), highest, lowest);
    const freeLots = lots - markLots * called.count;
    // Between the mean of the ends and that of the extremes, and well inside: a mean near an extreme would mean a day spent there.
    const middle = (steps(open) + steps(close) + highest + lowest) / 4;
    const quarter = (highest - lowest) / 4;
    const inside = clamp(middle + 0.4 * quarter * normal(key, 5), lowest + quarter, highest - quarter);
    const average = mean === undefined ? inside : clamp(mean / grid, lowest, highest);
    const root: Stretch = {
      node: 1,
      first: 0,
      count,
      from: day.start,
      until: day.end,
      activityFrom: 0,
      activityUntil: 1,
      open: steps(open),
      close: steps(close),
      high: highest,
      low: lowest,
      lots,
      amount: markLots * called.sum + Math.round(average * freeLots),
    };
    const flow: Flow = {
      key,
      markLots,
      step: deviation / grid / Math.sqrt(count),
      activity: day.activity,
      ...(follows === undefined ? {} : { follows: (from, until) => scaled(follows(from, until), 1 / grid) }),
    };
    return {
      day,
      tape: new DayTape(root, flow),
      grid,
      lotSize: profile.lotSize,
      amountUnit: turnoverOf(instrument, BigInt(grid), BigInt(profile.lotSize)),
    };
  }

  #pairDay(pair: Instrument, profile: Profile, day: TradingDay, currencies: Currencies): BackgroundDay {
    const { finest } = profile.ladder;
    return {
      day,
      tape: new PairTape({
        day,
        ...currencies.knots(pair, day),
        grid: finest,
        shared: mix(keyOf(`${this.seed}|currencies`), day.number),
        key: mix(profile.key, day.number),
      }),
      grid: finest,
      lotSize: profile.lotSize,
      amountUnit: turnoverOf(pair, BigInt(finest), BigInt(profile.lotSize)),
    };
  }
}

/** As of {@link Background.reference}, of an unrounded price. */
function rawReference({ timeline }: Profile, day: TradingDay, price: number): number {
  const actions = timeline?.on(day.number) ?? [];
  return actions.length === 0 ? price : Number(exPrice(BigInt(Math.round(price)), actions));
}

/** price × volume (× multiplier for futures). */
export function turnoverOf(instrument: Instrument, price: Decimal, volume: bigint): Decimal {
  return multiply(price * volume, instrument.multiplier);
}

/** The prices that a day may reach; a step is left free on both sides, as the exchange's own limits are rounded. */
function limits(profile: Profile, previous: number): { readonly low: number; readonly high: number } {
  if (profile.limit === undefined) return { low: 0, high: Infinity };
  const room = Math.max(0, previous * profile.limit - 2 * profile.ladder.finest);
  return { low: previous - room, high: previous + room };
}
