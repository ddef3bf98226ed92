import { operations } from '@svc-gateway/contract/operations';
import { scopes } from '@svc-gateway/contract/scope';
import { switches } from '@svc-gateway/contract/switches';
import { beforeAll, expect, it } from 'vitest';
import { TestDaemon } from '../../support/daemon.js';
import type { McpClient } from '../../support/mcp-client.js';

/** The examples in errors of tools work as they are. */

/** Refusals by what an account or the world happens to hold. */
const BY_STATE = /no order|no open bracket|has no position|no reminder|log_id/;
const tools = operations.flatMap(({ tool, group }) => (tool === null || group === 'admin' ? [] : [tool]));

let client: McpClient;
const daemon = TestDaemon.forAll({
  keys: { all: { scopes } },
  flags: [...switches, '--sim-clock', 'open', '--request-timeout', '120'],
  variables: { SVC_TRADE_PWD: '123456' },
});
beforeAll(async () => {
  client = await daemon.mcp('all');
});

it.each(tools)('the example in the error of %s works as it is', async (tool) => {
  const bare = await client.call(tool, {});
  if (!bare.isError) return;
  const { error, code } = JSON.parse(bare.text) as { error: string; code: string };
  if (code !== 'request.missing_field') return;
  const example = /; for example: (\{.*\})$/s.exec(error)?.[1];
  if (example === undefined) throw new Error(`no example: ${error}`);
  const given = JSON.parse(example) as Record<string, unknown>;
  const first = await client.call(tool, given);
  // Executives come and go: one of those whom the refusal lists is accepted.
  const inOffice = first.isError ? /in office: ([^,"]+)/.exec(first.text)?.[1] : undefined;
  const answer = inOffice === undefined ? first : await client.call(tool, { ...given, leader_name: inOffice });
  if (answer.isError) expect(answer.text, example).toMatch(BY_STATE);
});
