import { scopes } from '@svc-gateway/contract/scope';
import { describe, expect, it } from 'vitest';
import { HK_CASH, REAL } from '../../support/accounts.js';
import { TestDaemon } from '../../support/daemon.js';
import { editKey } from '../../support/keys.js';
import { type McpClient, ways } from '../../support/mcp-client.js';
import { McpWire, request } from '../../support/mcp-wire.js';
import { until } from '../../support/until.js';

type Id = 'all' | 'changing' | 'other' | 'hk' | 'accounts' | 'usAccounts' | 'apple';

const daemon = TestDaemon.forAll({
  keys: {
    all: { scopes },
    changing: { scopes },
    other: { scopes },
    hk: { scopes, limits: { allowedMarkets: 'HK' } },
    accounts: { scopes: ['acc:read'] },
    usAccounts: { scopes: ['acc:read'], limits: { allowedMarkets: 'US' } },
    apple: { scopes: ['acc:read'], limits: { allowedSymbols: 'US.AAPL' } },
  },
  flags: ['--enable-trading'],
});

function open(id: Id, way: 'sessions' | 'stateless' = 'sessions'): Promise<McpClient> {
  return daemon.mcp(id, { way });
}

const calling = (name: string, args: object) => request('tools/call', { name, arguments: args });
const subscribing = calling('svc_subscribe', { symbols: ['HK.00700'], sub_types: [1] });
const ping = calling('svc_ping', {});
const isQuoteOf = (symbol: string) => (params: Record<string, unknown>) => params.type === 'quote' && params.symbol === symbol;

describe('a session', () => {
  it('is pushed what it subscribes to, the current data first, until it unsubscribes', async () => {
    const client = await open('all');
    expect((await client.call('svc_subscribe', { symbols: ['HK.00700'], sub_types: ['Basic'] })).isError).toBe(false);
    const [first] = await client.pushed(isQuoteOf('HK.00700'), 1);
    expect(first).toMatchObject({ type: 'quote', proto_id: 3005, sec_key: '1_00700', sub_type: 1, seq: expect.any(Number) });
    // Its own: what a server behind counts includes what it does not let go of yet.
    const held = async () => {
      const { json } = await client.call('svc_query_subscription');
      return (json as { conn_sub_info_list: { used_quota: number }[] }).conn_sub_info_list[0]?.used_quota;
    };
    expect(await held()).toBe(1);
    expect((await client.call('svc_unsubscribe', { unsub_all: true })).isError).toBe(false);
    expect(await held()).toBe(0);
  });

  it('keeps its subscriptions from other sessions, of the same key too', async () => {
    const [mine, theirs] = [await open('all'), await open('all')];
    await mine.call('svc_subscribe', { symbols: ['HK.00005'], sub_types: [1] });
    await mine.pushed(isQuoteOf('HK.00005'), 2);
    expect(theirs.frames().filter(isQuoteOf('HK.00005'))).toEqual([]);
    await mine.close();
    await until(() => daemon.daemon.gateway.push.subscriptions.usedQuota === 0, 'the end of the subscription');
  });

  it('is in the daemon-wide view of what is subscribed', async () => {
    const client = await open('all');
    await client.call('svc_subscribe', { symbols: ['HK.09988'], sub_types: [1] });
    const seen = async (is_req_all_conn: boolean) =>
      JSON.stringify(await daemon.as('other').s2c('/api/query-subscription', { is_req_all_conn })).includes('09988');
    expect([await seen(true), await seen(false)]).toEqual([true, false]);
    await client.call('svc_unsubscribe', { unsub_all: true });
    expect(await seen(true)).toBe(false);
  });

  it('hears of orders and fills of its accounts', async () => {
    const client = await open('all');
    await client.call('svc_sub_acc_push', { acc_id_list: [HK_CASH] });
    const order = { market: 'HK', acc_id: HK_CASH, env: 'simulate', side: 'BUY', symbol: 'HK.00700', qty: 100, price: 250 };
    await client.call('svc_place_order', order);
    const [pushed] = await client.pushed((params) => params.type === 'trade', 1);
    expect(pushed).toMatchObject({ proto_id: 2208, acc_id: HK_CASH, trd_market: 'HK' });
  });

  it('hears of the resources that it watches, and of no others', async () => {
    const client = await open('all');
    await client.client.subscribeResource({ uri: 'svc://quote/HK.00700' });
    const updated = () => client.notices.filter(({ method }) => method === 'notifications/resources/updated');
    await until(() => updated().length > 0, 'an update of the resource');
    expect(updated()[0]?.params).toMatchObject({ uri: 'svc://quote/HK.00700' });
    const { contents } = await client.client.readResource({ uri: 'svc://quote/HK.00700' });
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ basic_qot_list: [{ security: { code: '00700' } }] });
    await client.client.unsubscribeResource({ uri: 'svc://quote/HK.00700' });
    await until(() => daemon.daemon.gateway.push.subscriptions.usedQuota === 0, 'the end of the subscription');
  });

  it('may watch what its key may read', async () => {
    const hk = await open('hk');
    await expect(hk.client.subscribeResource({ uri: 'svc://quote/US.AAPL' })).rejects.toThrow(/market US is not allowed/);
    await expect(hk.client.subscribeResource({ uri: 'svc://nothing/1' })).rejects.toThrow(/cannot be watched/);
    const accounts = await open('accounts');
    await expect(accounts.client.subscribeResource({ uri: 'svc://quote/HK.00700' })).rejects.toThrow(/unauthorized/);
    await expect(accounts.client.readResource({ uri: 'svc://quote/HK.00700' })).rejects.toThrow(/unauthorized/);
  });

  it.each(['usAccounts', 'apple'] as const)('reads an account of several markets in one that its key may use: %s', async (id) => {
    const client = await open(id);
    for (const kind of ['funds', 'positions', 'orders']) {
      const uri = `svc://${kind}/${REAL}`;
      expect((await client.client.readResource({ uri })).contents).toMatchObject([{ uri, text: expect.stringContaining(REAL) }]);
    }
  });

  it('gets what it missed while its stream was broken', async () => {
    const wire = new McpWire(daemon, daemon.keys.all);
    const session = await wire.begin();
    const events = wire.events(session);
    await wire.send('POST', subscribing, session);
    const first = await events.next();
    const lastId = /^id: (.+)$/m.exec(first.value ?? '')?.[1] ?? '';
    expect(lastId).not.toBe('');
    await events.return(undefined);
    const resumed = wire.events({ ...session, 'last-event-id': lastId });
    const next = await resumed.next();
    expect(next.value).toContain('notifications/svc/push');
    expect(numberOf(next.value)).toBe(numberOf(first.value) + 1);
    await resumed.return(undefined);
    expect((await wire.send('DELETE', undefined, session)).status).toBe(200);
    expect((await wire.send('POST', ping, session)).status).toBe(404);
  });

  it('goes on after an event that is not kept any more, with the notice of a gap', async () => {
    const wire = new McpWire(daemon, daemon.keys.changing);
    const session = await wire.begin();
    const events = wire.events(session);
    await wire.send('POST', subscribing, session);
    const lastId = /^id: (.+)$/m.exec((await events.next()).value ?? '')?.[1] ?? '';
    editKey(daemon.keysPath, 'changing', { limits: { allowed_symbols: ['HK.00700', 'HK.00005'] } });
    await daemon.daemon.reload();
    // The connection that is lost still looks alive here.
    const resumed = wire.events({ ...session, 'last-event-id': lastId });
    const heard: string[] = [];
    const has = (text: RegExp) => heard.some((event) => text.test(event));
    while (!has(/events of .+ are missing/) || !has(/"symbol":"HK.00700"/)) {
      const { value, done } = await resumed.next();
      if (done === true) break;
      heard.push(value);
    }
    expect(heard).toContainEqual(expect.stringMatching(/events of .+ are missing/));
    expect(heard).toContainEqual(expect.stringContaining('"symbol":"HK.00700"'));
    await resumed.return(undefined);
    await wire.send('DELETE', undefined, session);
  });

  it('belongs to the key that began it', async () => {
    const wire = new McpWire(daemon, daemon.keys.all);
    const session = await wire.begin();
    expect((await new McpWire(daemon, daemon.keys.other).send('POST', ping, session)).status).toBe(404);
    expect((await wire.send('POST', ping, session)).status).toBe(200);
  });
});

describe('a client of the revision without sessions', () => {
  it('listens to resources, and is sent the event with the news', async () => {
    const client = await open('all', 'stateless');
    const uri = 'svc://quote/HK.00700';
    const listening = await client.client.listen({ resourceSubscriptions: [uri] });
    await until(() => client.notices.some(({ params }) => params?.uri === uri), 'an update of the resource');
    expect(client.notices.find(({ params }) => params?.uri === uri)?.params?.push).toMatchObject({ type: 'quote', symbol: 'HK.00700' });
    await listening.close();
    await until(() => daemon.daemon.gateway.push.subscriptions.usedQuota === 0, 'the end of the subscription');
  });
});

describe.each(ways)('resources that are watched by %s', (way) => {
  async function watch(client: McpClient, uri: string): Promise<void> {
    if (way === 'stateless') await client.client.listen({ resourceSubscriptions: [uri] });
    else await client.client.subscribeResource({ uri });
  }

  it('may be an account whose id has zeros in front', async () => {
    const client = await open('all', way);
    const uri = `svc://orders/0${HK_CASH}`;
    await watch(client, uri);
    expect((await client.client.readResource({ uri })).contents).toMatchObject([{ uri }]);
    const order = { market: 'HK', acc_id: HK_CASH, env: 'simulate', side: 'BUY', symbol: 'HK.00700', qty: 100, price: 250 };
    await client.call('svc_place_order', order);
    await until(() => updated(client).includes(uri), 'an update of the orders');
  });

  it.each([
    ['svc://quote/00700', /expected svc:\/\/quote\/ and MARKET\.CODE with a market of HK, .*found "svc:\/\/quote\/00700"/],
    ['svc://orderbook/MARS.1', /expected svc:\/\/orderbook\/ and MARKET\.CODE .*found "svc:\/\/orderbook\/MARS\.1"/],
    ['svc://orders/me', /expected svc:\/\/orders\/ and an account id of decimal digits.*found "svc:\/\/orders\/me"/],
    ['svc://orders/18446744073709551616', /at most 18446744073709551615, found/],
  ])('are refused where the address is none: %s', async (uri, why) => {
    const client = await open('all', way);
    await expect(watch(client, uri)).rejects.toThrow(why);
    await expect(client.client.readResource({ uri })).rejects.toThrow(why);
  });
});

/** The addresses of which a client was told an update, oldest first. */
function updated({ notices }: McpClient): unknown[] {
  return notices.filter(({ method }) => method === 'notifications/resources/updated').map(({ params }) => params?.uri);
}

/** Sequence number of the push in a stream event. */
function numberOf(event: unknown): number {
  return Number(/"seq":(\d+)/.exec(String(event))?.[1]);
}
