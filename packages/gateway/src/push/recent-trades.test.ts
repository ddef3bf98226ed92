import { create } from '@bufbuild/protobuf';
import { ResponseSchema } from '@svc-gateway/contract/generated/Trd_UpdateOrder_pb';
import { expect, it } from 'vitest';
import type { ResponseMessage, TradePush } from '../backend.js';
import { RecentTrades } from './recent-trades.js';

const SUBMITTED = 5;
const FILLED = 11;

/** An order in a status, changed at so many seconds. */
function orderIn(orderStatus: number, updateTimestamp: number, recovered = false): TradePush {
  const header = { trdEnv: 0, accID: 1n, trdMarket: 1 };
  const order = { trdSide: 1, orderType: 1, orderStatus, orderID: 1n, orderIDEx: 'a', code: '00700', name: '', qty: 100 };
  const s2c = { header, order: { ...order, createTime: '', updateTime: '', updateTimestamp } };
  const message = create(ResponseSchema, { retType: 0, s2c }) as ResponseMessage;
  return { type: 'trade', protoId: 2208, accId: 1n, trdMarket: 1, message, ...(recovered ? { recovered } : {}) };
}

it('passes on each state of an order once, whether it was pushed twice or found later', () => {
  const trades = new RecentTrades();
  expect(trades.note(orderIn(SUBMITTED, 1))).toBe(true);
  expect(trades.note(orderIn(SUBMITTED, 1))).toBe(false);
  expect(trades.note(orderIn(FILLED, 2, true))).toBe(true);
  expect(trades.note(orderIn(FILLED, 2))).toBe(false);
  expect(trades.note(orderIn(SUBMITTED, 1, true))).toBe(false);
});

it('passes on what is pushed with the same state at another time, or with an earlier one: clocks are set back', () => {
  const trades = new RecentTrades();
  trades.note(orderIn(SUBMITTED, 5));
  expect(trades.note(orderIn(SUBMITTED, 6))).toBe(true);
  expect(trades.note(orderIn(FILLED, 3))).toBe(true);
});

it('keeps back a state from before the end of an order that comes late, and passes on one from after it', () => {
  const trades = new RecentTrades();
  trades.note(orderIn(FILLED, 2));
  expect(trades.note(orderIn(SUBMITTED, 1))).toBe(false);
  expect(trades.note(orderIn(SUBMITTED, 3))).toBe(true);
});

it('passes on an order that works again after its end, and no older state that is merely found later', () => {
  const trades = new RecentTrades();
  trades.note(orderIn(FILLED, 2));
  expect(trades.note(orderIn(SUBMITTED, 1, true))).toBe(false);
  expect(trades.note({ ...orderIn(SUBMITTED, 1, true), returned: true })).toBe(true);
  expect(trades.note({ ...orderIn(SUBMITTED, 1, true), returned: true })).toBe(false);
});
