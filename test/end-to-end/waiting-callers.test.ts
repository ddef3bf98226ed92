import type { Progress } from '@modelcontextprotocol/client';
import type { ResponseMessage } from '@svc-gateway/gateway';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptedBackend, type ServedGateway, serveGateway, succeed } from '../support/gateway.js';
import type { GrpcClient } from '../support/grpc-client.js';
import { McpClient, ways } from '../support/mcp-client.js';
import { until } from '../support/until.js';

/** Takes every subscription, and never pushes. */
class SilentBackend extends ScriptedBackend {
  override async subscribe(): Promise<ResponseMessage> {
    return { retType: 0, retMsg: '', errCode: 0 } as ResponseMessage;
  }
}

const backend = new SilentBackend((operation, request) => {
  const answer = succeed(operation, request);
  if (operation.name === 'get_quote') {
    const { s2c } = answer as unknown as { s2c: { basicQotList: unknown[] } };
    s2c.basicQotList.push({ curPrice: 398.2 });
  }
  return answer;
});
const body = { condition: 1, symbol: 'HK.00700', relation: 1, price: 400, timeout: 600 };
const asTool = { ...body, condition: 'price', relation: 'at_or_above' };

let served: ServedGateway;
let grpc: GrpcClient;
beforeAll(async () => {
  const quotes = { scopes: ['qot:read'] } as const;
  served = await serveGateway({
    backend,
    keys: {
      revoked: quotes,
      narrowed: quotes,
      scoped: quotes,
      expired: quotes,
      model: quotes,
      far: { ...quotes, limits: { allowedMarkets: 'US' } },
    },
  });
  grpc = served.grpc();
});
afterAll(() => served.stop());

/** Resolves once as many calls wait. */
async function waits(count: number): Promise<void> {
  await until(() => served.gateway.push.subscriptions.listAll().length === count, `${count} calls that wait`);
}

describe.each([
  ['revoked', () => served.revoke('revoked'), 401, 'auth.revoked'],
  ['narrowed', () => served.change('narrowed', { limits: { allowed_markets: ['US'] } }), 429, 'limit.market'],
  ['scoped', () => served.change('scoped', { scopes: ['acc:read'] }), 403, 'auth.scope'],
  ['expired', () => served.change('expired', { expires_at: new Date(Date.now() + 500).toISOString() }), 401, 'auth.expired'],
] as const)('a call whose key is %s', (id, change, status, code) => {
  it('waits no longer, and is told why', async () => {
    const answer = served.as(id).post('/api/wait-for', body);
    await waits(1);
    change();
    const { status: told, json } = await answer;
    expect({ status: told, code: json.code }).toEqual({ status, code });
    await waits(0);
  });
});

it('ends when the backend is lost, and says so', async () => {
  const answer = served.as('model').post('/api/wait-for', body);
  await waits(1);
  backend.become('reconnecting');
  expect((await answer).json).toMatchObject({ code: 'backend.not_ready', error: expect.stringMatching(/reconnecting.*HK\.00700/) });
  expect((await served.as('model').post('/api/wait-for', body)).status).toBe(503);
  backend.become('ready');
  await waits(0);
});

it('ends with the connection of its caller', async () => {
  const leaving = new AbortController();
  const call = fetch(`${served.url}/api/wait-for`, {
    method: 'POST',
    headers: { authorization: `Bearer ${served.key('model')}` },
    body: JSON.stringify(body),
    signal: leaving.signal,
  }).catch(() => undefined);
  await waits(1);
  leaving.abort();
  await call;
  await waits(0);
});

describe.each(ways)('over the way with %s', (way) => {
  it('a tool reports the condition that it waits for, its state and the time so far', async () => {
    const client = await McpClient.open(served, { way, keyText: served.key('model') });
    const heard: Progress[] = [];
    const cancel = new AbortController();
    const onprogress = (progress: Progress) => {
      heard.push(progress);
      if (heard.length === 2) cancel.abort();
    };
    await client.client.callTool({ name: 'svc_wait_for', arguments: asTool }, { onprogress, signal: cancel.signal }).catch(() => undefined);
    expect(heard[0]).toMatchObject({ total: 600, message: 'waiting for HK.00700: last price at or above 400; now 398.2' });
    expect(heard[1]?.progress).toBeGreaterThan(heard[0]?.progress ?? Number.POSITIVE_INFINITY);
    // Taken back by the client, it waits no longer.
    await waits(0);
    await client.close();
  });
});

it('answers what was seen over REST, tools and gRPC, and refuses a key for another market on each', async () => {
  const looks = { ...body, timeout: 0 };
  const rest = await served.as('model').post('/api/wait-for', looks);
  expect(rest.json).toMatchObject({ ret_type: 0, s2c: { outcome: 2, last_price: 398.2 } });
  const model = await McpClient.open(served, { keyText: served.key('model') });
  expect((await model.call('svc_wait_for', { ...asTool, timeout: 0 })).json).toMatchObject({ outcome: 'timed_out', last_price: 398.2 });
  await model.close();
  expect((await served.as('far').post('/api/wait-for', looks)).json.code).toBe('limit.market');
  const far = await McpClient.open(served, { keyText: served.key('far') });
  expect((await far.call('svc_wait_for', { ...asTool, timeout: 0 })).json).toMatchObject({ code: 'limit.market' });
  await far.close();
  const request = { condition: 1, security: { market: 1, code: '00700' }, relation: 1, price: 400, timeout: 0 };
  const asked = { protoId: 20050, type: 'svc.wait_for', request };
  expect((await grpc.call({ ...asked, key: served.key('model') })).message).toMatchObject({ s2c: { outcome: 2, last_price: 398.2 } });
  expect(await grpc.call({ ...asked, key: served.key('far') })).toMatchObject({ code: 'RESOURCE_EXHAUSTED' });
});
