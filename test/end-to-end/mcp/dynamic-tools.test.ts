import { scopes } from '@svc-gateway/contract/scope';
import { countTokens } from 'gpt-tokenizer';
import { expect, it } from 'vitest';
import { HK_CASH } from '../../support/accounts.js';
import { TestDaemon } from '../../support/daemon.js';
import type { McpClient } from '../../support/mcp-client.js';

/** Tools that are looked for instead of listed. */
const daemon = TestDaemon.forAll({ keys: { all: { scopes }, quotes: { scopes: ['qot:read'] } }, flags: ['--mcp-toolsets', 'dynamic'] });

function open(way: 'sessions' | 'stateless', id: 'all' | 'quotes' = 'all'): Promise<McpClient> {
  return daemon.mcp(id, { way });
}

it('lists a handful of tools in under 3,000 tokens', async () => {
  const { tools } = await (await open('sessions')).client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['svc_find_tools', 'svc_describe_tools', 'svc_enable_tools', 'svc_call_tool']);
  expect(countTokens(JSON.stringify({ tools }))).toBeLessThan(3_000);
  // Nothing can be enabled without a session.
  expect(await (await open('stateless')).toolNames()).toEqual(['svc_find_tools', 'svc_describe_tools', 'svc_call_tool']);
});

it('finds tools by what they do, misspelt too, the best first', async () => {
  const client = await open('sessions');
  const found = async (query: string) => {
    const { tools } = (await client.call('svc_find_tools', { query })).json as { tools: { name: string }[] };
    return tools.map(({ name }) => name);
  };
  expect((await found('order book'))[0]).toBe('svc_get_orderbook');
  expect(await found('k-line bars of the past')).toEqual(expect.arrayContaining(['svc_get_kline', 'svc_get_history_kline']));
  expect((await found('snapshto'))[0]).toBe('svc_get_snapshot');
  expect((await found('trading days of a market'))[0]).toBe('svc_get_trading_days');
  expect(await found('zzzz')).toEqual([]);
  const account = (await client.call('svc_find_tools', { toolset: 'account', limit: 50 })).json as { tools: { toolset: string }[] };
  expect(new Set(account.tools.map(({ toolset }) => toolset))).toEqual(new Set(['account']));
});

it('describes tools with every argument, and calls them', async () => {
  const client = await open('stateless');
  const { tools } = (await client.call('svc_describe_tools', { names: ['svc_get_kline', 'svc_get_funds'] })).json as { tools: object[] };
  expect(tools).toMatchObject([{ name: 'svc_get_kline', inputSchema: { required: ['symbol'] } }, { name: 'svc_get_funds' }]);
  const bars = await client.call('svc_call_tool', { name: 'svc_get_kline', arguments: { symbol: 'HK.00700', count: 2 } });
  expect(bars.json).toMatchObject({ security: { code: '00700' }, kl_list: { rows: { length: 2 } } });
  const funds = { name: 'svc_get_funds', arguments: { acc_id: HK_CASH, env: 'simulate', market: 'HK' } };
  expect((await client.call('svc_call_tool', funds)).isError).toBe(false);
  expect((await daemon.audit()).at(-1)).toMatchObject({ iface: 'mcp', endpoint: 'svc_get_funds', outcome: 'allow' });
});

it.each(['svc_describe_tools', 'svc_call_tool', 'svc_enable_tools'])('%s without arguments names an example that works', async (name) => {
  const client = await open('sessions');
  const { error } = (await client.call(name, {})).json as { error: string };
  const example = /; for example: (\{.*\})$/.exec(error)?.[1] ?? '';
  expect((await client.call(name, JSON.parse(example))).isError).toBe(false);
});

it('enables tools for a session, and tells it so', async () => {
  const [one, other] = [await open('sessions'), await open('sessions')];
  await one.call('svc_enable_tools', { names: ['svc_get_quote'], toolset: 'subscription' });
  expect(await one.toolNames()).toEqual(expect.arrayContaining(['svc_find_tools', 'svc_get_quote', 'svc_subscribe']));
  expect(await one.toolNames()).not.toContain('svc_get_funds');
  expect(await other.toolNames()).not.toContain('svc_get_quote');
});

it('shows and calls no more than the key may use', async () => {
  const client = await open('sessions', 'quotes');
  const { tools } = (await client.call('svc_find_tools', { limit: 50 })).json as { tools: { name: string }[] };
  expect(tools.map(({ name }) => name)).not.toContain('svc_get_funds');
  const funds = { name: 'svc_get_funds', arguments: { acc_id: HK_CASH, env: 'simulate', market: 'HK' } };
  for (const [tool, args] of [
    ['svc_call_tool', funds],
    ['svc_describe_tools', { names: ['svc_get_funds'] }],
    ['svc_enable_tools', { names: ['svc_get_funds'] }],
  ] as const) {
    expect((await client.call(tool, args)).json, tool).toMatchObject({ status: 'error', code: 'auth.scope' });
  }
});

it('says what is wrong with the arguments of its own tools', async () => {
  const client = await open('sessions');
  for (const [tool, args, error] of [
    ['svc_find_tools', { quer: 'x' }, 'unknown field "quer"; did you mean "query"?'],
    ['svc_find_tools', { limit: 51 }, 'limit: expected an integer of 1 to 50, found the number 51'],
    ['svc_find_tools', { toolset: 'quotes' }, expect.stringMatching(/^toolset: expected one of system, .*, found "quotes"$/)],
    ['svc_describe_tools', {}, 'missing field "names"; for example: {"names":["svc_get_kline"]}'],
    ['svc_describe_tools', { names: ['svc_get_qoute'] }, 'unknown MCP tool "svc_get_qoute": did you mean "svc_get_quote"?'],
    ['svc_call_tool', { arguments: {} }, 'missing field "name"; for example: {"name":"svc_get_kline","arguments":{"symbol":"HK.00700"}}'],
    ['svc_call_tool', { name: 'svc_get_quote', arguments: 'HK.00700' }, 'arguments: expected an object, found the string "HK.00700"'],
    ['svc_call_tool', { name: 'svc_call_tool' }, 'name: "svc_call_tool" is called by itself'],
    ['svc_enable_tools', {}, 'missing field "names": name tools or a toolset; for example: {"names":["svc_get_kline"]}'],
  ] as const) {
    expect((await client.call(tool, args)).json, `${tool} ${JSON.stringify(args)}`).toMatchObject({ status: 'error', error });
  }
});
