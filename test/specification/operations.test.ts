import { operationNamed, operations } from '@svc-gateway/contract/operations';
import { possibleScopes, scopes } from '@svc-gateway/contract/scope';
import { beforeAll, describe, expect, it } from 'vitest';
import { TestDaemon } from '../support/daemon.js';
import type { McpClient } from '../support/mcp-client.js';
import { operationRows } from './operation-rows.js';

/**
 * An operation that is gone, or that is reached by another id, route or tool, or that needs another scope or switch, fails here.
 * Its refusal without them is tested in test/end-to-end/access-matrix.test.ts.
 */
/** Operations beyond the specification; docs/choices.md and CHANGELOG.md give their purpose. */
const own = ['wait_for', 'get_refusals', 'place_bracket_order', 'get_brackets', 'cancel_bracket'];

const inOrder = (routes: readonly { method: string; path: string }[]) => routes.map(({ method, path }) => `${method} ${path}`).sort();

it.each(operationRows)(
  '$operation is reached by its id, routes and tool, with its scopes and behind its switches',
  ({ group, operation, id, routes, tool, needed, switches }) => {
    const declared = operationNamed(operation);
    expect(declared).toMatchObject({ group, protoId: id, tool, switches });
    expect(inOrder(declared?.rest ?? [])).toEqual(inOrder(routes));
    const held = declared === undefined ? [] : possibleScopes(declared.scope);
    expect(held.length === scopes.length ? [] : [...held].sort()).toEqual(needed);
  },
);

describe('the list', () => {
  it('has every operation and every tool that is declared, but for those of this gateway alone', () => {
    const names = operationRows.map(({ operation }) => operation);
    expect(new Set(names).size).toBe(names.length);
    const declared = operations.filter(({ name }) => !own.includes(name));
    expect(declared.map(({ name }) => name).sort()).toEqual(operationRows.map(({ operation }) => operation).sort());
    expect(declared.flatMap(({ tool }) => tool ?? []).sort()).toEqual(operationRows.flatMap(({ tool }) => tool ?? []).sort());
    expect(own.filter((name) => operationNamed(name) === undefined)).toEqual([]);
  });

  it('declares no path with a version', () => {
    for (const { rest } of operations) for (const { path } of rest) expect(path).not.toMatch(/\/v\d/);
  });
});

describe('without its switch', () => {
  let client: McpClient;
  let shown: readonly string[];
  const daemon = TestDaemon.forAll({ keys: { all: { scopes } } });
  beforeAll(async () => {
    client = await daemon.mcp('all');
    shown = await client.toolNames();
  });

  it.each(operationRows.filter(({ switches }) => switches.length > 0))(
    '$operation is off without its switch',
    async ({ routes, tool, switches }) => {
      const refused = { code: 'feature_disabled', error: expect.stringContaining(switches[0] ?? '') };
      for (const { method, path } of routes) {
        const answer = await daemon.as('all').request(method, path, { body: {} });
        expect([path, answer.status, answer.json]).toMatchObject([path, 403, refused]);
      }
      if (tool === null) return;
      expect(shown).not.toContain(tool);
      expect((await client.call(tool, {})).json).toMatchObject(refused);
    },
  );

  it.each(operationRows.filter(({ switches }) => switches.length === 0))(
    '$operation is served without switches',
    async ({ routes, tool }) => {
      for (const { method, path } of routes.filter((route) => route.path !== '/api/admin/shutdown')) {
        const answer = await daemon.as('all').request(method, path, { body: method === 'POST' ? {} : undefined });
        expect([path, answer.status === 200 || answer.status === 400]).toEqual([path, true]);
      }
      // A daemon that does not trade has no tool for the trade password either.
      if (tool !== null && tool !== 'svc_unlock_trade') expect(shown).toContain(tool);
    },
  );
});
