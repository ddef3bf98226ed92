import { decimalToNumber } from '@svc-gateway/contract/decimal';
import {
  ExpirationCycle,
  IndexOptionType,
  OptionAreaType,
  type OptionBasicQotExData,
  OptionBasicQotExDataSchema,
  OptionType,
  type Security,
} from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { OptionSnapshotExData } from '@svc-gateway/contract/generated/Qot_GetSecuritySnapshot_pb';
import { requireDay, weekday } from '@svc-gateway/contract/time';
import type { ContractValuation } from '../market/market.js';
import type { Market } from '../market/simulated-market.js';
import type { ListedSeries, World } from '../world/index.js';
import type { Instrument, Option } from '../world/instrument.js';
import { type Listing, secondsOf } from './listings.js';
import { type Fields, messageOf } from './messages.js';

const DAYS_PER_YEAR = 365;
const POINTS = 100;
/** Part of the open contracts that is left when each holder's long and short ones are set off. */
const NET_SHARE = 0.55;

/** Figures of an option at a moment, shared by every message. Percentages are in percent. */
export interface OptionFigures {
  readonly price: number;
  readonly impliedVolatility: number;
  readonly premium: number;
  readonly delta: number;
  readonly gamma: number;
  /** For a point of volatility. */
  readonly vega: number;
  /** For a day. */
  readonly theta: number;
  /** For a point of the rate. */
  readonly rho: number;
  readonly openInterest: number;
  readonly daysToExpiry: number;
  readonly multiplier: number;
  /** Hong Kong alone. */
  readonly netOpenInterest?: number;
  readonly contractValue?: number;
  /** Stock options of Hong Kong: board lots of the underlying in one contract. */
  readonly underlyingLots?: number;
  readonly spot: number;
}

/** @param price last one, per unit */
export function optionFigures(
  option: Option,
  valuation: ContractValuation,
  price: number,
  tradingDay: string,
  underlying: Instrument | undefined,
): OptionFigures {
  const { right, expiry, strike: strikeDecimal } = option.option;
  const { delta, gamma, vega, theta, rho, open, volatility, outlook } = valuation;
  const { spot } = outlook;
  const strike = decimalToNumber(strikeDecimal);
  const multiplier = decimalToNumber(option.multiplier);
  const common = {
    price,
    impliedVolatility: rounded(POINTS * volatility),
    premium: rounded(POINTS * (right === 'call' ? (strike + price) / spot - 1 : 1 - (strike - price) / spot)),
    delta: rounded(delta),
    gamma: rounded(gamma),
    vega: rounded(vega / POINTS),
    theta: rounded(theta / DAYS_PER_YEAR),
    rho: rounded(rho / POINTS),
    openInterest: open,
    daysToExpiry: requireDay(expiry) - requireDay(tradingDay),
    multiplier,
    spot,
  };
  if (option.market !== 'HK') return common;
  const hongKong = { ...common, netOpenInterest: Math.round(open * NET_SHARE), contractValue: rounded(spot * multiplier) };
  return underlying === undefined || underlying.kind === 'index'
    ? hongKong
    : { ...hongKong, underlyingLots: rounded(multiplier / underlying.lotSize) };
}

/** The figures of a listed option as of now. */
export function figuresOf(
  { market, world }: { readonly market: Market; readonly world: World },
  option: Option,
  price: number,
): OptionFigures {
  return optionFigures(option, market.valuation(option), price, world.today(option), world.instrument(option.option.underlying));
}

/** Six places: prices and Greeks of the smallest contracts show, noise of the last bits does not. */
export function rounded(value: number): number {
  return Math.round(value * 1e6) / 1e6;
}

/** Qot_Common.OptionAreaType. */
export function areaType({ option: { style } }: Option): OptionAreaType {
  return style === 'american' ? OptionAreaType.OptionAreaType_American : OptionAreaType.OptionAreaType_European;
}

/** Qot_Common.OptionType. */
export function typeOf({ option: { right } }: Option): OptionType {
  return right === 'call' ? OptionType.OptionType_Call : OptionType.OptionType_Put;
}

/** Option fields of a quote. */
export function optionQuoteData(option: Option, figures: OptionFigures): OptionBasicQotExData {
  return messageOf(OptionBasicQotExDataSchema, { strikePrice: decimalToNumber(option.option.strike), ...shared(option, figures) });
}

/** Option fields of a snapshot. */
export function optionSnapshotData(
  listing: Listing,
  option: Option,
  owner: Security | undefined,
  figures: OptionFigures,
): Fields<OptionSnapshotExData> {
  const { expiry, strike } = option.option;
  return {
    type: typeOf(option),
    owner,
    strikeTime: expiry,
    strikeTimestamp: secondsOf(listing, expiry),
    strikePrice: decimalToNumber(strike),
    ...shared(option, figures),
  };
}

function shared(option: Option, figures: OptionFigures) {
  const { openInterest, impliedVolatility, premium, delta, gamma, vega, theta, rho, multiplier } = figures;
  return {
    ...{ openInterest, impliedVolatility, premium, delta, gamma, vega, theta, rho },
    contractSize: Math.round(multiplier),
    contractSizeFloat: multiplier,
    contractMultiplier: multiplier,
    expiryDateDistance: figures.daysToExpiry,
    optionAreaType: areaType(option),
    indexOptionType: indexOptionType(option),
    netOpenInterest: figures.netOpenInterest,
    contractNominalValue: figures.contractValue,
    ownerLotMultiplier: figures.underlyingLots,
  };
}

/** Roots of the options on a fifth of what the exchange's other ones on the index are on. */
const SMALL_ROOTS = new Set(['MHI']);

/** Whether an index option is one of the normal or of the small ones; undefined for options on anything else. */
export function indexOptionType({ option }: Option): IndexOptionType | undefined {
  return indexTypeOf(option.class);
}

/** The same of a class. */
function indexTypeOf({ family, root }: ListedSeries['class']): IndexOptionType | undefined {
  if (family !== 'usIndex' && family !== 'hkIndex') return undefined;
  return SMALL_ROOTS.has(root) ? IndexOptionType.IndexOptionType_Small : IndexOptionType.IndexOptionType_Normal;
}

/** Whether a class is of the wanted kind; 0 asks for the normal one. Classes that are on no index are of every kind. */
export function isOfIndexType(of: ListedSeries['class'], wanted: number): boolean {
  const type = indexTypeOf(of);
  return type === undefined || type === (wanted === 0 ? IndexOptionType.IndexOptionType_Normal : wanted);
}

/** Qot_Common.ExpirationCycle of an option. */
export function expirationCycle({ option: { cycle, expiry } }: Option): ExpirationCycle {
  return cycleOf(cycle, expiry);
}

/** The same of an expiry: of a class that expires on every day, its weekday. */
export function cycleOf(cycle: ListedSeries['of'], expiry: string): ExpirationCycle {
  if (cycle === 'month') return ExpirationCycle.ExpirationCycle_Month;
  if (cycle === 'week') return ExpirationCycle.ExpirationCycle_Week;
  return (ExpirationCycle.ExpirationCycle_WeekMon + weekday(expiry) - 1) as ExpirationCycle;
}
