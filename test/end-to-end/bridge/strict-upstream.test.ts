import { afterEach, beforeEach, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, NORMAL, SIMULATE } from '../../support/accounts.js';
import { TestDaemon, untilConnected } from '../../support/daemon.js';
import type { HttpClient } from '../../support/http-client.js';
import { SimOpend } from '../../support/sim-serve.js';

const scopes = ['qot:read', 'acc:read', 'trade:simulate', 'metrics:read', 'admin'] as const;
const KLINE_DAY = 2;
/** The smallest that there is: more is asked for than fits. */
const QUOTA = 100;
const SYMBOLS = 120;
const CHARTS = 25;

let upstream: SimOpend;
let front: TestDaemon<'desk'>;
let desk: HttpClient;

beforeEach(async () => {
  upstream = await SimOpend.start({ subscriptionQuota: QUOTA });
  front = await TestDaemon.start({ keys: { desk: { scopes } }, flags: ['--enable-trading', '--backend', `opend://${upstream.address}`] });
  await untilConnected(front.daemon);
  desk = front.as('desk');
});
afterEach(async () => {
  await front.stop();
  await upstream.stop();
});

/** Symbols of stocks and funds, as many as asked for. */
async function listed(count: number): Promise<string[]> {
  const symbols: string[] = [];
  for (const [market, name] of [
    [1, 'HK'],
    [11, 'US'],
    [21, 'SH'],
    [22, 'SZ'],
  ] as const) {
    for (const secType of [3, 4]) {
      const { static_info_list } = await desk.s2c('/api/static-info', { market, sec_type: secType });
      for (const { basic } of static_info_list) symbols.push(`${name}.${basic.security.code}`);
    }
  }
  return symbols.slice(0, count);
}

it('a client that knows nothing of subscriptions, quotas and frequency limits meets no refusal of the upstream', async () => {
  const symbols = await listed(SYMBOLS);
  expect(symbols).toHaveLength(SYMBOLS);
  const refused: string[] = [];
  const ask = async (path: string, body: object) => {
    const answer = await desk.post(path, body);
    if (answer.status !== 200 || answer.json.ret_type !== 0) refused.push(`${path} ${JSON.stringify(body)}: ${answer.text}`);
    return answer.json.s2c;
  };
  const quotes = await Promise.all(symbols.map((symbol) => ask('/api/quote', { symbol })));
  expect(quotes.filter((s2c) => s2c?.basic_qot_list?.length === 1)).toHaveLength(symbols.length);
  const snapshots = await Promise.all(symbols.map((symbol) => ask('/api/snapshot', { symbol })));
  expect(snapshots.filter((s2c) => s2c?.snapshot_list?.length === 1)).toHaveLength(symbols.length);
  const charts = symbols.slice(0, CHARTS);
  await Promise.all(charts.map((symbol) => ask('/api/kline', { symbol, kl_type: KLINE_DAY, req_num: 20 })));
  await Promise.all(
    charts.map((symbol) => ask('/api/history-kline', { symbol, kl_type: KLINE_DAY, begin: '2026-01-05', end: '2026-02-05' })),
  );
  await Promise.all(charts.map((symbol) => ask('/api/market-state', { symbols: [symbol] })));
  const order = { market: HK, acc_id: HK_MARGIN, env: SIMULATE, side: BUY, code: '00700', qty: 100, price: 1, order_type: NORMAL };
  for (let count = 0; count < 5; count += 1) {
    const placed = await ask('/api/order', order);
    await ask('/api/cancel-order', { market: HK, acc_id: HK_MARGIN, env: SIMULATE, order_id_ex: placed.order_id_ex });
  }
  expect(refused).toEqual([]);
  const status = (await desk.get('/api/admin/status')).json.s2c;
  expect(status.subscription_quota).toMatchObject({ limit: QUOTA });
  expect(upstream.defects).toEqual([]);
}, 120_000);
