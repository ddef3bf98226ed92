import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Cohort } from './cohort.js';

/** What `count` callers did, in the order in which they did it: `step` and the number of the caller. */
function callers(cohort: Cohort, count: number, steps: string[], from = 0): Promise<unknown> {
  const call = async (number: number) => {
    await cohort.gathered();
    steps.push(`first ${number}`);
    await undefined;
    steps.push(`second ${number}`);
  };
  return Promise.all(Array.from({ length: count }, (_, index) => call(from + index)));
}

const numbered = (step: string, count: number, from = 0) => Array.from({ length: count }, (_, index) => `${step} ${from + index}`);

describe('a cohort', () => {
  it('takes each step together, in the order of the calls, and not before the turn is over', async () => {
    const cohort = new Cohort();
    const steps: string[] = [];
    const done = callers(cohort, 3, steps);
    await Promise.resolve();
    expect(steps).toEqual([]);
    await done;
    expect(steps).toEqual([...numbered('first', 3), ...numbered('second', 3)]);
    await callers(cohort, 2, steps, 3);
    expect(steps.slice(6)).toEqual([...numbered('first', 2, 3), ...numbered('second', 2, 3)]);
  });

  it('takes up in a turn all that came in it, however many', async () => {
    const cohort = new Cohort();
    const steps: string[] = [];
    const done = callers(cohort, 1000, steps);
    await turn();
    expect(steps).toHaveLength(2000);
    await done;
  });
});
