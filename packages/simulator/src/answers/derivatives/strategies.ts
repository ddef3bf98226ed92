import { DECIMAL_ONE, type Decimal } from '@svc-gateway/contract/decimal';
import { OptionStrategyType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { Option } from '../../world/instrument.js';

type Right = 'call' | 'put';

/** The options that expire on a day, by strike. */
export interface Expiry extends Readonly<Record<Right, ReadonlyMap<Decimal, Option>>> {
  readonly day: string;
  /** Rising. */
  readonly strikes: readonly Decimal[];
}

/** A leg of a combination; without an option, shares. */
export interface Built {
  readonly option: Option | undefined;
  readonly sign: 1 | -1;
  readonly ratio: number;
}

/** Constraints on combinations; undefined = any. */
export interface Wish {
  readonly right: Right | undefined;
  /** Distance of neighbouring strikes. */
  readonly spread: Decimal | undefined;
  /** One of the strikes. */
  readonly strike: Decimal | undefined;
}

interface Strategy {
  readonly needsShares?: true;
  /** Its legs expire on two days. */
  readonly hasFarLegs?: true;
  /** Combinations that are bought, of a day and a later one (which is the same where there is only one). */
  make(near: Expiry, far: Expiry, wish: Wish): Generator<readonly Built[]>;
}

const buy = (option: Option | undefined, ratio = 1): Built => ({ option, sign: 1, ratio });
const sell = (option: Option | undefined, ratio = 1): Built => ({ option, sign: -1, ratio });

function rightsOf({ right }: Wish): readonly Right[] {
  return right === undefined ? ['call', 'put'] : [right];
}

/** Rising strikes that lie evenly apart, at every distance that a day has or the one that is wanted. */
function* evenly({ strikes }: Expiry, count: number, { spread, strike }: Wish): Generator<readonly Decimal[]> {
  const known = new Set(strikes);
  for (const [i, first] of strikes.entries()) {
    for (const second of spread === undefined ? strikes.slice(i + 1) : [first + spread]) {
      const found = Array.from({ length: count }, (_, place) => first + BigInt(place) * (second - first));
      if (!found.every((one) => known.has(one))) continue;
      if (strike === undefined || found.includes(strike)) yield found;
    }
  }
}

function* single({ strikes }: Expiry, { strike }: Wish): Generator<Decimal> {
  for (const one of strikes) if (strike === undefined || one === strike) yield one;
}

/** Shares that one contract is on. */
function sharesOf({ multiplier }: Option): number {
  return Number(multiplier / DECIMAL_ONE);
}

export const strategies: Readonly<Partial<Record<OptionStrategyType, Strategy>>> = {
  [OptionStrategyType.OptionStrategyType_SingleOption]: {
    *make(near, _far, wish) {
      for (const strike of single(near, wish)) for (const right of rightsOf(wish)) yield [buy(near[right].get(strike))];
    },
  },
  [OptionStrategyType.OptionStrategyType_Covered]: {
    needsShares: true,
    *make(near, _far, wish) {
      for (const strike of single(near, wish)) {
        for (const right of rightsOf(wish)) {
          const option = near[right].get(strike);
          if (option === undefined) continue;
          const shares = sharesOf(option);
          yield [right === 'call' ? buy(undefined, shares) : sell(undefined, shares), sell(option)];
        }
      }
    },
  },
  [OptionStrategyType.OptionStrategyType_Spread]: {
    *make(near, _far, wish) {
      for (const [low, high] of evenly(near, 2, wish)) {
        if (low === undefined || high === undefined) continue;
        for (const right of rightsOf(wish)) {
          const [lower, upper] = [near[right].get(low), near[right].get(high)];
          yield right === 'call' ? [buy(lower), sell(upper)] : [buy(upper), sell(lower)];
        }
      }
    },
  },
  [OptionStrategyType.OptionStrategyType_Straddle]: {
    *make(near, _far, wish) {
      for (const strike of single(near, wish)) yield [buy(near.call.get(strike)), buy(near.put.get(strike))];
    },
  },
  [OptionStrategyType.OptionStrategyType_Strangle]: {
    *make(near, _far, wish) {
      for (const [low = 0n, high = 0n] of evenly(near, 2, wish)) yield [buy(near.put.get(low)), buy(near.call.get(high))];
    },
  },
  [OptionStrategyType.OptionStrategyType_Collar]: {
    needsShares: true,
    *make(near, _far, wish) {
      for (const [low = 0n, high = 0n] of evenly(near, 2, wish)) {
        const put = near.put.get(low);
        if (put !== undefined) yield [buy(undefined, sharesOf(put)), buy(put), sell(near.call.get(high))];
      }
    },
  },
  [OptionStrategyType.OptionStrategyType_Butterfly]: {
    *make(near, _far, wish) {
      for (const [low = 0n, middle = 0n, high = 0n] of evenly(near, 3, wish))
        for (const right of rightsOf(wish)) yield [buy(near[right].get(low)), sell(near[right].get(middle), 2), buy(near[right].get(high))];
    },
  },
  [OptionStrategyType.OptionStrategyType_Condor]: {
    *make(near, _far, wish) {
      for (const [a = 0n, b = 0n, c = 0n, d = 0n] of evenly(near, 4, wish)) {
        for (const right of rightsOf(wish)) {
          const of = near[right];
          yield [buy(of.get(a)), sell(of.get(b)), sell(of.get(c)), buy(of.get(d))];
        }
      }
    },
  },
  [OptionStrategyType.OptionStrategyType_IronButterfly]: {
    *make({ put, call, ...near }, _far, wish) {
      for (const [low = 0n, middle = 0n, high = 0n] of evenly({ put, call, ...near }, 3, wish))
        yield [buy(put.get(low)), sell(put.get(middle)), sell(call.get(middle)), buy(call.get(high))];
    },
  },
  [OptionStrategyType.OptionStrategyType_IronCondor]: {
    *make(near, _far, wish) {
      for (const [a = 0n, b = 0n, c = 0n, d = 0n] of evenly(near, 4, wish))
        yield [buy(near.put.get(a)), sell(near.put.get(b)), sell(near.call.get(c)), buy(near.call.get(d))];
    },
  },
  [OptionStrategyType.OptionStrategyType_CalendarSpread]: {
    hasFarLegs: true,
    *make(near, far, wish) {
      for (const strike of single(near, wish)) {
        for (const right of rightsOf(wish)) {
          const later = far[right].get(strike);
          if (later !== undefined) yield [sell(near[right].get(strike)), buy(later)];
        }
      }
    },
  },
  [OptionStrategyType.OptionStrategyType_DiagonalSpread]: {
    hasFarLegs: true,
    *make(near, far, wish) {
      for (const strike of single(near, wish)) {
        for (const right of rightsOf(wish)) {
          for (const other of far.strikes) {
            const distance = other > strike ? other - strike : strike - other;
            if (distance === 0n || (wish.spread !== undefined && distance !== wish.spread)) continue;
            yield [sell(near[right].get(strike)), buy(far[right].get(other))];
          }
        }
      }
    },
  },
};
