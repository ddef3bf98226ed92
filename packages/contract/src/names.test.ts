import { expect, it } from 'vitest';
import { nearestName, snakeCase } from './names.js';

it.each([
  ['retType', 'ret_type'],
  ['accID', 'acc_id'],
  ['orderIDEx', 'order_id_ex'],
  ['accIDList', 'acc_id_list'],
  ['td_plVal', 'td_pl_val'],
  ['maxAckKLNum', 'max_ack_kl_num'],
  ['bGetDetail', 'b_get_detail'],
  ['pwdMD5', 'pwd_md5'],
  ['peTTMRate', 'pe_ttm_rate'],
  ['needKLFieldsFlag', 'need_kl_fields_flag'],
  ['c2s', 'c2s'],
])('%s is written %s', (name, snake) => expect(snakeCase(name)).toBe(snake));

it('suggests the nearest name, and none when no name is near', () => {
  expect(nearestName('dept', ['depth', 'symbol'])).toBe('depth');
  expect(nearestName('SYMBOL', ['depth', 'symbol'])).toBe('symbol');
  expect(nearestName('zzzzzz', ['depth', 'symbol'])).toBeUndefined();
});

it.each([
  ['sied', 'side'],
  ['note', undefined],
  ['symbl', 'symbol'],
  ['adjust_price', undefined],
  ['adjust_side', undefined],
  ['fill_outside_rht', 'fill_outside_rth'],
])('%s is near to %s', (name, near) => {
  const names = ['side', 'code', 'symbol', 'aux_price', 'price', 'fill_outside_rth'];
  expect(nearestName(name, names)).toBe(near);
});
