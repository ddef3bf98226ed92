import { expect, it } from 'vitest';
import { operations } from './operations/index.js';
import { callerParams } from './shape.js';
import { fieldMeant, operationMeant } from './trade-words.js';

const placing = operations.find(({ name }) => name === 'place_order');
const fields = placing === undefined ? [] : callerParams(placing.shape, 'rest').map(({ name }) => name);

it.each([
  ['quantity', 'qty'],
  ['size', 'qty'],
  ['limit_price', 'price'],
  ['stopPrice', 'aux_price'],
  ['stop-price', 'aux_price'],
  ['tif', 'time_in_force'],
  ['account', 'acc_id'],
  ['note', 'remark'],
  ['type', 'order_type'],
  ['prcie', 'price'],
  ['adjust_price', undefined],
  ['leverage', undefined],
])('a field %s of an order means %s', (name, meant) => expect(fieldMeant(name, fields)).toBe(meant));

it.each([
  ['deals', 'get_deals'],
  ['trades', 'get_deals'],
  ['get-fills', 'get_deals'],
  ['svc_get_executions', 'get_deals'],
  ['Balances', 'get_funds'],
  ['portfolio', 'get_positions'],
  ['candles', 'get_kline'],
  ['nothing', undefined],
])('an operation %s means %s', (word, meant) => {
  expect(operationMeant(word)).toBe(meant);
  if (meant !== undefined) expect(operations.map(({ name }) => name)).toContain(meant);
});
