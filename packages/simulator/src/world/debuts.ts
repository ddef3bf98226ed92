import { DECIMAL_ONE } from '@svc-gateway/contract/decimal';
import type { QuoteMarket } from '@svc-gateway/contract/markets';
import { businessDayFrom, monthAfter, tradingDaysOf } from './business-days.js';
import { exact } from './exact.js';
import { drawer, instrumentId } from './hash.js';
import type { Instrument } from './instrument.js';
import { roundToTick } from './ticks.js';
import { type Venue, venues } from './venues.js';

/** Where invented companies come to the market. */
interface Origin extends Venue {
  readonly lots: readonly number[];
  /** Prices are drawn log-uniformly from here to thirty times as much. */
  readonly priceMin: number;
  /** First days of trading in a month. */
  readonly aMonth: 1 | 2;
  /** The code of the nth newcomer: from a range that the exchange does not give out. */
  readonly code: (n: number) => string;
  /** The other way round; of other codes, a number that is not theirs. */
  readonly numberOf: (code: string) => number;
}

const digits = (first: number) => ({ code: (n: number) => String(first + n), numberOf: (code: string) => Number(code) - first });
const lettered = (prefix: string) => ({
  code: (n: number) => `${prefix}${String.fromCharCode(65 + Math.floor(n / 26), 65 + (n % 26))}`,
  numberOf: (code: string) =>
    code.length === prefix.length + 2 && code.startsWith(prefix)
      ? (code.charCodeAt(prefix.length) - 65) * 26 + code.charCodeAt(prefix.length + 1) - 65
      : Number.NaN,
});

const origins: readonly Origin[] = [
  { ...venues.HK, lots: [200, 500, 1000, 2000], priceMin: 2, aMonth: 2, ...digits(89_000) },
  { ...venues.US, lots: [1], priceMin: 6, aMonth: 2, ...lettered('ZX') },
  { ...venues.SH, lots: [100], priceMin: 5, aMonth: 1, ...digits(616_000) },
  { ...venues.SZ, lots: [100], priceMin: 5, aMonth: 1, ...digits(316_000) },
  { ...venues.SG, lots: [100], priceMin: 0.3, aMonth: 1, ...lettered('ZX') },
  { ...venues.JP, lots: [100], priceMin: 600, aMonth: 1, ...lettered('9Z') },
  { ...venues.MY, lots: [100], priceMin: 0.4, aMonth: 1, ...digits(9_700) },
];

const FIRST_MONTH = '2026-01';
const YEARS = 10;

const firsts = [
  'Amberfield',
  'Bluewater',
  'Cedarline',
  'Dawnbridge',
  'Eastwind',
  'Firstlight',
  'Greenvale',
  'Highmoor',
  'Irongate',
  'Juniper',
  'Kestrel',
  'Lakeshore',
  'Moonstone',
  'Northgate',
  'Oakhurst',
  'Pinecrest',
  'Quillstone',
  'Riverbend',
  'Silverleaf',
  'Thornbury',
];
const seconds = [
  'Robotics',
  'Biologics',
  'Energy',
  'Materials',
  'Logistics',
  'Software',
  'Devices',
  'Foods',
  'Mobility',
  'Optics',
  'Health',
  'Systems',
  'Retail',
];

/** The invented companies of a world, whose seed they are drawn from. */
export class Debuts {
  readonly #seed: string | number;
  readonly #made = new Map<QuoteMarket, readonly Instrument[]>();

  constructor(seed: string | number) {
    this.#seed = seed;
  }

  /** All that ever come to a market, by their first day of trading: nobody before 2026, and for ten years. */
  of(market: QuoteMarket): readonly Instrument[] {
    let all = this.#made.get(market);
    if (all === undefined) {
      const venue = origins.find((one) => one.market === market);
      all = venue === undefined ? [] : Array.from({ length: YEARS * 12 * venue.aMonth }, (_, n) => debut(venue, n, this.#seed));
      this.#made.set(market, all);
    }
    return all;
  }

  /** Newcomers listed by a day. */
  until(market: QuoteMarket, day: string): readonly Instrument[] {
    if (day < FIRST_MONTH) return [];
    return this.of(market).filter(({ listDate }) => listDate <= day);
  }

  /** The newcomer of a symbol in upper case, whenever it comes; undefined when none has it. */
  find(symbol: string): Instrument | undefined {
    const dot = symbol.indexOf('.');
    const venue = origins.find(({ market }) => market === symbol.slice(0, dot));
    const n = venue?.numberOf(symbol.slice(dot + 1));
    const one = venue === undefined || n === undefined ? undefined : this.of(venue.market)[n];
    return one?.symbol === symbol ? one : undefined;
  }
}

function debut(venue: Origin, n: number, seed: string | number): Instrument {
  const symbol = `${venue.market}.${venue.code(n)}`;
  const draw = drawer(`${seed}/newcomer/${symbol}`);
  const { market, calendar, exchange, currency, tickTable, lots, priceMin, aMonth } = venue;
  const month = monthAfter(FIRST_MONTH, Math.floor(n / aMonth));
  const due = 1 + Math.floor(((n % aMonth) + draw()) * (28 / aMonth));
  const issuedMillions = Math.round(80 * 25 ** draw());
  return {
    symbol,
    market,
    code: venue.code(n),
    id: instrumentId(symbol),
    name: `${firsts[(n * 7 + market.charCodeAt(0)) % firsts.length]} ${seconds[(n * 5 + market.charCodeAt(1)) % seconds.length]}`,
    kind: 'equity',
    exchange,
    currency,
    multiplier: DECIMAL_ONE,
    lotSize: lots[Math.floor(draw() * lots.length)] ?? 100,
    tickTable,
    listDate: businessDayFrom(`${month}-${String(due).padStart(2, '0')}`, tradingDaysOf(calendar)),
    referencePrice: roundToTick(tickTable, exact(Math.round(priceMin * 30 ** draw() * 1000) / 1000), 'nearest'),
    sharesIssued: BigInt(issuedMillions) * 1_000_000n,
    dailyVolume: Math.round(issuedMillions * 1e6 * (0.002 + 0.01 * draw())),
    volatility: Math.round((0.35 + 0.35 * draw()) * 100) / 100,
    calendar,
  };
}
