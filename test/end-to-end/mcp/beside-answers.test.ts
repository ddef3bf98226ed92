import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HK_CASH } from '../../support/accounts.js';
import { TestDaemon } from '../../support/daemon.js';

const order = { acc_id: HK_CASH, env: 'simulate', market: 'HK', side: 'BUY', code: '00700', qty: 100 };
const keys = { desk: { scopes: ['qot:read', 'trade:simulate'] } } as const;

async function withTools(flags: readonly string[]) {
  const daemon = await TestDaemon.start({ keys, flags: ['--enable-trading', ...flags] });
  const client = await daemon.mcp('desk');
  const call = async (tool: string, args: object) => (await client.call(tool, args as never)).json;
  return { daemon, call };
}

describe('K-line answers of tools', () => {
  let open: Awaited<ReturnType<typeof withTools>>;
  beforeAll(async () => {
    open = await withTools(['--enable-desktop-phase2-reads']);
  });
  afterAll(async () => {
    await open.daemon.stop();
  });

  it.each([
    ['HK.00700', 'Asia/Hong_Kong', 'HKD'],
    ['US.AAPL', 'America/New_York', 'USD'],
    ['SH.600519', 'Asia/Shanghai', 'CNH'],
    ['FX.USDJPY', 'UTC', 'JPY'],
  ])('of %s name zone, currency and adjustment', async (symbol, zone, money) => {
    const named = { time_zone: zone, currency: money };
    expect(await open.call('svc_get_kline', { symbol, count: 2 })).toMatchObject({ ...named, kl_type: 'day', rehab_type: 'none' });
    const range = { symbol, begin: '2026-11-02', end: '2026-11-20', kl_type: 'week', rehab_type: 'forward' };
    expect(await open.call('svc_get_history_kline', range)).toMatchObject({ ...named, kl_type: 'week', rehab_type: 'forward' });
  });

  it('an order in an open market says its status and that of the market, without a note', async () => {
    const placed = await open.call('svc_place_order', { ...order, order_type: 'MARKET' });
    expect(placed).toMatchObject({ order_status: expect.any(String), market_state: expect.any(String) });
    expect(placed).not.toHaveProperty('note');
  });
});

it('an order in a closed market says that nothing has traded', async () => {
  const { daemon, call } = await withTools(['--sim-clock', 'replay:2026-11-21T10:00:00+08:00']);
  const placed = await call('svc_place_order', { ...order, order_type: 'NORMAL', price: 500 });
  expect(placed).toMatchObject({
    order_status: expect.any(String),
    market_state: expect.any(String),
    note: expect.stringMatching(/^the market is closed \(\w+\): nothing has traded$/),
  });
  await daemon.stop();
});
