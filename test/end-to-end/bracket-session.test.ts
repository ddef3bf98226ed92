import type { Bracket } from '@svc-gateway/contract/generated/svc/get_brackets_pb';
import type { Order } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { admin, quote, account as reads, trade } from '@svc-gateway/contract/operations';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HK_MARGIN } from '../support/accounts.js';
import { CrashingStore } from '../support/crashing-store.js';
import { type Desk, openDesk } from '../support/desk.js';

/** Brackets through whatever happens to them, over the gateway and the simulated brokerage on one store. */

const SECOND = 1_000;
const DAY = 86_400 * SECOND;
/** svc.get_brackets.Bracket: state. */
const [OPEN, CLOSED, CANCELLED] = [2, 3, 4];
/** Trd_Common.OrderStatus: those that may still trade. */
const working = new Set([-1, 0, 1, 2, 4, 5, 10, 12, 13]);
const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
const shares = { acc_id: HK_MARGIN, market: 'HK', env: 'simulate', symbol: 'HK.00700', lot: 100, enter: 'BUY', leave: 'SELL', sign: 1 };
const futures = {
  ...{ acc_id: '281756478396547008', market: 'FUTURES', env: 'simulate', symbol: 'HK.HSI2612' },
  ...{ lot: 1, enter: 'SELL', leave: 'BUY', sign: -1 },
};
type Place = typeof shares;

const step = fc.record({
  kind: fc.oneof(
    { weight: 5, arbitrary: fc.constant('place' as const) },
    { weight: 6, arbitrary: fc.constantFrom('seconds' as const, 'minutes' as const) },
    { weight: 4, arbitrary: fc.constantFrom('modify_entry' as const, 'cancel_entry' as const, 'cancel_exit' as const, 'end' as const) },
    { weight: 3, arbitrary: fc.constantFrom('close' as const, 'cancel_all' as const, 'halt' as const, 'day' as const) },
    { weight: 3, arbitrary: fc.constant('crash' as const) },
  ),
  of: fc.constantFrom<Place>(shares, futures),
  lots: fc.integer({ min: 1, max: 4 }),
  /** Hundredths of a percent of the last price; a limit entry stands this far off the market, and a target below it is reached at once. */
  stop: fc.integer({ min: 2, max: 60 }),
  target: fc.integer({ min: -10, max: 60 }),
  limit: fc.constantFrom(0, 0, 0, -20, 5),
  stopLimit: fc.boolean(),
  which: fc.nat(),
  flushed: fc.nat({ max: 8 }),
  /** How far the clock is set back or forward while the process is away. */
  setBy: fc.constantFrom(0, 0, 0, -3_600 * SECOND, 3_600 * SECOND, -2 * DAY, DAY),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const open = (store: CrashingStore, start?: number) =>
  openDesk({
    keys: { desk: { scopes }, ops: { scopes: ['admin'] } },
    store,
    sharesStore: true,
    ...(start === undefined ? {} : { start }),
  });

/** Lets time pass in steps that everything keeps up with. */
async function pass(desk: Desk, ms: number, steps = 4): Promise<void> {
  for (let i = 0; i < steps; i++) {
    desk.clock.advance(ms / steps);
    // Reads wait for what was written: the keeper has had its turns by then.
    for (const of of [shares, futures]) await brackets(desk, of);
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  }
}

const at = ({ acc_id, market, env }: Place) => ({ acc_id, market, env });
const brackets = async (desk: Desk, of: Place): Promise<Bracket[]> => (await desk.payload(trade.getBrackets, at(of))).bracketList;
async function orders(desk: Desk, of: Place): Promise<Map<string, Order>> {
  const found = new Map<string, Order>();
  const span = { begin_time: '2026-11-01', end_time: '2027-03-01' };
  for (const order of (await desk.payload(reads.getHistoryOrders, { ...at(of), ...span })).orderList) found.set(order.orderIDEx, order);
  for (const order of (await desk.payload(reads.getOrders, at(of))).orderList) found.set(order.orderIDEx, order);
  return found;
}

async function bracketOf(desk: Desk, { of, lots, stop, target, limit, stopLimit }: Step): Promise<object> {
  const last = (await desk.payload(quote.getQuote, { symbols: [of.symbol] })).basicQotList[0]?.curPrice ?? 0;
  const off = (hundredths: number) => Number((last * (1 + (of.sign * hundredths) / 10_000)).toFixed(1));
  const base = { ...at(of), symbol: of.symbol, side: of.enter, qty: lots * of.lot };
  const price = limit === 0 ? 0 : Math.round(off(limit));
  return {
    ...(limit === 0 ? { ...base, order_type: 'MARKET' } : { ...base, order_type: 'NORMAL', price }),
    stop_loss_price: off(Math.min(0, limit) - stop),
    ...(stopLimit ? { stop_loss_limit_price: off(Math.min(0, limit) - stop - 5) } : {}),
    ...(target === 0 ? {} : { take_profit_price: off(Math.max(0, limit) + target) }),
  };
}

/** Applies a step to a running gateway; crashes are the session's own. */
async function act(desk: Desk, one: Step): Promise<void> {
  const { kind, of, lots, which } = one;
  const some = async <T>(list: readonly T[]): Promise<T | undefined> => list[which % Math.max(1, list.length)];
  const active = (await brackets(desk, of)).filter(({ state }) => state === OPEN);
  const bracket = await some(active);
  if (kind === 'place') await desk.call(trade.placeBracketOrder, await bracketOf(desk, one));
  else if (kind === 'seconds') await pass(desk, lots * 5 * SECOND);
  else if (kind === 'minutes') await pass(desk, lots * 600 * SECOND, 12);
  else if (kind === 'day') await pass(desk, DAY);
  else if (kind === 'close') {
    await desk.call(trade.placeOrder, { ...at(of), symbol: of.symbol, side: of.leave, qty: of.lot, order_type: 'MARKET' });
  } else if (kind === 'cancel_all') await desk.call(trade.cancelAllOrder, at(of));
  else if (kind === 'halt') {
    const ops = { as: 'ops', iface: 'grpc' } as const;
    await desk.payload(admin.adminHalt, { cancel_all: true }, ops);
    await pass(desk, SECOND, 1);
    await desk.payload(admin.adminResume, {}, ops);
  } else if (bracket !== undefined) {
    const { bracketId, entryOrderIdEx, exitOrderIdEx } = bracket;
    if (kind === 'end') await desk.call(trade.cancelBracket, { ...at(of), bracket_id: bracketId });
    if (kind === 'cancel_entry') await desk.call(trade.cancelOrder, { ...at(of), order_id_ex: entryOrderIdEx });
    if (kind === 'cancel_exit' && exitOrderIdEx !== '') await desk.call(trade.cancelOrder, { ...at(of), order_id_ex: exitOrderIdEx });
    if (kind === 'modify_entry') {
      const entry = (await orders(desk, of)).get(entryOrderIdEx);
      const change = { order_id_ex: entryOrderIdEx, op: 'normal', qty: (lots + 1) * of.lot, price: entry?.price ?? 0 };
      if (entry !== undefined && working.has(entry.orderStatus)) await desk.call(trade.modifyOrder, { ...at(of), ...change });
    }
  }
}

const seen = { states: new Set<number>(), exits: new Set<number>(), fills: 0, changed: 0 };

/** Invariants of brackets at any time; `settled`: nothing is in flight. */
async function check(desk: Desk, settled: boolean): Promise<void> {
  for (const of of [shares, futures]) {
    const rows = await brackets(desk, of);
    const known = await orders(desk, of);
    const ids = new Set(rows.map(({ entryOrderIdEx }) => entryOrderIdEx));
    expect(ids.size).toBe(rows.length);
    for (const row of rows) {
      const { bracketId, state, entryOrderIdEx, entryFilledQty, entryQty, closedQty, exitKind } = row;
      seen.states.add(state);
      seen.exits.add(exitKind);
      expect([bracketId, state, row.note, [OPEN, CLOSED, CANCELLED].includes(state)]).toEqual([bracketId, state, row.note, true]);
      const entry = known.get(entryOrderIdEx);
      const exits = [...known.values()].filter(({ remark }) => new RegExp(`^svc-bracket ${bracketId}/[1-9]`).test(remark));
      const filled = exits.reduce((sum, { fillQty }) => sum + fillQty, 0);
      const alive = exits.filter(({ orderStatus }) => working.has(orderStatus));
      seen.fills += filled;
      expect(alive.length).toBeLessThanOrEqual(1);
      expect(filled).toBeLessThanOrEqual(entry?.fillQty ?? 0);
      for (const { trdSide } of exits) expect(trdSide).toBe(of.leave === 'SELL' ? 2 : 1);
      if (state !== OPEN) expect(alive).toEqual([]);
      if (!settled || state !== OPEN) continue;
      expect([bracketId, entryFilledQty, entryQty, closedQty]).toEqual([bracketId, entry?.fillQty, entry?.qty, filled]);
      if (entry !== undefined && entry.qty % (2 * of.lot) !== 0) seen.changed += 1;
      // The filled and unclosed quantity is protected, as far as it is still held.
      const left = entryFilledQty - closedQty;
      if (left > 0 && row.note === '') expect([bracketId, row.stopHeld || alive.length === 1]).toEqual([bracketId, true]);
    }
  }
}

it('brackets never have two exits in the market and never close more than they opened, whatever happens, over crashes and clocks that are set too', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 15, maxLength: 25, size: 'max' }), async (steps) => {
      let store = new CrashingStore();
      let desk = await open(store);
      try {
        for (const one of steps) {
          if (one.kind === 'crash') {
            const unheard = bracketOf(desk, one).then((body) => {
              store.hold();
              return desk.call(trade.placeBracketOrder, body);
            });
            void unheard.catch(() => undefined);
            for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
            desk.clock.advance(one.lots * SECOND);
            for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
            await store.flush(one.flushed);
            const before = { desk, now: desk.clock.now() };
            store = store.crashed();
            await before.desk.close();
            desk = await open(store, before.now + one.lots * SECOND + one.setBy);
          } else await act(desk, one);
          await check(desk, false);
        }
        await pass(desk, 60 * SECOND, 12);
        await check(desk, true);
      } finally {
        await desk.close();
      }
    }),
    { numRuns: 6, endOnFailure: true },
  );
  // The sessions were of everything.
  expect([...seen.states].sort()).toEqual([OPEN, CLOSED, CANCELLED]);
  expect([...seen.exits].sort()).toEqual([0, 1, 2]);
  expect(seen.fills).toBeGreaterThan(0);
});
