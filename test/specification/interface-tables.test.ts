import { operations } from '@svc-gateway/contract/operations';
import { possibleScopes, scopes } from '@svc-gateway/contract/scope';
import { switches } from '@svc-gateway/contract/switches';
import { argumentNames } from '@svc-gateway/contract/tool-arguments';
import { wholeTool } from '@svc-gateway/contract/tools';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Schema } from '../../packages/contract/src/json-schema.js';
import { TestDaemon } from '../support/daemon.js';
import type { McpClient } from '../support/mcp-client.js';
import { type BoundRow, boundRows, interfaceText, routeRows, toolEntries } from './interface-tables.js';

/** The interface specification's own tables, held against the daemon that runs. */
let client: McpClient;
// Most refusals of this test are of one key, which would be held back for them.
const flags = ['--max-refusals-per-second', '100000', ...switches];
const daemon = TestDaemon.forAll({ keys: { all: { scopes } }, flags });
beforeAll(async () => {
  client = await daemon.mcp('all');
});

const routes = routeRows().filter(({ path }) => path !== '/ws' && path !== '/api/admin/shutdown');
const title = ({ method, path }: { method: string; path: string }) => `${method} ${path}`;

describe('the tables', () => {
  it('reads every row of the tables', () => {
    expect([routes.length, routes.flatMap(({ body }) => body).length]).toEqual([108, 236]);
    expect([toolEntries().length, toolEntries().flatMap(({ args }) => args).length]).toEqual([81, 118]);
  });

  it('names only paths that are served', () => {
    const served = new Set(operations.flatMap(({ rest }) => rest.map(({ path }) => path)));
    const named = new Set(interfaceText.match(/\/api\/[a-z0-9/-]*[a-z0-9]/g));
    expect([...named].filter((path) => path !== '/api/admin' && !served.has(path))).toEqual([]);
  });
});

describe('each route', () => {
  it.each(routes.map((row) => [title(row), row] as const))('%s takes keys with its scope alone', (_, { method, path, scopes: needed }) => {
    const operation = operations.find(({ rest }) => rest.some((route) => route.method === method && route.path === path));
    if (needed.length === 0 || operation === undefined) return;
    const accepted = possibleScopes(operation.scope).filter((scope) => needed.includes(scope) || !alsoTaken(path, scope));
    expect([...accepted].sort()).toEqual([...needed].sort());
  });

  it.each(routes.filter(({ method, body }) => method === 'POST' && body.length > 0).map((row) => [title(row), row] as const))(
    '%s knows the fields of its body',
    async (_, { method, path, body }) => {
      for (const { name, inner } of body) {
        const bodies = [{ [name]: null }, ...inner.map((field) => ({ [name]: { [field]: null } }))];
        for (const each of bodies) {
          const { json } = await daemon.as('all').request(method, path, { body: each });
          expect([each, json.code]).not.toEqual([each, 'request.unknown_field']);
        }
      }
      const { json } = await daemon.as('all').request(method, path, { body: { [`no_${body[0]?.name}_at_all`]: null } });
      expect(json.code).toBe('request.unknown_field');
    },
  );
});

/** Scopes that another sentence of the specification accepts, or that its environment decides. */
function alsoTaken(path: string, scope: string): boolean {
  return /subscribe$/.test(path) && ['qot:read', 'qot:state'].includes(scope);
}

describe('each tool', () => {
  it.each(toolEntries().map((entry) => [entry.tool, entry] as const))('%s is there and takes its arguments', (_, { tool, args }) => {
    const operation = operations.find((each) => each.tool === tool);
    const known = operation === undefined ? new Set<string>() : argumentNames(operation);
    expect(known.size).toBeGreaterThan(0);
    expect(args.filter((name) => !known.has(name))).toEqual([]);
  });
});

/** The tools and arguments that a row of the table of bounds is about. */
const bounded: Readonly<Record<string, readonly (readonly [tool: string, argument: string])[]>> = {
  'history K-line max_count (MCP)': [['svc_get_history_kline', 'max_count']],
  'K-line count (MCP)': [['svc_get_kline', 'count']],
  'order book depth': [['svc_get_orderbook', 'depth']],
  'stock filter num': [['svc_get_stock_filter', 'num']],
  'warrant num': [['svc_get_warrant', 'num']],
  'news page_size': [
    ['svc_latest_news', 'page_size'],
    ['svc_stock_news', 'page_size'],
  ],
  'company metric and statement num': [
    ['svc_get_company_operational_efficiency', 'num'],
    ['svc_get_financials_statements', 'num'],
  ],
  'research rating num': [['svc_get_research_rating_summary', 'num']],
  'valuation plate list num': [['svc_get_valuation_plate_stock_list', 'num']],
  'etf-screen data_max_count': [['svc_etf_screen', 'data_max_count']],
  'forex constituents data_max_count': [['svc_forex_constituents', 'data_max_count']],
  'forex constituents sort_id': [['svc_forex_constituents', 'sort_id']],
  'cash log max_cnt': [['svc_get_cash_log', 'max_cnt']],
};
/** Bounds of an enumeration, of items of a list, and of an environment variable: their tests are in requirements/25-bound.tsv. */
const elsewhere = ['forex constituents list_id', 'watchlist notice_types', 'historical K-line quota'];
/** The table's own exception: an explicit 0 is no limit. */
const zeroToo = 'history K-line max_count (MCP)';

describe('each bound of the table', () => {
  const cases = boundRows().flatMap((row) => (bounded[row.item] ?? []).map(([tool, argument]) => [row.item, tool, argument, row] as const));

  it('holds every bound of the table against an argument', () => {
    expect(
      boundRows()
        .map(({ item }) => item)
        .filter((item) => bounded[item] === undefined),
    ).toEqual(elsewhere);
  });

  it.each(cases)('%s is held by %s %s', async (item, tool, argument, row: BoundRow) => {
    const operation = operations.find((each) => each.tool === tool);
    if (operation === undefined) throw new Error(`there is no tool ${tool}`);
    const { minimum, maximum, enum: names, default: fallback } = wholeTool(operation).inputSchema.properties[argument] as Schema;
    const least = item === zeroToo ? 0 : row.min;
    // An enumeration of every number between them is told by its names.
    if (Array.isArray(names)) expect(names).toHaveLength((row.max ?? 0) - (least ?? 0) + 1);
    else if (row.min !== undefined) expect([minimum, maximum]).toEqual([least, row.max]);
    if (row.fallback !== undefined) expect(fallback ?? row.fallback).toBe(row.fallback);
    if (least === undefined || row.max === undefined) return;
    const refused = async (value: number) => {
      const { json } = await client.call(tool, { [argument]: value });
      return json.field === argument && json.code === 'request.out_of_range';
    };
    expect([await refused(least - 1), await refused(least), await refused(row.max), await refused(row.max + 1)]).toEqual([
      true,
      false,
      false,
      true,
    ]);
  });
});
