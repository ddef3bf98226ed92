import type { QuoteMarket } from '@svc-gateway/contract/markets';
import { businessDayFrom, monthAfter, tradingDaysOf } from './business-days.js';
import { exact } from './exact.js';
import { drawer } from './hash.js';
import { type Instrument, instrumentOf } from './instrument.js';
import { roundToTick } from './ticks.js';
import { type CodeRange, digits, lettered, placeOf } from './venues.js';

/** Where invented companies come to the market. */
interface Origin extends CodeRange {
  /** Prices are drawn log-uniformly from here to thirty times as much. */
  readonly priceMin: number;
  /** First days of trading in a month. */
  readonly aMonth: 1 | 2;
}

const origins: readonly Origin[] = [
  { ...digits('HK', 89_000, [200, 500, 1000, 2000]), priceMin: 2, aMonth: 2 },
  { ...lettered('US', 'ZX', 2, [1]), priceMin: 6, aMonth: 2 },
  { ...digits('SH', 616_000, [100]), priceMin: 5, aMonth: 1 },
  { ...digits('SZ', 316_000, [100]), priceMin: 5, aMonth: 1 },
  { ...lettered('SG', 'ZX', 2, [100]), priceMin: 0.3, aMonth: 1 },
  { ...lettered('JP', '9Z', 2, [100]), priceMin: 600, aMonth: 1 },
  { ...digits('MY', 9_700, [100]), priceMin: 0.4, aMonth: 1 },
];

const FIRST_MONTH = '2026-01';
const YEARS = 10;

const firsts =
  'Amberfield Bluewater Cedarline Dawnbridge Eastwind Firstlight Greenvale Highmoor Irongate Juniper Kestrel Lakeshore Moonstone Northgate Oakhurst Pinecrest Quillstone Riverbend Silverleaf Thornbury'.split(
    ' ',
  );
const seconds = 'Robotics Biologics Energy Materials Logistics Software Devices Foods Mobility Optics Health Systems Retail'.split(' ');

/** The invented companies of a world, whose seed they are drawn from. */
export class Debuts {
  readonly #made = new Map<QuoteMarket, readonly Instrument[]>();

  constructor(private readonly seed: string | number) {}

  /** All that ever come to a market, by their first day of trading: nobody before 2026, and for ten years. */
  of(market: QuoteMarket): readonly Instrument[] {
    const known = this.#made.get(market);
    if (known !== undefined) return known;
    const origin = origins.find(({ venue }) => venue.market === market);
    const all = origin === undefined ? [] : Array.from({ length: YEARS * 12 * origin.aMonth }, (_, n) => debut(origin, n, this.seed));
    this.#made.set(market, all);
    return all;
  }

  /** Newcomers listed by a day. */
  until(market: QuoteMarket, day: string): readonly Instrument[] {
    if (day < FIRST_MONTH) return [];
    return this.of(market).filter(({ listDate }) => listDate <= day);
  }

  /** The newcomer of a symbol in upper case, whenever it comes; undefined when none has it. */
  find(symbol: string): Instrument | undefined {
    const place = placeOf(symbol, origins, Infinity);
    return place && this.of(place.range.venue.market)[place.n];
  }
}

function debut({ venue, lots, code: codeOf, priceMin, aMonth }: Origin, n: number, seed: string | number): Instrument {
  const { market, calendar, tickTable } = venue;
  const code = codeOf(n);
  const draw = drawer(`${seed}/newcomer/${market}.${code}`);
  const month = monthAfter(FIRST_MONTH, Math.floor(n / aMonth));
  const due = 1 + Math.floor(((n % aMonth) + draw()) * (28 / aMonth));
  const issuedMillions = Math.round(80 * 25 ** draw());
  return instrumentOf({
    ...venue,
    code,
    name: `${firsts[(n * 7 + market.charCodeAt(0)) % firsts.length]} ${seconds[(n * 5 + market.charCodeAt(1)) % seconds.length]}`,
    kind: 'equity',
    lotSize: lots[Math.floor(draw() * lots.length)] ?? 100,
    listDate: businessDayFrom(`${month}-${String(due).padStart(2, '0')}`, tradingDaysOf(calendar)),
    referencePrice: roundToTick(tickTable, exact(Math.round(priceMin * 30 ** draw() * 1000) / 1000), 'nearest'),
    sharesIssued: BigInt(issuedMillions) * 1_000_000n,
    dailyVolume: Math.round(issuedMillions * 1e6 * (0.002 + 0.01 * draw())),
    volatility: Math.round((0.35 + 0.35 * draw()) * 100) / 100,
  });
}
