import { create, fromBinary } from '@bufbuild/protobuf';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, quote } from '@svc-gateway/contract/operations';
import type { ResponseMessage } from '@svc-gateway/gateway';
import { encodeBody } from '@svc-gateway/wire';
import { expect, it } from 'vitest';
import { isLong } from './long-answers.js';
import { encodeLong, encodeLongJson } from './long-messages.js';

const header = { trdEnv: 0, accID: 2n ** 63n + 1n, trdMarket: 1 };
const order = (index: number) => ({
  ...{ trdSide: 1, orderType: 1, orderStatus: 5, orderID: BigInt(index), orderIDEx: `${index}`, code: '00700', name: 'ü' },
  ...{ qty: 100, price: 1.5, createTime: '', updateTime: '' },
});
const orders = Array.from({ length: 1_001 }, (_, index) => order(index));
const bar = (index: number) => ({ time: `${index}`, isBlank: false, closePrice: index });
const answers: readonly [Operation, object][] = [
  [account.getOrders, { header, orderList: orders }],
  [quote.getHistoryKline, { security: { market: 1, code: '00700' }, klList: Array.from({ length: 500 }, (_, index) => bar(index)) }],
];

it.each(answers.map(([operation, s2c]) => [operation.name, operation, s2c] as const))(
  '%s, made in pieces, reads as if it were made at once',
  async (_, operation, s2c) => {
    const { ResponseSchema } = operation.messages;
    const response = create(ResponseSchema, { retType: 0, retMsg: 'left out: X', s2c } as Record<string, unknown>) as ResponseMessage;
    expect(isLong(operation, response)).toBe(true);
    expect(fromBinary(ResponseSchema, await encodeLong(operation, response))).toEqual(response);
    const text = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString());
    expect(text(await encodeLongJson(operation, response))).toEqual(text(encodeBody(ResponseSchema, response, 'json')));
  },
);

it('gives others a turn between the pieces', async () => {
  const response = create(account.getOrders.messages.ResponseSchema, { retType: 0, s2c: { header, orderList: orders } }) as ResponseMessage;
  for (const encode of [encodeLong, encodeLongJson]) {
    let turns = 0;
    const count = () => {
      turns += 1;
      pending = setImmediate(count);
    };
    let pending = setImmediate(count);
    await encode(account.getOrders, response);
    clearImmediate(pending);
    expect(turns).toBeGreaterThanOrEqual(10);
  }
});
