import { type Decimal, formatDecimal } from '@svc-gateway/contract/decimal';
import { addDays, dayNumber } from '@svc-gateway/contract/time';
import { LruCache } from '../rng/lru-cache.js';
import { yearOf } from './business-days.js';
import type { CalendarName } from './calendar.js';
import { catalogue } from './catalogue.js';
import {
  listedClasses,
  type OptionClass,
  type OptionFamily,
  strikeSteps,
  US_DAILIES_SINCE,
  US_DAILY,
  US_WEEKLIES_SINCE,
  WEEKLY_FROM_VOLUME,
} from './data/options.js';
import { exact } from './exact.js';
import { Exchange } from './exchange.js';
import { type OptionSeries, seriesExpiring, seriesOn } from './expiries.js';
import { type Instrument, instrumentOf, type Option, type SecurityKind, type TickTable, type Warrant } from './instrument.js';
import { isStrike, strikesBetween } from './strikes.js';
import { tickTables } from './tick-tables.js';

/** Facts of the world that options depend on. */
export interface Underlyings {
  instrument(symbol: string): Instrument | undefined;
  /** About the price of an underlying at the end of the day before a day. */
  closeBefore(instrument: Instrument, day: string): Decimal;
  /** The day, before another, on which a callable contract was called; undefined while it was not. */
  calledBefore(warrant: Warrant, day: string): string | undefined;
}

/** The contracts of one class that expire together. */
export interface ListedSeries extends OptionSeries {
  readonly class: OptionClass;
}

/** The strikes that are listed from a day on. */
interface Band {
  readonly day: string;
  readonly low: Decimal;
  readonly high: Decimal;
}

/** How far from the underlying's price strikes are listed, as a fraction of it: of long series and of those of five weeks and less. */
const REACH = { long: 0.5, short: 0.25 };
const SHORT_DAYS = 35;
const WEEK = 7;
const SERIES_CACHED = 1_000;
/** Underlyings whose series of a day are kept, and series whose contracts are: what is known of a contract elsewhere is known of these very ones. */
const UNDERLYINGS_KEPT = 64;
const CHAINS_KEPT = 32;
const MILLION = 1_000_000n;
const THOUSANDTHS = 1_000_000n;
/** Up to twelve digits of thousandths: a strike of a billion. */
const CODE = /^([A-Z]{1,5})(\d\d)(\d\d)(\d\d)([CP])(\d{1,12})$/;

/**
 * Options by their codes: root, expiry, right and a thousand times the strike. Which there are follows from the day and from the
 * underlying's price: each week the strikes around it are listed, and what is listed stays until it expires.
 */
export class Options {
  #made: ReadonlyMap<string, OptionClass> | undefined;
  readonly #bandsOf = new LruCache<string, readonly Band[]>(SERIES_CACHED);
  readonly #series = new LruCache<string, readonly ListedSeries[]>(UNDERLYINGS_KEPT);
  readonly #chains = new LruCache<string, readonly Option[]>(CHAINS_KEPT);

  constructor(private readonly underlyings: Underlyings) {}

  /** By market and root. */
  get #classes(): ReadonlyMap<string, OptionClass> {
    this.#made ??= new Map([...listedClasses, ...catalogue('US').flatMap(usClassOf)].map((one) => [`${one.market}.${one.root}`, one]));
    return this.#made;
  }

  /** The contract of a symbol, "US.AAPL261218C200000", whether or not it is listed now; undefined when it never is. `year`: see {@link yearOf}. */
  understand(market: string, code: string, year: number): Option | undefined {
    const match = CODE.exec(code.toUpperCase());
    if (match === null) return undefined;
    const [, root = '', yy = '', mm = '', dd = '', right, thousandths = ''] = match;
    const of = this.#classes.get(`${market}.${root}`);
    const expiry = `${yearOf(yy, year)}-${mm}-${dd}`;
    const underlying = of && this.underlyings.instrument(of.underlying);
    if (of === undefined || underlying === undefined || dayNumber(expiry) === undefined) return undefined;
    const strike = BigInt(thousandths) * THOUSANDTHS;
    const series = seriesExpiring(of, expiry);
    if (series === undefined || thousandths.startsWith('0') || !isStrike(strikeSteps[of.family], strike)) return undefined;
    const listed = this.#listedFrom(underlying, series, strike);
    return listed === undefined ? undefined : contract(of, underlying, series, listed, strike, right === 'C' ? 'call' : 'put');
  }

  /** Every option on an underlying that is listed on a day: by root, expiry and strike, calls first. */
  on(underlying: Instrument, day: string): readonly Option[] {
    return this.series(underlying, day).flatMap((series) => this.chain(underlying, series, day));
  }

  /** Listed option series on an underlying on a day, by root and expiry. */
  series(underlying: Instrument, day: string): readonly ListedSeries[] {
    return this.#series.get(`${underlying.symbol} ${day}`, () => {
      const last = underlying.lastTradingDay;
      const classes = [...this.#classes.values()].filter((one) => one.underlying === underlying.symbol);
      const ofClass = (of: OptionClass) => seriesOn(of, day).map((series) => ({ class: of, ...series }));
      return classes.flatMap(ofClass).filter(({ expiry }) => last === undefined || expiry <= last);
    });
  }

  /** The options of a series that are listed on a day: by strike, calls first. */
  chain(underlying: Instrument, series: ListedSeries, day: string): readonly Option[] {
    const key = `${underlying.symbol} ${series.class.root} ${series.expiry} ${day}`;
    return this.#chains.get(key, () => this.#chain(series.class, underlying, series, day));
  }

  #chain(of: OptionClass, underlying: Instrument, series: OptionSeries, day: string): Option[] {
    const bands = this.#bands(underlying, series, day);
    let [low, high] = [bands[0]?.low ?? 0n, bands[0]?.high ?? 0n];
    for (const band of bands) {
      if (band.low < low) low = band.low;
      if (band.high > high) high = band.high;
    }
    return strikesBetween(strikeSteps[of.family], low, high).flatMap((strike) => {
      const listed = bands.find((band) => band.low <= strike && strike <= band.high)?.day;
      if (listed === undefined) return [];
      return (['call', 'put'] as const).map((right) => contract(of, underlying, series, listed, strike, right));
    });
  }

  #listedFrom(underlying: Instrument, series: OptionSeries, strike: Decimal): string | undefined {
    return this.#bands(underlying, series, series.expiry).find((band) => band.low <= strike && strike <= band.high)?.day;
  }

  /** The strikes that are listed week by week from a series' start up to a day, as far as the underlying is listed. */
  #bands(underlying: Instrument, series: OptionSeries, until: string): readonly Band[] {
    const key = `${underlying.symbol} ${series.listed} ${series.expiry}`;
    const bands = this.#bandsOf.get(key, () => this.#makeBands(underlying, series));
    return until >= series.expiry ? bands : bands.filter(({ day }) => day <= until);
  }

  #makeBands(underlying: Instrument, { listed, expiry }: OptionSeries): readonly Band[] {
    const bands: Band[] = [];
    const last = underlying.lastTradingDay ?? expiry;
    const reach = BigInt(Math.round((addDays(listed, SHORT_DAYS) >= expiry ? REACH.short : REACH.long) * Number(MILLION)));
    // A stock has no options in its first week.
    let day = listed > underlying.listDate ? listed : addDays(underlying.listDate, WEEK);
    for (; day <= expiry && day <= last; day = addDays(day, WEEK)) {
      const price = this.underlyings.closeBefore(underlying, day);
      bands.push({ day, low: (price * (MILLION - reach)) / MILLION, high: (price * (MILLION + reach)) / MILLION });
    }
    return bands;
  }
}

const us = { tickTable: tickTables.usOption, calendar: 'US', exchange: Exchange.cboe } as const;

const families: Readonly<Record<OptionFamily, { tickTable: TickTable; calendar: CalendarName; exchange: number }>> = {
  usStock: us,
  usFund: us,
  usIndex: us,
  hkStock: { tickTable: tickTables.hkStockOption, calendar: 'HK', exchange: Exchange.hkex },
  hkIndex: { tickTable: tickTables.hkIndexOption, calendar: 'HK_FUTURE', exchange: Exchange.hkex },
};

/** Option families of US listings, by kind. */
const usFamilies: Readonly<Partial<Record<SecurityKind, OptionFamily>>> = { equity: 'usStock', etf: 'usFund' };

function usClassOf({ symbol, market, code, kind, dailyVolume }: Instrument): OptionClass[] {
  const family = usFamilies[kind];
  if (family === undefined) return [];
  const root = code.replaceAll('.', '');
  if (!/^[A-Z]{1,5}$/.test(root)) return [];
  const isDaily = US_DAILY.has(code);
  const cycle = isDaily ? 'daily' : dailyVolume >= WEEKLY_FROM_VOLUME ? 'weekly' : 'monthly';
  const since = isDaily ? US_DAILIES_SINCE : cycle === 'weekly' ? US_WEEKLIES_SINCE : '1973-04-26';
  return [{ root, market, underlying: symbol, family, style: 'american', multiplier: 100, cycle, since }];
}

function contract(
  of: OptionClass,
  underlying: Instrument,
  series: OptionSeries,
  listed: string,
  strike: Decimal,
  right: 'call' | 'put',
): Option {
  const { market, root, style, multiplier } = of;
  const { expiry } = series;
  const [date, letter] = [expiry.slice(2).replaceAll('-', ''), right === 'call' ? 'C' : 'P'];
  const { tickTable, calendar, exchange } = families[of.family];
  return instrumentOf<Option>({
    market,
    code: `${root}${date}${letter}${strike / THOUSANDTHS}`,
    name: `${underlying.name} ${date} ${formatDecimal(strike)}${letter}`,
    kind: 'option',
    exchange,
    currency: underlying.currency,
    multiplier: exact(multiplier),
    tickTable,
    listDate: listed,
    lastTradingDay: expiry,
    // A token price: what an option is worth follows from its underlying.
    referencePrice: tickTable.steps[0]?.tick ?? 1n,
    dailyVolume: 1_000,
    volatility: underlying.volatility,
    calendar,
    option: { class: of, cycle: series.of, underlying: underlying.symbol, expiry, strike, right, style },
  });
}
