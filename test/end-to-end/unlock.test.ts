import { describe, expect, it } from 'vitest';
import { BUY, DISABLED_REAL, HK, NORMAL, REAL, REAL_ENV, TOKEN_REAL, US } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';

/** MD5 of the simulated brokerage's "123456". */
const pwd_md5 = 'e10adc3949ba59abbe56e057f20f883e';
const TOKEN_NEEDED = -20011;
const CHANNEL_UNSUPPORTED = -102;
const CONTRACT_INCONSISTENT = 110005;

const daemon = TestDaemon.forAll({
  keys: { trader: { scopes: ['qot:read', 'acc:read', 'trade:real', 'trade:unlock'] } },
  flags: ['--enable-trading', '--sim-clock', 'open'],
});

const ask = async (path: string, body: object) =>
  (await daemon.as('trader').post(path, body)).json as { ret_type: number; ret_msg: string | null; err_code: number | null; s2c?: object };
const order = (acc_id: string, market: number, code: string, more: object = {}) =>
  ask('/api/order', { acc_id, env: REAL_ENV, market, code, side: BUY, order_type: NORMAL, qty: 100, price: 1, ...more });

describe('the accounts of one firm', () => {
  it('unlocks the accounts of one firm by the trade password, apart from those of other firms', async () => {
    expect(await order(REAL, HK, '00700')).toMatchObject({ ret_type: -1, err_code: CHANNEL_UNSUPPORTED });
    expect(await ask('/api/unlock-trade', { unlock: true, pwd_md5 })).toMatchObject({ ret_type: 0 });
    expect(await order(REAL, HK, '00700')).toMatchObject({ ret_type: 0 });
    expect(await order(TOKEN_REAL, US, 'AAPL')).toMatchObject({ ret_type: -1, err_code: CHANNEL_UNSUPPORTED });
  });

  it('asks for a token where token-state shows one', async () => {
    expect(await ask('/api/unlock-trade', { unlock: true, pwd_md5, security_firm: 2 })).toMatchObject({
      ret_type: -1,
      err_code: TOKEN_NEEDED,
      ret_msg: expect.stringContaining('two-factor token'),
    });
    expect((await ask('/api/token-state', { acc_id: TOKEN_REAL })).s2c).toMatchObject({ mm_token_enable: 1, mm_token_bind: 1 });
    expect((await ask('/api/token-state', { acc_id: REAL })).s2c).toMatchObject({ mm_token_enable: 0, mm_token_bind: 0 });
  });

  it('keeps accounts locked without permission to trade, and where no account is', async () => {
    for (const security_firm of [3, 7]) {
      expect(await ask('/api/unlock-trade', { unlock: true, pwd_md5, security_firm })).toMatchObject({
        ret_type: -1,
        err_code: CHANNEL_UNSUPPORTED,
      });
    }
    const listed = await daemon.as('trader').get('/api/accounts', { 'x-svc-int64': 'string' });
    const { acc_list } = (listed.json as { s2c: { acc_list: { acc_id: string; acc_status: number }[] } }).s2c;
    expect(acc_list.find(({ acc_id }) => acc_id === DISABLED_REAL)).toMatchObject({ acc_status: 1 });
  });
});

it('a right password that a firm cannot use is not a wrong one: no number of them keeps anybody from unlocking', async () => {
  for (const security_firm of [2, 3, 7, 2, 3, 7]) {
    expect(await ask('/api/unlock-trade', { unlock: true, pwd_md5, security_firm })).toMatchObject({ ret_type: -1 });
  }
  expect(await ask('/api/unlock-trade', { unlock: true, pwd_md5 })).toMatchObject({ ret_type: 0 });
});

describe('a trade password in the wrong place', () => {
  it.each([
    ['for a switch', { unlock: pwd_md5 }, 'unlock: expected true or false, found a string'],
    ['as a number', { unlock: 123456 }, 'unlock: expected true or false, found a number'],
    [
      'in another field',
      { unlock: true, security_firm: pwd_md5 },
      'security_firm: expected one of 0 (Unknown), 1 (FutuSecurities), 2 (FutuInc), 3 (FutuSG), 4 (FutuAU), 5 (FutuCA), 6 (FutuMY), 7 (FutuJP), found a string',
    ],
    [
      'as a name',
      { unlock: true, [pwd_md5]: true },
      'unknown field "…"; accepted: unlock, pwd_md5, security_firm, password_md5, is_unlock',
    ],
    ['for the message', { c2s: pwd_md5 }, 'c2s: expected an object, found a string'],
    ['under a name like its own', { unlock: true, pwd_md: pwd_md5 }, 'unknown field "…"; did you mean "pwd_md5"?'],
  ])('%s is neither repeated nor written down', async (_where, body, error) => {
    const answer = await ask('/api/unlock-trade', body);
    expect(answer).toMatchObject({ error });
    const written = JSON.stringify([answer, await daemon.audit(), daemon.log]);
    expect(written).toContain('/api/unlock-trade');
    expect(written).not.toMatch(/e10adc|123456/);
  });
});

describe('an order whose contract fields disagree', () => {
  it('refuses an order whose contract fields disagree', async () => {
    const answer = await order(REAL, HK, 'HSImain');
    expect(answer).toMatchObject({ ret_type: -1, err_code: CONTRACT_INCONSISTENT, ret_msg: expect.stringContaining('is a future') });
  });
});
