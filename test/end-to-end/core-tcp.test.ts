import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CoreTcpClient, type TcpClientOptions } from '../support/core-tcp-client.js';
import { TestDaemon } from '../support/daemon.js';
import { editKey } from '../support/keys.js';
import { protocolIds } from '../support/public-protocol.js';
import { publishedDecode, publishedEncode } from '../support/published-client.js';
import { until } from '../support/until.js';

/** Time passes faster, so that there is more to push. */
const BUSY = ['--sim-clock', 'replay:2026-03-02T02:00:00Z@60'];

/** Ids that published clients list, and that newer ones have taken the place of. */
const OBSOLETE = { Qot_GetTradeDate: 3200, Qot_GetRehab: 3102 };
const REQUEST_REHAB = 3105;

const tencent = { market: 1, code: '00700' };
const apple = { market: 11, code: 'AAPL' };

/** A simulated stock account of Hong Kong, and its trading header. */
async function accountOf(client: CoreTcpClient): Promise<{ trdEnv: number; accID: string; trdMarket: number }> {
  const { s2c } = await client.ask('Trd_GetAccList', { userID: 0 });
  const accounts = s2c?.accList as unknown as { trdEnv: number; accID: string; trdMarketAuthList: number[]; accType: number }[];
  const account = accounts.find(({ trdEnv, trdMarketAuthList }) => trdEnv === 0 && trdMarketAuthList.includes(1))!;
  return { trdEnv: 0, accID: account.accID, trdMarket: 1 };
}

describe('without keys', () => {
  let test: TestDaemon;
  const clients: CoreTcpClient[] = [];
  const open = async (options: TcpClientOptions = {}) => {
    const client = await CoreTcpClient.open(test.daemon.apiAddress!, options);
    clients.push(client);
    return client;
  };

  beforeAll(async () => {
    test = await TestDaemon.start({ flags: BUSY });
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await test.stop();
  });

  it('completes a handshake with the facts that clients rely on', async () => {
    const [one, other] = [await open(), await open()];
    expect(one.init).toMatchObject({ retType: 0, s2c: { serverVer: 1011, loginUserID: '1001', keepAliveInterval: 10 } });
    const { connAESKey, connID, aesCBCiv } = one.init.s2c as unknown as { connAESKey: string; connID: string; aesCBCiv?: string };
    expect(connAESKey).toMatch(/^[\x21-\x7e]{16}$/);
    expect(aesCBCiv).toBeUndefined();
    expect(BigInt(connID)).toBeGreaterThan(0n);
    expect(BigInt(connID)).toBeLessThan(2n ** 63n);
    expect(other.init.s2c?.connID).not.toBe(connID);
  });

  it('names the connection in the global state', async () => {
    for (const client of [await open(), await open({ format: 'json' })]) {
      const { s2c } = await client.ask('GetGlobalState', { userID: 0 });
      expect(s2c?.connID).toBe(client.init.s2c?.connID);
    }
  });

  it('answers obsolete ids as their successors do', async () => {
    const client = await open();
    const days = { market: 1, beginTime: '2026-02-02', endTime: '2026-02-27' };
    const request = Buffer.from(publishedEncode('Qot_RequestTradeDate.Request', { c2s: days }));
    const obsolete = await client.send(OBSOLETE.Qot_GetTradeDate, request);
    const current = await client.ask('Qot_RequestTradeDate', days);
    expect(JSON.stringify(current.s2c)).toContain('2026-02-27');
    expect(publishedDecode('Qot_RequestTradeDate.Response', obsolete.body)).toMatchObject(current);
    const json = await open({ format: 'json' });
    const ask = async (securityList: readonly object[]) => {
      const { body } = await json.send(OBSOLETE.Qot_GetRehab, Buffer.from(JSON.stringify({ c2s: { securityList } })));
      return JSON.parse(body.toString());
    };
    const { retType, s2c } = await ask([tencent, apple]);
    expect([retType, s2c.securityRehabList.length]).toEqual([0, 2]);
    for (const { security, rehabList } of s2c.securityRehabList) {
      const one = await json.send(REQUEST_REHAB, Buffer.from(JSON.stringify({ c2s: { security } })));
      expect(rehabList).toEqual(JSON.parse(one.body.toString()).s2c.rehabList);
      expect(rehabList.length).toBeGreaterThan(0);
    }
    expect(await ask([])).toMatchObject({ retType: -1, retMsg: expect.stringContaining('securityList: 0 securities; accepted: 1 to 100') });
    expect(await ask([tencent, { market: 1, code: '00000' }])).toMatchObject({ retType: -1 });
  });

  it('closes on anything else before the handshake, and on what is no frame', async () => {
    const early = await CoreTcpClient.connect(test.daemon.apiAddress!);
    early.socket.write(early.frame(protocolIds.GetGlobalState, Buffer.from([0x0a, 2, 8, 0]), 1));
    await early.closed;
    const noise = await CoreTcpClient.connect(test.daemon.apiAddress!);
    noise.socket.write('GET / HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n');
    await noise.closed;
    const forged = await open();
    const bytes = forged.frame(protocolIds.KeepAlive, Buffer.from(publishedEncode('KeepAlive.Request', { c2s: { time: 1 } })), 9);
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    forged.socket.write(bytes);
    await forged.closed;
  });

  it('answers a frame that comes in single bytes, and many that come at once', async () => {
    const client = await open();
    const body = Buffer.from(publishedEncode('KeepAlive.Request', { c2s: { time: 1 } }));
    const answered = client.send(protocolIds.KeepAlive, body, 900);
    const whole = client.frame(protocolIds.KeepAlive, body, 901);
    for (const byte of whole) client.socket.write(Buffer.from([byte]));
    await answered;
    const asked = Array.from({ length: 500 }, () => client.ask('GetGlobalState', { userID: 0 }));
    for (const answer of await Promise.all(asked)) expect(answer.retType).toBe(0);
  });

  it('answers a refusal to shake hands in words, and closes', async () => {
    const client = await CoreTcpClient.connect(test.daemon.apiAddress!);
    const answer = await client.ask('InitConnect', { clientVer: 1, clientID: 'x', pushProtoFmt: 7 });
    expect(answer).toMatchObject({ retType: -1, retMsg: expect.stringContaining('pushProtoFmt: unknown format 7') });
    await client.closed;
    const again = await open();
    expect(await again.ask('InitConnect', { clientVer: 1, clientID: 'x' })).toMatchObject({ retType: -1 });
    expect(await again.ask('GetGlobalState', { userID: 0 })).toMatchObject({ retType: 0 });
  });

  it('answers in the format of the request', async () => {
    const client = await open({ format: 'json' });
    const body = Buffer.from(JSON.stringify({ c2s: { securityList: [tencent] } }));
    const frame = await client.send(protocolIds.Qot_GetStaticInfo, body);
    expect(frame.format).toBe(1);
    const { retType, s2c } = JSON.parse(frame.body.toString());
    expect(retType).toBe(0);
    expect(s2c.staticInfoList[0].basic).toMatchObject({ security: tencent, lotSize: 100, id: expect.stringMatching(/^\d+$/) });
    expect(await client.ask('Qot_GetStaticInfo', { securityList: 5 })).toMatchObject({
      retType: -1,
      retMsg: expect.stringContaining('securityList'),
    });
  });

  it('answers an unknown id and an unreadable body', async () => {
    const client = await open();
    const unknown = await client.send(999_999, Buffer.from([0x0a, 0]));
    expect(publishedDecode('KeepAlive.Response', unknown.body)).toMatchObject({
      retType: -1,
      retMsg: 'protocol id 999999 is not supported',
    });
    for (const body of [Buffer.from('no message'), Buffer.alloc(0)]) {
      const broken = await client.send(protocolIds.Qot_GetBasicQot, body);
      expect(publishedDecode('KeepAlive.Response', broken.body)).toMatchObject({ retType: -1 });
    }
    expect(await client.ask('KeepAlive', { time: 1 })).toMatchObject({ retType: 0, s2c: { time: expect.any(String) } });
  });

  it('lets a connection read the live data that it is subscribed to, and none else', async () => {
    const [client, other] = [await open(), await open()];
    const security = tencent;
    const reads = [
      ['Qot_GetBasicQot', { securityList: [security] }, 1],
      ['Qot_GetKL', { security, rehabType: 1, klType: 2, reqNum: 5 }, 6],
      ['Qot_GetRT', { security }, 5],
      ['Qot_GetTicker', { security, maxRetNum: 5 }, 4],
      ['Qot_GetOrderBook', { security, num: 5 }, 2],
      ['Qot_GetBroker', { security }, 14],
    ] as const;
    for (const [name, c2s, subType] of reads) {
      expect(await client.ask(name, c2s)).toMatchObject({ retType: -1, retMsg: expect.stringContaining('Qot_Sub first') });
      const sub = { securityList: [security], subTypeList: [subType], isSubOrUnSub: true };
      expect(await client.ask('Qot_Sub', sub)).toMatchObject({ retType: 0 });
      expect(await client.ask(name, c2s)).toMatchObject({ retType: 0 });
      expect(await other.ask(name, c2s)).toMatchObject({ retType: -1 });
    }
    const weekly = { security, rehabType: 1, klType: 3, reqNum: 5 };
    expect(await client.ask('Qot_GetKL', weekly)).toMatchObject({ retType: -1, retMsg: expect.stringContaining('type 12 (KL_Week)') });
    expect(await client.ask('Qot_GetBasicQot', { securityList: [security, apple] })).toMatchObject({ retType: -1 });
    expect(await client.ask('Qot_GetSubInfo', {})).toMatchObject({ s2c: { connSubInfoList: [{ usedQuota: 6, isOwnConnData: true }] } });
    expect(await client.ask('Qot_Sub', { isSubOrUnSub: false, isUnsubAll: true, securityList: [], subTypeList: [] })).toMatchObject({
      retType: 0,
    });
    expect(await client.ask('Qot_GetBasicQot', { securityList: [security] })).toMatchObject({ retType: -1 });
    expect(client.pushes.of('Qot_UpdateBasicQot')).toEqual([]);
  });

  it('pushes what was asked for, numbered for each connection, the answer first', async () => {
    const [client, json] = [await open(), await open({ init: { pushProtoFmt: 1, recvNotify: false } })];
    const sub = { securityList: [tencent], subTypeList: [1, 4], isSubOrUnSub: true, isRegOrUnRegPush: true };
    await Promise.all([client, json].map((each) => each.ask('Qot_Sub', sub)));
    await Promise.all([client, json].map((each) => each.pushes.count('Qot_UpdateTicker', 5)));
    for (const { arrived } of [client, json]) {
      const events = arrived.filter((id) => id !== protocolIds.Notify && id !== protocolIds.InitConnect);
      expect(events[0]).toBe(protocolIds.Qot_Sub);
    }
    for (const each of [client, json])
      expect(each.pushes.all.map(({ serial }) => serial)).toEqual(each.pushes.all.map((_, index) => index + 1));
    expect(new Set(client.pushes.all.map(({ format }) => format))).toEqual(new Set(['protobuf']));
    expect(new Set(json.pushes.all.map(({ format }) => format))).toEqual(new Set(['json']));
    await client.pushes.count('Notify', 2);
    expect(json.pushes.of('Notify')).toEqual([]);
    expect(json.pushes.of('Qot_UpdateBasicQot')[0]?.response).toMatchObject({ retType: 0, s2c: { basicQotList: [{ security: tencent }] } });
  });

  it('is told nothing unasked right after the handshake: what comes next is the answer to its first request', async () => {
    const client = await open();
    expect(await client.ask('GetGlobalState', { userID: 0 })).toMatchObject({ retType: 0 });
    expect(client.arrived).toEqual([protocolIds.InitConnect, protocolIds.GetGlobalState]);
    await client.pushes.count('Notify', 2);
  });

  it('turns pushes off and on with Qot_RegQotPush', async () => {
    const client = await open();
    const sub = { securityList: [tencent], subTypeList: [4], isSubOrUnSub: true };
    const register = { securityList: [tencent], subTypeList: [4] };
    expect(await client.ask('Qot_RegQotPush', { ...register, isRegOrUnReg: true })).toMatchObject({
      retType: -1,
      retMsg: expect.stringContaining('subscribe first'),
    });
    await client.ask('Qot_Sub', sub);
    expect(await client.ask('Qot_RegQotPush', { ...register, isRegOrUnReg: true })).toMatchObject({ retType: 0 });
    await client.pushes.count('Qot_UpdateTicker', 2);
    expect(await client.ask('Qot_RegQotPush', { ...register, isRegOrUnReg: false })).toMatchObject({ retType: 0 });
    const told = client.pushes.of('Qot_UpdateTicker').length;
    // Other data goes on meanwhile: had ticks still been pushed, they would have come before these.
    await client.ask('Qot_Sub', { securityList: [tencent], subTypeList: [1], isSubOrUnSub: true, isRegOrUnRegPush: true });
    await client.pushes.count('Qot_UpdateBasicQot', 3);
    expect(client.pushes.of('Qot_UpdateTicker')).toHaveLength(told);
  });

  it('hears from no other connection’s subscriptions', async () => {
    const [client, silent] = [await open(), await open({ init: { recvNotify: false } })];
    await test.as().post('/api/subscribe', { symbols: ['HK.00005'], sub_types: [1] });
    await client.ask('Qot_Sub', { securityList: [tencent], subTypeList: [1], isSubOrUnSub: true, isRegOrUnRegPush: true });
    await client.pushes.count('Qot_UpdateBasicQot', 3);
    expect(silent.pushes.all).toEqual([]);
    for (const { response } of client.pushes.of('Qot_UpdateBasicQot')) {
      expect(response.s2c).toMatchObject({ basicQotList: [{ security: tencent }] });
    }
  });

  it('reads but does not trade', async () => {
    const client = await open();
    const header = await accountOf(client);
    expect(await client.ask('Trd_GetFunds', { header })).toMatchObject({ retType: 0, s2c: { funds: expect.anything() } });
    expect(await client.ask('Trd_GetPositionList', { header })).toMatchObject({ retType: 0 });
    const order = { packetID: { connID: 0, serialNo: 1 }, header, trdSide: 1, orderType: 1, code: '00700', qty: 100, price: 1 };
    expect(await client.ask('Trd_PlaceOrder', order)).toMatchObject({ retType: -1, errCode: 401 });
  });
});

describe('with the key that the operator named', () => {
  let test: TestDaemon<'desk'>;
  const clients: CoreTcpClient[] = [];
  const open = async () => {
    const client = await CoreTcpClient.open(test.daemon.apiAddress!);
    clients.push(client);
    return client;
  };

  beforeAll(async () => {
    const scopes = ['qot:read', 'acc:read', 'trade:simulate'] as const;
    test = await TestDaemon.start({ keys: { desk: { scopes } }, flags: ['--api-key-id', 'desk', '--enable-trading', ...BUSY] });
  });
  afterAll(async () => {
    for (const client of clients) client.close();
    await test.stop();
  });

  it('is off without one', async () => {
    const silent = await TestDaemon.start({ keys: { desk: { scopes: ['qot:read'] } } });
    expect(silent.daemon.apiAddress).toBeUndefined();
    expect(silent.daemon.websocketUrl).toMatch(/^wss:/);
    await silent.stop();
    await expect(TestDaemon.start({ keys: { desk: { scopes: ['qot:read'] } }, flags: ['--api-key-id', 'dsek'] })).rejects.toThrow(
      '--api-key-id dsek: no key has the id "dsek"',
    );
  });

  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

  it.skipIf(outside === undefined)('is for this machine alone', async () => {
    const keys = { desk: { scopes: ['qot:read'] } } as const;
    const open = await TestDaemon.start({ keys, flags: ['--api-key-id', 'desk', '--bind', '0.0.0.0'] });
    const port = open.daemon.apiAddress?.split(':').at(-1);
    const client = await CoreTcpClient.connect(`${outside}:${port}`);
    await client.closed;
    expect(await open.audit()).toContainEqual(
      expect.objectContaining({ iface: 'core-tcp', outcome: 'reject', reason: expect.stringContaining('local connections only') }),
    );
    (await CoreTcpClient.open(`127.0.0.1:${port}`)).close();
    await open.stop();
  });

  it('places an order, pushes its states, lists and cancels it by its text id; a replay makes no second one', async () => {
    const client = await open();
    const header = await accountOf(client);
    expect(await client.ask('Trd_SubAccPush', { accIDList: [header.accID] })).toMatchObject({ retType: 0 });
    const connID = client.init.s2c?.connID;
    const order = { header, trdSide: 1, orderType: 1, code: '00700', qty: 100, price: 500 };
    const placed = await client.ask('Trd_PlaceOrder', { packetID: { connID, serialNo: 0 }, ...order });
    expect(placed).toMatchObject({ retType: 0, s2c: { orderIDEx: expect.any(String) } });
    const { orderIDEx } = placed.s2c as unknown as { orderIDEx: string };

    // The same packet on another connection, as a client sends it that lost the first answer.
    const replayed = await (await open()).ask('Trd_PlaceOrder', { packetID: { connID, serialNo: 0 }, ...order });
    expect(replayed.s2c).toEqual(placed.s2c);
    const reused = await client.ask('Trd_PlaceOrder', { packetID: { connID, serialNo: 0 }, ...order, qty: 200 });
    expect(reused).toMatchObject({ retType: -1, errCode: 409 });
    // A client that names no connection means its own.
    const [mine, others] = await Promise.all(
      [client, await open()].map((each) => each.ask('Trd_PlaceOrder', { packetID: { connID: 0, serialNo: 5 }, ...order })),
    );
    expect(mine?.s2c?.orderIDEx).not.toBe(others?.s2c?.orderIDEx);

    const listed = await client.ask('Trd_GetOrderList', { header, filterConditions: { orderIDExList: [orderIDEx] } });
    expect(listed.s2c?.orderList).toHaveLength(1);
    await client.pushes.count('Trd_UpdateOrder', 1);
    const cancel = { packetID: { connID, serialNo: 1 }, header, orderID: 0, orderIDEx, modifyOrderOp: 2 };
    expect(await client.ask('Trd_ModifyOrder', cancel)).toMatchObject({ retType: 0 });
    const statesOf = () =>
      client.pushes.of('Trd_UpdateOrder').flatMap(({ response }) => {
        const pushed = response.s2c?.order as unknown as { orderIDEx: string; orderStatus: number };
        return pushed.orderIDEx === orderIDEx ? [pushed.orderStatus] : [];
      });
    await client.pushes.when(() => statesOf().includes(15));
  });

  it('cancels every order of a market with orderID 0 and forAll', async () => {
    const client = await open();
    const header = await accountOf(client);
    const connID = client.init.s2c?.connID;
    const order = { header, trdSide: 1, orderType: 1, code: '00700', qty: 100, price: 500 };
    await client.ask('Trd_PlaceOrder', { packetID: { connID, serialNo: 0 }, ...order });
    const all = { packetID: { connID, serialNo: 1 }, header, orderID: 0, modifyOrderOp: 2, forAll: true, trdMarket: 1 };
    expect(await client.ask('Trd_ModifyOrder', all)).toMatchObject({ retType: 0 });
    const working = await client.ask('Trd_GetOrderList', { header, filterStatusList: [5], refreshCache: true });
    expect(working.s2c?.orderList ?? []).toEqual([]);
  });

  it('takes the list of accounts as the whole of it', async () => {
    const client = await open();
    const header = await accountOf(client);
    await client.ask('Trd_SubAccPush', { accIDList: [header.accID] });
    await client.ask('Trd_SubAccPush', { accIDList: [] });
    const order = { header, trdSide: 1, orderType: 1, code: '00700', qty: 100, price: 500 };
    await client.ask('Trd_PlaceOrder', { packetID: { connID: 0, serialNo: 1 }, ...order });
    await client.ask('Qot_Sub', { securityList: [tencent], subTypeList: [1], isSubOrUnSub: true, isRegOrUnRegPush: true });
    await client.pushes.count('Qot_UpdateBasicQot', 2);
    expect(client.pushes.of('Trd_UpdateOrder')).toEqual([]);
  });

  it('names each operation in the audit trail', async () => {
    const client = await open();
    await client.ask('GetGlobalState', { userID: 0 });
    await client.ask('Qot_GetBasicQot', { securityList: [tencent] });
    await client.send(999_999, Buffer.from([0x0a, 0]));
    const lines = (await test.audit()).filter(({ iface }) => iface === 'core-tcp');
    expect(lines).toContainEqual(expect.objectContaining({ endpoint: 'init_connect', key_id: 'desk', outcome: 'allow' }));
    expect(lines).toContainEqual(expect.objectContaining({ endpoint: 'get_global_state', key_id: 'desk', outcome: 'allow' }));
    expect(lines).toContainEqual(expect.objectContaining({ endpoint: 'get_quote', outcome: 'reject' }));
    expect(lines).toContainEqual(expect.objectContaining({ endpoint: 'protocol id 999999', outcome: 'reject' }));
  });

  it('loses permissions at once with its key, and ends with it', async () => {
    const client = await open();
    const header = await accountOf(client);
    const sub = { securityList: [tencent], subTypeList: [1], isSubOrUnSub: true, isRegOrUnRegPush: true };
    await client.ask('Qot_Sub', sub);
    await client.pushes.count('Qot_UpdateBasicQot', 1);
    editKey(test.keysPath, 'desk', { scopes: ['acc:read'] });
    await test.daemon.reload();
    // Answered, not dropped.
    expect(await client.ask('Qot_GetBasicQot', { securityList: [tencent] })).toMatchObject({
      retType: -1,
      errCode: 403,
      retMsg: expect.stringContaining('scope insufficient'),
    });
    const told = client.pushes.of('Qot_UpdateBasicQot').length;
    for (let round = 0; round < 20; round++) expect(await client.ask('Trd_GetFunds', { header })).toMatchObject({ retType: 0 });
    expect(client.pushes.of('Qot_UpdateBasicQot')).toHaveLength(told);
    editKey(test.keysPath, 'desk', undefined);
    await test.daemon.reload();
    await client.closed;
    const refused = await CoreTcpClient.connect(test.daemon.apiAddress!);
    expect(await refused.ask('InitConnect', { clientVer: 1, clientID: 'x' })).toMatchObject({ retType: -1, errCode: 401 });
    await refused.closed;
  });
});

describe('encrypted', () => {
  let test: TestDaemon;
  const { privateKey: rsaKey } = generateKeyPairSync('rsa', {
    modulusLength: 1024,
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
    publicKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });

  beforeAll(async () => {
    test = await TestDaemon.start({ flags: BUSY });
    await test.daemon.stop();
    const path = join(test.folder, 'api.pem');
    writeFileSync(path, rsaKey);
    await test.boot({ flags: ['--api-rsa-key', path, ...BUSY] });
  });
  afterAll(() => test.stop());

  it.each<[string, { packetEncAlgo?: number }]>([
    ['AES-ECB of its own, the default', {}],
    ['AES-ECB', { packetEncAlgo: 1 }],
    ['AES-CBC', { packetEncAlgo: 2 }],
    ['not after the handshake', { packetEncAlgo: -1 }],
  ])('%s: requests, answers and pushes', async (_name, init) => {
    const client = await CoreTcpClient.open(test.daemon.apiAddress!, { rsaKey, init });
    expect(client.init.s2c?.aesCBCiv === undefined).toBe(init.packetEncAlgo !== 2);
    expect(await client.ask('GetGlobalState', { userID: 0 })).toMatchObject({ retType: 0 });
    await client.ask('Qot_Sub', { securityList: [tencent], subTypeList: [1, 2, 4], isSubOrUnSub: true, isRegOrUnRegPush: true });
    await client.pushes.count('Qot_UpdateTicker', 3);
    expect(client.pushes.all.map(({ serial }) => serial)).toEqual(client.pushes.all.map((_, index) => index + 1));
    client.close();
  });

  it('closes on a client without the key, and refuses an algorithm that is none', async () => {
    const plain = await CoreTcpClient.connect(test.daemon.apiAddress!);
    plain.socket.write(plain.frame(1001, Buffer.from(publishedEncode('InitConnect.Request', { c2s: { clientVer: 1, clientID: 'x' } })), 1));
    await plain.closed;
    await until(
      () => test.log.join('\n').includes('InitConnect cannot be opened: it has no RSA key, or another than --api-rsa-key'),
      'the log',
    );
    const odd = await CoreTcpClient.open(test.daemon.apiAddress!, { rsaKey, init: { packetEncAlgo: 9 } });
    expect(odd.init).toMatchObject({ retType: -1, retMsg: expect.stringContaining('packetEncAlgo: unknown algorithm 9') });
    await odd.closed;
  });
});
