import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { scopes } from '@svc-gateway/contract/scope';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { HK_CASH, REAL } from '../../support/accounts.js';
import { TestDaemon } from '../../support/daemon.js';
import { Person, type Way, ways } from '../../support/mcp-client.js';
import { McpProcess, McpProcessClient, type McpProcessOptions } from '../../support/mcp-process.js';
import { SpawnedDaemon } from '../../support/spawned-daemon.js';
import { until } from '../../support/until.js';

type Id = 'all' | 'quotes';

const INITIALIZE =
  '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}';
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

const clients: McpProcessClient[] = [];
const processes: McpProcess[] = [];

const daemon = TestDaemon.forAll({
  keys: { all: { scopes }, quotes: { scopes: ['qot:read', 'qot:state'] } },
  flags: ['--enable-trading'],
});
afterEach(async () => {
  await Promise.all(clients.splice(0).map(({ client }) => client.close()));
  await Promise.all(processes.splice(0).map((mcp) => mcp.kill()));
});

function environment(id: Id): Record<string, string> {
  return { ...daemon.variables, HOME: daemon.folder, SVC_REST_URL: daemon.url, SVC_API_KEY: daemon.keys[id], SVC_CA_FILE: daemon.caFile };
}

async function open(way: Way, id: Id = 'all', options: Omit<McpProcessOptions, 'env'> = {}): Promise<McpProcessClient> {
  const client = await McpProcessClient.open(way, { env: environment(id), ...options });
  clients.push(client);
  return client;
}

/** Number of TCP ports that a process listens on (Linux). */
function listenersOf(pid: number | undefined): number {
  const listening = ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state]) => state === '0A')
      .map((fields) => `socket:[${fields[9]}]`),
  );
  const open = readdirSync(`/proc/${pid}/fd`).map((descriptor) => readlinkIfOpen(`/proc/${pid}/fd/${descriptor}`));
  return open.filter((target) => listening.includes(target)).length;
}

/** A descriptor may be closed while the list is read. */
function readlinkIfOpen(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

function start(args: string[], env: Record<string, string>): McpProcess {
  const mcp = new McpProcess({ args, env });
  processes.push(mcp);
  return mcp;
}

/** A bridge with a session that has a subscription. */
async function startSubscribed(): Promise<McpProcess> {
  const mcp = start([], environment('all'));
  mcp.send(
    INITIALIZE,
    INITIALIZED,
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"svc_subscribe","arguments":{"symbols":["HK.00005"],"sub_types":[1]}}}',
  );
  await until(() => daemon.daemon.gateway.push.subscriptions.usedQuota === 1, 'the subscription');
  return mcp;
}

describe.each(ways)('the official client over stdio, the way with %s', (way) => {
  it('lists and calls the tools of the key, with every digit', async () => {
    const client = await open(way);
    const names = (await client.client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['svc_get_quote', 'svc_list_accounts', 'svc_place_order']));
    expect(await client.call('svc_get_quote', { symbol: 'HK.00700' })).toContain('"code":"00700"');
    expect(await client.call('svc_list_accounts')).toContain(`"acc_id":${HK_CASH}`);
    expect(client.stderr).toMatch(/^svcctl mcp: passing MCP messages [^\n]*\n$/);
  });

  it('sees no more than the key may, nor than the toolsets that were asked for', async () => {
    const quotes = await open(way, 'quotes');
    const names = (await quotes.client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('svc_get_quote');
    expect(names).not.toContain('svc_place_order');
    const account = await open(way, 'all', { args: ['--toolsets', 'account'] });
    const fewer = (await account.client.listTools()).tools.map(({ name }) => name);
    expect(fewer).toContain('svc_list_accounts');
    expect(fewer).not.toContain('svc_get_quote');
  });

  it("puts the gateway's questions to a person", async () => {
    const person = new Person(Person.declines);
    const client = await open(way, 'all', person.options);
    // Nobody is asked about an order that would be refused: while trading is locked, for one.
    await daemon.as('all').post('/api/unlock-trade', { unlock: true, pwd_md5: 'e10adc3949ba59abbe56e057f20f883e' });
    const order = { market: 'HK', acc_id: REAL, env: 'real', side: 'BUY', symbol: 'HK.00700', qty: 100, price: 300.2 };
    expect(await client.call('svc_place_order', order)).toContain('confirmation.declined');
    expect(person.questions).toHaveLength(1);
  });
});

it('pushes what a session subscribes to', async () => {
  const client = await open('sessions');
  await client.call('svc_subscribe', { symbols: ['HK.00700'], sub_types: ['Basic'] });
  await client.notice('a quote', ({ method, params }) => method === 'notifications/svc/push' && params?.symbol === 'HK.00700');
  await client.client.close();
  await until(() => daemon.daemon.gateway.push.subscriptions.usedQuota === 0, 'the end of the session and its subscription');
});

it('says what is wrong with a key', async () => {
  const mcp = start([], { ...environment('all'), SVC_API_KEY: 'svc_nobody' });
  mcp.send(INITIALIZE);
  await mcp.printed('"id":0,"error":{"code":-32000,"message":"HTTP 401');
});

describe('the process', () => {
  it('answers what a script pipes in, prints nothing but protocol, and ends with its input', async () => {
    const mcp = start([], environment('all'));
    mcp.send(
      INITIALIZE,
      INITIALIZED,
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"svc_list_accounts","arguments":{}}}',
      '%',
    );
    mcp.end();
    expect(await mcp.status()).toBe(0);
    const lines = mcp.stdout.trim().split('\n');
    const ids = lines.map((line) => (JSON.parse(line) as { id?: unknown }).id).filter((id) => id !== undefined);
    expect(ids.toSorted()).toEqual([0, 1, null]);
    expect(mcp.stdout).toContain(`\\"acc_id\\":${HK_CASH}`);
  });

  it.each(['SIGINT', 'SIGTERM'] as const)('ends with its session at %s', async (signal) => {
    const mcp = await startSubscribed();
    mcp.child.kill(signal);
    expect(await mcp.status()).toBe(0);
    await until(() => daemon.daemon.gateway.push.subscriptions.usedQuota === 0, 'the end of the subscription');
  });

  it('ends with its session when nobody reads it any more', async () => {
    const mcp = await startSubscribed();
    mcp.child.stdout?.destroy();
    expect(await mcp.status()).toBe(0);
    await until(() => daemon.daemon.gateway.push.subscriptions.usedQuota === 0, 'the end of the subscription');
  });
});

it('follows a demo that is started after it, and again on another port', async () => {
  const site = new SpawnedDaemon(false);
  // Without a demo it looks where nobody listens, whoever has the default port.
  const mcp = start([], { ...site.variables, HOME: site.folder, SVC_REST_PORT: '1' });
  try {
    const list = (id: number) => `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"svc_list_accounts","arguments":{}}}`;
    mcp.send('{"jsonrpc":"2.0","id":"early","method":"ping"}');
    await mcp.printed('"id":"early","error":{"code":-32000,"message":"gateway connect failed');
    await site.boot(['--demo']);
    await site.announced();
    mcp.send(INITIALIZE, INITIALIZED, list(1));
    await mcp.printed('"id":1,"result"');
    await site.end('SIGKILL');
    mcp.send(list(2));
    await mcp.printed('"id":2,"error"');
    await site.boot(['--demo']);
    await site.announced();
    mcp.send(list(3));
    await mcp.printed('"id":3,"result"');
    await mcp.said('a new session has begun');
  } finally {
    await mcp.kill();
    await site.stop();
  }
});

describe('--embedded', () => {
  const site = new SpawnedDaemon(false);
  afterAll(() => site.remove());
  const env = { ...site.variables, HOME: site.folder, SVC_REST_URL: 'http://127.0.0.1:1', SVC_API_KEY: 'svc_other' };
  const ORDER = `{"acc_id":${HK_CASH},"env":"simulate","market":"HK","symbol":"HK.00700","side":"BUY","order_type":"MARKET","qty":100}`;

  it('runs a simulated brokerage of its own, where orders can be placed, and ends with its input', async () => {
    const mcp = start(['--embedded'], env);
    mcp.send(
      INITIALIZE,
      INITIALIZED,
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"svc_place_order","arguments":${ORDER}}}`,
    );
    mcp.end();
    expect(await mcp.status()).toBe(0);
    expect(mcp.stdout).toMatch(/order_id/);
  });

  it('keeps its orders, and its state to itself', async () => {
    const first = start(['--embedded'], env);
    first.send(
      INITIALIZE,
      INITIALIZED,
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"svc_get_positions","arguments":{"acc_id":${HK_CASH},"env":"simulate","market":"HK"}}}`,
    );
    await first.printed('00700');
    const second = start(['--embedded'], env);
    expect(await second.status()).toBe(1);
    expect(second.stdout).toBe('');
    expect(second.stderr).toMatch(/^error: another svcd \(process \d+\) uses the state folder .*embedded/);
    first.child.kill('SIGINT');
    expect(await first.status()).toBe(0);
    const third = start(['--embedded'], env);
    await third.said('passing MCP messages');
    if (process.platform === 'linux') expect(listenersOf(third.child.pid)).toBe(1);
    third.end();
    expect(await third.status()).toBe(0);
  });
});
