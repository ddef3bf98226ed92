import { create } from '@bufbuild/protobuf';
import { type Limits, limitsFromFlags } from '@svc-gateway/access';
import * as GetWarrant from '@svc-gateway/contract/generated/Qot_GetWarrant_pb';
import { C2SSchema, ResponseSchema } from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import { account, derivatives } from '@svc-gateway/contract/operations';
import { expect, it } from 'vitest';
import { turnsDuring } from '../../../test/support/turns.js';
import { filterAnswer } from './answer-filter.js';
import type { ResponseMessage } from './backend.js';

const header = { trdEnv: 0, accID: 1n, trdMarket: 1 };
const request = create(C2SSchema, { header });

function limitedTo(allowedSymbols: string): readonly Limits[] {
  const read = limitsFromFlags({ allowedSymbols });
  if (!read.ok) throw new Error(read.error);
  return [read.value.limits];
}

/** Every third order is for HK.00005, the others are for HK.00700. */
function orders(count: number): ResponseMessage {
  const orderList = Array.from({ length: count }, (_, index) => ({
    orderID: BigInt(index),
    code: index % 3 === 0 ? '00005' : '00700',
    secMarket: 1,
    trdMarket: 1,
  }));
  return create(ResponseSchema, { retType: 0, s2c: { header, orderList } }) as unknown as ResponseMessage;
}

function idsIn(response: ResponseMessage): bigint[] {
  return (response as unknown as { s2c: { orderList: { orderID: bigint }[] } }).s2c.orderList.map(({ orderID }) => orderID);
}

function allowedOf(count: number): bigint[] {
  return Array.from({ length: count }, (_, index) => BigInt(index)).filter((id) => id % 3n !== 0n);
}

it('leaves out of a short list what the limits do not allow, at once', () => {
  const filtered = filterAnswer(account.getOrders, request, limitedTo('HK.00700'), orders(10));
  expect(idsIn(filtered as ResponseMessage)).toEqual(allowedOf(10));
});

it('gives others their turn while it goes through a long list', async () => {
  const response = orders(10_000);
  let filtered = response;
  const turns = await turnsDuring(async () => {
    filtered = await filterAnswer(account.getOrders, request, limitedTo('HK.00700'), response);
  });
  expect(turns).toBeGreaterThanOrEqual(8);
  expect(idsIn(filtered)).toEqual(allowedOf(10_000));
  expect(idsIn(response)).toHaveLength(10_000);
});

it('hands on a long list that loses nothing as it is', async () => {
  const response = orders(3_000);
  expect(await filterAnswer(account.getOrders, request, limitedTo('HK.00700,HK.00005'), response)).toBe(response);
});

it('counts what it shows where the protocol requires a count', async () => {
  const payload = create(GetWarrant.S2CSchema, { lastPage: true, allCount: 20, warrantDataList: [] });
  payload.warrantDataList = ['10001', '10002', '10003'].map((code) => create(GetWarrant.WarrantDataSchema, { stock: { market: 1, code } }));
  const response = create(GetWarrant.ResponseSchema, { retType: 0, s2c: payload }) as unknown as ResponseMessage;
  const shown = async (allowed: string) => {
    const filtered = await filterAnswer(derivatives.getWarrant, create(GetWarrant.C2SSchema), limitedTo(allowed), response);
    return (filtered as unknown as { s2c: GetWarrant.S2C }).s2c;
  };
  expect((await shown('HK.10001,HK.10003')).allCount).toBe(2);
  expect((await shown('HK.00700')).allCount).toBe(0);
  expect(payload.allCount).toBe(20);
});
