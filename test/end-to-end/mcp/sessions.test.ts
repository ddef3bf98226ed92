import { ManualClock } from '@svc-gateway/contract/clock';
import { scopes } from '@svc-gateway/contract/scope';
import type { ResponseMessage } from '@svc-gateway/gateway';
import { afterEach, describe, expect, it } from 'vitest';
import { TestDaemon } from '../../support/daemon.js';
import { ScriptedBackend, type ServedGateway, serveGateway } from '../../support/gateway.js';
import type { McpClient } from '../../support/mcp-client.js';
import { initialize, McpWire, request } from '../../support/mcp-wire.js';
import { until } from '../../support/until.js';

const MINUTE_MS = 60_000;
const calling = (name: string, args: object) => request('tools/call', { name, arguments: args });
const symbols = ['HK.00700', 'HK.00005', 'HK.00388', 'HK.09988', 'US.AAPL'];

describe('fifty sessions with subscriptions', () => {
  it('leaves nothing behind of fifty sessions with subscriptions', async () => {
    const daemon = await TestDaemon.start({ keys: { all: { scopes } } });
    const { push } = daemon.daemon.gateway;
    const open = async (): Promise<McpClient> => {
      const client = await daemon.mcp('all');
      expect(await client.call('svc_subscribe', { symbols, sub_types: ['Basic'] })).toMatchObject({ isError: false });
      return client;
    };
    const openMany = (count: number) => Promise.all(Array.from({ length: count }, open));
    const hearsAll = (client: McpClient) =>
      until(() => symbols.every((symbol) => client.frames().some((frame) => frame.symbol === symbol)), 'events of every symbol');

    const first = await openMany(25);
    await Promise.all(first.map(hearsAll));
    const [leaving, staying] = [first.slice(0, 15), first.slice(15)];
    const [more] = await Promise.all([openMany(25), ...leaving.map((client) => client.close())]);
    await Promise.all(more.map(hearsAll));
    const clients = [...staying, ...more];
    expect(push.connections()).toHaveLength(clients.length);
    expect(push.subscriptions.usedQuota).toBe(symbols.length);

    await Promise.all(clients.map((client) => client.close()));
    expect(push.connections()).toEqual([]);
    await until(() => push.subscriptions.usedQuota === 0, 'the end of the subscriptions');
    await daemon.stop();
  });
});

describe('a session without a stream', () => {
  it('sends the newest of each quote to a session that opens its stream late', async () => {
    const daemon = await TestDaemon.start();
    const { push } = daemon.daemon.gateway;
    const wire = new McpWire(daemon);
    const session = await wire.begin();
    const subscribed = await wire.send('POST', calling('svc_subscribe', { symbols, sub_types: ['Basic'] }), session);
    expect(subscribed.text).toContain('structuredContent');
    await until(() => push.connections().some(({ conflatedCount }) => conflatedCount >= symbols.length), 'quotes that replace older ones');
    let heard = '';
    for await (const event of wire.events(session)) {
      heard += event;
      if (symbols.every((symbol) => heard.includes(symbol))) break;
    }
    expect((await wire.send('DELETE', undefined, session)).status).toBe(200);
    await daemon.stop();
  });
});

describe('a session', () => {
  let site: ServedGateway;
  afterEach(() => site.stop());
  const begun = async () => {
    const wire = new McpWire(site, site.key('one'));
    return { wire, session: await wire.begin() };
  };

  const serve = async (backend = new ScriptedBackend(), clock = new ManualClock(0)) => {
    site = await serveGateway({ backend, keys: { one: { scopes } }, clock });
    return { backend, clock };
  };

  it('ends a session half an hour after its client was last heard of, and not while a stream is open', async () => {
    const { clock } = await serve();
    const { wire, session } = await begun();
    const leave = new AbortController();
    const stream = await wire.stream('GET', undefined, session, leave.signal);
    expect(stream.status).toBe(200);
    clock.advance(60 * MINUTE_MS);
    expect(site.mcp.sessionCount).toBe(1);

    leave.abort();
    const left = clock.now();
    await until(() => {
      clock.advance(MINUTE_MS);
      return site.mcp.sessionCount === 0;
    }, 'the end of the session');
    expect(clock.now() - left).toBeGreaterThanOrEqual(30 * MINUTE_MS);
    expect(site.pushConnections()).toBe(0);
  });

  it('begins no session where the first message is refused', async () => {
    await serve();
    const wire = new McpWire(site, site.key('one'));
    expect((await wire.send('POST', initialize(), { accept: 'application/json' })).status).toBe(406);
    expect(site.mcp.sessionCount).toBe(0);
    expect(site.pushConnections()).toBe(0);
  });

  it('forgets a request that the client of a session cancels', async () => {
    let answer: (response: ResponseMessage) => void = () => undefined;
    const never = new Promise<ResponseMessage>((resolve) => {
      answer = resolve;
    });
    const { backend } = await serve(new ScriptedBackend(() => never));
    const { wire, session } = await begun();
    const waiting = await wire.stream('POST', calling('svc_get_quote', { symbol: 'HK.00700' }), session);
    await until(() => backend.calls.length === 1, 'the call to reach the backend');
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } };
    expect((await wire.send('POST', cancel, session)).status).toBe(202);
    // The stream ends, and there is no answer in it.
    expect(await waiting.text()).not.toContain('"id":2');
    answer({ retType: 0 } as ResponseMessage);
  });

  it('ends the session that was idle longest when a key has too many', async () => {
    const { clock } = await serve();
    const { wire, session: oldest } = await begun();
    clock.advance(1);
    for (let count = 1; count < 1000; count += 100)
      await Promise.all(Array.from({ length: Math.min(100, 1000 - count) }, () => wire.begin()));
    expect(site.mcp.sessionCount).toBe(1000);
    clock.advance(1);
    const newest = await wire.begin();
    expect(site.mcp.sessionCount).toBe(1000);
    expect((await wire.send('DELETE', undefined, oldest)).status).toBe(404);
    expect((await wire.send('DELETE', undefined, newest)).status).toBe(200);
  });
});
