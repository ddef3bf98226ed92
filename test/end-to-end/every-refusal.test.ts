import { describe, expect, it } from 'vitest';
import { HK_MARGIN, REAL } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import { Person } from '../support/mcp-client.js';

/** Every refused request for an order of a good key is in the trail, among its refused orders and in the figures. */

const scopes = ['qot:read', 'acc:read', 'trade:simulate', 'trade:real', 'trade:unlock', 'metrics:read'] as const;
const daemon = TestDaemon.forAll({
  keys: { desk: { scopes }, reader: { scopes: ['acc:read'] } },
  flags: ['--enable-trading'],
  variables: { SVC_TRADE_PWD: '123456' },
});

const account = { acc_id: HK_MARGIN, env: 'simulate', market: 'HK' };
const order = { ...account, symbol: 'HK.00700', side: 'BUY', qty: 100, price: 300 };

interface Refused {
  readonly code: string;
  readonly requestId: string | undefined;
}

/** Codes by which a refused request is known where it has to be, and its line in the trail. */
async function traces({ code, requestId }: Refused, iface: string, operation: string, as: 'desk' | 'reader' = 'desk') {
  const lines = (await daemon.audit()).filter(({ request_id, outcome }) => request_id === requestId && outcome === 'reject');
  const { refusal_list } = await daemon.as(as).s2c('/api/refusals', { num: 200 });
  const { text } = await daemon.as('desk').get('/metrics');
  const counted = new RegExp(`^svc_requests_total\\{interface="${iface}",operation="${operation}",result="${code}"\\} (\\d+)$`, 'm').exec(
    text,
  );
  return {
    line: lines[0],
    traces: {
      lines: lines.map((line) => line.code),
      listed: (refusal_list as { request_id: string; refusal_code: string }[])
        .filter(({ request_id }) => request_id === requestId)
        .map(({ refusal_code }) => refusal_code),
      counted: Number(counted?.[1] ?? 0),
    },
  };
}

describe('an order by a tool', () => {
  it.each([
    ['an unknown argument', 'svc_place_order', { ...order, colour: 'red' }, 'request.unknown_field'],
    ['a wrong preview', 'svc_place_bracket_order', { ...order, stop_loss_price: 200, preview: 'true' }, 'request.wrong_type'],
    ['a key that is no text', 'svc_modify_order', { ...account, order_id: '1', qty: 100, idempotency_key: 5 }, 'request.wrong_type'],
    ['c2s_json that is no JSON', 'svc_place_combo_order', { c2s_json: '{"header":' }, 'request.malformed_json'],
    ['both forms', 'svc_cancel_order', { ...account, c2s_json: '{}' }, 'request.invalid'],
    ['a value that cannot be read', 'svc_cancel_all_order', { ...account, acc_id: [] }, 'request.wrong_type'],
  ])('counts an order by a tool with %s among the refusals', async (_, tool, args, code) => {
    const client = await daemon.mcp('desk');
    const { json, isError } = await client.call(tool, args);
    expect([isError, json.code]).toEqual([true, code]);
    const found = await traces({ code, requestId: json.request_id as string }, 'mcp', tool.slice(4));
    expect(found.traces).toEqual({ lines: [code], listed: [code], counted: 1 });
  });

  it('tells a key that may not trade so, and nothing of its arguments', async () => {
    const client = await daemon.mcp('reader');
    const { json } = await client.call('svc_place_order', { ...order, colour: 'red' });
    expect(json.code).toBe('auth.scope');
    const found = await traces({ code: 'auth.scope', requestId: json.request_id as string }, 'mcp', 'place_order', 'reader');
    expect(found.traces).toEqual({ lines: ['auth.scope'], listed: ['auth.scope'], counted: 1 });
  });

  it('records an order declined by a person with its terms', async () => {
    const person = new Person();
    const client = await daemon.mcp('desk', person.options);
    await client.call('svc_unlock_trade', { unlock: true });
    person.answer = Person.declines;
    const code = 'confirmation.declined';
    const { json } = await client.call('svc_place_order', { ...order, acc_id: REAL, env: 'real' });
    expect(json.code).toBe(code);
    const { line, traces: found } = await traces({ code, requestId: json.request_id as string }, 'mcp', 'place_order');
    expect(found).toEqual({ lines: [code], listed: [code], counted: 1 });
    expect(line).toMatchObject({ acc_id: Number(REAL), symbol: 'HK.00700', side: 'BUY', qty: 100, price: 300 });
  });
});

it('an order over REST whose body is too long', async () => {
  const answer = await daemon.as('desk').post('/api/order', JSON.stringify({ ...order, remark: 'x'.repeat(1024 * 1024) }));
  expect([answer.status, answer.json.code, answer.headers.connection]).toEqual([413, 'request.too_large', 'close']);
  const requestId = answer.headers['x-request-id'] as string;
  const found = await traces({ code: 'request.too_large', requestId }, 'rest', 'place_order');
  expect(found.traces).toEqual({ lines: ['request.too_large'], listed: ['request.too_large'], counted: 1 });
});

it('a request over gRPC that is too long to be read is in the trail', async () => {
  const client = daemon.grpc();
  const answer = await client.call({ key: daemon.keys.desk, protoId: 2202, body: new Uint8Array(1024 * 1024 + 1) });
  expect(answer.code).toBe('RESOURCE_EXHAUSTED');
  const lines = (await daemon.audit()).filter(({ iface }) => iface === 'grpc');
  expect(lines).toMatchObject([
    {
      endpoint: 'Request',
      key_id: 'desk',
      outcome: 'reject',
      code: 'request.too_large',
      reason: expect.stringContaining('larger than max'),
    },
  ]);
});
