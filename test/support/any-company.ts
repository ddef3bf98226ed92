import { ManualClock } from '@svc-gateway/contract/clock';
import { requireDay } from '@svc-gateway/contract/time';
import { createWorld } from '@svc-gateway/simulator/world';
import fc from 'fast-check';
import { Companies } from '../../packages/simulator/src/companies/index.js';

const clock = new ManualClock(Date.UTC(2026, 10, 20));
export const worldOf = (generatedInstruments: number) => createWorld({ clock, calendarMode: 'calendar', generatedInstruments, seed: 'w' });
export const world = worldOf(200);
export const equities = world.instruments({ kind: 'equity' });
const seeds = fc.integer({ min: 0, max: 20 });
const equity = fc.constantFrom(...equities);
const days = fc.integer({ min: requireDay('2016-01-01'), max: requireDay('2036-12-31') });
export const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n);
const known = new Map<number, Companies>();

export function companies(seed: number) {
  const found = known.get(seed) ?? new Companies(world, seed);
  known.set(seed, found);
  return found;
}

/** A company, and a day on which it is traded. */
export const anyCompany = fc
  .tuple(seeds, equity, days)
  .map(([seed, one, day]) => ({ company: companies(seed).company(one), day }))
  .filter(({ company: { issuer }, day }) => {
    const { listDate, lastTradingDay } = issuer.home;
    return day > requireDay(listDate) + 400 && day < requireDay(lastTradingDay ?? '2100-01-01');
  });
