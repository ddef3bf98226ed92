import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DECIMAL_ONE } from '@svc-gateway/contract/decimal';
import { afterEach, describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, NORMAL, SIMULATE } from '../../support/accounts.js';
import { type Chain, startChain } from '../../support/chain.js';
import type { PushFrame } from '../../support/push-client.js';
import { generateRsaKey } from '../../support/rsa-key.js';

const scopes = ['qot:read', 'qot:state', 'acc:read', 'trade:simulate', 'trade:real', 'metrics:read', 'admin'] as const;
const QUOTE = 1;
const TICKER = 4;
const isQuote = ({ type, symbol, sub_type }: PushFrame) => type === 'quote' && symbol === 'HK.00700' && sub_type === QUOTE;

let chain: Chain<'desk'>;
let folder: string | undefined;
afterEach(async () => {
  await chain.stop();
  if (folder !== undefined) rmSync(folder, { recursive: true });
  folder = undefined;
});

const order = { market: HK, acc_id: HK_MARGIN, env: SIMULATE, side: BUY, code: '00700', qty: 100, price: 1, order_type: NORMAL };

async function start(flags: readonly string[] = [], upstreamFlags: readonly string[] = []) {
  chain = await startChain({ keys: { desk: { scopes } }, flags: ['--enable-trading', ...flags], upstreamFlags });
  return chain.front.as('desk');
}

describe.each([
  ['plain', false],
  ['encrypted', true],
])('a daemon in front of another, %s', (_how, encrypted) => {
  it('reads, subscribes and trades through it', async () => {
    folder = mkdtempSync(join(tmpdir(), 'svc-key-'));
    const key = join(folder, 'rsa.pem');
    writeFileSync(key, generateRsaKey());
    const desk = await (encrypted ? start(['--upstream-rsa-key', key], ['--api-rsa-key', key]) : start());
    const push = await chain.front.push('desk');

    const { snapshot_list } = await desk.s2c('/api/snapshot', { symbols: ['HK.00700', 'US.AAPL'] });
    expect(snapshot_list.map(({ basic }: { basic: { security: { code: string } } }) => basic.security.code)).toEqual(['00700', 'AAPL']);
    // The upstream answers this to subscribers only; whoever asks here need not know.
    const { basic_qot_list } = await desk.s2c('/api/quote', { symbol: 'HK.00005' });
    expect(basic_qot_list[0].cur_price).toBeGreaterThan(0);
    const { acc_list } = (await desk.get('/api/list-accounts')).json.s2c;
    expect(acc_list.length).toBeGreaterThan(2);

    await desk.s2c('/api/subscribe', { symbols: ['HK.00700'], sub_types: [QUOTE, TICKER], is_reg_or_un_reg_push: true });
    const first = await push.frame(isQuote, 'a first push');
    await push.frame(isQuote, 'a live push', push.frames.indexOf(first) + 1);

    await desk.s2c('/api/sub-acc-push', { acc_id_list: [HK_MARGIN] });
    const placed = await desk.s2c('/api/order', order);
    expect(placed.order_id_ex).toEqual(expect.any(String));
    const event = await push.frame(({ type, body }) => type === 'trade' && body.order?.order_id_ex === placed.order_id_ex, 'the order');
    expect(event.body.order.remark ?? '').toBe('');
    const { order_list } = await desk.s2c('/api/orders', { acc_id: HK_MARGIN, env: SIMULATE, market: HK });
    const [listed] = order_list.filter(({ order_id_ex }: { order_id_ex: string }) => order_id_ex === placed.order_id_ex);
    expect(listed).toMatchObject({ qty: 100, price: 1, remark: '' });
    const cancelled = await desk.s2c('/api/cancel-order', {
      market: HK,
      acc_id: HK_MARGIN,
      env: SIMULATE,
      order_id_ex: placed.order_id_ex,
    });
    expect(cancelled).toBeDefined();
    const refused = await desk.post('/api/order', { ...order, code: '99999' });
    expect(refused).toMatchObject({ status: 200, json: { ret_type: -1 } });
  });
});

describe('quotes that are pushed', () => {
  it('are answered from the newest push, without asking the upstream', async () => {
    const desk = await start();
    const { front, upstream } = chain;
    const push = await front.push('desk');
    const quotesAsked = async () => (await upstream.audit()).filter(({ endpoint }) => endpoint === 'get_quote').length;
    await desk.s2c('/api/subscribe', { symbols: ['HK.00700'], sub_types: [QUOTE], is_reg_or_un_reg_push: true });
    await push.frame(isQuote, 'a push');
    const { basic_qot_list } = await desk.s2c('/api/quote', { symbol: 'HK.00700' });
    const told = push.frames.filter(isQuote).map(({ body }) => body.basic_qot_list[0]);
    expect(told).toContainEqual(basic_qot_list[0]);
    expect(await quotesAsked()).toBe(0);
    // One that nobody is subscribed to is asked for.
    await desk.s2c('/api/quote', { symbols: ['HK.00700', 'HK.00005'] });
    expect(await quotesAsked()).toBe(1);
  });
});

describe('an upstream that restarts', () => {
  it('is noticed, and everything is restored: streams, accounts, and the orders of the meantime', async () => {
    const desk = await start();
    const { front, upstream } = chain;
    const push = await front.push('desk');
    await desk.s2c('/api/subscribe', { symbols: ['HK.00700'], sub_types: [QUOTE], is_reg_or_un_reg_push: true });
    await desk.s2c('/api/sub-acc-push', { acc_id_list: [HK_MARGIN] });
    await push.frame(isQuote, 'a push');
    const port = upstream.daemon.apiAddress?.split(':').at(-1) ?? '';

    await upstream.halt();
    const down = await push.frame(({ body }) => body?.connect_status !== undefined, 'the loss');
    expect(down.body.connect_status).toEqual({ qot_logined: false, trd_logined: false });
    const unready = await desk.get('/readyz');
    expect(unready).toMatchObject({ status: 503, json: { reason: expect.stringContaining('the platform is reconnecting') } });
    expect(await desk.get('/health')).toMatchObject({ status: 503 });
    expect(await desk.get('/livez')).toMatchObject({ status: 200 });
    const refused = await desk.post('/api/order', order);
    expect(refused).toMatchObject({ status: 503, json: { code: 'backend.not_ready' }, headers: { 'retry-after': expect.any(String) } });

    await upstream.boot({ flags: ['--api-key-id', 'bridge', '--enable-trading', '--api-port', port] });
    // Placed at the upstream while the bridge was away, or before it has asked: it comes as an event either way.
    const meanwhile = await upstream.as('bridge').s2c('/api/order', { ...order, qty: 200 });
    const gap = await push.frame(({ body }) => body?.gap !== undefined, 'the gap');
    expect(gap.body.gap).toMatchObject({ from: expect.any(String), to: expect.any(String), reason: expect.any(String) });
    await push.frame(
      ({ type, body }) => type === 'trade' && body.order?.order_id_ex === meanwhile.order_id_ex,
      'the order of the meantime',
    );
    await push.frame(isQuote, 'a push after the gap', push.frames.indexOf(gap));
    const up = await push.frame(({ body }) => body?.connect_status?.qot_logined && body?.connect_status?.trd_logined, 'the return');
    expect(up.type).toBe('notify');
    expect(await desk.get('/readyz')).toMatchObject({ status: 200 });
    const { platform, brokers } = (await desk.get('/api/admin/status')).json.s2c ?? (await desk.get('/api/admin/status')).json;
    expect(platform).toMatchObject({ lifecycle_state: 'ready', reconnect_successes: expect.any(Number) });
    expect(platform.lifecycle_generation).toBeGreaterThan(1);
    expect(brokers).toHaveLength(1);
  });
});

it('is left to pace itself by the bridge, and says what a dollar is worth', async () => {
  // It serves forex quotes with this flag alone.
  const desk = await start([], ['--enable-desktop-phase2-reads']);
  // More than an upstream of another kind takes in half a minute, which is as long as callers wait.
  const placed = await Promise.all(Array.from({ length: 20 }, () => desk.s2c('/api/order', order)));
  expect(new Set(placed.map(({ order_id_ex }) => order_id_ex)).size).toBe(20);
  const context = { requestId: 'test', deadline: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
  const rate = await chain.front.daemon.backend.exchangeRate('USD', 'HKD', context);
  expect(Number(rate) / Number(DECIMAL_ONE)).toBeCloseTo(7.8, 0);
  expect(await chain.front.daemon.backend.exchangeRate('USD', 'XXX', context)).toBeUndefined();
});
