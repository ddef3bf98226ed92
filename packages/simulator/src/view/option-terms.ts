import { ExpirationCycle, IndexOptionType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { weekday } from '@svc-gateway/contract/time';
import type { ListedSeries } from '../world/index.js';
import type { Option } from '../world/instrument.js';

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
