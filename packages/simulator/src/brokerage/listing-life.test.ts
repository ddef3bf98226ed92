import { describe, expect, it } from 'vitest';
import { Fixture } from '../../../../test/support/brokerage.js';
import { Refusal } from '../refusal.js';

const FUTURES = 281756478396547008n;
const US_MARGIN = 281756478396547003n;
const buy = { code: 'HSI2611', trdSide: 1, orderType: 1, qty: 1, price: 26_400 };
const MARKET = 'FUTURES_SIMULATE_HK';

async function refusal(f: Fixture, account: bigint, order: Parameters<Fixture['tryPlace']>[1], market?: typeof MARKET): Promise<string> {
  const placed = await f.tryPlace(account, order, undefined, market);
  if (!(placed instanceof Refusal)) throw new Error(`order ${placed} was accepted`);
  return placed.message;
}

const hongKong = (text: string) => Date.parse(`${text}+08:00`);

describe('a contract that expires', () => {
  // HSI2611 trades until 2026-11-27, 16:30.
  it('takes orders up to the end of its last day', async () => {
    const f = Fixture.open({ start: hongKong('2026-11-27T16:29:00'), mode: 'calendar' });
    await f.place(FUTURES, buy, undefined, MARKET);
    f.clock.advance(60_000);
    expect(await refusal(f, FUTURES, buy, MARKET)).toContain('HSI2611 was last traded on 2026-11-27');
    f.clock.advance(3_600_000);
    expect(await refusal(f, FUTURES, buy, MARKET)).toContain('HSI2611 was last traded on 2026-11-27');
  });

  it('ends the orders that wait for it, however long they were to', async () => {
    const f = Fixture.open({ start: hongKong('2026-11-25T10:00:00'), mode: 'calendar' });
    const id = await f.place(FUTURES, { ...buy, timeInForce: 1 }, undefined, MARKET);
    expect(f.order(id).expiresAt).toBe(hongKong('2026-11-27T16:30:00'));
  });
});

it('refuses orders for what is not listed yet, or not any more', async () => {
  const f = Fixture.open({ start: Date.UTC(2016, 2, 1, 15), mode: 'calendar' });
  expect(await refusal(f, US_MARGIN, { code: 'ARM', trdSide: 1, orderType: 1, qty: 1, price: 100 })).toContain(
    'US.ARM is not traded before 2023-09-14',
  );
  const today = Fixture.open({ mode: 'calendar' });
  expect(await refusal(today, US_MARGIN, { code: 'TWTR', trdSide: 1, orderType: 1, qty: 1, price: 50 })).toContain(
    'US.TWTR was last traded on 2022-10-27',
  );
});

it('refuses orders for what is quoted only', async () => {
  const f = Fixture.open();
  expect(await refusal(f, US_MARGIN, { code: 'UST10Y36', trdSide: 1, orderType: 1, qty: 1, price: 100 })).toBe(
    'US.UST10Y36 is a bond: it has quotes only',
  );
});
