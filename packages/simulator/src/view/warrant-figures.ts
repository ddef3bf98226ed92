import { decimalToNumber } from '@svc-gateway/contract/decimal';
import {
  Issuer,
  PriceType,
  type Security,
  type WarrantBasicQotExData,
  WarrantBasicQotExDataSchema,
  WarrantType,
} from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { WarrantSnapshotExData } from '@svc-gateway/contract/generated/Qot_GetSecuritySnapshot_pb';
import type { ContractValuation } from '../market/market.js';
import type { Warrant, WarrantTerms } from '../world/instrument.js';
import { type Listing, secondsOf } from './listings.js';
import { type Fields, messageOf } from './messages.js';
import { rounded } from './option-figures.js';

const POINTS = 100;

/**
 * Figures of a warrant at a moment, shared by every message. Percentages are in percent; a figure that only some types have is
 * absent for others.
 */
export interface WarrantFigures {
  readonly spot: number;
  readonly strike: number;
  readonly conversionRatio: number;
  /** Move of the underlying by maturity that recovers the price paid, relative to its price now. */
  readonly premium: number;
  readonly breakEven: number;
  /** Price of the underlying over that of the units that make one of it. */
  readonly leverage: number;
  /** Leverage times delta: how much the price moves for a percent of the underlying. */
  readonly effectiveLeverage: number;
  /** How far inside its strike the underlying is; negative outside. */
  readonly inMoney: number;
  /** Price of the units that make one of the underlying. */
  readonly conversionPrice: number;
  readonly streetVolume: bigint;
  readonly streetRate: number;
  /** From 0 to 100: cheap, geared and liquid is good. */
  readonly score: number;
  /** Warrants that are no callable contracts: per unit of the underlying. */
  readonly delta?: number;
  readonly impliedVolatility?: number;
  /** Callable contracts. */
  readonly callPrice?: number;
  readonly callDistance?: number;
  /** Inline warrants. */
  readonly upper?: number;
  readonly inside?: PriceType;
}

/** @param price last one, of a unit */
export function warrantFigures(warrant: Warrant, valuation: ContractValuation, price: number): WarrantFigures {
  const { type, strike: strikeDecimal, conversionRatio, callPrice: callDecimal, upperStrike } = warrant.warrant;
  const { outlook, delta, volatility, open } = valuation;
  const { spot } = outlook;
  const strike = decimalToNumber(strikeDecimal);
  const conversionPrice = price * conversionRatio;
  const isDown = type === 'put' || type === 'bear';
  const breakEven = isDown ? strike - conversionPrice : strike + conversionPrice;
  const leverage = conversionPrice > 0 ? spot / conversionPrice : 0;
  const hedge = delta * conversionRatio;
  const fair = valuation.value > 0 ? price / valuation.value : 1;
  const common = {
    spot,
    strike,
    conversionRatio,
    premium: rounded((POINTS * (isDown ? spot - breakEven : breakEven - spot)) / spot),
    breakEven: rounded(breakEven),
    leverage: rounded(leverage),
    effectiveLeverage: rounded(leverage * hedge),
    inMoney: rounded((POINTS * (isDown ? strike - spot : spot - strike)) / strike),
    conversionPrice: rounded(conversionPrice),
    streetVolume: BigInt(open),
    streetRate: rounded((POINTS * open) / Number(warrant.sharesIssued)),
    score: score(fair, Math.abs(leverage * hedge), open / Number(warrant.sharesIssued)),
  };
  switch (type) {
    case 'call':
    case 'put':
      return { ...common, delta: rounded(hedge), impliedVolatility: rounded(POINTS * volatility) };
    case 'bull':
    case 'bear': {
      const callPrice = decimalToNumber(callDecimal ?? strikeDecimal);
      return { ...common, callPrice, callDistance: rounded((POINTS * (spot - callPrice)) / callPrice) };
    }
    case 'inline': {
      const upper = decimalToNumber(upperStrike ?? strikeDecimal);
      const inside = spot >= strike && spot <= upper ? PriceType.PriceType_WithIn : PriceType.PriceType_Outside;
      return { ...common, upper, inside };
    }
  }
}

/** Score from price over value, effective leverage and the portion already held. */
function score(fair: number, leverage: number, held: number): number {
  const cheap = Math.min(1, Math.max(0, 1.5 - fair));
  const geared = Math.min(1, leverage / 12);
  return rounded(POINTS * (0.4 * cheap + 0.4 * geared + 0.2 * (1 - held)));
}

/** Warrant fields of a quote. */
export function warrantQuoteData({ delta, impliedVolatility, premium }: WarrantFigures): WarrantBasicQotExData {
  return messageOf(WarrantBasicQotExDataSchema, { delta, impliedVolatility, premium });
}

/** Warrant fields of a snapshot. */
export function warrantSnapshotData(
  listing: Listing,
  warrant: Warrant,
  owner: Security | undefined,
  figures: WarrantFigures,
): Fields<WarrantSnapshotExData> {
  const { type, maturity, issuer } = warrant.warrant;
  const { strike, upper } = figures;
  const end = warrant.lastTradingDay ?? maturity;
  return {
    conversionRate: figures.conversionRatio,
    warrantType: warrantTypes[type],
    strikePrice: strike,
    maturityTime: maturity,
    maturityTimestamp: secondsOf(listing, maturity),
    endTradeTime: end,
    endTradeTimestamp: secondsOf(listing, end),
    owner,
    recoveryPrice: figures.callPrice ?? 0,
    streetVolumn: figures.streetVolume,
    issueVolumn: warrant.sharesIssued,
    streetRate: figures.streetRate,
    delta: figures.delta ?? 0,
    impliedVolatility: figures.impliedVolatility ?? 0,
    premium: figures.premium,
    leverage: figures.leverage,
    ipop: figures.inMoney,
    breakEvenPoint: figures.breakEven,
    conversionPrice: figures.conversionPrice,
    priceRecoveryRatio: figures.callDistance,
    score: figures.score,
    issuerCode: issuer,
    upperStrikePrice: upper,
    lowerStrikePrice: upper === undefined ? undefined : strike,
    inLinePriceStatus: figures.inside,
  };
}

/** Qot_Common.WarrantType of each type. */
export const warrantTypes = {
  call: WarrantType.WarrantType_Buy,
  put: WarrantType.WarrantType_Sell,
  bull: WarrantType.WarrantType_Bull,
  bear: WarrantType.WarrantType_Bear,
  inline: WarrantType.WarrantType_InLine,
} as const satisfies Record<WarrantTerms['type'], WarrantType>;

/** Qot_Common.Issuer of a warrant's issuer, whose letters its names are. */
export function issuerOf({ issuer }: WarrantTerms): Issuer {
  return Issuer[issuer as keyof typeof Issuer] ?? Issuer.Unknow;
}
