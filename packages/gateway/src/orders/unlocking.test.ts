import { expect, it } from 'vitest';
import { refusesPassword } from './unlocking.js';

it.each<[string, number | undefined, boolean]>([
  ['wrong trade password (4 tries left)', undefined, true],
  ['交易密码错误', undefined, true],
  ['wrong account or password', -102, true],
  // A refusal without a reason may mean the password.
  ['unlock failed', undefined, true],
  ['', undefined, true],
  ['', -20011, false],
  ['', -102, false],
  ['there is no connection to securityFirm 7; firms of the real accounts: 1, 2, 3', -102, false],
  ['No one available account!', undefined, false],
  ['账户无交易权限', undefined, false],
  ['该券商暂不支持', undefined, false],
])('a refusal in the words "%s" (%s) refuses the password: %s', (retMsg, errCode, refuses) => {
  expect(refusesPassword({ retMsg, ...(errCode === undefined ? {} : { errCode }) })).toBe(refuses);
});
