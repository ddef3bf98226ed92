import { ManualClock } from '@svc-gateway/contract/clock';
import { MemoryStore } from '@svc-gateway/storage';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SteadyTime } from './steady-time.js';

const START = Date.UTC(2026, 10, 20, 12);
const HOUR_MS = 3_600_000;
const ms = fc.integer({ min: 0, max: 40 * HOUR_MS });
const happening = fc.oneof(
  fc.record({ kind: fc.constantFrom('pass', 'sleep', 'down', 'reboot') as fc.Arbitrary<'pass' | 'sleep' | 'down' | 'reboot'>, ms }),
  fc.record({ kind: fc.constant('step' as const), ms: fc.integer({ min: -100 * HOUR_MS, max: 100 * HOUR_MS }) }),
);

it('never says that more time has passed than has, nor goes back, whatever happens to the clock and the machine', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(happening, { maxLength: 30 }), async (happenings) => {
      const store = new MemoryStore();
      let clock = new ManualClock(START);
      let boot = 0;
      let time = new SteadyTime({ store, clock, bootId: 'boot 0' });
      let [passed, before] = [0, 0];
      for (const { kind, ms } of happenings) {
        if (kind !== 'step') passed += ms;
        if (kind === 'step') clock.step(ms);
        else if (kind === 'pass') clock.advance(ms);
        else if (kind === 'sleep') clock.sleep(ms);
        else {
          // A kill: nothing is said to the next process but what was saved on the way.
          if (kind === 'down') clock.sleep(ms);
          else {
            clock = new ManualClock(clock.now() + ms);
            boot += 1;
          }
          time = new SteadyTime({ store, clock, bootId: `boot ${boot}` });
          before = Math.min(before, time.elapsed());
        }
        const elapsed = time.elapsed();
        expect(elapsed).toBeLessThanOrEqual(passed);
        expect(elapsed).toBeGreaterThanOrEqual(before);
        before = elapsed;
      }
    }),
    { numRuns: 200 },
  );
});

it('counts the daemon’s downtime while the machine stayed up', async () => {
  const store = new MemoryStore();
  const clock = new ManualClock(START);
  await new SteadyTime({ store, clock, bootId: 'boot' }).stop();
  clock.sleep(HOUR_MS);
  expect(new SteadyTime({ store, clock, bootId: 'boot' }).elapsed()).toBe(HOUR_MS);
  expect(new SteadyTime({ store, clock, bootId: undefined }).elapsed()).toBeLessThanOrEqual(HOUR_MS);
});

it('continues from its last value for a day when a machine starts with a clock set back', async () => {
  const store = new MemoryStore();
  await new SteadyTime({ store, clock: new ManualClock(START), bootId: 'one' }).stop();
  const clock = new ManualClock(START - 72 * HOUR_MS);
  const time = new SteadyTime({ store, clock, bootId: 'two' });
  expect(time.now()).toBe(START);
  clock.advance(24 * HOUR_MS);
  expect(time.now()).toBe(clock.now());
});

it('follows a set clock only after a day', () => {
  const clock = new ManualClock(START);
  const time = new SteadyTime({ store: new MemoryStore(), clock, bootId: 'boot' });
  clock.step(5 * HOUR_MS);
  expect(time.now()).toBe(START);
  clock.advance(23 * HOUR_MS);
  clock.step(-HOUR_MS);
  expect(time.now()).toBe(START + 23 * HOUR_MS);
  clock.advance(24 * HOUR_MS);
  expect(time.now()).toBe(START + 51 * HOUR_MS);
});
