import { OptionStrategyType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { Option } from '../world/instrument.js';

/** Terms of a leg that identify its strategy. */
export interface StrategyLeg {
  /** Undefined: the underlying itself. */
  readonly option: Option['option'] | undefined;
  readonly sign: 1 | -1;
  readonly ratio: number;
  /** Units of the underlying; negative when sold. */
  readonly units: number;
}

type Terms = Option['option'];
interface OptionLeg extends StrategyLeg {
  readonly option: Terms;
}

export const strategyNames: Readonly<Record<number, string>> = {
  [OptionStrategyType.OptionStrategyType_SingleOption]: 'Single Option',
  [OptionStrategyType.OptionStrategyType_Covered]: 'Covered',
  [OptionStrategyType.OptionStrategyType_Spread]: 'Vertical Spread',
  [OptionStrategyType.OptionStrategyType_Straddle]: 'Straddle',
  [OptionStrategyType.OptionStrategyType_Strangle]: 'Strangle',
  [OptionStrategyType.OptionStrategyType_Collar]: 'Collar',
  [OptionStrategyType.OptionStrategyType_Butterfly]: 'Butterfly',
  [OptionStrategyType.OptionStrategyType_Condor]: 'Condor',
  [OptionStrategyType.OptionStrategyType_IronButterfly]: 'Iron Butterfly',
  [OptionStrategyType.OptionStrategyType_IronCondor]: 'Iron Condor',
  [OptionStrategyType.OptionStrategyType_CalendarSpread]: 'Calendar Spread',
  [OptionStrategyType.OptionStrategyType_DiagonalSpread]: 'Diagonal Spread',
  [OptionStrategyType.OptionStrategyType_Customize]: 'Custom',
};

/** The strategy that legs make up, bought or sold; a custom one where they make up none (definitions: Cboe Options Institute; OIC strategy guide). */
export function strategyOf(legs: readonly StrategyLeg[]): OptionStrategyType {
  const options = legs.filter((leg): leg is OptionLeg => leg.option !== undefined).sort(byStrike);
  const shares = legs.filter(({ option }) => option === undefined);
  const [share] = shares;
  if (share !== undefined) return shares.length === 1 ? withShares(share, options) : OptionStrategyType.OptionStrategyType_Customize;
  switch (options.length) {
    case 1:
      return OptionStrategyType.OptionStrategyType_SingleOption;
    case 2:
      return ofTwo(options);
    case 3:
      return ofThree(options);
    case 4:
      return ofFour(options);
    default:
      return OptionStrategyType.OptionStrategyType_Customize;
  }
}

function byStrike(a: OptionLeg, b: OptionLeg): number {
  if (a.option.strike !== b.option.strike) return a.option.strike < b.option.strike ? -1 : 1;
  // Puts first, as in the legs of iron butterflies.
  if (a.option.right !== b.option.right) return a.option.right === 'put' ? -1 : 1;
  return a.option.expiry < b.option.expiry ? -1 : 1;
}

function withShares({ units }: StrategyLeg, options: readonly OptionLeg[]): OptionStrategyType {
  const custom = OptionStrategyType.OptionStrategyType_Customize;
  const [first, second, third] = options;
  if (first === undefined || third !== undefined || !options.every((one) => Math.abs(one.units) === Math.abs(units))) return custom;
  const held = units > 0;
  if (second === undefined) {
    const covers = first.sign === -1 && first.option.right === (held ? 'call' : 'put');
    return covers ? OptionStrategyType.OptionStrategyType_Covered : custom;
  }
  const isCollar = first.option.right === 'put' && second.option.right === 'call' && first.option.expiry === second.option.expiry;
  const direction = held ? 1 : -1;
  return isCollar && first.sign === direction && second.sign === -direction ? OptionStrategyType.OptionStrategyType_Collar : custom;
}

function ofTwo([a, b]: readonly OptionLeg[]): OptionStrategyType {
  const custom = OptionStrategyType.OptionStrategyType_Customize;
  if (a === undefined || b === undefined || a.ratio !== b.ratio) return custom;
  const sameStrike = a.option.strike === b.option.strike;
  const sameExpiry = a.option.expiry === b.option.expiry;
  if (a.option.right === b.option.right) {
    if (a.sign === b.sign) return custom;
    if (sameExpiry) return sameStrike ? custom : OptionStrategyType.OptionStrategyType_Spread;
    return sameStrike ? OptionStrategyType.OptionStrategyType_CalendarSpread : OptionStrategyType.OptionStrategyType_DiagonalSpread;
  }
  if (a.sign !== b.sign || !sameExpiry) return custom;
  if (sameStrike) return OptionStrategyType.OptionStrategyType_Straddle;
  return OptionStrategyType.OptionStrategyType_Strangle;
}

function ofThree(legs: readonly OptionLeg[]): OptionStrategyType {
  const custom = OptionStrategyType.OptionStrategyType_Customize;
  const [a, b, c] = legs;
  if (a === undefined || b === undefined || c === undefined || !isOneExpiry(legs) || !isOneRight(legs)) return custom;
  const isEven = b.option.strike - a.option.strike === c.option.strike - b.option.strike && a.option.strike < b.option.strike;
  const isWeighted = a.ratio === c.ratio && b.ratio === 2 * a.ratio;
  return isEven && isWeighted && a.sign === c.sign && b.sign !== a.sign ? OptionStrategyType.OptionStrategyType_Butterfly : custom;
}

function ofFour(legs: readonly OptionLeg[]): OptionStrategyType {
  const custom = OptionStrategyType.OptionStrategyType_Customize;
  const [a, b, c, d] = legs;
  if (a === undefined || b === undefined || c === undefined || d === undefined || !isOneExpiry(legs)) return custom;
  if (!legs.every(({ ratio }) => ratio === a.ratio)) return custom;
  if (a.sign !== d.sign || b.sign !== c.sign || a.sign === b.sign) return custom;
  const [ka, kb, kc, kd] = [a.option.strike, b.option.strike, c.option.strike, d.option.strike];
  if (ka >= kb || kc >= kd) return custom;
  if (isOneRight(legs)) return kb < kc ? OptionStrategyType.OptionStrategyType_Condor : custom;
  const isIron = a.option.right === 'put' && b.option.right === 'put' && c.option.right === 'call' && d.option.right === 'call';
  if (!isIron) return custom;
  return kb === kc ? OptionStrategyType.OptionStrategyType_IronButterfly : OptionStrategyType.OptionStrategyType_IronCondor;
}

function isOneExpiry(legs: readonly OptionLeg[]): boolean {
  return legs.every(({ option }) => option.expiry === legs[0]?.option.expiry);
}

function isOneRight(legs: readonly OptionLeg[]): boolean {
  return legs.every(({ option }) => option.right === legs[0]?.option.right);
}
