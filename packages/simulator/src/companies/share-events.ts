import { requireDay } from '@svc-gateway/contract/time';
import { mix, uniform } from '../rng/random.js';
import type { Instrument } from '../world/instrument.js';
import { compound, FIRST_YEAR, firstOf, LAST_YEAR, yearsTo } from './growth.js';

/** A change of the number of shares that is no business of a company's buying or issuing some day by day. */
export interface ShareEvent {
  readonly kind: 'split' | 'bonus' | 'rights';
  /** Days since 1970-01-01 on which it is due; listings go ex on their first trading day from then on. */
  readonly due: number;
  /** Every `from` shares become `becomes` (of rights: with those that were bought). */
  readonly becomes: number;
  readonly from: number;
}

/** One draw falls into each stretch of so many years. */
const YEARS = 4;

/** Around the reference day nothing happens, so that prices and shares are near what the tables of the world say. */
const QUIET_FROM = requireDay('2025-07-01');
const QUIET_UNTIL = requireDay('2027-04-01');

const splits = [2, 2, 2, 3, 4, 5, 10].map((becomes) => [becomes, 1] as const);
const consolidations = [2, 5, 10].map((from) => [1, from] as const);
const bonuses = [2, 3, 4, 5].map((more) => [10 + more, 10] as const);
const rights = [
  [6, 5],
  [5, 4],
  [13, 10],
] as const;

/** Prices in US dollars or their like: what a split must leave, what it may start from, and what calls for a consolidation. */
const SPLIT_LEAVES_MIN = 8;
const SPLIT_FROM_MAX = 2_500;
const CONSOLIDATED_FROM = { least: 0.05, most: 3 };

/** From the announcement of a share event to its ex-day. */
export const NOTICE_DAYS = 30;

/** Subscription prices of rights, as a part of the price before. */
export const RIGHTS_DISCOUNT = 0.75;

/**
 * The share events of an issuer, oldest first, rare and within the years that companies act in. Worked out from the reference day to
 * both sides: whether one comes about depends on the price that those between have left.
 */
export function shareEvents(key: number, home: Instrument, growthPerShare: number): readonly ShareEvent[] {
  const price = Number(home.referencePrice) / 1e9 / (home.currency === 'JPY' ? YEN : 1);
  const at = (due: number) => price * compound(growthPerShare, yearsTo(due));
  const listed = requireDay(home.listDate);
  const windowOf = (year: number) => Math.floor(year / YEARS);
  const back: ShareEvent[] = [];
  let factor = 1;
  for (let window = windowOf(2025); window >= windowOf(FIRST_YEAR); window--) {
    const event = drawn(key, home, window);
    if (event === undefined || event.due >= QUIET_FROM || event.due <= listed) continue;
    const after = at(event.due) * factor;
    if (!isPlausible(event, (after * event.becomes) / event.from, after)) continue;
    factor *= event.becomes / event.from;
    back.unshift(event);
  }
  const ahead: ShareEvent[] = [];
  factor = 1;
  for (let window = windowOf(2026); window <= windowOf(LAST_YEAR); window++) {
    const event = drawn(key, home, window);
    if (event === undefined || event.due <= Math.max(QUIET_UNTIL, listed)) continue;
    const before = at(event.due) * factor;
    if (!isPlausible(event, before, (before * event.from) / event.becomes)) continue;
    factor *= event.from / event.becomes;
    ahead.push(event);
  }
  return [...back, ...ahead];
}

/** Yen in the unit of the bounds above. */
const YEN = 150;

function isPlausible({ kind, becomes, from }: ShareEvent, before: number, after: number): boolean {
  if (becomes < from) return before >= CONSOLIDATED_FROM.least && before <= CONSOLIDATED_FROM.most;
  return before <= SPLIT_FROM_MAX && (kind !== 'split' || after >= SPLIT_LEAVES_MIN);
}

/** Draws the share event of a stretch of years, if any. */
function drawn(key: number, home: Instrument, window: number): ShareEvent | undefined {
  const stream = mix(key, window);
  const due = firstOf(window * YEARS, 1) + Math.floor(YEARS * 365 * uniform(stream, 0));
  const chance = uniform(stream, 1);
  const [kind, ratios] = kindOf(home, chance);
  if (kind === undefined) return undefined;
  const [becomes, from] = ratios[Math.floor(uniform(stream, 2) * ratios.length)] ?? [1, 1];
  return { kind, due, becomes, from };
}

type Ratios = readonly (readonly [becomes: number, from: number])[];

function kindOf({ market }: Instrument, chance: number): readonly [ShareEvent['kind'] | undefined, Ratios] {
  const mainland = market === 'SH' || market === 'SZ';
  if (chance < 0.16) return mainland ? ['bonus', bonuses] : ['split', splits];
  if (chance < 0.2) return mainland ? [undefined, []] : ['split', consolidations];
  if (chance < 0.24 && market !== 'US' && market !== 'JP') return ['rights', rights];
  return [undefined, []];
}
