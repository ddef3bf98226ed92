import { afterEach, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, NORMAL, SIMULATE } from '../../support/accounts.js';

import { TestDaemon, untilConnected } from '../../support/daemon.js';
import { SimOpend } from '../../support/sim-serve.js';

/** The gateway in front of the strict upstream: whoever calls it knows nothing of subscriptions, quotas and frequency limits. */

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const SYMBOLS = 300;
const PAGE = 50;
const CHARTS = 50;
const EQUITY = 3;

it('lets a client read 300 symbols, chart 50 and trade, without an error of the upstream', async () => {
  const upstream = await SimOpend.start({ subscriptionQuota: 1_000, simulation: { generatedInstruments: 800 } });
  cleanups.push(() => upstream.stop());
  const flags = ['--backend', `opend://${upstream.address}`, '--enable-trading', '--request-timeout', '120'];
  const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
  const daemon = await TestDaemon.start({ keys: { desk: { scopes } }, flags });
  cleanups.push(() => daemon.stop());
  await untilConnected(daemon.daemon);
  const desk = daemon.as('desk');

  const { static_info_list } = await desk.s2c('/api/static-info', { market: HK, sec_type: EQUITY });
  const symbols = static_info_list
    .map(({ basic }: { basic: { security: { code: string } } }) => `HK.${basic.security.code}`)
    .slice(0, SYMBOLS);
  expect(symbols).toHaveLength(SYMBOLS);

  for (let at = 0; at < SYMBOLS; at += PAGE) {
    const { basic_qot_list } = await desk.s2c('/api/quote', { symbols: symbols.slice(at, at + PAGE) });
    expect(basic_qot_list).toHaveLength(PAGE);
    const { snapshot_list } = await desk.s2c('/api/snapshot', { symbols: symbols.slice(at, at + PAGE) });
    expect(snapshot_list).toHaveLength(PAGE);
  }
  const charts = await Promise.all(
    symbols.slice(0, CHARTS).map((symbol: string) => desk.s2c('/api/kline', { symbol, kl_type: 1, req_num: 100 })),
  );
  for (const { kl_list } of charts) expect(kl_list.length).toBeGreaterThan(0);
  const order = { market: HK, acc_id: HK_MARGIN, env: SIMULATE, side: BUY, code: '00700', qty: 100, price: 1, order_type: NORMAL };
  const { order_id_ex } = await desk.s2c('/api/order', order);
  const { order_list } = await desk.s2c('/api/orders', { acc_id: HK_MARGIN, env: SIMULATE, market: HK });
  expect(order_list).toMatchObject([{ order_id_ex }]);
  await desk.s2c('/api/cancel-order', { market: HK, acc_id: HK_MARGIN, env: SIMULATE, order_id_ex });
  expect(upstream.defects).toEqual([]);
});
