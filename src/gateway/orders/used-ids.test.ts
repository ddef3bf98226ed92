import { expect, it } from 'vitest';
import { UsedIds } from './used-ids.js';

const DAY_MS = 86_400_000;
const idsOf = (kind: string) => Array.from({ length: 5_000 }, (_, index) => `key:desk\n${kind}-${index}`);

it('has every id for as long as it is kept, and takes few others for one', () => {
  const used = new UsedIds(10_000, DAY_MS, 0);
  const [first, second, third] = [idsOf('first'), idsOf('second'), idsOf('third')];
  for (const id of first) used.note(id, DAY_MS - 1);
  expect(first.every((id) => used.mayHave(id))).toBe(true);
  expect(second.filter((id) => used.mayHave(id)).length).toBeLessThan(50);
  for (const id of second) used.note(id, 2 * DAY_MS - 2);
  expect([...first, ...second].every((id) => used.mayHave(id))).toBe(true);
  for (const id of third) used.note(id, 2 * DAY_MS);
  expect([...second, ...third].every((id) => used.mayHave(id))).toBe(true);
  // Two days after the first came, their place is free for others.
  for (const id of third) used.note(id, 3 * DAY_MS);
  expect(first.filter((id) => used.mayHave(id)).length).toBeLessThan(50);
});
