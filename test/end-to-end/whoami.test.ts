import { ManualClock } from '@svc-gateway/contract/clock';
import { scopes as everyScope } from '@svc-gateway/contract/scope';
import { describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, SIMULATE, US, US_MARGIN } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import { differs } from '../support/differences.js';

type Id = 'desk' | 'free' | 'metrics' | 'oneCurrency' | 'all';
interface Use {
  readonly holder: string;
  readonly name: string;
  readonly currency?: string;
}
const NOON = Date.UTC(2026, 10, 20, 4);

describe('GET /api/whoami', () => {
  const clock = new ManualClock(NOON);
  const daemon = TestDaemon.forAll<Id>({
    clock,
    keys: {
      desk: {
        scopes: ['acc:read', 'trade:simulate'],
        limits: {
          allowedMarkets: 'HK,US',
          allowedTrdSides: 'BUY',
          allowedAccIds: `${HK_MARGIN},${US_MARGIN}`,
          maxOrderValue: '60000.5',
          maxDailyValue: '100000',
          maxOrdersPerMinute: '5',
        },
      },
      free: { scopes: ['qot:read'] },
      all: { scopes: ['acc:read'] },
      metrics: { scopes: ['metrics:read'] },
      oneCurrency: { scopes: ['trade:simulate'], limits: { maxDailyValue: '100000', limitsCurrency: 'USD' } },
    },
    flags: ['--enable-trading', '--max-orders-per-minute', '100', '--max-daily-value', '9000000', '--max-open-orders', '50'],
  });

  const whoami = async (id: Id) => (await daemon.as(id).get('/api/whoami')).json.s2c;
  const use = async (id: Id, name: string, holder = 'key') =>
    (await whoami(id)).limit_list.filter((one: Use) => one.name === name && one.holder === holder);
  const order = (body: object, id: Id = 'desk') =>
    daemon.as(id).s2c('/api/order', { env: SIMULATE, side: BUY, order_type: 1, acc_id: HK_MARGIN, market: HK, ...body });

  it('names the key, its scopes and every limit that is set', async () => {
    const answer = await whoami('desk');
    expect(answer).toMatchObject({ has_key: true, key_id: 'desk', scope_list: ['acc:read', 'trade:simulate'], machine_bound: false });
    expect(answer.switch_list).toEqual(['--enable-trading']);
    expect(answer.server_time).toBe(NOON);
    expect(answer.limit_list.map(({ holder, name }: Use) => `${holder} ${name}`)).toEqual([
      'key allowed_markets',
      'key allowed_trd_sides',
      'key allowed_acc_ids',
      'key max_order_value',
      'key max_orders_per_minute',
      'key max_daily_value',
      'daemon max_orders_per_minute',
      'daemon max_daily_value',
      'daemon max_open_orders',
    ]);
    expect(answer.limit_list[0].allowed_list).toEqual(['HK', 'US']);
    expect(await use('desk', 'max_order_value')).toEqual([expect.objectContaining({ limit: '60000.5' })]);
  });

  it('answers whoami to any key, and to no caller without one', async () => {
    expect(await whoami('metrics')).toMatchObject({ key_id: 'metrics', scope_list: ['metrics:read'] });
    expect(new Set((await whoami('free')).limit_list.map(({ holder }: Use) => holder))).toEqual(new Set(['daemon']));
    expect((await daemon.as().get('/api/whoami')).status).toBe(401);
  });

  it('tells what is used and left of the day and of the minute, and when it is free again', async () => {
    expect(await use('desk', 'max_daily_value')).toEqual([expect.objectContaining({ used: '0', left: '100000' })]);
    await order({ code: '00700', qty: 100, price: 500.5 });
    clock.advance(10_000);
    await order({ code: 'AAPL', qty: 3, price: 100.5, acc_id: US_MARGIN, market: US });
    const days = await use('desk', 'max_daily_value');
    expect(days).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ currency: 'HKD', used: '50050', left: '49950', free_at: '2026-11-21T00:00:00.000Z' }),
        expect.objectContaining({ currency: 'USD', used: '301.5', left: '99698.5' }),
      ]),
    );
    const minute = { limit: '5', used: '2', left: '3', free_at: new Date(NOON + 60_000).toISOString() };
    expect(await use('desk', 'max_orders_per_minute')).toEqual([expect.objectContaining(minute)]);
    expect(await use('all', 'max_orders_per_minute', 'daemon')).toEqual([expect.objectContaining({ limit: '100', used: '2' })]);
    expect(await use('all', 'max_daily_value', 'daemon')).toMatchObject([{ used: '50050' }, { used: '301.5' }]);
    // A key that does not see what all keys together have used is told the limit alone.
    for (const id of ['desk', 'free'] as const)
      for (const [name, limit] of [
        ['max_orders_per_minute', '100'],
        ['max_daily_value', '9000000'],
        ['max_open_orders', '50'],
      ] as const)
        expect(await use(id, name, 'daemon')).toEqual([
          { holder: 'daemon', name, allowed_list: [], limit, unknown: expect.stringContaining('all keys send together') },
        ]);
    clock.advance(50_000);
    expect(await use('desk', 'max_orders_per_minute')).toEqual([expect.objectContaining({ used: '1', left: '4' })]);
    clock.advance(10_000);
    const [free] = await use('desk', 'max_orders_per_minute');
    expect([free.used, free.free_at]).toEqual(['0', undefined]);
  });

  it('names the end of the day itself, whatever the fraction of the second', async () => {
    clock.advance(333);
    const frees = (await use('desk', 'max_daily_value')).map(({ free_at }: { readonly free_at: string }) => free_at);
    expect(new Set(frees)).toEqual(new Set(['2026-11-21T00:00:00.000Z']));
  });

  it('counts no whoami, and the gates let through what it says is left', async () => {
    await expect(order({ code: '00700', qty: 100, price: 499.8 })).rejects.toThrow('limit.daily_value');
    await order({ code: '00700', qty: 100, price: 499.4 });
    const hkd = (await use('desk', 'max_daily_value')).find(({ currency }: Use) => currency === 'HKD');
    expect(hkd).toMatchObject({ used: '99990', left: '10' });
  });

  it.skipIf(differs('known exchange rates'))('sums the day in the currency of the limits', async () => {
    await order({ code: '00700', qty: 100, price: 500 }, 'oneCurrency');
    const [day] = await use('oneCurrency', 'max_daily_value');
    expect(day.currency).toBe('USD');
    expect(Number(day.used)).toBeGreaterThan(6_000);
    expect(Number(day.used) + Number(day.left)).toBeCloseTo(100_000, 6);
  });
});

it('answers every caller the same without keys', async () => {
  const daemon = await TestDaemon.start<never>({});
  try {
    const answer = (await daemon.as().get('/api/whoami')).json.s2c;
    expect(answer).toMatchObject({ has_key: false, limit_list: [] });
    expect(answer.scope_list).toEqual(everyScope.filter((scope) => !scope.startsWith('trade:') && scope !== 'admin'));
  } finally {
    await daemon.stop();
  }
});
