import { afterEach, expect, it } from 'vitest';
import { BUY, HK, HK_CASH, HK_MARGIN, NORMAL, SIMULATE } from '../../support/accounts.js';
import { TestDaemon, untilConnected } from '../../support/daemon.js';
import { SimOpend } from '../../support/sim-serve.js';

/** The gateway in front of the strict upstream: its callers know nothing of subscriptions, quotas and frequency limits. */

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const SYMBOLS = 300;
const PAGE = 50;
const LIST_MAX = 2_000;
const CHARTS = 50;
/** Fewer than the upstream takes in half a minute, more than it takes at once: they have to be 20 ms apart. */
const ORDERS = 7;
const EQUITY = 3;

async function startDesk() {
  const upstream = await SimOpend.start({ simulation: { generatedInstruments: 800 } });
  cleanups.push(() => upstream.stop());
  // Long: what an upstream of many symbols computes for the first time takes a busy machine a while.
  const flags = ['--backend', `opend://${upstream.address}`, '--enable-trading', '--request-timeout', '120'];
  const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
  const daemon = await TestDaemon.start({ keys: { desk: { scopes } }, flags });
  cleanups.push(() => daemon.stop());
  await untilConnected(daemon.daemon);
  return { upstream, desk: daemon.as('desk') };
}

async function equities(desk: Awaited<ReturnType<typeof startDesk>>['desk']): Promise<string[]> {
  const { static_info_list } = await desk.s2c('/api/static-info', { market: HK, sec_type: EQUITY });
  return static_info_list.map(({ basic }: { basic: { security: { code: string } } }) => `HK.${basic.security.code}`).slice(0, SYMBOLS);
}

const order = { market: HK, acc_id: HK_MARGIN, env: SIMULATE, side: BUY, code: '00700', qty: 100, price: 1, order_type: NORMAL };

it('lets a client read 300 symbols, chart 50 and trade, without an error of the upstream', async () => {
  const { upstream, desk } = await startDesk();
  const symbols = await equities(desk);
  expect(symbols).toHaveLength(SYMBOLS);
  for (let at = 0; at < SYMBOLS; at += PAGE) {
    const { basic_qot_list } = await desk.s2c('/api/quote', { symbols: symbols.slice(at, at + PAGE) });
    expect(basic_qot_list).toHaveLength(PAGE);
    const { snapshot_list } = await desk.s2c('/api/snapshot', { symbols: symbols.slice(at, at + PAGE) });
    expect(snapshot_list).toHaveLength(PAGE);
  }
  // With the quotes, more than its subscription quota.
  const charts = await Promise.all(symbols.slice(0, CHARTS).map((symbol) => desk.s2c('/api/kline', { symbol, kl_type: 1, req_num: 100 })));
  for (const { kl_list } of charts) expect(kl_list.length).toBeGreaterThan(0);
  const past = { kl_type: 2, begin: '2026-01-05', end: '2026-02-05' };
  await Promise.all(symbols.slice(0, CHARTS).map((symbol) => desk.s2c('/api/history-kline', { symbol, ...past })));
  await Promise.all(symbols.slice(0, CHARTS).map((symbol) => desk.s2c('/api/market-state', { symbols: [symbol] })));
  const { order_id_ex } = await desk.s2c('/api/order', order);
  const { order_list } = await desk.s2c('/api/orders', { acc_id: HK_MARGIN, env: SIMULATE, market: HK });
  expect(order_list).toMatchObject([{ order_id_ex }]);
  await desk.s2c('/api/cancel-order', { market: HK, acc_id: HK_MARGIN, env: SIMULATE, order_id_ex });
  expect(upstream.defects).toEqual([]);
});

it('reads 2,000 symbols in one request, in their order', async () => {
  const { upstream, desk } = await startDesk();
  const symbols = (await equities(desk)).reverse();
  // Some more than once, to make up the number.
  const asked = Array.from({ length: LIST_MAX }, (_, at) => symbols[at % symbols.length]);
  const { static_info_list } = await desk.s2c('/api/static-info', { symbols: asked });
  expect(static_info_list.map(({ basic }: { basic: { security: { code: string } } }) => `HK.${basic.security.code}`)).toEqual(asked);
  expect(upstream.defects).toEqual([]);
});

it('lets a client ask for 300 symbols one by one, all at the same time', async () => {
  const { upstream, desk } = await startDesk();
  const symbols = await equities(desk);
  const answers = await Promise.all(symbols.map((symbol) => desk.s2c('/api/snapshot', { symbol })));
  const codes = answers.map(({ snapshot_list: [{ basic }] }) => `HK.${basic.security.code}`);
  expect(codes).toEqual(symbols);
  expect(upstream.defects).toEqual([]);
});

it('places, changes and cancels what a client sends in one burst, in two accounts', async () => {
  const { upstream, desk } = await startDesk();
  const burst = [HK_MARGIN, HK_CASH].flatMap((acc_id) => Array.from({ length: ORDERS }, () => ({ ...order, acc_id })));
  const placed = await Promise.all(burst.map((body) => desk.s2c('/api/order', body)));
  const ids = new Set(placed.map(({ order_id_ex }) => order_id_ex));
  expect(ids.size).toBe(burst.length);
  const changes = burst.map(({ acc_id }, index) => ({ acc_id, order_id_ex: placed[index].order_id_ex }));
  const header = (acc_id: string) => ({ trd_env: SIMULATE, acc_id, trd_market: HK });
  await Promise.all(
    changes.map(({ acc_id, order_id_ex }) =>
      desk.s2c('/api/modify-order', { header: header(acc_id), order_id: 0, order_id_ex, modify_order_op: 1, qty: 200, price: 1 }),
    ),
  );
  await Promise.all(
    changes.map(({ acc_id, order_id_ex }) => desk.s2c('/api/cancel-order', { market: HK, acc_id, env: SIMULATE, order_id_ex })),
  );
  expect(upstream.defects).toEqual([]);
});
