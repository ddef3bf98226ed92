import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import { C2SSchema as UnlockC2S } from '@svc-gateway/contract/generated/Trd_UnlockTrade_pb';
import { quote, subscription, trade } from '@svc-gateway/contract/operations';
import { MemoryStore, type Store } from '@svc-gateway/storage';
import { afterEach, describe, expect, it } from 'vitest';
import { HK_MARGIN } from '../support/accounts.js';
import { CoreTcpClient } from '../support/core-tcp-client.js';
import { TestDaemon } from '../support/daemon.js';
import { type Desk, openDesk } from '../support/desk.js';
import { until } from '../support/until.js';

const scopes = ['qot:read', 'acc:read', 'trade:simulate', 'trade:unlock'] as const;
const bounds = { idempotencyKeys: 1_000, connections: 1_000, refusalsPerSecond: 1_000 };
const order = { symbol: 'HK.00700', acc_id: HK_MARGIN, env: 'simulate', side: 'BUY', qty: 100, price: 600 };
const nameless = { acc_id: HK_MARGIN, env: 'simulate', market: 'HK', order_id_ex: 'none' };
const HOUR_MS = 3_600_000;

let close: () => Promise<unknown> = async () => undefined;
afterEach(() => close());

async function open(options: Partial<Parameters<typeof openDesk>[0]> = {}): Promise<Desk> {
  const desk = await openDesk({ keys: { desk: { scopes }, other: { scopes } }, ...options });
  close = () => desk.close();
  return desk;
}

async function count(store: Store, name: string): Promise<number> {
  let rows = 0;
  for await (const _ of store.archive(name).entries()) rows += 1;
  return rows;
}

describe('idempotency keys', () => {
  const place = (desk: Desk, key: string, as = 'desk') => desk.call(trade.placeOrder, order, { idempotencyKey: key, as });

  it('are refused beyond their bound, and none is forgotten that could make a second order', async () => {
    const desk = await open({ bounds: { ...bounds, idempotencyKeys: 3 } });
    const first = await place(desk, 'k0');
    for (const key of ['k1', 'k2']) expect(await place(desk, key)).toMatchObject({ retType: 0 });
    expect(await place(desk, 'k3')).toMatchObject({ code: 'limit.idempotency_keys', details: { retryAfterSeconds: 600 } });
    expect(await place(desk, 'k0')).toEqual(first);
    expect(await place(desk, 'k3', 'other')).toMatchObject({ retType: 0 });
    const { orderIDEx } = (first as { s2c?: { orderIDEx?: string } }).s2c ?? {};
    const cancel = { acc_id: HK_MARGIN, env: 'simulate', market: 'HK', order_id_ex: orderIDEx };
    expect(await desk.call(trade.cancelOrder, cancel, { idempotencyKey: 'out' })).toMatchObject({ retType: 0 });

    desk.clock.sleep(24 * HOUR_MS);
    desk.clock.advance(10 * 60_000);
    await until(async () => (await count(desk.store, 'idempotency_rows')) === 0, 'the end of the old rows');
    expect(await place(desk, 'k3')).toMatchObject({ retType: 0 });
  });

  it('do not fill up with refused writes: a thousand refused cancels leave the room to others', async () => {
    const desk = await open({ bounds: { ...bounds, idempotencyKeys: 3 } });
    for (let times = 0; times < 1000; times++) {
      expect(await desk.call(trade.cancelOrder, nameless, { idempotencyKey: `c${times}` })).toMatchObject({ retType: -1 });
    }
    expect(await place(desk, 'k')).toMatchObject({ retType: 0 });
    expect(await count(desk.store, 'idempotency_ages')).toBe(1);
    expect(await desk.gateway.meter.metrics()).toContain('svc_idempotency_keys 1');
  });
});

describe('refused requests', () => {
  it('beyond their bound turn a key away, cheaply, for as long as it goes on; not from its orders, and no other key', async () => {
    const desk = await open({ bounds: { ...bounds, refusalsPerSecond: 2 } });
    const ask = (body: object, as = 'desk') => desk.call(quote.getQuote, body, { as });
    const placed = await desk.payload(trade.placeOrder, order);
    for (let times = 0; times < 20; times++) expect(await ask({ symbol: 'nonsense' })).toMatchObject({ code: 'request.invalid' });
    const heard = desk.audit.length;
    for (let times = 0; times < 100; times++) {
      expect(await ask({ symbol: 'HK.00700' })).toMatchObject({ code: 'limit.refusals', details: { retryAfterSeconds: 1 } });
    }
    expect(desk.audit.length).toBe(heard + 1);
    expect(await ask({ symbol: 'HK.00700' }, 'other')).toMatchObject({ retType: 0 });
    const cancel = { acc_id: HK_MARGIN, env: 'simulate', market: 'HK', order_id_ex: placed.orderIDEx };
    expect(await desk.call(trade.cancelOrder, cancel)).toMatchObject({ retType: 0 });
    desk.clock.advance(1_000);
    expect(await ask({ symbol: 'HK.00700' })).toMatchObject({ retType: 0 });
  });

  it('by the brokerage count too', async () => {
    const desk = await open({ bounds: { ...bounds, refusalsPerSecond: 2 } });
    for (let times = 0; times < 20; times++) expect(await desk.call(trade.cancelOrder, nameless)).toMatchObject({ retType: -1 });
    expect(await desk.call(trade.cancelOrder, nameless)).toMatchObject({ code: 'limit.refusals' });
  });
});

describe('wrong trade passwords', () => {
  const right = 'e10adc3949ba59abbe56e057f20f883e';
  const wrong = '0'.repeat(32);
  const unlock = (desk: Desk, pwdMD5: string, as = 'desk') =>
    desk.call(trade.unlockTrade, create(UnlockC2S, { unlock: true, pwdMD5 }), { iface: 'rest', as });
  const tries = (desk: Desk) => desk.calls.filter(({ operation }) => operation === 'unlock_trade').length;
  const isHeldBack = (seconds: number) => ({ code: 'limit.unlock', details: { retryAfterSeconds: seconds } });

  it('are fewer and fewer, through restarts, until the right one comes', async () => {
    const store = new MemoryStore();
    const desk = await open({ store });
    for (let times = 0; times < 3; times++) expect(await unlock(desk, wrong)).toMatchObject({ retType: -1 });
    expect(await unlock(desk, right)).toMatchObject(isHeldBack(2));
    desk.clock.advance(2_000);
    expect(await unlock(desk, wrong)).toMatchObject({ retType: -1 });
    expect(await unlock(desk, right)).toMatchObject(isHeldBack(4));
    expect(tries(desk)).toBe(4);
    await desk.close();

    const next = await open({ store });
    expect(await unlock(next, right)).toMatchObject(isHeldBack(4));
    next.clock.advance(4_000);
    expect(await unlock(next, right)).toMatchObject({ retType: 0 });
    for (let times = 0; times < 3; times++) expect(await unlock(next, wrong)).toMatchObject({ retType: -1 });
  });

  it('are not tried faster all at once', async () => {
    const desk = await open();
    const answers = await Promise.all(Array.from({ length: 100 }, () => unlock(desk, wrong)));
    expect(tries(desk)).toBe(3);
    expect(answers.filter((answer) => 'code' in answer && answer.code === 'limit.unlock')).toHaveLength(97);
  });

  it('are not forgotten for a right one that the daemon knows and the caller does not', async () => {
    const desk = await open({ tradePassword: async () => '123456' });
    for (let times = 0; times < 3; times++) {
      expect(await unlock(desk, wrong)).toMatchObject({ retType: -1 });
      if (times < 2) expect(await desk.call(trade.unlockTrade, { unlock: true })).toMatchObject({ retType: 0 });
    }
    expect(await unlock(desk, wrong)).toMatchObject(isHeldBack(2));
  });

  it('are counted over all keys as well', async () => {
    const ids = Array.from({ length: 6 }, (_, index) => `k${index}`);
    const desk = await open({ keys: Object.fromEntries(ids.map((id) => [id, { scopes }])) });
    for (const id of ids) for (let times = 0; times < 2; times++) await unlock(desk, wrong, id);
    expect(tries(desk)).toBe(10);
    expect(await unlock(desk, right, 'k5')).toMatchObject({ code: 'limit.unlock' });
  });
});

describe('connections of a key', () => {
  it('are bounded over all interfaces together', async () => {
    const daemon = await TestDaemon.start<string>({
      keys: { desk: { scopes }, other: { scopes } },
      flags: ['--max-connections-per-key', '2', '--api-key-id', 'desk'],
    });
    close = () => daemon.stop();
    const api = daemon.daemon.apiAddress ?? '';
    const tcp = await CoreTcpClient.open(api);
    const push = await daemon.push('desk');
    await expect(daemon.push('desk')).rejects.toThrow('429');
    const refused = await daemon.grpc().open({ key: daemon.keys.desk });
    expect(await refused.end()).toMatchObject({ code: 'RESOURCE_EXHAUSTED' });
    expect((await CoreTcpClient.open(api)).init).toMatchObject({ retType: -1 });
    await daemon.push('other');
    await push.close();
    await until(() => daemon.daemon.gateway.push.connectionsOf('key:desk') === 1, 'room');
    const stream = await daemon.grpc().open({ key: daemon.keys.desk });
    expect(stream.opened).toMatchObject({ code: 'OPEN' });
    tcp.close();
  });
});

describe('subscriptions of a key', () => {
  const subscribe = (desk: Desk, symbols: string[], as: string) =>
    desk.call(subscription.subscribe, { symbols, sub_types: [1, 4] }, { iface: 'rest', as });
  const held = async (desk: Desk, as: string) =>
    (await desk.payload(subscription.querySubscription, {}, { iface: 'rest', as })).connSubInfoList[0]?.usedQuota;

  it('take at most half of the quota, or the operator’s setting', async () => {
    const desk = await open({ bounds: { subscriptions: 4 } });
    expect(await subscribe(desk, ['HK.00700', 'HK.00005', 'HK.00001'], 'desk')).toMatchObject({
      code: 'limit.subscriptions',
      message: expect.stringMatching(/of the key exceeded: 0 of 4 in use, 6 more/),
    });
    expect(await subscribe(desk, ['HK.00700', 'HK.00005'], 'desk')).toMatchObject({ retType: 0 });
    expect(await subscribe(desk, ['HK.00001'], 'desk')).toMatchObject({ code: 'limit.subscriptions' });
    expect(await subscribe(desk, ['HK.00001'], 'other')).toMatchObject({ retType: 0 });
  });

  it('made over REST end an hour after its last use', async () => {
    const desk = await open();
    for (const as of ['desk', 'other']) await subscribe(desk, ['HK.00700'], as);
    for (let minutes = 0; minutes < 70; minutes += 10) {
      desk.clock.advance(600_000);
      expect(await held(desk, 'desk')).toBe(2);
    }
    expect(desk.log.join('')).toContain('"key_id":"other"');
    expect(await held(desk, 'other')).toBe(0);
  });
});

describe('a session that nobody listens to', () => {
  it('keeps no events after a minute, and hears new ones once somebody does', async () => {
    const clock = new ManualClock(Date.UTC(new Date().getUTCFullYear() + 1, 6, 15, 12));
    const daemon = await TestDaemon.start({ clock });
    close = () => daemon.stop();
    const { push } = daemon.daemon.gateway;
    const begun = await rpc(daemon.url, { method: 'initialize', params: initialize }, {});
    const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' };
    await begun.text();
    const subscribe = { name: 'svc_subscribe', arguments: { symbols: ['HK.00700'], sub_types: ['Ticker', 'OrderBook'] } };
    await (await rpc(daemon.url, { method: 'tools/call', params: subscribe }, session)).text();
    const backlog = () => push.connections()[0]?.backlogBytes ?? -1;
    await until(() => {
      clock.advance(500);
      return (push.connections()[0]?.conflatedCount ?? 0) > 0;
    }, 'events that wait');
    clock.advance(60_000);
    await until(() => {
      clock.advance(1);
      return backlog() === 0;
    }, 'nothing that waits');
    const dropped = push.connections()[0]?.sentCount ?? 0;
    expect(dropped).toBeGreaterThan(0);

    const leave = new AbortController();
    const headers = { accept: 'text/event-stream', ...session };
    const stream = await fetch(`${daemon.url}/mcp`, { headers, signal: leave.signal });
    const timer = setInterval(() => clock.advance(500), 5);
    let heard = '';
    for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>) {
      heard += new TextDecoder().decode(chunk, { stream: true });
      if (heard.includes('"seq":')) break;
    }
    clearInterval(timer);
    expect(Number(/"seq":(\d+)/.exec(heard)?.[1])).toBeGreaterThan(dropped);
    leave.abort();
  });

  const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const rpc = (url: string, message: object, headers: Record<string, string>) =>
    fetch(`${url}/mcp`, {
      method: 'POST',
      headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, ...message }),
    });
});
