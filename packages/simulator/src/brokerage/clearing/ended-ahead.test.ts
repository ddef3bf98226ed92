import { expect, it } from 'vitest';
import { Fixture, ids, type PlaceInit } from '../../../../../test/support/brokerage.js';
import { turnsDuring } from '../../../../../test/support/turns.js';
import type { CorporateActions } from '../../companies/corporate-actions.js';
import { nextTurn } from '../../pace.js';

const HK = 'HK.00700';
/** Markets that are open around the clock: the day begins at midnight in Hong Kong. */
const OPENS = Date.UTC(2026, 10, 20, 16);
const order: PlaceInit = { code: '00700', trdSide: 1, qty: 100, price: 1, timeInForce: 1 };
const why = 'cancelled by the brokerage: HK.00700 goes ex a split on 2026-11-21';

const corporateActions: CorporateActions = {
  corporateActions: (symbol, from, to) => {
    const days = { announcedDay: '2026-11-01', exDay: '2026-11-21', recordDay: '2026-11-21', payDay: '2026-11-21' };
    return symbol === HK && from <= days.exDay && to >= days.exDay ? [{ kind: 'split', ratio: [2n, 1n], ...days }] : [];
  },
};

async function withOrders(count: number): Promise<Fixture> {
  const f = Fixture.open({ corporateActions });
  f.book(HK, [], []);
  for (let i = 0; i < count; i++) await f.place(ids.hkCash, order);
  await f.pass();
  await f.pass(OPENS - 61_000 - f.clock.now());
  return f;
}

const openOrders = (f: Fixture) => [...f.brokerage.records.openOrders(f.account(ids.hkCash))];

it('orders that a split does away with end a minute before it, in slices, between which others have their turn', async () => {
  const f = await withOrders(500);
  const all = openOrders(f);
  expect(all).toHaveLength(500);
  const turns = await turnsDuring(async () => {
    f.clock.advance(1_000);
    while (openOrders(f).length > 0) await nextTurn();
  });
  expect(turns).toBeGreaterThanOrEqual(15);
  expect(f.clock.now()).toBe(OPENS - 60_000);
  for (const { id } of all) expect(f.order(id)).toMatchObject({ status: 'cancelled_all', lastError: why });
});

it('orders left at the opening end with it, and none of them trades at the new price', async () => {
  const f = await withOrders(60);
  const all = openOrders(f).map(({ id }) => id);
  // The clock leaps over the minute before anybody has had another turn.
  f.clock.advance(61_000);
  f.trade(HK, '0.5', 1_000_000n, -1);
  await f.pass();
  for (const id of all) expect(f.order(id)).toMatchObject({ status: 'cancelled_all', filledQuantity: 0n, lastError: why });
});

it('a crash between two slices loses nothing and ends nothing twice', async () => {
  const f = await withOrders(60);
  const all = openOrders(f).map(({ id }) => id);
  f.clock.advance(1_000);
  await f.brokerage.records.journal.whenDurable(undefined);
  const ended = all.filter((id) => f.order(id).status === 'cancelled_all');
  expect(ended.length).toBeGreaterThan(0);
  expect(ended.length).toBeLessThan(all.length);
  const after = f.restarted(OPENS - f.clock.now());
  await after.pass(0);
  for (const id of all) expect(after.order(id)).toMatchObject({ status: 'cancelled_all', lastError: why });
  for (const id of ended) expect(after.order(id).updatedAt).toBe(OPENS - 60_000);
  expect(openOrders(after)).toEqual([]);
});
