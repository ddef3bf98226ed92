import { ManualClock } from '@svc-gateway/contract/clock';
import { scopes } from '@svc-gateway/contract/scope';
import type { ResponseMessage } from '@svc-gateway/gateway';
import { afterEach, describe, expect, it } from 'vitest';
import { TestDaemon } from '../../support/daemon.js';
import { ScriptedBackend, type ServedGateway, serveGateway } from '../../support/gateway.js';
import type { McpClient } from '../../support/mcp-client.js';
import { until } from '../../support/until.js';

const MINUTE_MS = 60_000;
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
    const session = await begin(daemon.url);
    const subscribed = await request(daemon.url, 'POST', {
      body: call('svc_subscribe', { symbols, sub_types: ['Basic'] }),
      headers: session,
    });
    expect(await subscribed.text()).toContain('structuredContent');
    await until(() => push.connections().some(({ conflatedCount }) => conflatedCount >= symbols.length), 'quotes that replace older ones');
    const leave = new AbortController();
    const stream = await request(daemon.url, 'GET', { headers: session, signal: leave.signal });
    let heard = '';
    const decoder = new TextDecoder();
    for await (const chunk of stream.body as unknown as AsyncIterable<Uint8Array>) {
      heard += decoder.decode(chunk, { stream: true });
      if (symbols.every((symbol) => heard.includes(symbol))) break;
    }
    leave.abort();
    expect((await request(daemon.url, 'DELETE', { headers: session })).status).toBe(200);
    await daemon.stop();
  });
});

describe('a session', () => {
  let site: ServedGateway;
  afterEach(() => site.stop());
  const authorized = () => ({ authorization: `Bearer ${site.key('one')}` });

  const serve = async (backend = new ScriptedBackend(), clock = new ManualClock(0)) => {
    site = await serveGateway({ backend, keys: { one: { scopes } }, clock });
    return { backend, clock };
  };

  it('ends a session half an hour after its client was last heard of, and not while a stream is open', async () => {
    const { clock } = await serve();
    const session = await begin(site.url, authorized());
    const leave = new AbortController();
    const stream = await request(site.url, 'GET', { headers: session, signal: leave.signal });
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
    const refused = await request(site.url, 'POST', { body: initialize, headers: { ...authorized(), accept: 'application/json' } });
    expect(refused.status).toBe(406);
    await refused.text();
    expect(site.mcp.sessionCount).toBe(0);
    expect(site.pushConnections()).toBe(0);
  });

  it('forgets a request that the client of a session cancels', async () => {
    let answer: (response: ResponseMessage) => void = () => undefined;
    const never = new Promise<ResponseMessage>((resolve) => {
      answer = resolve;
    });
    const { backend } = await serve(new ScriptedBackend(() => never));
    const session = await begin(site.url, authorized());
    const waiting = await request(site.url, 'POST', { body: call('svc_get_quote', { symbol: 'HK.00700' }), headers: session });
    await until(() => backend.calls.length === 1, 'the call to reach the backend');
    const cancel = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 7 } };
    expect((await request(site.url, 'POST', { body: cancel, headers: session })).status).toBe(202);
    // The stream ends, and there is no answer in it.
    expect(await waiting.text()).not.toContain('"id":7');
    answer({ retType: 0 } as ResponseMessage);
  });

  it('ends the session that was idle longest when a key has too many', async () => {
    const { clock } = await serve();
    const oldest = await begin(site.url, authorized());
    clock.advance(1);
    for (let count = 1; count < 1000; count += 100)
      await Promise.all(Array.from({ length: Math.min(100, 1000 - count) }, () => begin(site.url, authorized())));
    expect(site.mcp.sessionCount).toBe(1000);
    clock.advance(1);
    const newest = await begin(site.url, authorized());
    expect(site.mcp.sessionCount).toBe(1000);
    expect((await request(site.url, 'DELETE', { headers: oldest })).status).toBe(404);
    expect((await request(site.url, 'DELETE', { headers: newest })).status).toBe(200);
  });
});

const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
};

function call(name: string, args: object): object {
  return { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name, arguments: args } };
}

interface Sent {
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

/** A request of the protocol without its client. */
function request(url: string, method: string, { body, headers = {}, signal }: Sent = {}): Promise<Response> {
  return fetch(`${url}/mcp`, {
    method,
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Begins a session; the headers of its requests. */
async function begin(url: string, headers: Readonly<Record<string, string>> = {}): Promise<Readonly<Record<string, string>>> {
  const response = await request(url, 'POST', { body: initialize, headers });
  await response.text();
  return { ...headers, 'mcp-session-id': response.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' };
}
