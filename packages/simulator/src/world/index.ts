import type { Clock } from '@svc-gateway/contract/clock';
import type { Decimal } from '@svc-gateway/contract/decimal';
import { type QuoteMarket, quoteMarkets } from '@svc-gateway/contract/markets';
import { localDate } from '@svc-gateway/contract/time';
import { LruCache } from '../rng/lru-cache.js';
import { bondsOn, understandBond } from './bonds.js';
import { createCalendar, tradingDaysOf } from './business-days.js';
import { type Calendar, type CalendarMode, type CalendarName, calendarNames } from './calendar.js';
import { catalogue } from './catalogue.js';
import { Debuts } from './debuts.js';
import { continuousContracts, contractsOn, understandFuture } from './futures.js';
import { GENERATED_INSTRUMENTS_MAX, generatedInstrument, generatedInstruments, generatedPlace } from './generated.js';
import type { Instrument, Option, SecurityKind, Warrant } from './instrument.js';
import { type Newcomer, newcomer } from './newcomer.js';
import { type ListedSeries, Options } from './options.js';
import { Warrants } from './warrants.js';

export { type Calendar, type CalendarMode, type CalendarName, calendarNames, type TradingDate, type TradingSession } from './calendar.js';
export { finalSettlement } from './final-settlement.js';
export { linkageId, tradedOn, typicalVolume } from './futures.js';
export { GENERATED_INSTRUMENTS_MAX } from './generated.js';
export type {
  Bond,
  BondTerms,
  FutureTerms,
  Instrument,
  OptionTerms,
  SecurityKind,
  TickTable,
  Warrant,
  WarrantTerms,
} from './instrument.js';
export { kinds } from './kinds.js';
export type { Newcomer } from './newcomer.js';
export type { ListedSeries } from './options.js';
export { shownState } from './shown-state.js';
export { isOnTick, nextPrice, roundToTick, tickSize } from './ticks.js';

export interface WorldOptions {
  readonly clock: Clock;
  readonly calendarMode: CalendarMode;
  /** How many made-up equities to add to the real ones, up to {@link GENERATED_INSTRUMENTS_MAX}. */
  readonly generatedInstruments: number;
  /** Seed of the invented instruments. */
  readonly seed: string | number;
  /** Securities to add where there is none of the symbol yet. */
  readonly newcomers?: readonly Newcomer[];
  /** About the price of an instrument at the end of the day before a day: strikes lie around it. Without, its reference price. */
  readonly closeBefore?: (instrument: Instrument, day: string) => Decimal;
  /** The day, before another, on which a callable contract was called. Without, none ever is. */
  readonly calledBefore?: (warrant: Warrant, day: string) => string | undefined;
}

interface Filter {
  readonly market?: QuoteMarket;
  readonly kind?: SecurityKind;
  /** Symbol of what options and warrants are on. */
  readonly underlying?: string;
}

/** Where an instrument stands between its first day of trading and its last. */
export type ListingState = 'coming' | 'listed' | 'over';

type DayOf = (calendar: CalendarName) => string;

/** Contracts kept once they have been understood. */
const UNDERSTOOD_MAX = 20_000;
/** Lists of what is listed on a day: of every market and kind, and of some days. */
const LISTS_CACHED = 128;

/** Instruments of the simulation and their calendars. Everything is a pure function of the options and the day. */
export class World {
  /** Whether the markets keep real hours. */
  readonly calendarMode: CalendarMode;
  readonly #clock: Clock;
  readonly #generated: Instrument[];
  readonly #generatedIn = new Map<QuoteMarket, Instrument[]>();
  /** Instruments of the markets asked for so far, by upper-case symbol. */
  readonly #bySymbol = new Map<string, Instrument>();
  readonly #loaded = new Set<QuoteMarket>();
  readonly #understood = new Map<string, Instrument>();
  readonly #debuts: Debuts;
  readonly #options: Options;
  readonly #warrants: Warrants;
  readonly #seed: string | number;
  readonly #openCalendars = new Map<CalendarName, Calendar>();
  readonly #lists = new LruCache<string, readonly Instrument[]>(LISTS_CACHED);

  constructor({
    clock,
    calendarMode,
    generatedInstruments: count,
    seed,
    newcomers = [],
    closeBefore = ({ referencePrice }) => referencePrice,
    calledBefore = () => undefined,
  }: WorldOptions) {
    this.#clock = clock;
    this.calendarMode = calendarMode;
    this.#seed = seed;
    this.#debuts = new Debuts(seed);
    this.#generated = [...generatedInstruments(count, seed)];
    for (const one of this.#generated) this.#ofMarket(one.market).push(one);
    const underlyings = { instrument: (symbol: string) => this.#named(symbol.toUpperCase()), closeBefore, calledBefore };
    this.#options = new Options(underlyings);
    this.#warrants = new Warrants(seed, underlyings);
    for (const described of newcomers) this.#add(described);
  }

  #add(described: Newcomer): void {
    if (this.instrument(described.symbol) !== undefined) return;
    const added = newcomer(described);
    if (added === undefined) return;
    this.#generated.push(added);
    this.#ofMarket(added.market).push(added);
    this.#bySymbol.set(added.symbol.toUpperCase(), added);
  }

  /** Generated instruments of a market. */
  #ofMarket(market: QuoteMarket): Instrument[] {
    const known = this.#generatedIn.get(market) ?? [];
    this.#generatedIn.set(market, known);
    return known;
  }

  #generatedOf({ market }: Filter): readonly Instrument[] {
    return market === undefined ? this.#generated : this.#ofMarket(market);
  }

  /**
   * By canonical symbol, "HK.00700"; letters in either case. Contracts are understood from their codes, and stay known when they have
   * expired, since orders and positions speak of them: {@link state} says whether one is listed. So are made-up equities beyond the number of
   * them, which an earlier run may have had. A code that is given out again (of warrants)
   * and a year of two digits mean what they mean today.
   */
  instrument(symbol: string): Instrument | undefined {
    const named = this.#bySymbol.get(symbol);
    if (named !== undefined) return named;
    const upper = symbol.toUpperCase();
    return this.#named(upper) ?? this.#contract(upper);
  }

  /**
   * Instrument that a table names by an upper-case symbol. A market's real instruments are made when one of its symbols is
   * first asked for.
   */
  #named(symbol: string): Instrument | undefined {
    const known = this.#bySymbol.get(symbol);
    if (known !== undefined) return known;
    const name = symbol.slice(0, symbol.indexOf('.'));
    const market = markets.find((one) => one === name);
    if (market === undefined) return undefined;
    if (!this.#loaded.has(market)) {
      this.#loaded.add(market);
      for (const one of lasting({ market })) this.#bySymbol.set(one.symbol.toUpperCase(), one);
    }
    return this.#bySymbol.get(symbol) ?? this.#generatedNamed(market, symbol);
  }

  /** The generated ones are thousands, and found by their place: what somebody has asked for is remembered by its symbol. */
  #generatedNamed(market: QuoteMarket, symbol: string): Instrument | undefined {
    const place = generatedPlace(symbol);
    const found = place === undefined ? undefined : this.#ofMarket(market)[place];
    if (found?.symbol !== symbol) return undefined;
    this.#bySymbol.set(symbol, found);
    return found;
  }

  /**
   * Instruments named in tables, listed or not: all but bonds, dated contracts, options and warrants. In a stable order:
   * real ones by market and kind, then generated ones.
   */
  instruments(filter: Filter = {}): readonly Instrument[] {
    return [...lasting(filter), ...this.#generatedOf(filter).filter((one) => matches(one, filter))];
  }

  /**
   * Instruments listed on a day (default: today, by market), in the order of {@link instruments} with a product's
   * contracts after its continuous one. Options need `underlying`; warrants need it or their kind.
   */
  listed(filter: Filter = {}, day?: string): readonly Instrument[] {
    const days = new Map(calendarNames.map((name) => [name, day ?? this.today(name)]));
    const dayOf = (calendar: CalendarName) => days.get(calendar) ?? '';
    const listed = (all: readonly Instrument[]) => all.filter((one) => matches(one, filter) && isListed(one, dayOf(one.calendar)));
    if (filter.underlying !== undefined || filter.kind === 'warrant') return listed(this.#derivatives(filter, dayOf));
    // Listings change by the day, and whole-market reads ask for them often.
    const key = `${filter.market ?? ''} ${filter.kind ?? ''} ${[...days.values()].join(' ')}`;
    return this.#lists.get(key, () => listed(this.#enumerated(filter, dayOf)));
  }

  /** {@link listed} of warrants, all or those on an underlying, by code. The first look at a day takes long. */
  warrants(underlying?: Instrument, day = this.today('HK')): readonly Warrant[] {
    return this.#warrants.on(day, underlying);
  }

  /** Listed option series on an underlying on a day (default: today), by root and expiry. */
  optionSeries(underlying: Instrument, day = this.today(underlying)): readonly ListedSeries[] {
    return this.#options.series(underlying, day);
  }

  /** The options of a series that are listed on a day (without one: today): by strike, calls first. */
  optionChain(underlying: Instrument, series: ListedSeries, day = this.today(underlying)): readonly Option[] {
    return this.#options.chain(underlying, series, day);
  }

  /** Invented companies that come to a market one after the other, those to come included; by their first day. They are in no table. */
  debuts(market: QuoteMarket): readonly Instrument[] {
    return this.#debuts.of(market);
  }

  state(instrument: Instrument): ListingState {
    const day = this.today(instrument);
    if (day < instrument.listDate) return 'coming';
    const known = instrument.kind === 'warrant' ? this.#warrants.asOf(instrument, day) : instrument;
    return isListed(known, day) ? 'listed' : 'over';
  }

  /** The date in an instrument's market, "2026-11-20"; in a night session, the trading day that it belongs to. */
  today(of: Instrument | CalendarName): string {
    const calendar = this.calendar(of);
    const now = this.#clock.now();
    const [date, tradingDay] = [localDate(now, calendar.timeZone), calendar.tradingDay(now)];
    if (tradingDay > date) return tradingDay;
    return date;
  }

  calendar(of: Instrument | CalendarName): Calendar {
    const name = typeof of === 'string' ? of : of.calendar;
    // Exchange calendars are shared by all worlds and by the dates of their contracts.
    if (this.calendarMode === 'calendar') return tradingDaysOf(name);
    const calendar = this.#openCalendars.get(name) ?? createCalendar(name, 'open');
    this.#openCalendars.set(name, calendar);
    return calendar;
  }

  #enumerated(filter: Filter, dayOf: DayOf): readonly Instrument[] {
    const bonds = has(filter, 'bond') ? bondsOn(dayOf, filter.market) : [];
    const futures = has(filter, 'future') ? contractsOn(dayOf, filter.market) : [];
    return [...real(filter), ...bonds, ...futures, ...this.#generatedOf(filter), ...this.#arrived(filter, dayOf)];
  }

  /** Invented companies that have come to the market. */
  #arrived(filter: Filter, dayOf: DayOf): readonly Instrument[] {
    if (!has(filter, 'equity')) return [];
    const of = filter.market === undefined ? markets : [filter.market];
    return of.flatMap((one) => (one === 'FX' ? [] : this.#debuts.until(one, dayOf(marketCalendar(one)))));
  }

  #derivatives({ kind, underlying: symbol }: Filter, dayOf: DayOf): readonly Instrument[] {
    const underlying = symbol === undefined ? undefined : this.instrument(symbol);
    if (symbol !== undefined && underlying === undefined) return [];
    const warrants = kind === 'option' ? [] : this.warrants(underlying, dayOf('HK'));
    const options = kind === 'warrant' || underlying === undefined ? [] : this.#options.on(underlying, dayOf(underlying.calendar));
    return [...options, ...warrants];
  }

  /** Instrument spelled by an upper-case code; cached until it expires, since the code may then mean another contract. */
  #contract(symbol: string): Instrument | undefined {
    const known = this.#understood.get(symbol);
    if (known !== undefined && this.state(known) !== 'over') return known;
    const found = this.#understand(symbol);
    if (found === undefined) return undefined;
    if (known?.listDate === found.listDate && known.lastTradingDay === found.lastTradingDay) return known;
    if (this.#understood.size >= UNDERSTOOD_MAX) this.#understood.clear();
    this.#understood.set(symbol, found);
    return found;
  }

  #understand(symbol: string): Instrument | undefined {
    const dot = symbol.indexOf('.');
    const [market, code] = [symbol.slice(0, dot), symbol.slice(dot + 1)];
    const made = generatedInstrument(symbol, this.#seed) ?? this.#debuts.find(symbol);
    if (made !== undefined || !/\d\d/.test(code)) return made;
    const day = this.today(market === 'HK' ? 'HK' : 'US');
    const year = Number(day.slice(0, 4));
    return (
      understandBond(symbol, year) ??
      understandFuture(symbol, year) ??
      this.#options.understand(market, code, year) ??
      (market === 'HK' ? this.#warrants.understand(code, day) : undefined)
    );
  }
}

/** Throws RangeError when `generatedInstruments` is no whole number from 0 to {@link GENERATED_INSTRUMENTS_MAX}. */
export function createWorld(options: WorldOptions): World {
  const { generatedInstruments: count } = options;
  if (!Number.isInteger(count) || count < 0 || count > GENERATED_INSTRUMENTS_MAX) {
    throw new RangeError(`generatedInstruments: ${count} is no whole number from 0 to ${GENERATED_INSTRUMENTS_MAX}`);
  }
  return new World(options);
}

const markets = quoteMarkets.map(({ name }) => name);

/** By which a market's stocks trade. */
export function marketCalendar(market: QuoteMarket): CalendarName {
  return market === 'SH' || market === 'SZ' ? 'CN' : market;
}

/** The real instruments but bonds and futures, of a market or of all in their order. */
function real({ market }: Filter): readonly Instrument[] {
  return market === undefined ? markets.flatMap(catalogue) : catalogue(market);
}

/** The real instruments that tables name: those of no expiry. */
function lasting(filter: Filter): readonly Instrument[] {
  const futures = has(filter, 'future') ? continuousContracts() : [];
  return [...real(filter), ...futures].filter((one) => matches(one, filter));
}

function isListed({ listDate, lastTradingDay }: Instrument, day: string): boolean {
  return listDate <= day && (lastTradingDay === undefined || day <= lastTradingDay);
}

function has({ kind }: Filter, wanted: SecurityKind): boolean {
  return kind === undefined || kind === wanted;
}

function matches(instrument: Instrument, { market, kind, underlying }: Filter): boolean {
  if (market !== undefined && instrument.market !== market) return false;
  if (kind !== undefined && instrument.kind !== kind) return false;
  return underlying === undefined || underlyingOf(instrument) === underlying.toUpperCase();
}

/** Symbol of what a contract is on; undefined where it is on nothing that the world has. */
export function underlyingOf(instrument: Instrument): string | undefined {
  switch (instrument.kind) {
    case 'future':
      return instrument.future.product.underlying;
    case 'option':
      return instrument.option.underlying;
    case 'warrant':
      return instrument.warrant.underlying;
    default:
      return undefined;
  }
}
