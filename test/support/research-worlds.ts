import fc from 'fast-check';
import { type AskedBackend, sharedBackends } from './sim-backend.js';

/** Worlds of several seeds, each on a day of its own. */
const worlds = [
  { seed: 'a', at: Date.UTC(2026, 10, 20, 2, 30) },
  { seed: 'b', at: Date.UTC(2024, 1, 14, 16) },
  { seed: 'c', at: Date.UTC(2029, 7, 29, 7) },
] as const;
/**
 * Semi-annual and quarterly reporters, one whose fiscal year ends in another month, shares abroad, a trust, and shares of several
 * classes.
 */
const symbols = [
  'HK.00700',
  'HK.09988',
  'US.BABA',
  'US.AAPL',
  'US.NVDA',
  'SH.600519',
  'JP.7203',
  'US.BRK.A',
  'HK.00823',
  'SG.D05',
] as const;

const anySubject = fc.tuple(fc.nat(worlds.length - 1), fc.constantFrom(...symbols));

/** The worlds for the tests of a file, and a check of some companies in them. */
export function researchWorlds() {
  const fixtures = sharedBackends(worlds);
  const everyCase = (check: (fixture: AskedBackend, symbol: string) => Promise<void>, numRuns = 15) =>
    fc.assert(
      fc.asyncProperty(anySubject, ([world, symbol]) => check(fixtures[world]!, symbol)),
      { numRuns },
    );
  return { fixtures, everyCase };
}
