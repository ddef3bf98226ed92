import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import { C2SSchema } from '@svc-gateway/contract/generated/Qot_GetOptionChain_pb';
import { MemoryStore } from '@svc-gateway/storage';
import { expect, test, vi } from 'vitest';
import type { Refusal } from '../../refusal.js';
import { createSimulation } from '../../simulation.js';
import { getOptionChain } from './option-chain.js';

test('a chain of more contracts than one answer holds is refused with how to narrow it', async () => {
  const clock = new ManualClock(Date.UTC(2026, 10, 20, 15, 30));
  const simulation = createSimulation({ clock, seed: 1, store: new MemoryStore(), calendarMode: 'calendar' });
  const { world } = simulation;
  const listed = world.optionChain.bind(world);
  vi.spyOn(world, 'optionChain').mockImplementation((underlying, series) =>
    Array.from({ length: 20 }, () => listed(underlying, series)).flat(),
  );
  const chain = (type: number) =>
    getOptionChain(
      simulation,
      create(C2SSchema, { owner: { market: 11, code: 'SPY' }, beginTime: '2026-12-01', endTime: '2026-12-31', type }),
    );
  const refused = (await chain(0)) as Refusal;
  const [both, narrow] = [
    /begin_time to end_time: (\d+) contracts expire in that time; at most 12000 in one answer/,
    'narrow begin_time and end_time',
  ];
  expect(refused.message).toMatch(both);
  expect(refused.message).toContain(`${narrow}, or ask for calls or puts alone (type)`);
  const calls = (await chain(1)) as Refusal;
  expect(Number(both.exec(calls.message)?.[1])).toBe(Number(both.exec(refused.message)?.[1]) / 2);
  expect(calls.message.endsWith(narrow)).toBe(true);
  await simulation.close();
});

test('a range of days that is too long is refused with its length', async () => {
  const clock = new ManualClock(Date.UTC(2026, 10, 20, 15, 30));
  const simulation = createSimulation({ clock, seed: 1, store: new MemoryStore(), calendarMode: 'calendar' });
  const request = create(C2SSchema, { owner: { market: 1, code: '00700' }, beginTime: '2026-12-01', endTime: '2027-01-31' });
  expect(getOptionChain(simulation, request)).toMatchObject({ message: 'begin_time to end_time: at most 31 days, found 62' });
  await simulation.close();
});
