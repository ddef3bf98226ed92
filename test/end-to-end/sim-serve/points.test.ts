import { afterEach, describe, expect, it } from 'vitest';
import { HK_CASH, HK_MARGIN, REAL, US_MARGIN } from '../../support/accounts.js';
import { CoreTcpClient } from '../../support/core-tcp-client.js';
import { SimServe } from '../../support/sim-serve.js';

/** Platform and brokers, by a client of the public protocol. */

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function serve(): Promise<SimServe> {
  const served = await SimServe.start();
  cleanups.push(async () => {
    await served.stop();
    expect(served.defects).toEqual([]);
  });
  return served;
}

async function open(address: string, clientID: string): Promise<CoreTcpClient> {
  const client = await CoreTcpClient.open(address, { init: { clientID } });
  cleanups.push(() => client.close());
  return client;
}

const TENCENT = { market: 1, code: '00700' };
const SIMULATE = 0;
const header = (accID: string, trdMarket = 1, trdEnv = SIMULATE) => ({ accID, trdMarket, trdEnv });

describe('a connection point', () => {
  it('lets in who shows the key of a session', async () => {
    const served = await serve();
    const key = await served.session();
    for (const address of [served.platform, served.broker(1001), served.broker(1007), served.broker(1008)]) {
      const client = await open(address, `svc:${key}`);
      expect(client.init).toMatchObject({ retType: 0, s2c: { loginUserID: '1001', serverVer: 1011 } });
      expect((await client.ask('GetGlobalState', { userID: 0 })).retType).toBe(0);
    }
  });

  it.each([
    ['none', () => 'test', 'clientID must be "svc:" and the session_key of a login'],
    ['one that was made up', () => 'svc:made-up', 'session_key is unknown'],
  ])('refuses a key that is %s', async (_, clientId, text) => {
    const served = await serve();
    const client = await open(served.platform, clientId());
    expect(client.init).toMatchObject({ retType: -1, retMsg: expect.stringContaining(text), errCode: 401 });
    await client.closed;
  });

  it('refuses a key that has expired, and lets go on who is connected', async () => {
    const served = await serve();
    const key = await served.session();
    const before = await open(served.platform, `svc:${key}`);
    served.sessions.expireAll();
    const after = await open(served.broker(1001), `svc:${key}`);
    expect(after.init).toMatchObject({ retType: -1, retMsg: 'session_key has expired: log in again', errCode: 401 });
    expect((await before.ask('GetGlobalState', { userID: 0 })).retType).toBe(0);
    expect((await open(served.broker(1001), `svc:${await served.session('other')}`)).init.retType).toBe(0);
  });

  it('knows no session of before a restart', async () => {
    const served = await serve();
    const key = await served.session();
    await served.halt();
    await served.boot();
    expect((await open(served.platform, `svc:${key}`)).init.retType).toBe(-1);
  });
});

describe('the platform', () => {
  it('serves quotes, without a subscription too, and pushes', async () => {
    const served = await serve();
    const client = await open(served.platform, `svc:${await served.session()}`);
    expect(await client.ask('Qot_GetBasicQot', { securityList: [TENCENT] })).toMatchObject({ retType: 0 });
    const sub = { securityList: [TENCENT], subTypeList: [1], isSubOrUnSub: true, isRegOrUnRegPush: true };
    expect(await client.ask('Qot_Sub', sub)).toMatchObject({ retType: 0 });
    await client.pushes.count('Qot_UpdateBasicQot', 2);
    expect(client.arrived.indexOf(3001)).toBeLessThan(client.arrived.indexOf(3005));
  });

  it('refuses what is about accounts', async () => {
    const served = await serve();
    const client = await open(served.platform, `svc:${await served.session()}`);
    expect(await client.ask('Trd_GetAccList', { userID: 0 })).toMatchObject({
      retType: -1,
      retMsg: 'protocol id 2001 (list_accounts) is served by the brokers; this is the platform',
    });
    expect(await client.ask('Trd_GetFunds', { header: header(HK_MARGIN) })).toMatchObject({ retType: -1 });
  });
});

describe('a broker', () => {
  it('has its own accounts alone, and each account is at one of them', async () => {
    const served = await serve();
    const key = await served.session();
    const all: string[] = [];
    for (const id of [1001, 1007, 1008]) {
      const client = await open(served.broker(id), `svc:${key}`);
      const { s2c } = await client.ask('Trd_GetAccList', { userID: 0 });
      const ids = ((s2c?.accList ?? []) as unknown as { accID: string }[]).map(({ accID }) => accID);
      expect(ids.length).toBeGreaterThan(0);
      all.push(...ids);
      const foreign = id === 1007 ? HK_MARGIN : US_MARGIN;
      const market = id === 1007 ? 1 : 2;
      expect(await client.ask('Trd_GetFunds', { header: header(foreign, market) })).toMatchObject({
        retType: -1,
        retMsg: expect.stringMatching(new RegExp(`unknown account ${foreign}: it is not in the list of accounts at broker ${id}`)),
      });
      expect(await client.ask('Trd_SubAccPush', { accIDList: [foreign] })).toMatchObject({ retType: -1 });
    }
    expect(all).toHaveLength(12);
    expect(new Set(all).size).toBe(12);
    expect(all).toContain(REAL);
  });

  it('takes orders, pushes what becomes of them, and keeps them over a restart', async () => {
    const served = await serve();
    const client = await open(served.broker(1001), `svc:${await served.session()}`);
    expect((await client.ask('Trd_SubAccPush', { accIDList: [HK_CASH] })).retType).toBe(0);
    const order = { trdSide: 1, orderType: 1, code: '00700', secMarket: 1, qty: 100, price: 1 };
    const packetID = { connID: client.init.s2c?.connID, serialNo: 1 };
    const placed = await client.ask('Trd_PlaceOrder', { packetID, header: header(HK_CASH), ...order });
    expect(placed).toMatchObject({ retType: 0 });
    await client.pushes.count('Trd_UpdateOrder', 1);
    // A packet id is remembered: what comes again gets the first answer, on a later connection too.
    await served.halt();
    await served.boot();
    const later = await open(served.broker(1001), `svc:${await served.session()}`);
    expect(await later.ask('Trd_PlaceOrder', { packetID, header: header(HK_CASH), ...order })).toEqual(placed);
    const { s2c } = await later.ask('Trd_GetOrderList', { header: header(HK_CASH) });
    expect(s2c?.orderList).toHaveLength(1);
  });

  it('refuses quotes', async () => {
    const served = await serve();
    const client = await open(served.broker(1007), `svc:${await served.session()}`);
    const text = 'protocol id 3004 (get_quote) is served by the platform; this is broker 1007';
    expect(await client.ask('Qot_GetBasicQot', { securityList: [TENCENT] })).toMatchObject({ retType: -1, retMsg: text });
  });
});
