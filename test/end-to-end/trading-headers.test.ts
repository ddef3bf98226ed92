import { create, fromBinary, fromJson, type JsonObject, type Message, toBinary } from '@bufbuild/protobuf';
import type { TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { operations } from '@svc-gateway/contract/operations';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUY, HK_MARGIN, MARKET, SIMULATE } from '../support/accounts.js';
import { CoreTcpClient } from '../support/core-tcp-client.js';
import { TestDaemon } from '../support/daemon.js';
import type { PushClient } from '../support/push-client.js';
import { sampleRequest } from '../support/sample-request.js';

/** The headers of answers and pushes name the market that an account was read or traded in, also where the request names none. */

const FUTURES_SIMULATED = '281756478396547008';
const HK = 1;
const FUTURES = 5;
const ORDER_PUSH = 2208;
const FILL_PUSH = 2218;
const accounts = [
  { acc_id: HK_MARGIN, market: HK, symbol: 'HK.00700', qty: 100 },
  { acc_id: FUTURES_SIMULATED, market: FUTURES, symbol: 'HK.HSImain', qty: 1 },
];

type Answer = Message & { retType: number; s2c?: { header?: TrdHeader } };

const headed = operations.filter(
  ({ messages }) => messages.ResponseSchema.field.s2c?.message?.field.header?.message?.typeName === 'Trd_Common.TrdHeader',
);

let client: CoreTcpClient;
let push: PushClient;
/** Request fields that refer to what was traded, by account. */
const traded = new Map<string, JsonObject>();

const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
const flags = ['--api-key-id', 'desk', '--enable-trading', '--enable-v18-experimental-reads'];
const daemon = TestDaemon.forAll({ keys: { desk: { scopes } }, flags });
beforeAll(async () => {
  client = await CoreTcpClient.open(daemon.daemon.apiAddress!);
  push = await daemon.push('desk', '?int64=string');
  const desk = daemon.as('desk');
  await desk.s2c('/api/sub-acc-push', { acc_id_list: accounts.map(({ acc_id }) => acc_id) });
  const text = { 'x-svc-int64': 'string' };
  for (const { acc_id, market, symbol, qty } of accounts) {
    const order = { acc_id, market, env: SIMULATE, side: BUY, symbol, qty, order_type: MARKET };
    const { order_id, order_id_ex } = await desk.s2c('/api/order', order, text);
    await push.frame(({ proto_id, body }) => proto_id === FILL_PUSH && body.order_fill.order_id === order_id, 'the fill');
    const { log_list } = await desk.s2c('/api/cash-log', { acc_id, env: SIMULATE }, text);
    traded.set(acc_id, { order_id_ex_list: [order_id_ex], log_id: log_list[0].log_id });
  }
});
afterAll(async () => {
  client.close();
});

async function ask(operation: Operation, c2s: JsonObject): Promise<Answer> {
  const { RequestSchema, ResponseSchema, C2SSchema } = operation.messages;
  const body = toBinary(RequestSchema, create(RequestSchema, { c2s: fromJson(C2SSchema, c2s) } as Record<string, unknown>));
  const frame = await client.send(operation.protoId ?? 0, Buffer.from(body));
  return fromBinary(ResponseSchema, frame.body) as Answer;
}

describe.each(accounts)('in account $acc_id', ({ acc_id, market }) => {
  it.each(headed.map((operation) => [operation.name, operation] as const))(
    '%s answers with a market over core TCP',
    async (_, operation) => {
      const { order_id_ex_list: orderIdExList, log_id } = traded.get(acc_id) ?? {};
      const refers = { get_order_fee: { orderIdExList }, get_cash_detail: { log_id } }[operation.name] as JsonObject | undefined;
      const sample = { ...(sampleRequest(operation, operations) as JsonObject), ...refers };
      for (const trdMarket of [market, 0]) {
        const { s2c } = await ask(operation, { ...sample, header: { accID: acc_id, trdEnv: 0, trdMarket } });
        if (refers !== undefined) expect(s2c).toBeDefined();
        if (s2c?.header !== undefined) expect(s2c.header.trdMarket).toBe(market);
      }
    },
  );

  it.each([
    ['/api/order-fee', ['order_id_ex_list']],
    ['/api/cash-log', []],
    ['/api/cash-detail', ['log_id']],
    ['/api/biz-group', []],
  ])('%s answers with a market over REST where none is named', async (path, names) => {
    const refers = Object.fromEntries(names.map((name) => [name, traded.get(acc_id)?.[name]]));
    const { header } = await daemon.as('desk').s2c(path, { acc_id, env: SIMULATE, ...refers });
    expect(header.trd_market).toBe(market);
  });

  it('pushes name it', () => {
    const own = push.frames.filter((frame) => frame.acc_id === acc_id);
    expect(new Set(own.map(({ proto_id }) => proto_id))).toEqual(new Set([ORDER_PUSH, FILL_PUSH]));
    for (const { body } of own) expect(body.header.trd_market).toBe(market);
  });
});
