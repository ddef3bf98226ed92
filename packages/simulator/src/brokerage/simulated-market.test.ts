import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import { decimalToNumber, roundTo } from '@svc-gateway/contract/decimal';
import { C2SSchema as PlaceSchema } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { MemoryStore, type Store } from '@svc-gateway/storage';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ids, START } from '../../../../test/support/brokerage.js';
import { placeOrder } from '../answers/trade/orders.js';
import { Companies } from '../companies/index.js';
import { SimulatedMarket } from '../market/index.js';
import { Refusal } from '../refusal.js';
import { createWorld, nextPrice } from '../world/index.js';
import { type BrokerageEvent, createBrokerage } from './index.js';

const world = createWorld({ clock: new ManualClock(Date.UTC(2026, 10, 20, 2)), calendarMode: 'open', generatedInstruments: 0, seed: 1 });
const tencent = world.instrument('HK.00700')!;

/** The brokerage on the real simulated market. */
function open(seed: number, store: Store = new MemoryStore(), clock = new ManualClock(START)) {
  const companies = new Companies(world, seed);
  const market = new SimulatedMarket({
    clock,
    seed,
    calendarOf: (instrument) => world.calendar(instrument),
    companies,
    pairs: world.instruments({ market: 'FX' }),
  });
  const brokerage = createBrokerage({
    clock,
    world,
    market,
    store,
    seed,
    corporateActions: companies,
    tradePassword: '123456',
  });
  const simulation = {
    clock,
    world,
    market,
    brokerage,
  };
  const events: BrokerageEvent[] = [];
  brokerage.onEvent((event) => events.push(event));
  const place = async (accID: bigint, trdSide: number, price: bigint, qty: number): Promise<bigint | undefined> => {
    const placed = await placeOrder(
      simulation,
      create(PlaceSchema, {
        packetID: { connID: 0n, serialNo: 0 },
        header: { trdEnv: 0, accID, trdMarket: 1 },
        trdSide,
        orderType: 1,
        code: '00700',
        qty,
        price: decimalToNumber(price),
      }),
    );
    return placed instanceof Refusal ? undefined : placed.orderID;
  };
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 500) {
      clock.advance(500);
      await brokerage.records.journal.whenDurable(undefined);
      const { bids, asks } = market.book(tencent, 1);
      if (bids[0] !== undefined && asks[0] !== undefined) expect(bids[0].price < asks[0].price).toBe(true);
      expect(market.quote(tencent).last).toBe(market.ticks(tencent, 1)[0]?.price);
    }
  };
  return { clock, companies, market, brokerage, events, place, pass, store };
}

describe('on the simulated market', () => {
  it('fills an order at the best bid as the flow comes to it', async () => {
    const f = open(3);
    const best = f.market.book(tencent, 1).bids[0]!;
    const id = (await f.place(ids.hkCash, 1, best.price, 500))!;
    await f.pass(1_000);
    expect(f.brokerage.order(id)?.status).toBe('submitted');
    await f.pass(600_000);
    expect(f.brokerage.order(id)).toMatchObject({ status: 'filled_all', filledValue: best.price * 500n });
  });

  it('prints every fill at its price on the tape, agrees with it at every moment, and does so again after a restart', async () => {
    const order = fc.record({
      account: fc.constantFrom(ids.hkCash, ids.hkMargin),
      side: fc.constantFrom(1, 1, 2, 3),
      ticks: fc.integer({ min: -4, max: 4 }),
      lots: fc.integer({ min: 1, max: 30 }),
      wait: fc.integer({ min: 0, max: 5_000 }),
    });
    let fillsSeen = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 50 }), fc.array(order, { minLength: 5, maxLength: 25 }), async (seed, orders) => {
        const f = open(seed);
        for (const { account, side, ticks, lots, wait } of orders) {
          await f.place(account, side, nextPrice(tencent.tickTable, f.market.quote(tencent).last, ticks), lots * 100);
          await f.pass(wait);
        }
        await f.pass(10_000);
        const tape = f.market.ticks(tencent, 1_000);
        for (const event of f.events) {
          if (event.kind !== 'fill') continue;
          fillsSeen += 1;
          const { fill } = event;
          const there = tape.filter((tick) => tick.price === fill.price && Math.abs(tick.time - fill.time) <= 1_000);
          expect(there.reduce((sum, tick) => sum + tick.volume, 0n) >= fill.quantity).toBe(true);
        }
        const again = open(seed, f.store, f.clock);
        expect(again.market.ticks(tencent, 1_000)).toEqual(tape);
        expect(again.market.quote(tencent)).toEqual(f.market.quote(tencent));
      }),
      { numRuns: 15 },
    );
    expect(fillsSeen).toBeGreaterThan(50);
  });

  it('pays what the company pays', async () => {
    const f = open(3);
    const account = f.brokerage.account(ids.hkCash);
    if (account === undefined) throw new Error('no account');
    const dividends = f.companies.corporateActions('HK.00700', '2026-11-22', '2027-11-20').filter((action) => action.kind === 'dividend');
    const [dividend] = dividends;
    if (dividend === undefined) throw new Error('Tencent pays nothing for a year');
    const calendar = world.calendar(tencent);
    const close = (day: string): number => calendar.sessions(day).at(-1)?.end ?? 0;
    f.clock.advance(close(dividend.exDay) - 2 * 24 * 3_600_000 - f.clock.now());
    const { asks } = f.market.book(tencent, 1);
    await f.place(ids.hkCash, 1, (asks[0]?.price ?? 0n) + 10n * 1_000_000_000n, 100);
    await f.pass(1_000);
    expect(f.brokerage.records.ledger.position(ids.hkCash, 'HK.00700')?.quantity).toBe(100n);
    f.clock.advance(close(dividend.exDay) - f.clock.now());
    expect(f.brokerage.records.money.balances(ids.hkCash, 'HKD').dividends).toBe(roundTo(dividend.cash * 100n, 10_000_000n));
    const before = f.brokerage.records.ledger.cash(account, 'HKD');
    f.clock.advance(close(dividend.payDay) - f.clock.now());
    expect(f.brokerage.records.ledger.cash(account, 'HKD')).toBe(before + roundTo(dividend.cash * 100n, 10_000_000n));
  });
});
