import { snakeCase } from '@svc-gateway/contract/names';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, operations, subscription, trade } from '@svc-gateway/contract/operations';
import { beforeAll, describe, expect, it } from 'vitest';
import { HK, HK_MARGIN, SIMULATE } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import type { McpClient } from '../support/mcp-client.js';
import { namingRequest, spellings } from '../support/spellings.js';

/** Fixed fields of an operation cannot be overridden in the body: by any name, in any form. */
let mcp: McpClient;
const daemon = TestDaemon.forAll({ keys: { desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'] } }, flags: ['--enable-trading'] });
beforeAll(async () => {
  mcp = await daemon.mcp('desk');
});

interface Case {
  readonly operation: Operation;
  readonly field: string;
  readonly value: unknown;
  readonly code: string;
}

/** Contradictions of each fixed field, and each field that the operation does not know. */
const cases: readonly Case[] = operations.flatMap((operation) => [
  ...operation.shape
    .filter((param) => 'exactly' in param)
    .map((param) => ({ ...base(operation, param.field), value: other(param.exactly), code: 'request.invalid' })),
  ...operation.unused.map((field) => ({
    ...base(operation, field),
    value: field === 'orderIDEx' ? 'x' : 1,
    code: 'request.unknown_field',
  })),
]);

function base(operation: Operation, field: string) {
  return { operation, field };
}

function other(value: unknown): unknown {
  return typeof value === 'boolean' ? !value : 1;
}

it('there are as many as the declarations say', () => {
  expect(new Set(cases.map(({ operation }) => operation.name))).toEqual(
    new Set(['subscribe', 'unsubscribe', 'get_sub_info', 'cancel_order', 'cancel_all_order']),
  );
});

describe.each(cases.map((each) => [each.operation.name, snakeCase(each.field), each.value, each] as const))(
  '%s with %s %j',
  (_, name, value, { operation, code }) => {
    const bodies = (dialect: 'rest' | 'mcp') => {
      const all = Object.assign({}, ...spellings(operation, namingRequest(operation, operations), dialect)) as Record<string, string>;
      const lowLevel = { ...JSON.parse(all['low-level'] ?? '{}'), [name]: value };
      const friendly = JSON.parse(all.friendly ?? '{}');
      for (const param of operation.shape) if (snakeCase(param.field) === name && param.name in friendly) delete friendly[param.name];
      return [lowLevel, { c2s: lowLevel }, { ...friendly, [name]: value }, { c2s: { ...friendly, [name]: value } }];
    };

    it.each(operation.rest)('is refused over $method $path, in every form', async ({ method, path }) => {
      for (const body of method === 'GET' ? [undefined] : bodies('rest')) {
        const answer = await daemon.as('desk').request(method, method === 'GET' ? `${path}?${name}=${value}` : path, { body });
        expect([body, answer.status, answer.json.code]).toEqual([body, 400, code]);
        expect(answer.json.error).toContain(name);
      }
    });

    it.runIf(operation.tool !== null)('is refused to its tool', async () => {
      const [lowLevel] = bodies('mcp');
      const answer = await mcp.call(operation.tool ?? '', { c2s_json: JSON.stringify(lowLevel) });
      expect(answer).toMatchObject({ isError: true, json: { code } });
    });
  },
);

describe('saying what the operation does anyway', () => {
  it.each([
    [subscription.subscribe, { symbols: ['HK.00700'], sub_types: [1], is_sub_or_un_sub: true, is_unsub_all: false }],
    [subscription.unsubscribe, { symbols: ['HK.00700'], sub_types: [1], is_sub_or_un_sub: false }],
    [subscription.getSubInfo, { is_req_all_conn: false }],
    [trade.cancelAllOrder, { acc_id: HK_MARGIN, env: SIMULATE, market: HK, for_all: true, modify_order_op: 2, order_id: 0 }],
  ] as const)('is no contradiction', async (operation, body) => {
    const [{ method, path } = { method: 'POST', path: '' }] = operation.rest;
    const query = new URLSearchParams(Object.entries(body).map(([name, value]): [string, string] => [name, String(value)]));
    const answer = method === 'GET' ? await daemon.as('desk').get(`${path}?${query}`) : await daemon.as('desk').post(path, body);
    expect([answer.status, answer.json.ret_type]).toEqual([200, 0]);
  });
});

it('no order of the account is ended or changed by a cancel that says more', async () => {
  const desk = daemon.as('desk');
  const header = { acc_id: HK_MARGIN, env: SIMULATE, market: HK };
  const { last_done } = await desk
    .s2c('/api/quote', { symbol: 'HK.00700' })
    .then(({ basic_qot_list: [quote] }) => ({ last_done: quote.cur_price }));
  const price = Math.floor(last_done * 0.9);
  const ids: string[] = [];
  for (let count = 0; count < 2; count++)
    ids.push((await desk.s2c('/api/order', { ...header, side: 1, code: '00700', qty: 100, price })).order_id_ex);
  const [first] = ids;
  await desk.post('/api/cancel-order', { ...header, order_id_ex: first, for_all: true });
  await desk.post('/api/cancel-all-order', { ...header, modify_order_op: 1, order_id_ex: first, qty: 500, price, for_all: false });
  const { order_list } = await desk.s2c(account.getOrders.rest[0]?.path ?? '', header);
  expect(order_list.map((order: { qty: number; order_status: number }) => [order.qty, order.order_status === 15])).toEqual([
    [100, false],
    [100, false],
  ]);
});
