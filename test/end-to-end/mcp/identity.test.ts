import { readFileSync } from 'node:fs';
import { scopes } from '@svc-gateway/contract/scope';
import { describe, expect, it } from 'vitest';
import { BUY, HK, HK_CASH, SIMULATE } from '../../support/accounts.js';
import { TestDaemon } from '../../support/daemon.js';
import { editKey } from '../../support/keys.js';
import { McpClient, ways } from '../../support/mcp-client.js';
import { McpWire } from '../../support/mcp-wire.js';
import { until } from '../../support/until.js';

type Id = 'all' | 'quotes' | 'accounts' | 'doomed' | 'narrowed';

const daemon = TestDaemon.forAll({
  keys: {
    all: { scopes },
    quotes: { scopes: ['qot:read'] },
    accounts: { scopes: ['acc:read'] },
    doomed: { scopes: ['qot:read'] },
    narrowed: { scopes: ['qot:read', 'acc:read'] },
  },
  // The key of the start is that of core TCP: no other caller falls back on it.
  flags: ['--enable-trading', '--api-key-id', 'all'],
});

function open(id: Id, way: (typeof ways)[number], headers: Record<string, string> = {}): Promise<McpClient> {
  return daemon.mcp(id, { way, headers });
}

describe.each(ways)('a caller of the way with %s', (way) => {
  it('requires a valid bearer even to begin', async () => {
    await expect(McpClient.open(daemon, { way })).rejects.toThrow(/401|[Uu]nauthorized|bearer/);
    await expect(McpClient.open(daemon, { way, keyText: 'svc_nobody' })).rejects.toThrow(/401|[Uu]nauthorized|token invalid/);
  });

  it('is told of a tool that there is none of, with the nearest name', async () => {
    const all = await open('all', way);
    const answer = await all.call('svc_get_qoute');
    expect(answer).toMatchObject({
      isError: true,
      json: { status: 'error', error: expect.stringMatching(/^unknown MCP tool .*svc_get_quote/) },
    });
  });

  it('can name another key for one call, whose scopes and audit lines those are', async () => {
    const quotes = await open('quotes', way);
    const args = { acc_id: HK_CASH, env: 'simulate', market: 'HK' };
    const answer = await quotes.call('svc_get_positions', { ...args, api_key: daemon.keys.accounts });
    expect(answer.isError).toBe(false);
    const line = (await daemon.audit()).findLast(({ endpoint }) => endpoint === 'svc_get_positions');
    expect(line).toMatchObject({ iface: 'mcp', key_id: 'accounts', outcome: 'allow' });
    expect((await quotes.call('svc_get_positions', args)).json).toMatchObject({ code: 'auth.scope' });
  });

  it('is refused with an invalid key of the call, which falls back on nothing', async () => {
    const all = await open('all', way);
    for (const api_key of ['svc_nobody', '']) {
      const answer = await all.call('svc_get_quote', { symbol: 'HK.00700', api_key });
      expect(answer).toMatchObject({ isError: true, json: { error: expect.stringMatching(/unauthorized|api_key/) } });
    }
    expect((await daemon.audit()).at(-1)).toMatchObject({ iface: 'mcp', endpoint: 'svc_get_quote', outcome: 'reject' });
  });

  it('is told why the brokerage refuses, as a "backend proto error"', async () => {
    const all = await open('all', way);
    const answer = await all.call('svc_get_token_state', { acc_id: '5' });
    expect(answer).toMatchObject({
      isError: true,
      json: { status: 'error', error: expect.stringMatching(/^backend proto error: unknown account 5/) },
    });
  });

  it('gets the tools of the toolsets that it asks for, and no other', async () => {
    const client = await open('all', way, { 'x-svc-toolsets': 'quote, account' });
    const names = await client.toolNames();
    expect(names).toContain('svc_get_quote');
    expect(names).toContain('svc_list_accounts');
    expect(names).not.toContain('svc_place_order');
    expect(names).not.toContain('svc_ping');
    expect((await client.call('svc_ping')).json).toMatchObject({ error: expect.stringContaining('system') });
    await expect(open('all', way, { 'x-svc-toolsets': 'qoute' })).rejects.toThrow();
  });

  it('has its account ids exact to the last digit, in text and in structure', async () => {
    const client = await open('all', way);
    const answer = await client.call('svc_list_accounts');
    expect(answer.text).toContain(`"acc_id":${HK_CASH}`);
    expect(answer.structured).toMatchObject({ acc_list: expect.arrayContaining([expect.objectContaining({ acc_id: HK_CASH })]) });
    const strings = await open('all', way, { 'x-svc-int64': 'string' });
    expect((await strings.call('svc_list_accounts')).text).toContain(`"acc_id":"${HK_CASH}"`);
  });
});

describe('an account id as a JSON number of 18 digits', () => {
  it('reaches the account that it names', async () => {
    const wire = new McpWire(daemon, daemon.keys.all);
    const session = await wire.begin();
    const order = `{"market":${HK},"acc_id":${HK_CASH},"env":${SIMULATE},"side":${BUY},"symbol":"HK.00700","qty":100,"price":300.2,"order_type":"NORMAL"}`;
    const call = `{"jsonrpc":"2.0","id":9007199254740991,"method":"tools/call","params":{"name":"svc_place_order","arguments":${order}}}`;
    const { text } = await wire.send('POST', call, session);
    expect(text).toContain('"id":9007199254740991');
    expect(text).not.toContain('"isError":true');
    const line = (await daemon.audit()).findLast(({ outcome }) => outcome === 'trade');
    expect(JSON.stringify(line)).toContain('svc_place_order');
    expect(readFileSync(daemon.auditPath, 'utf8')).toContain(`"acc_id":${HK_CASH}`);
  });
});

describe('a reload of the keys', () => {
  it('ends the sessions of a revoked key', async () => {
    const client = await open('doomed', 'sessions');
    expect(await client.toolNames()).toContain('svc_get_quote');
    editKey(daemon.keysPath, 'doomed', undefined);
    await daemon.daemon.reload();
    await expect(client.toolNames()).rejects.toThrow(/401|key revoked|[Uu]nauthorized/);
    const other = await open('all', 'sessions');
    const answer = await other.call('svc_get_quote', { symbol: 'HK.00700', api_key: daemon.keys.doomed });
    expect(answer).toMatchObject({ isError: true, json: { status: 'error', error: expect.stringContaining('key revoked') } });
  });

  it('tells open sessions that their tools are others', async () => {
    const client = await open('narrowed', 'sessions');
    expect(await client.toolNames()).toContain('svc_get_positions');
    editKey(daemon.keysPath, 'narrowed', { scopes: ['qot:read'] });
    await daemon.daemon.reload();
    await until(() => client.notices.some(({ method }) => method === 'notifications/tools/list_changed'), 'the news of other tools');
    expect(await client.toolNames()).not.toContain('svc_get_positions');
  });
});
