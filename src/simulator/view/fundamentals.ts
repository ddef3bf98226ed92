import { type Decimal, decimalFromNumber, divide, roundTo } from '../../contract/decimal.js';
import { dayNumber, dayOfNumber } from '../../contract/time.js';
import { keyOf, uniform } from '../market/random.js';
import { typicalVolume } from '../world/futures.js';
import type { Instrument } from '../world/instrument.js';

/**
 * Made-up but steady facts about an instrument: they follow from its symbol alone, so that every view and every run
 * shows the same ones. None of them is the real company's.
 */

/** A trait of an instrument, uniform in [0, 1). */
export function trait(instrument: Instrument, name: string): number {
  return uniform(keyOf(`${instrument.symbol} ${name}`), 0);
}

const TENTH_OF_CENT: Decimal = 1_000_000n;

export interface EquityFacts {
  /** Per share, in the instrument's currency. Positive. */
  readonly earningsPerShare: Decimal;
  readonly netAssetsPerShare: Decimal;
  /** Paid over the last twelve months; 0 for those that pay none. */
  readonly dividendPerShare: Decimal;
  /** Shares not held by insiders. */
  readonly sharesOutstanding: bigint;
}

/** Price-earnings ratios of 8 to 45 and price-book ratios of 0.8 to 9 at the reference price; three in four pay a dividend. */
export function equityFacts(instrument: Instrument): EquityFacts {
  const perShare = (multiple: number) => atLeastOneUnit(divide(instrument.referencePrice, exact(multiple)));
  const earningsPerShare = perShare(8 + 37 * trait(instrument, 'price-earnings'));
  const pays = trait(instrument, 'pays dividends') < 0.75;
  return {
    earningsPerShare,
    netAssetsPerShare: perShare(0.8 + 8.2 * trait(instrument, 'price-book')),
    dividendPerShare: pays ? scale(earningsPerShare, 0.15 + 0.5 * trait(instrument, 'payout')) : 0n,
    sharesOutstanding: (instrument.sharesIssued * BigInt(Math.round(600 + 400 * trait(instrument, 'free float')))) / 1000n,
  };
}

export interface FundFacts {
  /** Market price over net asset value, as a fraction: 0.001 is 0.1 % above. */
  readonly premium: number;
  /** Percent a year. */
  readonly dividendYield: number;
  /** Qot_Common.AssetClass. */
  readonly assetClass: number;
}

const ASSET_CLASS = { stock: 1, bond: 2, commodity: 3 } as const;

export function fundFacts(instrument: Instrument): FundFacts {
  const assetClass = /bond|treasur/i.test(instrument.name)
    ? ASSET_CLASS.bond
    : /gold|silver|oil|commodit/i.test(instrument.name)
      ? ASSET_CLASS.commodity
      : ASSET_CLASS.stock;
  return {
    premium: Math.round((trait(instrument, 'premium') - 0.5) * 40) / 10_000,
    dividendYield: Math.round(trait(instrument, 'dividend yield') * 4500) / 1000,
    assetClass,
  };
}

export interface OpenInterest {
  readonly contracts: number;
  /** Against the trading day before. */
  readonly change: number;
  /** Calendar days from the trading day to the last trade date; undefined for the continuous contract. */
  readonly daysToExpiry: number | undefined;
}

/** Open contracts of a future on a trading day: around three days' volume, moving a few percent from day to day. */
export function openInterest(instrument: Instrument, tradingDay: string): OpenInterest {
  const day = dayNumber(tradingDay) ?? 0;
  const contracts = contractsOn(instrument, day);
  const expiry = dayNumber(instrument.lastTradingDay ?? '');
  return {
    contracts,
    change: contracts - contractsOn(instrument, day - 1),
    daysToExpiry: expiry === undefined ? undefined : expiry - day,
  };
}

function contractsOn(instrument: Instrument, day: number): number {
  return Math.round(typicalVolume(instrument, dayOfNumber(day)) * (2.9 + 0.2 * uniform(keyOf(`${instrument.symbol} open interest`), day)));
}

function exact(value: number): Decimal {
  return decimalFromNumber(Math.round(value * 1000) / 1000) ?? 0n;
}

function scale(value: Decimal, factor: number): Decimal {
  return roundTo((value * BigInt(Math.round(factor * 1000))) / 1000n, TENTH_OF_CENT);
}

function atLeastOneUnit(value: Decimal): Decimal {
  const rounded = roundTo(value, TENTH_OF_CENT);
  return rounded > 0n ? rounded : TENTH_OF_CENT;
}
