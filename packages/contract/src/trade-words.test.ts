import { expect, it } from 'vitest';
import { operations } from './operations/index.js';
import { callerParams } from './shape.js';
import { fieldMeant, operationMeant } from './trade-words.js';

const names = operations.map(({ name }) => name);
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
  ['cancel_order', 'cancel_order'],
  ['cancelOrder', 'cancel_order'],
  ['CancelOrder', 'cancel_order'],
  ['cancel-orders', 'cancel_order'],
  ['svc_cancel_all_orders', 'cancel_all_order'],
  ['place-order', 'place_order'],
  ['get_quote', 'get_quote'],
  ['quotes', 'get_quote'],
  ['nothing', undefined],
])('an operation %s means %s', (word, meant) => {
  expect(operationMeant(word, names)).toBe(meant);
});

it.each(names)('%s is suggested for its own name, however it is spelled', (name) => {
  const camel = name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  for (const spelled of [name, name.replaceAll('_', '-'), camel, `svc_${name}`]) expect(operationMeant(spelled, names)).toBe(name);
});
