import { describe, expect, it } from 'vitest';
import { dec, Fixture, ids } from '../../../../test/support/brokerage.js';
import { units } from './order.js';
import { SLICE_MS } from './slices.js';

const US = 'US.AAPL';
const TWAP_MARKET = 16;
const TWAP_LIMIT = 17;
const VWAP_LIMIT = 19;
const GTD = 3;
/** Friday, 09:30 in New York: the opening. */
const OPENING = Date.UTC(2026, 10, 20, 14, 30);
const HOUR = 3_600_000;
/** Ten minutes from the opening. */
const tenMinutes = { timeInForce: GTD, expireTime: '2026-11-20 09:40:00' };
const worked = { code: 'AAPL', orderType: TWAP_LIMIT, trdSide: 1, qty: 1_000, price: 250 };

function open(start = OPENING): Fixture {
  const f = Fixture.open({ start, mode: 'calendar' });
  offer(f);
  return f;
}

function offer(f: Fixture, price = '250', volume = 1_000_000n): void {
  f.book(US, [[price, volume]], [[price, volume]]);
}

/** Filled quantity after each of so many slices. */
async function fillsOver(f: Fixture, id: bigint, slices: number): Promise<bigint[]> {
  const filled: bigint[] = [];
  for (let i = 0; i < slices; i++) {
    await f.pass(SLICE_MS);
    filled.push(f.order(id).filledQuantity);
  }
  return filled;
}

describe('a TWAP order', () => {
  it('goes to the exchange in equal slices over its span, and is filled by its end', async () => {
    const f = open();
    const id = await f.place(ids.us, { ...worked, ...tenMinutes });
    expect(f.order(id).status).toBe('submitting');
    await f.pass();
    expect(f.order(id)).toMatchObject({ status: 'filled_part', type: 'twap_limit' });
    const filled = await fillsOver(f, id, 9);
    for (const [i, quantity] of filled.entries()) {
      expect(quantity).toBeGreaterThanOrEqual(BigInt(100 * (i + 2) - 2));
      expect(quantity).toBeLessThanOrEqual(BigInt(100 * (i + 2) + 2));
    }
    expect(f.order(id)).toMatchObject({ status: 'filled_all', filledQuantity: 1_000n });
    expect(f.brokerage.records.ledger.position(ids.us, US)?.quantity).toBe(1_000n);
    expect(f.events.filter((event) => event.kind === 'fill')).toHaveLength(10);
  });

  it('trades at no price beyond its limit, takes less while there is less, and catches up without haste', async () => {
    const f = open();
    const id = await f.place(ids.us, { ...worked, ...tenMinutes });
    offer(f, '250.01');
    await f.pass();
    expect(await fillsOver(f, id, 3)).toEqual([0n, 0n, 0n]);
    expect(f.order(id).status).toBe('submitted');
    offer(f, '249.9');
    const [first = 0n, second = 0n] = await fillsOver(f, id, 2);
    expect(first).toBeLessThanOrEqual(202n);
    expect(second - first).toBeLessThanOrEqual(202n);
    await f.pass(10 * SLICE_MS);
    const { status, filledQuantity, filledValue, worstPrice, lastError } = f.order(id);
    expect(status).toBe(filledQuantity === 1_000n ? 'filled_all' : 'cancelled_part');
    if (filledQuantity < 1_000n) expect(lastError).toContain('expired');
    expect(filledValue).toBeLessThanOrEqual((worstPrice * units(filledQuantity)) / dec('1'));
    expect(f.brokerage.records.ledger.frozen(f.account(ids.us), 'USD')).toBe(0n);
  });

  it('of the day is worked until the close, and waits for the opening', async () => {
    const f = open(OPENING - HOUR);
    const id = await f.place(ids.us, { ...worked, orderType: TWAP_MARKET, price: 0, qty: 390 });
    expect(f.order(id).status).toBe('waiting_submit');
    await f.pass(HOUR - 1);
    expect(f.order(id)).toMatchObject({ status: 'waiting_submit', filledQuantity: 0n });
    const filled = [];
    await f.pass(60);
    for (let hour = 1; hour <= 6; hour++) {
      await f.pass(HOUR);
      filled.push(Number(f.order(id).filledQuantity));
    }
    for (const [i, quantity] of filled.entries()) expect(Math.abs(quantity - 60 * (i + 1))).toBeLessThanOrEqual(2);
    await f.pass(HOUR / 2);
    expect(f.order(id)).toMatchObject({ status: 'filled_all' });
  });

  it('stops when it is cancelled, and takes a change', async () => {
    const f = open();
    const id = await f.place(ids.us, { ...worked, ...tenMinutes });
    await f.pass(2 * SLICE_MS + 100);
    const before = f.order(id).filledQuantity;
    expect(before).toBeGreaterThan(0n);
    expect(await f.modify(ids.us, { orderID: id, modifyOrderOp: 1, qty: 500, price: 249 })).toBeUndefined();
    await f.pass(SLICE_MS);
    expect(f.order(id)).toMatchObject({ quantity: 500n, filledQuantity: before });
    expect(await f.cancel(ids.us, id)).toBeUndefined();
    await f.pass(5 * SLICE_MS);
    expect(f.order(id)).toMatchObject({ status: 'cancelled_part', filledQuantity: before });
  });

  it('goes on after a restart', async () => {
    const f = open();
    const id = await f.place(ids.us, { ...worked, ...tenMinutes });
    await f.pass(3 * SLICE_MS);
    const before = f.order(id).filledQuantity;
    const later = f.restarted(SLICE_MS);
    offer(later);
    expect(later.order(id)).toMatchObject({ type: 'twap_limit', filledQuantity: before });
    await fillsOver(later, id, 8);
    expect(later.order(id)).toMatchObject({ status: 'filled_all', filledQuantity: 1_000n });
  });

  it.each([
    [
      'in a market that does not take it',
      ids.hkCash,
      { code: '00700', qty: 100, price: 0, orderType: TWAP_MARKET },
      'not accepted for HK.00700',
    ],
    ['for another day', ids.us, { ...worked, timeInForce: GTD, expireTime: '2026-11-24 10:00:00' }, 'is worked within one day'],
    ['until cancelled', ids.us, { ...worked, timeInForce: 1 }, 'is for the day only; accepted timeInForce: 0 (day), 3 (gtd)'],
    ['outside regular hours', ids.us, { ...worked, fillOutsideRTH: true }, 'fillOutsideRTH'],
    ['without its limit', ids.us, { ...worked, price: 0 }, 'price is required'],
  ])('is refused %s', async (_, account, order, text) => {
    expect(await open().refusal(account, order)).toContain(text);
  });
});

describe('a VWAP order', () => {
  it('follows the volume that a day usually has: more at its ends than around noon', async () => {
    const f = open();
    const id = await f.place(ids.us, { ...worked, orderType: VWAP_LIMIT, qty: 7_800 });
    await f.pass();
    const filled = [0n];
    for (let half = 0; half < 13; half++) {
      for (let minute = 0; minute < 30; minute++) await f.pass(SLICE_MS);
      filled.push(f.order(id).filledQuantity);
    }
    const each = filled.slice(1).map((quantity, i) => Number(quantity - (filled[i] ?? 0n)));
    expect(f.order(id).status).toBe('filled_all');
    const [first = 0, noon = 0, last = 0] = [each[0], each[6], each.at(-1)];
    expect(first).toBeGreaterThan(1.3 * noon);
    expect(last).toBeGreaterThan(1.3 * noon);
    expect(noon).toBeGreaterThan(0);
  });
});
