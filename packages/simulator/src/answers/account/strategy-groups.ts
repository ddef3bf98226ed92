import { DECIMAL_ONE } from '@svc-gateway/contract/decimal';
import { OptionStrategyType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { PositionRecord } from '../../brokerage/position.js';
import { strategyOf } from '../../view/strategy-kinds.js';
import type { Instrument } from '../../world/index.js';

/** A position and its security. */
export interface Held {
  readonly position: PositionRecord;
  readonly instrument: Instrument;
}

/** The strategy that a position is a leg of. */
export interface StrategyGroup {
  /** The position id of its first leg. */
  readonly comboId: bigint;
  readonly strategyType: OptionStrategyType;
}

/** Positions on one underlying of which sets of three and four legs are looked at; of more, pairs only. */
const POSITIONS_MAX = 24;

/**
 * Strategies that whole positions make up, by position id: those of most legs first, then in the order of their position ids, so that every
 * position belongs to one at most. A position that makes up none with others is in no group.
 */
export function strategyGroups(held: readonly Held[]): ReadonlyMap<bigint, StrategyGroup> {
  const groups = new Map<bigint, StrategyGroup>();
  for (const legs of byUnderlying(held).values()) {
    for (const count of legs.length > POSITIONS_MAX ? [2] : [4, 3, 2]) {
      for (const set of setsOf(legs, count)) {
        const [first] = set;
        if (first === undefined || set.some(({ position }) => groups.has(position.id))) continue;
        const strategyType = strategyOf(legsOf(set));
        if (strategyType === OptionStrategyType.OptionStrategyType_Customize) continue;
        for (const { position } of set) groups.set(position.id, { comboId: first.position.id, strategyType });
      }
    }
  }
  return groups;
}

/** Open positions in options, and in what they are on, by the symbol of that. */
function byUnderlying(held: readonly Held[]): ReadonlyMap<string, readonly Held[]> {
  const open = held.filter(({ position }) => position.quantity !== 0n).sort((a, b) => (a.position.id < b.position.id ? -1 : 1));
  const found = new Map<string, Held[]>();
  for (const one of open) {
    if (one.instrument.kind !== 'option') continue;
    const { underlying } = one.instrument.option;
    found.set(underlying, [...(found.get(underlying) ?? []), one]);
  }
  for (const one of open) found.get(one.instrument.symbol)?.push(one);
  return found;
}

/** Every set of `count` members, in the order of the list. */
function* setsOf<T>(list: readonly T[], count: number): Generator<readonly T[]> {
  if (count === 0) yield [];
  else for (const [i, one] of list.entries()) for (const rest of setsOf(list.slice(i + 1), count - 1)) yield [one, ...rest];
}

function legsOf(set: readonly Held[]): Parameters<typeof strategyOf>[0] {
  const unit = set.map(({ position }) => magnitude(position.quantity)).reduce(commonDivisor);
  return set.map(({ position: { quantity }, instrument }) => ({
    option: instrument.kind === 'option' ? instrument.option : undefined,
    sign: quantity > 0n ? 1 : -1,
    ratio: Number(magnitude(quantity) / unit),
    units: Number((quantity * instrument.multiplier) / DECIMAL_ONE),
  }));
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function commonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : commonDivisor(b, a % b);
}
