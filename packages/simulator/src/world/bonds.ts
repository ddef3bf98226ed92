import type { Decimal } from '@svc-gateway/contract/decimal';
import type { QuoteMarket } from '@svc-gateway/contract/markets';
import { requireDay } from '@svc-gateway/contract/time';
import { businessDayFrom, tradingDaysOf, yearOf } from './business-days.js';
import { type BondProgramme, bondProgrammes } from './data/bonds.js';
import { exact } from './exact.js';
import { Exchange } from './exchange.js';
import { type Bond, instrumentOf } from './instrument.js';
import { governmentYield } from './risk-free-rate.js';
import { flatTickTable } from './tick-tables.js';

/** Orders and quotes are in units of this nominal; prices are per unit, so in percent of the nominal. */
const NOMINAL = exact(100);
const MILLION = 1_000_000;
/** Coupons are set to an eighth of a percent, so that a bond is issued at its nominal or a little below. */
const COUPON_STEP = exact(0.125);
const tick = flatTickTable('bond', 0.01);
const byPrefix = new Map(bondProgrammes.map((programme) => [`${programme.market}.${programme.prefix}`, programme]));
const exchanges = { HK: Exchange.hkMainBoard, US: Exchange.nyse } as const;
const lots = { HK: 100, US: 10 } as const;

// All of it is pure, so that one memory serves every world. There are a few hundred.
const made = new Map<string, Bond>();

/** The bond of a symbol in upper case, "US.UST10Y36", whether or not it is listed now; undefined when none ever has it. `year`: see {@link yearOf}. */
export function understandBond(symbol: string, year: number): Bond | undefined {
  const programme = byPrefix.get(symbol.slice(0, -2));
  const digits = symbol.slice(-2);
  if (programme === undefined || !/^\d\d$/.test(digits)) return undefined;
  return bondOf(programme, yearOf(digits, year) - programme.years);
}

/** The bonds (of a market) that have been issued by a day of their market and are not due yet, by programme and then by age, oldest first. */
export function bondsOn(dayOf: (market: 'HK' | 'US') => string, market?: QuoteMarket): readonly Bond[] {
  const programmes = market === undefined ? bondProgrammes : bondProgrammes.filter((one) => one.market === market);
  return programmes.flatMap((programme) => {
    const day = dayOf(programme.market);
    const year = Number(day.slice(0, 4));
    const years = Array.from({ length: programme.years + 1 }, (_, i) => year - programme.years + i);
    return years
      .map((issued) => bondOf(programme, issued))
      .filter((bond) => bond !== undefined)
      .filter(({ listDate, lastTradingDay = day }) => listDate <= day && day <= lastTradingDay);
  });
}

/** Bond that a programme issued in a year; undefined where there was none. */
function bondOf(programme: BondProgramme, year: number): Bond | undefined {
  if (year < programme.since || (year - programme.since) % programme.every !== 0) return undefined;
  const key = `${programme.market}.${programme.prefix} ${year}`;
  const bond = made.get(key) ?? makeBond(programme, year);
  made.set(key, bond);
  return bond;
}

function makeBond(programme: BondProgramme, year: number): Bond {
  const { market, prefix, issuer, owner, sector, years, month, spread } = programme;
  const days = tradingDaysOf(market);
  const date = (of: number) => `${of}-${String(month).padStart(2, '0')}-15`;
  const due = year + years;
  const code = `${prefix}${String(due % 100).padStart(2, '0')}`;
  const area = market === 'HK' ? 'hk' : 'us';
  const coupon = couponFor(governmentYield(requireDay(date(year)), years, area) + spread / 10_000);
  const couponText = (Number(coupon) / 1e9).toFixed(3);
  return instrumentOf<Bond>({
    market,
    code,
    name: `${issuer} ${couponText}% ${due}`,
    kind: 'bond',
    exchange: exchanges[market],
    currency: market === 'HK' ? 'HKD' : 'USD',
    lotSize: lots[market],
    tickTable: tick,
    listDate: businessDayFrom(date(year), days),
    lastTradingDay: days.previousTradingDay(date(due)),
    referencePrice: NOMINAL,
    dailyVolume: programme.traded * 10,
    // Price volatility of a bond of these years, while yields move by 60 to 70 basis points a year.
    volatility: Math.min(0.2, Math.max(0.005, 0.0065 * years)),
    calendar: market,
    bond: {
      issuer,
      ...(owner === undefined ? {} : { owner }),
      sector,
      coupon,
      issued: date(year),
      maturity: date(due),
      spread,
      nominalIssued: BigInt(programme.issued * MILLION),
    },
  });
}

/** The greatest step at or below a yield (as a fraction), at least one. */
function couponFor(yearly: number): Decimal {
  const steps = BigInt(Math.max(1, Math.floor((yearly * 100) / 0.125)));
  return steps * COUPON_STEP;
}
