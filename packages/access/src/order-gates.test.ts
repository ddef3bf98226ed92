import { MemoryStore, type Store } from '@svc-gateway/storage';
import { describe, expect, it, vi } from 'vitest';
import { keyRecord, ordered, orderOf } from '../../../test/support/access.js';
import type { OrderFacts, OrderLeg } from './gates.js';
import { parseHoursWindow } from './hours-window.js';
import { type Limits, unlimited } from './limits.js';
import { OrderGates } from './order-gates.js';
import { SymbolSet } from './symbol-set.js';

const noon = Date.UTC(2026, 7, 1, 12);
const money = (whole: number) => BigInt(whole) * 1_000_000_000n;

function gatesOn(store: Store, flagLimits: Partial<Limits> = {}, now = noon): OrderGates {
  const onStoreFailure = (error: unknown) => {
    throw error;
  };
  return new OrderGates({ store, now, flagLimits: { ...unlimited, ...flagLimits }, timeZone: 'UTC', onStoreFailure });
}

/** 'ok', or the code of the gate that tripped. */
function verdict(gates: OrderGates, limits: Partial<Limits>, facts: OrderFacts, now = noon): string {
  const admitted = gates.admit(keyRecord('k', limits), facts, now);
  return admitted.ok ? 'ok' : admitted.denials[0].code;
}

/** Each gate just inside and just outside its bound. */
const bounds: [code: string, limits: Partial<Limits>, inside: OrderFacts, outside: OrderFacts][] = [
  ['limit.market', { allowedMarkets: new Set(['HK']) }, orderOf(1), orderOf(1, { markets: ['US'] })],
  ['limit.symbol', { allowedSymbols: new SymbolSet(['HK.00700']) }, orderOf(1), orderOf(1, { symbol: 'HK.00701' })],
  ['limit.side', { allowedTrdSides: new Set(['BUY', 'BUY_BACK']) }, orderOf(1, { side: 'BUY_BACK' }), orderOf(1, { side: 'SELL_SHORT' })],
  ['limit.order_value', { maxOrderValue: money(100) }, orderOf(100), orderOf(1, { value: money(100) + 1n })],
  ['limit.daily_value', { maxDailyValue: money(100) }, orderOf(100), orderOf(1, { increase: money(100) + 1n })],
];

describe('the seven gates', () => {
  for (const [holder, admit] of [
    ['a key', (limits: Partial<Limits>, facts: OrderFacts) => verdict(gatesOn(new MemoryStore()), limits, facts)],
    ['the start-up flags', (limits: Partial<Limits>, facts: OrderFacts) => verdict(gatesOn(new MemoryStore(), limits), {}, facts)],
  ] as const) {
    it.each(bounds)(`%s of ${holder} passes at the bound and trips just over it`, (code, limits, inside, outside) => {
      expect(admit(limits, inside)).toBe('ok');
      expect(admit(limits, outside)).toBe(code);
      expect(admit({}, outside)).toBe('ok');
    });
  }

  it('refuses by a gate of the flags before a later gate of the key', () => {
    const gates = gatesOn(new MemoryStore(), { allowedMarkets: new Set(['US']) });
    expect(verdict(gates, { maxOrderValue: 0n }, orderOf(1))).toBe('limit.market');
  });

  it('names the value, the limit and the time to retry', () => {
    const gates = gatesOn(new MemoryStore());
    const denial = (limits: Partial<Limits>, facts: OrderFacts, now = noon, by = gates) => {
      const admitted = by.admit(keyRecord('k', limits), facts, now);
      return admitted.ok ? undefined : admitted.denials[0];
    };
    const two = { maxOrdersPerMinute: 2 };
    denial(two, orderOf(1), noon);
    denial(two, orderOf(1), noon + 500);
    const rate = denial(two, orderOf(1), noon + 1_500)!;
    expect(rate).toEqual({
      gate: 'rate',
      code: 'limit.rate',
      reason: 'rate limit exceeded: 2 orders in the last 60 s, at most 2',
      retryAfterSeconds: 59,
    });
    expect(denial({ allowedMarkets: new Set(['US', 'FX']) }, orderOf(1))).toMatchObject({
      reason: 'market HK is not allowed; allowed: US, FX',
    });
    expect(denial({ hoursWindow: parseHoursWindow('13:00-14:00')! }, orderOf(1))).toMatchObject({
      reason: 'outside the hours 13:00-14:00 (UTC): it is 12:00 (UTC)',
      retryAfterSeconds: 3600,
    });
    expect(denial({ maxOrderValue: 500_000_000n }, orderOf(1))).toMatchObject({
      reason: 'order value 1 HKD exceeds the cap of 0.50 per order',
    });
    expect(denial({ maxDailyValue: money(3) }, orderOf(2))).toMatchObject({
      reason: 'daily value exceeded: 2 used, 2 more, at most 3 HKD per UTC day',
      retryAfterSeconds: 12 * 3600,
    });
    // Waiting does not help these.
    expect(denial({ maxDailyValue: money(3) }, orderOf(4))).not.toHaveProperty('retryAfterSeconds');
    expect(denial({ maxOrdersPerMinute: 0 }, orderOf(1))).not.toHaveProperty('retryAfterSeconds');
    expect(denial({}, orderOf(2), noon, gatesOn(new MemoryStore(), { maxOrderValue: money(1) }))).toMatchObject({
      reason: 'order value 2 HKD exceeds the cap of 1 per order (daemon-wide limit)',
    });
  });
});

describe('an order of several legs', () => {
  const leg = (changes: Partial<OrderLeg> = {}): OrderLeg => ({ ...orderOf(40).legs[0]!, ...changes });
  const limits: Partial<Limits> = {
    allowedMarkets: new Set(['HK']),
    allowedSymbols: new SymbolSet(['HK.00700', 'HK.00005']),
    allowedTrdSides: new Set(['BUY']),
    maxOrderValue: money(100),
  };

  it.each<[string, OrderLeg]>([
    ['limit.market', leg({ markets: ['US'] })],
    ['limit.symbol', leg({ symbol: 'HK.09988' })],
    ['limit.side', leg({ side: 'SELL' })],
    ['limit.price_unknown', leg({ worth: { code: 'limit.price_unknown', reason: 'order value unknown' } })],
  ])('trips %s by any of them, wherever it stands', (code, other) => {
    const gates = gatesOn(new MemoryStore());
    expect(verdict(gates, limits, ordered(leg(), leg({ symbol: 'HK.00005' })))).toBe('ok');
    expect(verdict(gates, limits, ordered(leg(), other))).toBe(code);
    expect(verdict(gates, limits, ordered(other, leg()))).toBe(code);
  });

  it('values an order of several legs by their sum, for each currency by itself', () => {
    const dollars = leg({ worth: { currency: 'USD', value: money(90), increase: money(90) } });
    const gates = gatesOn(new MemoryStore());
    const caps = { maxOrderValue: money(100), maxDailyValue: money(150) };
    expect(verdict(gates, caps, ordered(leg(), leg(), leg()))).toBe('limit.order_value');
    expect(verdict(gates, caps, ordered(leg(), dollars, leg()))).toBe('ok');
    expect(verdict(gates, caps, ordered(leg(), leg()))).toBe('limit.daily_value');
    const verdicts = gates.judge(keyRecord('k', caps), ordered(leg(), dollars), noon).filter(({ holder }) => holder === 'key');
    expect(verdicts.filter(({ gate }) => gate === 'daily_value')).toEqual([
      { gate: 'daily_value', holder: 'key', limit: money(150), after: money(120), currency: 'HKD' },
      expect.objectContaining({ after: money(180), currency: 'USD', denial: expect.objectContaining({ code: 'limit.daily_value' }) }),
    ]);
  });

  it('throws for an order without a leg', () => {
    expect(() => gatesOn(new MemoryStore()).admit(undefined, ordered(), noon)).toThrow(RangeError);
  });
});

describe('a value that is not known', () => {
  const unknown = ordered({
    ...orderOf(1).legs[0]!,
    worth: { code: 'limit.multiplier_unknown', reason: 'order value unknown: HK.HSImain' },
  });

  it.each<[string, Partial<Limits>]>([
    ['an order', { maxOrderValue: money(100) }],
    ['a day', { maxDailyValue: money(100) }],
  ])('is refused under a cap of %s', (_, caps) => {
    expect(verdict(gatesOn(new MemoryStore()), caps, unknown)).toBe('limit.multiplier_unknown');
    expect(verdict(gatesOn(new MemoryStore(), caps), {}, unknown)).toBe('limit.multiplier_unknown');
    expect(verdict(gatesOn(new MemoryStore()), {}, unknown)).toBe('ok');
  });
});

describe('caps in one currency', () => {
  const inDollars = { limitsCurrency: 'USD', maxOrderValue: money(100), maxDailyValue: money(150) } as const;
  const known = (facts: OrderFacts, rate: bigint | undefined): OrderFacts => ({
    ...facts,
    rates: (from, to) => (from === 'HKD' && to === 'USD' ? rate : undefined),
  });
  const EIGHTH = money(1) / 8n;

  it('converts orders in other currencies at the rate plus 2 %', () => {
    const gates = gatesOn(new MemoryStore());
    // 800 HKD are 102 USD.
    expect(verdict(gates, inDollars, known(orderOf(800), EIGHTH))).toBe('limit.order_value');
    expect(verdict(gates, inDollars, known(orderOf(784), EIGHTH))).toBe('ok');
    expect(verdict(gates, inDollars, known(orderOf(51, { currency: 'USD' }), EIGHTH))).toBe('limit.daily_value');
    expect(verdict(gates, inDollars, known(orderOf(50, { currency: 'USD' }), EIGHTH))).toBe('ok');
    expect(verdict(gates, inDollars, known(orderOf(1), EIGHTH))).toBe('limit.daily_value');
  });

  it('refuses orders without a known rate, for the order or for the day’s earlier total', () => {
    const gates = gatesOn(new MemoryStore());
    expect(verdict(gates, inDollars, known(orderOf(8), undefined))).toBe('limit.exchange_rate_unknown');
    expect(verdict(gates, inDollars, known(orderOf(8), 0n))).toBe('limit.exchange_rate_unknown');
    expect(verdict(gates, inDollars, known(orderOf(8), EIGHTH))).toBe('ok');
    expect(verdict(gates, inDollars, known(orderOf(8, { currency: 'USD' }), undefined))).toBe('limit.exchange_rate_unknown');
    expect(verdict(gates, { limitsCurrency: 'USD' }, known(orderOf(8), undefined))).toBe('ok');
  });

  it('counts the orders of the day from before the caps were in one currency', () => {
    const gates = gatesOn(new MemoryStore());
    expect(verdict(gates, { maxDailyValue: money(800) }, known(orderOf(800), EIGHTH))).toBe('ok');
    expect(verdict(gates, inDollars, known(orderOf(49, { currency: 'USD' }), EIGHTH))).toBe('limit.daily_value');
    expect(verdict(gates, inDollars, known(orderOf(48, { currency: 'USD' }), EIGHTH))).toBe('ok');
  });
});

describe('what counts', () => {
  it('counts an attempt that another gate refuses, but none outside the hours or over the rate', () => {
    const limits: Partial<Limits> = { maxOrdersPerMinute: 2, maxOrderValue: money(1), hoursWindow: parseHoursWindow('12:00-13:00')! };
    const gates = gatesOn(new MemoryStore());
    const at = (ms: number, whole: number) => verdict(gates, limits, orderOf(whole), noon + ms);
    expect(at(-1, 1)).toBe('limit.hours');
    expect([at(0, 2), at(1, 1), at(2, 1)]).toEqual(['limit.order_value', 'ok', 'limit.rate']);
    expect(at(60_000, 1)).toBe('ok');
  });

  it('counts for the flags over all callers, and for each key by itself', () => {
    const gates = gatesOn(new MemoryStore(), { maxOrdersPerMinute: 3, maxDailyValue: money(100) });
    const admit = (id: string | undefined, whole: number) => {
      const admitted = gates.admit(id === undefined ? undefined : keyRecord(id, { maxOrdersPerMinute: 2 }), orderOf(whole), noon);
      return admitted.ok ? 'ok' : admitted.denials[0].reason;
    };
    expect(admit('a', 40)).toBe('ok');
    expect(admit('b', 61)).toContain('daily value exceeded: 40 used, 61 more, at most 100 HKD per UTC day (daemon-wide limit)');
    expect(admit(undefined, 60)).toBe('ok');
    expect(admit('b', 0)).toBe('rate limit exceeded: 3 orders in the last 60 s, at most 3 (daemon-wide limit)');
  });

  it('keeps the totals of an edited key, and counts the whole day for an added cap', () => {
    const gates = gatesOn(new MemoryStore());
    expect(verdict(gates, {}, orderOf(60))).toBe('ok');
    expect(verdict(gates, { maxDailyValue: money(100) }, orderOf(41))).toBe('limit.daily_value');
    expect(verdict(gates, { maxDailyValue: money(101) }, orderOf(41))).toBe('ok');
  });

  it('lets a modify without added value pass when the day is used up', () => {
    const gates = gatesOn(new MemoryStore());
    expect(verdict(gates, {}, orderOf(60))).toBe('ok');
    expect(verdict(gates, { maxDailyValue: money(50) }, orderOf(40, { increase: 0n }))).toBe('ok');
  });

  it('gives value back once, on the day it was taken from, and keeps the rate slot', async () => {
    const gates = gatesOn(new MemoryStore());
    const limits = { maxDailyValue: money(100), maxOrdersPerMinute: 2 };
    const admitted = gates.admit(keyRecord('k', limits), orderOf(100), noon);
    if (!admitted.ok) throw new Error('refused');
    expect(verdict(gates, limits, orderOf(1), noon + 1)).toBe('limit.daily_value');
    await admitted.admission.refund();
    await admitted.admission.refund();
    expect(verdict(gates, limits, orderOf(100), noon + 2)).toBe('limit.rate');
    expect(verdict(gates, limits, orderOf(100), noon + 60_001)).toBe('ok');
    expect(verdict(gates, limits, orderOf(1), noon + 60_002)).toBe('limit.daily_value');
  });

  it('does not let go of the rate when the clock is set back', () => {
    const gates = gatesOn(new MemoryStore());
    const at = (ms: number) => verdict(gates, { maxOrdersPerMinute: 2 }, orderOf(1), noon + ms);
    expect([at(0), at(1_000), at(-3_600_000), at(-3_600_000 + 58_999)]).toEqual(['ok', 'ok', 'limit.rate', 'limit.rate']);
    expect(at(-3_600_000 + 60_000)).toBe('ok');
  });

  it('throws for an order of a negative value', () => {
    expect(() => gatesOn(new MemoryStore()).admit(undefined, orderOf(1, { increase: -1n }), noon)).toThrow(RangeError);
  });
});

describe('what is durable', () => {
  const slowStore = () => {
    const store = new MemoryStore();
    const commits: (() => void)[] = [];
    const write: Store['write'] = (change) => {
      const done = store.write(change);
      return new Promise((resolve) => commits.push(() => resolve(done)));
    };
    return { store: { table: (name: string) => store.table(name), write, close: () => store.close() } as Store, commits };
  };
  const settled = async (promise: Promise<void>) =>
    (await Promise.race([promise.then(() => true), new Promise((resolve) => setImmediate(resolve, false))])) as boolean;

  it('waits for the disk where a cap depends on it, and only there', async () => {
    for (const [limits, waits] of [
      [{ maxDailyValue: money(5) }, true],
      [{ maxOrdersPerMinute: 5 }, true],
      [{ maxOrderValue: money(5) }, false],
    ] as const) {
      const { store, commits } = slowStore();
      const admitted = gatesOn(store).admit(keyRecord('k', limits), orderOf(1), noon);
      if (!admitted.ok) throw new Error('refused');
      expect(await settled(admitted.admission.durable)).toBe(!waits);
      for (const commit of commits) commit();
      expect(await settled(admitted.admission.durable)).toBe(true);
    }
  });

  it('passes a failed write on to the order that depends on it, and to the operator', async () => {
    const broken: Store = {
      table: (name) => new MemoryStore().table(name),
      archive: (name) => new MemoryStore().archive(name),
      write: () => Promise.reject(new Error('disk full')),
      close: async () => {},
    };
    const onStoreFailure = vi.fn();
    const gates = new OrderGates({ store: broken, now: noon, onStoreFailure });
    const capped = gates.admit(keyRecord('k', { maxDailyValue: money(5) }), orderOf(1), noon);
    await expect(capped.ok && capped.admission.durable).rejects.toThrow('disk full');
    const free = gates.admit(keyRecord('k'), orderOf(1), noon);
    await expect(free.ok && free.admission.durable).resolves.toBeUndefined();
    expect(onStoreFailure).toHaveBeenCalledTimes(2);
  });

  it('remembers after a restart the refused attempts between two orders', async () => {
    const store = new MemoryStore();
    const limits = { maxOrdersPerMinute: 3, maxOrderValue: money(1) };
    const before = gatesOn(store);
    expect([1, 2, 1].map((whole, index) => verdict(before, limits, orderOf(whole), noon + index))).toEqual([
      'ok',
      'limit.order_value',
      'ok',
    ]);
    await store.write(() => {});
    const after = gatesOn(store, {}, noon + 10);
    expect(verdict(after, limits, orderOf(1), noon + 10)).toBe('limit.rate');
    expect(verdict(after, limits, orderOf(1), noon + 60_000)).toBe('ok');
  });

  it('restores the day and the rate after a restart, and clears expired counts', async () => {
    const store = new MemoryStore();
    const limits = { maxDailyValue: money(100), maxOrdersPerMinute: 2 };
    const key = keyRecord('k:1', limits);
    const admit = async (gates: OrderGates, whole: number, now: number) => {
      const admitted = gates.admit(key, orderOf(whole), now);
      if (!admitted.ok) return admitted.denials[0].code;
      await admitted.admission.durable;
      return 'ok';
    };
    const first = gatesOn(store);
    expect([await admit(first, 50, noon), await admit(first, 40, noon + 10_000)]).toEqual(['ok', 'ok']);
    const second = gatesOn(store, {}, noon + 20_000);
    expect(await admit(second, 1, noon + 20_000)).toBe('limit.rate');
    expect([await admit(second, 11, noon + 60_000), await admit(second, 10, noon + 70_000)]).toEqual(['limit.daily_value', 'ok']);
    const later = noon + 3 * 86_400_000;
    const third = gatesOn(store, {}, later);
    expect(await admit(third, 100, later)).toBe('ok');
    expect([...store.table('day_totals').entries()].map(([row]) => row)).toEqual(['2026-08-04:\tHKD', '2026-08-04:k:1\tHKD']);
    expect([...store.table('order_rates').entries()].map(([, block]) => block)).toEqual([{ from: 0, times: [later] }]);
  });

  it('keeps the orders of a minute in few rows, and forgets none over a restart', async () => {
    const store = new MemoryStore();
    const key = keyRecord('k:1', { maxOrdersPerMinute: 50 });
    const pass = async (gates: OrderGates, now: number) => {
      const admitted = gates.admit(key, orderOf(1), now);
      if (admitted.ok) await admitted.admission.durable;
      return admitted.ok;
    };
    const first = gatesOn(store);
    for (let order = 0; order < 50; order++) expect(await pass(first, noon + order * 1_000)).toBe(true);
    expect([...store.table('order_rates').entries()]).toHaveLength(4);
    const second = gatesOn(store, {}, noon + 59_999);
    expect(await pass(second, noon + 59_999)).toBe(false);
    // One order leaves the minute each second, and the 51st attempt was counted by neither.
    expect([await pass(second, noon + 60_000), await pass(second, noon + 60_000), await pass(second, noon + 61_000)]).toEqual([
      true,
      false,
      true,
    ]);
    for (let order = 0; order < 20; order++) expect(await pass(second, noon + 200_000 + order)).toBe(true);
    expect([...store.table('order_rates').entries()].length).toBeLessThanOrEqual(3);
  });
});
