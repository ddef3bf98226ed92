import { quoted } from '@svc-gateway/contract/shown';
import { isTimeText } from '@svc-gateway/contract/text-formats';
import { dayNumber } from '@svc-gateway/contract/time';
import { Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { locateTerms } from '../../view/locate.js';
import { isOfIndexType } from '../../view/option-terms.js';
import { kinds, type ListedSeries, type SecurityKind } from '../../world/index.js';

const OWNERS: ReadonlySet<SecurityKind> = new Set(['equity', 'trust', 'etf', 'index']);

/** Finds the underlying of requested options, or says why its kind has none. */
export function locateOwner(
  facts: Facts<'listings'>,
  security: { readonly market: number; readonly code: string } | undefined,
): Listing | Refusal {
  const owner = locateTerms(facts, security);
  if (owner instanceof Refusal || OWNERS.has(owner.instrument.kind)) return owner;
  const { symbol, kind } = owner.instrument;
  return new Refusal(`owner: ${symbol} is ${kinds[kind].noun}; there are options on stocks, funds and indices`);
}

/** The series on an owner that are listed today, of the wanted kind of index options, in order of expiry. */
export function seriesOf({ world }: Facts<'world'>, { instrument }: Listing, indexType: number): readonly ListedSeries[] {
  const series = world.optionSeries(instrument).filter((one) => isOfIndexType(one.class, indexType));
  return [...series].sort((a, b) => (a.expiry < b.expiry ? -1 : a.expiry > b.expiry ? 1 : 0));
}

/** A day as requests name it, "2026-11-20", with or without a time; its day counts. */
export function dayOf(field: string, text: string): string | Refusal {
  const day = isTimeText(text) ? text.slice(0, 10) : text;
  if (dayNumber(day) !== undefined) return day;
  return new Refusal(`${field}: expected a date as yyyy-MM-dd, found ${quoted(text)}`, 'broker.value');
}
