import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import {
  PriceType,
  type Security,
  type WarrantBasicQotExData,
  WarrantBasicQotExDataSchema,
} from '@svc-gateway/contract/generated/Qot_Common_pb';
import { type WarrantSnapshotExData, WarrantSnapshotExDataSchema } from '@svc-gateway/contract/generated/Qot_GetSecuritySnapshot_pb';
import { parseLocal } from '@svc-gateway/contract/time';
import type { ContractValuation } from '../market/market.js';
import type { Warrant } from '../world/instrument.js';
import type { Listing } from './listings.js';
import { rounded } from './option-figures.js';
import { warrantTypes } from './warrant-terms.js';

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
  const data = create(WarrantBasicQotExDataSchema, { premium });
  if (delta !== undefined) data.delta = delta;
  if (impliedVolatility !== undefined) data.impliedVolatility = impliedVolatility;
  return data;
}

/** Warrant fields of a snapshot. */
export function warrantSnapshotData(
  { market }: Listing,
  warrant: Warrant,
  owner: Security | undefined,
  figures: WarrantFigures,
): WarrantSnapshotExData {
  const { type, maturity, issuer } = warrant.warrant;
  const { strike, conversionRatio, callPrice, callDistance, upper, inside, delta, impliedVolatility } = figures;
  const midnight = (day: string) => (parseLocal(day, market.timeZone) ?? 0) / 1000;
  const end = warrant.lastTradingDay ?? maturity;
  const data = create(WarrantSnapshotExDataSchema, {
    conversionRate: conversionRatio,
    warrantType: warrantTypes[type],
    strikePrice: strike,
    maturityTime: maturity,
    maturityTimestamp: midnight(maturity),
    endTradeTime: end,
    endTradeTimestamp: midnight(end),
    recoveryPrice: callPrice ?? 0,
    streetVolumn: figures.streetVolume,
    issueVolumn: warrant.sharesIssued,
    streetRate: figures.streetRate,
    delta: delta ?? 0,
    impliedVolatility: impliedVolatility ?? 0,
    premium: figures.premium,
    leverage: figures.leverage,
    ipop: figures.inMoney,
    breakEvenPoint: figures.breakEven,
    conversionPrice: figures.conversionPrice,
    score: figures.score,
    issuerCode: issuer,
  });
  if (owner !== undefined) data.owner = owner;
  if (callDistance !== undefined) data.priceRecoveryRatio = callDistance;
  if (upper !== undefined) Object.assign(data, { upperStrikePrice: upper, lowerStrikePrice: strike, inLinePriceStatus: inside });
  return data;
}
