import { describe, expect, it } from 'vitest';
import { Fixture, ids, START } from '../../../../test/support/brokerage.js';

const future = { code: 'HSI2611', qty: 1, price: 26_400 };
const hongKong = (text: string) => Date.parse(`${text}+08:00`);

describe('a contract that expires', () => {
  // HSI2611 trades until 2026-11-27, 16:30.
  it('takes orders up to the end of its last day', async () => {
    const f = Fixture.open({ start: hongKong('2026-11-27T16:29:00'), mode: 'calendar' });
    await f.place(ids.futures, future);
    for (const passed of [60_000, 3_600_000]) {
      f.clock.advance(passed);
      expect(await f.refusal(ids.futures, future)).toContain('HSI2611 was last traded on 2026-11-27');
    }
  });

  it('ends the orders that wait for it, however long they were to', async () => {
    const f = Fixture.open({ start: hongKong('2026-11-25T10:00:00'), mode: 'calendar' });
    const id = await f.place(ids.futures, { ...future, timeInForce: 1 });
    expect(f.order(id).expiresAt).toBe(hongKong('2026-11-27T16:30:00'));
  });
});

it.each([
  ['is not listed yet', 'ARM', Date.UTC(2016, 2, 1, 15), /US\.ARM is not traded before 2023-09-14/],
  ['is not listed any more', 'TWTR', START, /US\.TWTR was last traded on 2022-10-27/],
  ['is quoted only', 'UST10Y36', START, /^US\.UST10Y36 is a bond: it has quotes only$/],
])('refuses orders for what %s', async (_, code, start, text) => {
  expect(await Fixture.open({ start, mode: 'calendar' }).refusal(ids.us, { code, qty: 1, price: 100 })).toMatch(text);
});
