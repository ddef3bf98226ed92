import { DECIMAL_ONE, type Decimal, decimalFromNumber, formatDecimal } from '@svc-gateway/contract/decimal';
import { OptionStrategyType, OptionType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { TrdSide } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { derivatives as declared } from '@svc-gateway/contract/operations';
import { Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { type StrategyLeg, strategyNames } from '../../view/strategy-kinds.js';
import type { Instrument } from '../../world/index.js';
import type { Option } from '../../world/instrument.js';
import type { AnswerTo } from '../table.js';
import { dayOf, locateOwner, seriesOf } from './option-chain.js';

/** Maximum strategies: more than any reader needs, and few enough for one turn. */
const STRATEGIES_MAX = 2_000;

/** Qot_GetOptionStrategy: the combinations of listed options that make up a strategy, by expiry and strike. */
export const getOptionStrategy: AnswerTo<typeof declared.getOptionStrategy> = (facts, request) => {
  const owner = locateOwner(facts, request.owner);
  if (owner instanceof Refusal) return owner;
  const near = request.expireTime === '' ? undefined : dayOf('expire_time', request.expireTime);
  if (near instanceof Refusal) return near;
  const far = request.farExpireTime === '' ? undefined : dayOf('far_expire_time', request.farExpireTime);
  if (far instanceof Refusal) return far;
  const build = strategies[request.optionStrategy as OptionStrategyType];
  if (build === undefined)
    return new Refusal(`option_strategy: ${request.optionStrategy} is a combination of the caller's own, which is not listed`);
  if (build.needsShares && owner.instrument.kind === 'index')
    return new Refusal(`owner: ${owner.instrument.symbol} is an index, of which there are no shares to hold`);
  const expiries = expiriesOf(facts, owner, request.indexOptionType);
  const isNear = ({ day }: Expiry) => near === undefined || day === near;
  const isFar = ({ day }: Expiry) => far === undefined || day === far;
  const wish: Wish = { right: rights[request.optionType], spread: wished(request.spread), strike: wished(request.strikePrice) };
  const strategyList: ReturnType<typeof item>[] = [];
  for (const expiry of expiries.filter(isNear)) {
    const later = build.hasFarLegs ? expiries.filter((one) => one.day > expiry.day && isFar(one)) : [expiry];
    for (const last of later) {
      for (const built of build.make(expiry, last, wish)) {
        if (strategyList.length >= STRATEGIES_MAX)
          return new Refusal(
            `more than ${STRATEGIES_MAX} combinations; name expire_time, far_expire_time, spread, option_type or strike_price`,
          );
        strategyList.push(item(facts, owner, request.optionStrategy, built));
      }
    }
  }
  return { strategyList };
};

const rights: Readonly<Record<number, Wish['right']>> = { [OptionType.OptionType_Call]: 'call', [OptionType.OptionType_Put]: 'put' };

/** 0 is what a field holds that was left alone. */
function wished(value: number): Decimal | undefined {
  return value === 0 ? undefined : decimalFromNumber(value);
}

function expiriesOf({ world }: Facts<'world'>, owner: Listing, indexType: number): readonly Expiry[] {
  return seriesOf({ world }, owner, indexType).map((series) => {
    const options = world.optionChain(owner.instrument, series);
    const of = (right: 'call' | 'put') =>
      new Map(options.filter(({ option }) => option.right === right).map((one) => [one.option.strike, one]));
    return { day: series.expiry, strikes: [...new Set(options.map(({ option }) => option.strike))], call: of('call'), put: of('put') };
  });
}

function item({ listings }: Facts<'listings'>, owner: Listing, type: number, built: readonly Built[]) {
  const legs = built.map(({ option, sign, ratio }) => ({
    option: option?.option,
    code: option?.code ?? owner.instrument.code,
    sign,
    ratio,
    units: 0,
  }));
  return {
    code: codeOf(legs),
    name: nameOf(owner.instrument, type, legs),
    optionStrategy: type,
    stockOwner: owner.security,
    multiLegs: built.map(({ option, sign, ratio }) => ({
      security: option === undefined ? owner.security : listings.of(option).security,
      // As an order opens them: nothing of what is sold is held.
      side: sign > 0 ? TrdSide.TrdSide_Buy : TrdSide.TrdSide_SellShort,
      qtyRatio: ratio,
    })),
  };
}

interface NamedLeg extends StrategyLeg {
  /** Without a market: "AAPL261218C275000". */
  readonly code: string;
}

/** "AAPL261218C275000/-AAPL261218C280000": the legs by their codes, with a minus before what is sold and the ratio before what is more than one. */
export function codeOf(legs: readonly NamedLeg[]): string {
  return legs
    .map(({ code, sign, ratio, option }) => `${sign < 0 ? '-' : ''}${ratio === 1 || option === undefined ? '' : `${ratio}*`}${code}`)
    .join('/');
}

/** "APPLE 261218 275/280C Vertical Spread". */
export function nameOf({ name }: Instrument, type: OptionStrategyType, legs: readonly NamedLeg[]): string {
  const terms = legs.flatMap(({ option }) => (option === undefined ? [] : [option]));
  const expiries = [...new Set(terms.map(({ expiry }) => expiry.slice(2).replaceAll('-', '')))].sort();
  const strikes = [...new Set(terms.map(({ strike }) => formatDecimal(strike)))];
  const rights = new Set(terms.map(({ right }) => right));
  const letter = rights.size === 2 ? '' : rights.has('call') ? 'C' : 'P';
  return `${name} ${expiries.join('/')} ${strikes.join('/')}${letter} ${strategyNames[type] ?? ''}`.trim();
}

type Right = 'call' | 'put';

/** The options that expire on a day, by strike. */
interface Expiry extends Readonly<Record<Right, ReadonlyMap<Decimal, Option>>> {
  readonly day: string;
  /** Rising. */
  readonly strikes: readonly Decimal[];
}

/** A leg of a combination; without an option, shares. */
interface Built {
  readonly option: Option | undefined;
  readonly sign: 1 | -1;
  readonly ratio: number;
}

/** Constraints on combinations; undefined = any. */
interface Wish {
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
