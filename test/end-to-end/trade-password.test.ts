import { inspect } from 'node:util';
import { trade } from '@svc-gateway/contract/operations';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { REAL } from '../support/accounts.js';
import { type Desk, openDesk } from '../support/desk.js';

const PASSWORD = '123456';
const DIGEST = 'e10adc3949ba59abbe56e057f20f883e';
const scopes = ['qot:read', 'acc:read', 'trade:real', 'trade:unlock'] as const;
const order = { symbol: 'HK.00700', acc_id: REAL, env: 'real', side: 'BUY', qty: 100, price: 350 };

let desk: Desk;
afterEach(() => desk.close());

async function open(tradePassword?: () => Promise<string | undefined>): Promise<void> {
  desk = await openDesk({ keys: { desk: { scopes } }, ...(tradePassword === undefined ? {} : { tradePassword }) });
}

/** Everything that the gateway wrote down. */
async function written(): Promise<string> {
  const rows = [];
  for await (const row of desk.store.archive('idempotency_rows').entries()) rows.push(row);
  return inspect([desk.audit, desk.log, rows], { depth: null, maxArrayLength: null, maxStringLength: null });
}

describe('an unlock asked for by a tool', () => {
  it('is given the password that the daemon keeps, which is written nowhere', async () => {
    await open(async () => PASSWORD);
    expect(await desk.call(trade.placeOrder, order)).toMatchObject({ retType: -1 });
    expect(await desk.call(trade.unlockTrade, { unlock: true }, { idempotencyKey: 'unlock' })).toMatchObject({ retType: 0 });
    expect(await desk.call(trade.placeOrder, order)).toMatchObject({ retType: 0 });
    expect(desk.calls.find(({ operation }) => operation === 'unlock_trade')?.request).toMatchObject({ unlock: true, pwdMD5: DIGEST });
    expect(desk.audit.map(({ outcome }) => outcome)).toContain('allow');
    expect(await written()).not.toContain(PASSWORD);
    expect(await written()).not.toContain(DIGEST);
  });

  it('is the same write when it is repeated under its key', async () => {
    const password = vi.fn(async () => PASSWORD);
    await open(password);
    for (let times = 0; times < 3; times++) {
      expect(await desk.call(trade.unlockTrade, { unlock: true }, { idempotencyKey: 'unlock' })).toMatchObject({ retType: 0 });
    }
    expect(password).toHaveBeenCalledTimes(1);
    expect(desk.calls.filter(({ operation }) => operation === 'unlock_trade')).toHaveLength(1);
  });

  it.each([
    ['nobody keeps one', undefined],
    ['none is found', async () => undefined],
    ['it is empty', async () => ''],
  ])('says where a password can be put when %s', async (_, source) => {
    await open(source);
    expect(await desk.call(trade.unlockTrade, { unlock: true })).toMatchObject({
      code: 'request.invalid',
      message: 'the trade password is not available to the daemon: set SVC_TRADE_PWD for svcd, or store it with svcctl set-trade-pwd',
    });
    expect(desk.calls).toEqual([]);
  });

  it('needs no password to lock', async () => {
    const password = vi.fn(async () => PASSWORD);
    await open(password);
    expect(await desk.call(trade.unlockTrade, { unlock: false })).toMatchObject({ retType: 0 });
    expect(password).not.toHaveBeenCalled();
  });

  it('tells of a wrong password without saying it', async () => {
    await open(async () => 'hunter2');
    expect(await desk.call(trade.unlockTrade, { unlock: true })).toMatchObject({ retType: -1, retMsg: expect.stringContaining('wrong') });
    expect(await written()).not.toContain('hunter2');
  });
});

describe('an unlock over another interface', () => {
  it('is never given the password', async () => {
    const password = vi.fn(async () => PASSWORD);
    await open(password);
    expect(await desk.call(trade.unlockTrade, { unlock: true }, { iface: 'grpc' })).toMatchObject({ retType: -1 });
    expect(password).not.toHaveBeenCalled();
  });
});
