import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operationNamed } from '../../src/contract/operations/index.js';
import { scopes } from '../../src/contract/scope.js';
import { TestDaemon } from '../support/daemon.js';
import { McpClient } from '../support/mcp-client.js';

/** A daemon that was started without a switch, asked for everything that the list of operations has. */
const [, ...lines] = readFileSync(join(import.meta.dirname, 'operations.tsv'), 'utf8')
  .trimEnd()
  .split('\n');
const rows = lines
  .map((line) => {
    const [, operation = '', , routes = '', tool = '', , switches = ''] = line.split('\t');
    return {
      operation,
      routes: routes.split(', ').map((route) => {
        const [method = '', path = ''] = route.split(' ');
        return { method, path };
      }),
      tool: tool === '-' ? null : tool,
      switches: switches === '-' ? [] : switches.split(' '),
    };
  })
  .filter(({ operation }) => operationNamed(operation) !== undefined);

describe('without its switch', () => {
  let daemon: TestDaemon<'all'>;
  let client: McpClient;
  let listed: readonly string[];
  beforeAll(async () => {
    daemon = await TestDaemon.start({ keys: { all: { scopes } } });
    client = await McpClient.open(daemon, { keyText: daemon.keys.all });
    listed = await client.toolNames();
  });
  afterAll(async () => {
    await client.close();
    await daemon.stop();
  });

  it.each(rows.filter(({ switches }) => switches.length > 0))('$operation is off', async ({ routes, tool, switches }) => {
    const refused = { code: 'feature_disabled', error: expect.stringContaining(switches[0] ?? '') };
    for (const { method, path } of routes) {
      const answer = await daemon.as('all').request(method, path, { body: {} });
      expect([path, answer.status, answer.json]).toMatchObject([path, 403, refused]);
    }
    if (tool === null) return;
    expect(listed).not.toContain(tool);
    expect((await client.call(tool, {})).json).toMatchObject(refused);
  });

  it.each(rows.filter(({ switches }) => switches.length === 0))('$operation is served', async ({ routes, tool }) => {
    for (const { method, path } of routes.filter((route) => route.path !== '/api/admin/shutdown')) {
      const answer = await daemon.as('all').request(method, path, { body: method === 'POST' ? {} : undefined });
      expect([path, answer.status === 200 || answer.status === 400]).toEqual([path, true]);
    }
    // A daemon that does not trade has no tool for the trade password either.
    if (tool !== null && tool !== 'svc_unlock_trade') expect(listed).toContain(tool);
  });
});
