import type { Progress } from '@modelcontextprotocol/client';
import type { ResponseMessage } from '@svc-gateway/gateway';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptedBackend, type ServedGateway, serveGateway, succeed } from '../../support/gateway.js';
import { McpClient, ways } from '../../support/mcp-client.js';

/** Answers when it is told to. */
let answer: () => void;
const backend = new ScriptedBackend(
  (operation, request) =>
    new Promise<ResponseMessage>((resolve) => {
      answer = () => resolve(succeed(operation, request));
    }),
);

let gateway: ServedGateway;
beforeAll(async () => {
  gateway = await serveGateway({ backend, keys: { quotes: { scopes: ['qot:read'] } } });
});
afterAll(() => gateway.stop());

describe.each(ways)('a call that takes long, over the way with %s', (way) => {
  it('tells a client that asked for it how long it has been waited for', async () => {
    const client = await McpClient.open(gateway, { way, keyText: gateway.key('quotes') });
    const heard: Progress[] = [];
    const onprogress = (progress: Progress) => {
      heard.push(progress);
      // Not before there are two: they must rise.
      if (heard.length === 2) answer();
    };
    const result = await client.client.callTool({ name: 'svc_get_market_state', arguments: { symbols: ['HK.00700'] } }, { onprogress });
    expect(result.isError).toBeUndefined();
    const [first, second] = heard;
    expect(second?.progress).toBeGreaterThan(first?.progress ?? Number.POSITIVE_INFINITY);
    expect(first?.message).toMatch(/^waiting for the brokerage, \d s$/);
    await client.close();
  });
});
