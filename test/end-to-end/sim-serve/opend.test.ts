import { createHash, createPrivateKey } from 'node:crypto';
import { ManualClock } from '@svc-gateway/contract/clock';
import { afterEach, describe, expect, it } from 'vitest';
import { HK_CASH, REAL } from '../../support/accounts.js';
import { CoreTcpClient, type TcpClientOptions } from '../../support/core-tcp-client.js';
import { protocolIds } from '../../support/public-protocol.js';
import { generateRsaKey } from '../../support/rsa-key.js';
import { SimOpend, type SimOpendOptions } from '../../support/sim-serve.js';

/** The strict upstream, rule by rule, by a client of the public protocol. */

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const START = Date.UTC(2026, 10, 20, 2, 30);

interface Upstream {
  readonly served: SimOpend;
  readonly clock: ManualClock;
  /** Lets time pass while every client keeps its connection alive. */
  pass(ms: number): Promise<void>;
  open(options?: TcpClientOptions): Promise<CoreTcpClient>;
}

async function upstream(options: SimOpendOptions = {}): Promise<Upstream> {
  const clock = new ManualClock(START);
  const served = await SimOpend.start({ clock, ...options });
  cleanups.push(async () => {
    await served.stop();
    expect(served.defects).toEqual([]);
  });
  const clients: CoreTcpClient[] = [];
  return {
    served,
    clock,
    async pass(ms) {
      for (let left = ms; left > 0; left -= 10_000) {
        clock.advance(Math.min(left, 10_000));
        const open = clients.filter(({ socket }) => !socket.destroyed);
        await Promise.all(open.map((client) => client.ask('KeepAlive', { time: 1 })));
      }
    },
    async open(with_ = {}) {
      const client = await CoreTcpClient.open(served.address, with_);
      clients.push(client);
      cleanups.push(() => client.close());
      return client;
    },
  };
}

const security = (code: string) => ({ market: 1, code });
const TENCENT = security('00700');
const BASIC = 1;
const TICKER = 4;
const OK = { retType: 0 };
const refused = (retMsg: string | RegExp) => ({ retType: -1, retMsg: typeof retMsg === 'string' ? retMsg : expect.stringMatching(retMsg) });
const sub = (codes: readonly string[], change: object = {}) => ({
  securityList: codes.map(security),
  subTypeList: [BASIC],
  isSubOrUnSub: true,
  ...change,
});
const quotes = (client: CoreTcpClient, code = '00700') => client.ask('Qot_GetBasicQot', { securityList: [security(code)] });
const header = (accID: string, trdEnv = 0) => ({ accID, trdEnv, trdMarket: 1 });
const ORDER = { trdSide: 1, orderType: 1, code: '00700', secMarket: 1, qty: 100, price: 1 };

function writer(client: CoreTcpClient) {
  let serialNo = 0;
  return (account: string, trdEnv = 0, change: object = {}) => {
    serialNo += 1;
    const packetID = { connID: client.init.s2c?.connID, serialNo };
    return client.ask('Trd_PlaceOrder', { packetID, header: header(account, trdEnv), ...ORDER, ...change });
  };
}

describe('reads of live data', () => {
  const reads = [
    ['Qot_GetBasicQot', { securityList: [TENCENT] }, BASIC, 'basicQotList'],
    ['Qot_GetKL', { security: TENCENT, klType: 1, rehabType: 1, reqNum: 10 }, 11, 'klList'],
    ['Qot_GetRT', { security: TENCENT }, 5, 'rtList'],
    ['Qot_GetTicker', { security: TENCENT, maxRetNum: 10 }, TICKER, 'tickerList'],
    ['Qot_GetOrderBook', { security: TENCENT, num: 10 }, 2, 'orderBookAskList'],
    ['Qot_GetBroker', { security: TENCENT }, 14, 'brokerAskList'],
  ] as const;

  it.each(reads)('%s needs a subscription of the connection', async (name, c2s, subType, list) => {
    const { open } = await upstream();
    const [client, other] = [await open(), await open()];
    expect(await client.ask(name, c2s)).toMatchObject(refused(/^请求获取.*接口前，请先订阅/));
    expect(await client.ask('Qot_Sub', sub(['00700'], { subTypeList: [subType] }))).toMatchObject(OK);
    const { s2c } = await client.ask(name, c2s);
    expect(((s2c?.[list] ?? []) as unknown[]).length).toBeGreaterThan(0);
    expect(await other.ask(name, c2s)).toMatchObject(refused(/请先订阅/));
  });

  it.each(reads)('%s waits for first data at most three seconds, then succeeds empty', async (name, c2s, subType, list) => {
    const { open, served, clock } = await upstream();
    const client = await open();
    served.server.state.firstDataMs = 5_000;
    await client.ask('Qot_Sub', sub(['00700'], { subTypeList: [subType] }));
    const listed = async () => {
      const { retType, s2c } = await client.ask(name, c2s);
      expect(retType).toBe(0);
      return (s2c?.[list] ?? []) as unknown[];
    };
    const first = listed();
    await client.ask('GetGlobalState', { userID: 0 });
    const answers = () => client.arrived.filter((id) => id !== protocolIds.Notify);
    const { length } = answers();
    clock.advance(2_999);
    await client.ask('GetGlobalState', { userID: 0 });
    expect(answers()).toHaveLength(length + 1);
    clock.advance(1);
    expect(await first).toEqual([]);
    const second = listed();
    await client.ask('GetGlobalState', { userID: 0 });
    clock.advance(2_000);
    expect((await second).length).toBeGreaterThan(0);
  });
});

describe('subscriptions', () => {
  it('last a minute at least', async () => {
    const { open, pass } = await upstream();
    const client = await open();
    await client.ask('Qot_Sub', sub(['00700']));
    await pass(30_000);
    await client.ask('Qot_Sub', sub(['00005']));
    await pass(29_999);
    const end = sub(['00700'], { isSubOrUnSub: false });
    expect(await client.ask('Qot_Sub', end)).toMatchObject(refused(/订阅时间过短，至少需要订阅1分钟/));
    await pass(1);
    expect(await client.ask('Qot_Sub', { ...end, securityList: [security('00005'), TENCENT] })).toMatchObject(refused(/订阅时间过短/));
    expect(await client.ask('Qot_Sub', end)).toMatchObject(OK);
    const all = { securityList: [], subTypeList: [], isSubOrUnSub: false, isUnsubAll: true };
    expect(await client.ask('Qot_Sub', all)).toMatchObject(refused(/订阅时间过短/));
    await pass(30_000);
    expect(await client.ask('Qot_Sub', all)).toMatchObject(OK);
    expect(await quotes(client)).toMatchObject(refused(/请先订阅/));
  });

  it('cost a unit for each symbol and type, once for all connections, and that of a closed one until it is a minute old', async () => {
    const { open, pass } = await upstream({ subscriptionQuota: 3 });
    const [one, two] = [await open(), await open()];
    expect(await one.ask('Qot_Sub', sub(['00700', '00005']))).toMatchObject(OK);
    expect(await two.ask('Qot_Sub', sub(['00700', '00001']))).toMatchObject(OK);
    expect(await two.ask('Qot_Sub', sub(['00700'], { subTypeList: [TICKER] }))).toMatchObject(refused(/^订阅额度不足，订阅失败，/));
    expect(await two.ask('Qot_GetSubInfo', { isReqAllConn: true })).toMatchObject({ s2c: { totalUsedQuota: 3, remainQuota: 0 } });
    one.close();
    await one.closed;
    await pass(59_999);
    expect(await two.ask('Qot_Sub', sub(['00003']))).toMatchObject(refused(/订阅额度不足/));
    await pass(1);
    expect(await two.ask('Qot_Sub', sub(['00003']))).toMatchObject(OK);
    expect(await two.ask('Qot_GetSubInfo', { isReqAllConn: false })).toMatchObject({ s2c: { totalUsedQuota: 3 } });
  });

  it('push what is registered for pushes, with the last item first unless told otherwise', async () => {
    const { open, pass } = await upstream();
    const client = await open();
    await client.ask('Qot_Sub', sub(['00700']));
    await pass(10_000);
    await client.ask('GetGlobalState', { userID: 0 });
    expect(client.pushes.of('Qot_UpdateBasicQot')).toEqual([]);
    await client.ask('Qot_Sub', sub(['00700'], { isRegOrUnRegPush: true, isFirstPush: false }));
    await client.ask('GetGlobalState', { userID: 0 });
    expect(client.pushes.of('Qot_UpdateBasicQot')).toEqual([]);
    await client.ask('Qot_Sub', sub(['00005'], { isRegOrUnRegPush: true }));
    await client.pushes.count('Qot_UpdateBasicQot', 1);
    const off = { securityList: [TENCENT, security('00005')], subTypeList: [BASIC], rehabTypeList: [], isRegOrUnReg: false };
    expect(await client.ask('Qot_RegQotPush', off)).toMatchObject(OK);
    const count = client.pushes.of('Qot_UpdateBasicQot').length;
    await pass(30_000);
    await client.ask('GetGlobalState', { userID: 0 });
    expect(client.pushes.of('Qot_UpdateBasicQot')).toHaveLength(count);
  });
});

describe('frequency', () => {
  it.each([
    ['zh', '频率太高，请求失败，每30秒最多60次。'],
    ['en', ' is too frequent, request failed, no more than 60 times every 30 seconds.'],
  ] as const)('is a sliding log over all connections (%s)', async (language, text) => {
    const { open, pass } = await upstream({ language });
    const [one, two] = [await open(), await open()];
    const ask = (client: CoreTcpClient) => client.ask('Qot_GetSecuritySnapshot', { securityList: [TENCENT] });
    expect(await ask(one)).toMatchObject(OK);
    await pass(10_000);
    for (let count = 0; count < 59; count++) expect(await ask(count % 2 === 0 ? one : two)).toMatchObject(OK);
    await pass(20_000);
    expect(await ask(two)).toMatchObject(refused(`Qot_GetSecuritySnapshot${text}`));
    await pass(1);
    expect(await ask(two)).toMatchObject(OK);
    expect(await ask(one)).toMatchObject(refused(/60/));
  });

  it('of orders is counted for each account, with 20 ms between two', async () => {
    const { open, clock } = await upstream();
    const client = await open();
    const place = writer(client);
    expect(await place(HK_CASH)).toMatchObject(OK);
    clock.advance(19);
    expect(await place(HK_CASH)).toMatchObject(refused(/频率太高/));
    clock.advance(1);
    expect(await place(HK_CASH)).toMatchObject(OK);
    for (let count = 2; count < 15; count++) {
      clock.advance(20);
      expect(await place(HK_CASH)).toMatchObject(OK);
    }
    clock.advance(20);
    expect(await place(HK_CASH)).toMatchObject(refused(/最多15次/));
    expect(await place('281756478396547002')).toMatchObject(OK);
  });

  it('counts lists of orders only where they ask the server', async () => {
    const { open } = await upstream();
    const client = await open();
    const ask = (refreshCache: boolean) => client.ask('Trd_GetOrderList', { header: header(HK_CASH), refreshCache });
    for (let count = 0; count < 30; count++) expect(await ask(false)).toMatchObject(OK);
    for (let count = 0; count < 10; count++) expect(await ask(true)).toMatchObject(OK);
    expect(await ask(true)).toMatchObject(refused(/最多10次/));
    expect(await ask(false)).toMatchObject(OK);
  });
});

describe('sizes', () => {
  it('are bounded', async () => {
    const { open } = await upstream();
    const client = await open();
    const many = Array.from({ length: 401 }, () => TENCENT);
    expect(await client.ask('Qot_GetSecuritySnapshot', { securityList: many })).toMatchObject(
      refused(/securityList: 401 is too many, at most 400/),
    );
    expect(await client.ask('Qot_GetMarketState', { securityList: many })).toMatchObject(refused(/401/));
    const asked = { header: header(REAL, 1), securityList: many.slice(0, 101) };
    expect(await client.ask('Trd_GetMarginRatio', asked)).toMatchObject(refused(/101/));
  });
});

describe('history', () => {
  it('is read of so many symbols, repeats free', async () => {
    const { open } = await upstream({ simulation: { historyKlQuotaMax: 2 } });
    const client = await open();
    const ask = (code: string) =>
      client.ask('Qot_RequestHistoryKL', {
        security: security(code),
        klType: 2,
        rehabType: 1,
        beginTime: '2026-11-01',
        endTime: '2026-11-10',
        maxAckKLNum: 10,
      });
    expect(await ask('00700')).toMatchObject(OK);
    expect(await ask('00005')).toMatchObject(OK);
    expect(await ask('00001')).toMatchObject(refused(/^历史K线额度不足/));
    expect(await ask('00700')).toMatchObject(OK);
  });
});

describe('trading', () => {
  it('takes packet ids of this connection alone, each above the last', async () => {
    const { open, clock } = await upstream();
    const [client, other] = [await open(), await open()];
    const place = (serialNo: number, connID = client.init.s2c?.connID) => {
      clock.advance(20);
      return client.ask('Trd_PlaceOrder', { packetID: { connID, serialNo }, header: header(HK_CASH), ...ORDER });
    };
    expect(await place(5)).toMatchObject(OK);
    expect(await place(5)).toMatchObject(refused(/serialNo 5 is not above the last one, 5/));
    expect(await place(4)).toMatchObject(refused(/serialNo/));
    expect(await place(6, other.init.s2c?.connID)).toMatchObject(refused(/is not this connection's/));
    expect(await place(6)).toMatchObject(OK);
  });

  it('in real accounts needs an unlock, by any connection, until a restart', async () => {
    const { open, served, clock } = await upstream();
    const [client, other] = [await open(), await open()];
    expect(await writer(client)(REAL, 1)).toMatchObject(refused('没有解锁交易，请先解锁交易'));
    const pwdMD5 = createHash('md5').update('123456').digest('hex');
    expect(await other.ask('Trd_UnlockTrade', { unlock: true, pwdMD5 })).toMatchObject(OK);
    clock.advance(20);
    expect(await writer(await open())(REAL, 1)).toMatchObject(OK);
    await served.server.restart();
    expect(await writer(await open())(REAL, 1)).toMatchObject(refused(/没有解锁交易/));
  });

  it('in simulated accounts knows limit and market orders, and tells no fills but by the order', async () => {
    const { open, clock } = await upstream();
    const client = await open();
    await client.ask('Trd_SubAccPush', { accIDList: [HK_CASH] });
    const place = writer(client);
    expect(await place(HK_CASH, 0, { orderType: 10, auxPrice: 1 })).toMatchObject(refused(/orderType 10/));
    clock.advance(20);
    expect(await place(HK_CASH, 0, { orderType: 2 })).toMatchObject(OK);
    clock.advance(10_000);
    await client.pushes.when(() =>
      client.pushes
        .of('Trd_UpdateOrder')
        .some(({ response }) => (response.s2c?.order as { orderStatus?: number } | undefined)?.orderStatus === 11),
    );
    expect(await client.ask('Trd_GetOrderFillList', { header: header(HK_CASH) })).toMatchObject(refused('模拟交易不支持成交数据'));
    expect(client.arrived).not.toContain(2218);
  });
});

describe('connections', () => {
  it('are at most 128', async () => {
    const { open, served } = await upstream();
    const clients = await Promise.all(Array.from({ length: 128 }, () => open()));
    const more = await CoreTcpClient.connect(served.address);
    await more.closed;
    clients[0]?.close();
    await clients[0]?.closed;
    expect((await open()).init).toMatchObject(OK);
  });

  it.each([0, 1, 2])('are encrypted for who has the key too (algorithm %i)', async (packetEncAlgo) => {
    const rsaKey = createPrivateKey(generateRsaKey());
    const { open } = await upstream({ rsaKey });
    const client = await open({ rsaKey: rsaKey.export({ type: 'pkcs1', format: 'pem' }).toString(), init: { packetEncAlgo } });
    await client.ask('Qot_Sub', sub(['00700'], { isRegOrUnRegPush: true }));
    await client.pushes.count('Qot_UpdateBasicQot', 1);
  });

  it('know no ids but the published ones', async () => {
    const { open } = await upstream();
    const client = await open();
    for (const protoId of [9999, 20001]) {
      const frame = await client.send(protoId, Buffer.from([10, 0]));
      expect(frame.body.toString()).toContain('未知的协议ID');
    }
  });
});
