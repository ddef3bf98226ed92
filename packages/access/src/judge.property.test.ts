import { DECIMAL_ONE } from '@svc-gateway/contract/decimal';
import { MemoryStore } from '@svc-gateway/storage';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keyRecord, orderOf } from '../../../test/support/access.js';
import type { GateDenial, GateName, OrderFacts, OrderLeg } from './gates.js';
import { parseHoursWindow } from './hours-window.js';
import { OrderGates } from './index.js';
import { type Limits, type TradeSide, unlimited } from './limits.js';
import { SymbolSet } from './symbol-set.js';

const START = Date.UTC(2026, 7, 1, 23, 58);

const maybe = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: null, freq: 2 });
const money = (most: number) => fc.nat(most).map((whole) => BigInt(whole) * DECIMAL_ONE);

const limitsArbitrary: fc.Arbitrary<Partial<Limits>> = fc.record({
  allowedMarkets: maybe(fc.constantFrom(new Set(['HK']), new Set(['US']), new Set(['HK', 'US']))),
  allowedSymbols: maybe(fc.constantFrom(new SymbolSet(['HK.00700']), new SymbolSet(['HK.00700', 'US.AAPL']), new SymbolSet())),
  allowedTrdSides: maybe(fc.constantFrom(new Set(['BUY'] as const), new Set(['BUY', 'SELL'] as const))),
  hoursWindow: maybe(fc.constantFrom('23:00-23:59', '22:00-04:00', '00:00-12:00').map((text) => parseHoursWindow(text)!)),
  maxOrderValue: maybe(money(60)),
  maxOrdersPerMinute: maybe(fc.nat(4)),
  maxDailyValue: maybe(money(150)),
  limitsCurrency: maybe(fc.constantFrom('HKD' as const, 'USD' as const)),
});

const worthArbitrary = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .record({ whole: fc.nat(50), more: fc.nat(50), currency: fc.constantFrom('HKD', 'HKD', 'USD', 'SGD') })
      .map(({ whole, more, currency }) => ({ currency, value: BigInt(whole) * DECIMAL_ONE, increase: BigInt(more) * DECIMAL_ONE })),
  },
  { weight: 1, arbitrary: fc.constant({ code: 'limit.price_unknown' as const, reason: 'order value unknown' }) },
);

const legArbitrary: fc.Arbitrary<OrderLeg> = fc
  .record({ symbol: fc.constantFrom('HK.00700', 'US.AAPL'), side: fc.constantFrom<TradeSide>('BUY', 'SELL'), worth: worthArbitrary })
  .map((leg) => ({ ...leg, markets: [leg.symbol.slice(0, 2)] }));

/** Exchange rates between the two kinds of dollar. */
const rates = new Map([
  ['HKD/USD', DECIMAL_ONE / 8n],
  ['USD/HKD', 8n * DECIMAL_ONE],
]);

const orderArbitrary: fc.Arbitrary<OrderFacts> = fc
  .array(legArbitrary, { minLength: 1, maxLength: 3 })
  .map((legs) => ({ accId: 1n, legs, rates: (from, to) => rates.get(`${from}/${to}`) }));

const stepArbitrary = fc.record({
  /** Negative: the clock was set back. */
  wait: fc.constantFrom(0, 0, 0, 1, 20_000, 59_999, 60_000, -45_000),
  /** 2 = a caller without a key. */
  caller: fc.nat(2),
  order: orderArbitrary,
  refund: fc.boolean(),
  /** A dry run at another moment, so that one that slid the windows would be noticed. */
  glimpse: fc.constantFrom(-90_000, 0, 90_000),
});

interface Seen {
  readonly passed: boolean;
  readonly code: GateDenial['code'] | undefined;
  readonly reason: string | undefined;
  readonly retryAfterSeconds: number | undefined;
}

describe('a dry run of the gates', () => {
  it('says what a following order meets, and leaves no trace', async () => {
    const tripped = new Set<GateDenial['code'] | undefined>();
    await fc.assert(
      fc.asyncProperty(
        fc.array(limitsArbitrary, { minLength: 3, maxLength: 3 }),
        fc.array(stepArbitrary, { minLength: 1, maxLength: 25 }),
        async ([first = {}, second = {}, flags = {}], steps) => {
          const open = () =>
            new OrderGates({
              store: new MemoryStore(),
              now: START,
              timeZone: 'UTC',
              flagLimits: { ...unlimited, ...flags },
              onStoreFailure: () => {},
            });
          // The same orders through gates that are asked first, and through gates that are not.
          const asked = open();
          const unasked = open();
          const keys = [keyRecord('first', first), keyRecord('second', second), undefined];
          let now = START;
          for (const { wait, caller, order, refund, glimpse } of steps) {
            now += wait;
            const key = keys[caller];
            const verdicts = asked.judge(key, order, now);
            expect(asked.judge(key, order, now)).toEqual(verdicts);
            for (const other of keys) asked.judge(other, orderOf(1), now + glimpse);
            const said = verdicts.find(({ denial }) => denial !== undefined)?.denial;
            const foretold: Seen = {
              passed: said === undefined,
              code: said?.code,
              reason: said?.reason,
              retryAfterSeconds: said?.retryAfterSeconds,
            };
            const outcomes = [asked, unasked].map((gates) => gates.admit(key, order, now));
            for (const outcome of outcomes) {
              const denial = outcome.ok ? undefined : outcome.denials[0];
              const seen: Seen = {
                passed: outcome.ok,
                code: denial?.code,
                reason: denial?.reason,
                retryAfterSeconds: denial?.retryAfterSeconds,
              };
              expect(seen).toEqual(foretold);
              const named = (denials: readonly (GateDenial | undefined)[]) =>
                new Set(denials.map((each) => each && `${each.code} ${each.gate} ${each.holder}`));
              expect(named([undefined, ...(outcome.ok ? [] : outcome.denials)])).toEqual(
                named([undefined, ...verdicts.map((verdict) => verdict.denial)]),
              );
              if (outcome.ok && refund) await outcome.admission.refund();
            }
            tripped.add(foretold.code);
          }
        },
      ),
      { numRuns: 1_500 },
    );
    // Every gate was met, and orders passed, or the test would show nothing.
    const gates = ['market', 'symbol', 'side', 'hours', 'order_value', 'rate', 'daily_value', 'price_unknown', 'exchange_rate_unknown'];
    expect(tripped).toEqual(new Set([undefined, ...gates.map((gate) => `limit.${gate}`)]));
  });

  it('lists the gates in their order, the key before the flags, with the figures of after the order', () => {
    const flagLimits = { ...unlimited, maxDailyValue: 30n * DECIMAL_ONE };
    const gates = new OrderGates({ store: new MemoryStore(), now: START, timeZone: 'UTC', flagLimits, onStoreFailure: () => {} });
    const key = keyRecord('k', { maxDailyValue: 20n * DECIMAL_ONE, maxOrdersPerMinute: 2, allowedMarkets: new Set(['HK', 'US']) });
    gates.admit(key, orderOf(12), START);
    const verdicts = gates.judge(key, orderOf(9), START);
    expect(verdicts.map(({ gate, holder }) => `${gate} ${holder}`)).toEqual(
      ['market', 'symbol', 'side', 'hours', 'order_value', 'rate', 'daily_value'].flatMap((gate) => [`${gate} key`, `${gate} flags`]),
    );
    const of = (gate: GateName, holder: string) => verdicts.find((verdict) => verdict.gate === gate && verdict.holder === holder);
    expect(of('market', 'key')).toEqual({ gate: 'market', holder: 'key', limit: 'HK, US', after: 'HK' });
    expect(of('hours', 'key')).toEqual({ gate: 'hours', holder: 'key', limit: null, after: '23:58 (UTC)' });
    expect(of('rate', 'key')).toEqual({ gate: 'rate', holder: 'key', limit: 2, after: 2 });
    expect(of('rate', 'flags')).toEqual({ gate: 'rate', holder: 'flags', limit: null, after: null });
    expect(of('daily_value', 'key')).toMatchObject({
      limit: 20n * DECIMAL_ONE,
      after: 21n * DECIMAL_ONE,
      denial: { code: 'limit.daily_value', reason: 'daily value exceeded: 12 used, 9 more, at most 20 HKD per UTC day' },
    });
    expect(of('daily_value', 'flags')).toEqual({
      gate: 'daily_value',
      holder: 'flags',
      limit: 30n * DECIMAL_ONE,
      after: 21n * DECIMAL_ONE,
      currency: 'HKD',
    });
  });
});
