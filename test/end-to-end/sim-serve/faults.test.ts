import { createHash } from 'node:crypto';
import { ManualClock } from '@svc-gateway/contract/clock';
import { afterEach, describe, expect, it } from 'vitest';
import { HK_CASH } from '../../support/accounts.js';
import { CoreTcpClient } from '../../support/core-tcp-client.js';
import { publishedEncode } from '../../support/published-client.js';
import { postJson, SimOpend, type SimOpendOptions, SimServe } from '../../support/sim-serve.js';

import { until } from '../../support/until.js';

/** Faults that a test server can be told to make, one by one. */

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

const START = Date.UTC(2026, 10, 20, 2, 30);
const OK = { retType: 0 };
const TENCENT = { market: 1, code: '00700' };
const SUB = { securityList: [TENCENT], subTypeList: [1], isSubOrUnSub: true, isRegOrUnRegPush: true };

async function upstream(options: SimOpendOptions = {}): Promise<{ served: SimOpend; clock: ManualClock; open(): Promise<CoreTcpClient> }> {
  const clock = new ManualClock(START);
  const served = await SimOpend.start({ clock, ...options });
  cleanups.push(async () => {
    await served.stop();
    expect(served.defects).toEqual([]);
  });
  const open = async () => {
    const client = await CoreTcpClient.open(served.address);
    cleanups.push(() => client.close());
    return client;
  };
  return { served, clock, open };
}

const INIT = Buffer.from(publishedEncode('InitConnect.Request', { c2s: { clientVer: 1011, clientID: 'test' } }));
const GLOBAL_STATE = Buffer.from(publishedEncode('GetGlobalState.Request', { c2s: { userID: 0 } }));

const state = (client: CoreTcpClient) => client.ask('GetGlobalState', { userID: 0 });
const programStatus = async (client: CoreTcpClient) => ((await state(client)).s2c?.programStatus as { type?: number } | undefined)?.type;
const noticeTypes = (client: CoreTcpClient) => client.pushes.of('Notify').map(({ response }) => Number(response.s2c?.type));

/** Bytes that answer a handshake and a request, until the server closes or both answers are there. */
async function rawAnswers(address: string, protoId: number): Promise<Buffer> {
  const client = await CoreTcpClient.connect(address);
  cleanups.push(() => client.close());
  const { socket } = client;
  socket.removeAllListeners('data');
  socket.write(Buffer.concat([client.frame(1001, INIT, 1), client.frame(protoId, GLOBAL_STATE, 2)]));
  let bytes = Buffer.alloc(0);
  await new Promise<void>((resolve) => {
    socket.on('close', () => resolve());
    socket.on('data', (part: Buffer) => {
      bytes = Buffer.concat([bytes, part]);
      const first = lengthOf(bytes);
      if (lengthOf(bytes.subarray(first)) <= bytes.length - first) resolve();
    });
  });
  return bytes.subarray(lengthOf(bytes));
}

/** Length of the first frame, as far as it is known. */
function lengthOf(bytes: Buffer): number {
  return bytes.length < 44 ? Number.POSITIVE_INFINITY : 44 + bytes.readUInt32LE(12);
}

describe('answers', () => {
  it('can be delayed without holding up others', async () => {
    const { served, clock, open } = await upstream();
    const client = await open();
    served.faults.order({ kind: 'delay', ms: 5_000, protoId: 1002 });
    let answered = false;
    const delayed = state(client).then(() => {
      answered = true;
    });
    expect(await client.ask('Trd_GetAccList', { userID: 0 })).toMatchObject(OK);
    clock.advance(4_999);
    expect(await state(client)).toMatchObject(OK);
    expect(answered).toBe(false);
    clock.advance(1);
    await delayed;
    expect(served.faults.pending).toEqual([]);
  });

  it('can be dropped, with the request carried out or not', async () => {
    const { served, clock, open } = await upstream();
    const client = await open();
    const order = { trdSide: 1, orderType: 1, code: '00700', secMarket: 1, qty: 100, price: 1 };
    const header = { accID: HK_CASH, trdEnv: 0, trdMarket: 1 };
    const place = (serialNo: number) => {
      clock.advance(20);
      return client.ask('Trd_PlaceOrder', { packetID: { connID: client.init.s2c?.connID, serialNo }, header, ...order });
    };
    served.faults.order({ kind: 'no_answer', protoId: 2202 }, { kind: 'lost_request', protoId: 2202 });
    void place(1);
    void place(2);
    const list = async () => (await client.ask('Trd_GetOrderList', { header })).s2c?.orderList ?? [];
    expect(await list()).toHaveLength(1);
    expect(await place(3)).toMatchObject(OK);
    expect(await list()).toHaveLength(2);
  });

  it('can be refused with an ordered text', async () => {
    const { served, open } = await upstream();
    const client = await open();
    served.faults.order({ kind: 'refuse', text: 'NN_ProtoRet_TimeOut', retType: -100, times: 2 });
    for (let count = 0; count < 2; count++) expect(await state(client)).toMatchObject({ retType: -100, retMsg: 'NN_ProtoRet_TimeOut' });
    expect(await state(client)).toMatchObject(OK);
  });
});

describe('handshakes', () => {
  it('are delayed, refused, or never answered, where they are named', async () => {
    const { served, clock, open } = await upstream();
    served.faults.order({ kind: 'refuse', text: 'not now', retType: -1, protoId: 1001 });
    expect((await open()).init).toMatchObject({ retType: -1, retMsg: 'not now' });
    served.faults.order({ kind: 'delay', ms: 1_000, protoId: 1001 });
    const delayed = open();
    await until(() => served.faults.pending.length === 0, 'the handshake');
    clock.advance(1_000);
    expect((await delayed).init).toMatchObject(OK);
    served.faults.order({ kind: 'no_answer', protoId: 1001 });
    const silent = await CoreTcpClient.connect(served.address);
    void silent.send(1001, INIT);
    await until(() => served.faults.pending.length === 0, 'the handshake');
    clock.advance(15_000);
    await silent.closed;
    expect(silent.arrived).toEqual([]);
  });

  it('and heartbeats are left alone by faults that name no protocol id', async () => {
    const { served, open } = await upstream();
    served.faults.order({ kind: 'refuse', text: 'no', retType: -1 });
    const client = await open();
    expect(await client.ask('KeepAlive', { time: 1 })).toMatchObject(OK);
    expect(await state(client)).toMatchObject({ retType: -1, retMsg: 'no' });
  });

  it('at an unknown endpoint cannot be disturbed', async () => {
    const { served } = await upstream();
    expect(() => served.faults.order({ kind: 'cut', point: 'platform' })).toThrow('there is no point platform; there are api');
  });
});

describe('frames', () => {
  it('come half, and the connection ends', async () => {
    const { served } = await upstream();
    served.faults.order({ kind: 'half_frame', protoId: 1002 });
    const frame = await rawAnswers(served.address, 1002);
    expect(frame.readUInt32LE(2)).toBe(1002);
    expect(frame.length).toBe(Math.ceil(lengthOf(frame) / 2));
  });

  it.each([
    ['a wrong digest', true],
    ['the right one', false],
  ])('come with %s', async (_, wrong) => {
    const { served } = await upstream();
    if (wrong) served.faults.order({ kind: 'wrong_digest', protoId: 1002 });
    const frame = await rawAnswers(served.address, 1002);
    const digest = createHash('sha1').update(frame.subarray(44)).digest();
    expect(digest.equals(frame.subarray(16, 36))).toBe(!wrong);
  });

  it('are cut off', async () => {
    const { served, open } = await upstream();
    const [client, other] = [await open(), await open()];
    served.faults.order({ kind: 'cut', protoId: 1002 });
    void state(client);
    await client.closed;
    expect(await state(other)).toMatchObject(OK);
  });

  it('are disturbed by chance as the seed says', async () => {
    const seen = async (seed: string) => {
      const { served, open } = await upstream({ seed });
      const client = await open();
      served.faults.order({ kind: 'refuse', text: 'chance', retType: -1, chance: 0.5, times: 1_000 });
      const answers: number[] = [];
      for (let count = 0; count < 40; count++) answers.push((await state(client)).retType);
      return answers.join();
    };
    const first = await seen('a');
    expect(await seen('a')).toBe(first);
    expect(await seen('b')).not.toBe(first);
    expect(first).toContain('0');
    expect(first).toContain('-1');
  });
});

describe('pushes', () => {
  it.each([
    ['twice', { kind: 'push_twice' }, 2],
    ['never', { kind: 'push_lost' }, 0],
  ] as const)('come %s', async (_, fault, times) => {
    const { served, open } = await upstream();
    const client = await open();
    served.faults.order({ ...fault, protoId: 3005 });
    await client.ask('Qot_Sub', SUB);
    await state(client);
    expect(client.pushes.of('Qot_UpdateBasicQot')).toHaveLength(times);
  });

  it('come late', async () => {
    const { served, clock, open } = await upstream();
    const client = await open();
    served.faults.order({ kind: 'push_late', ms: 1, protoId: 3005 });
    await client.ask('Qot_Sub', { ...SUB, isFirstPush: true });
    await state(client);
    expect(client.pushes.of('Qot_UpdateBasicQot')).toEqual([]);
    clock.advance(1);
    await client.pushes.count('Qot_UpdateBasicQot', 1);
  });
});

describe('an upstream', () => {
  it('is kicked out: told to all, connections end, nothing is logged in until it is again', async () => {
    const { served, open } = await upstream();
    const client = await open();
    served.server.kickOut();
    await client.closed;
    const events = client.pushes.of('Notify').map(({ response }) => (response.s2c?.event as { eventType?: number } | undefined)?.eventType);
    expect(events).toContain(7);
    const after = await open();
    expect(await programStatus(after)).toBe(11);
    expect((await state(after)).s2c).toMatchObject({ qotLogined: false, trdLogined: false });
    expect(await after.ask('Qot_Sub', SUB)).toMatchObject({ retType: -1, retMsg: '网络中断' });
    served.server.logInAgain();
    await after.pushes.when(() => noticeTypes(after).includes(3));
    expect(await programStatus(after)).toBe(10);
    expect(await after.ask('Qot_Sub', SUB)).toMatchObject(OK);
  });

  it('loses one of its logins', async () => {
    const { served, open } = await upstream();
    const client = await open();
    served.server.setLogins(false, true);
    expect(await client.ask('Qot_Sub', SUB)).toMatchObject({ retType: -1, retMsg: '网络中断' });
    expect(await client.ask('Trd_GetAccList', { userID: 0 })).toMatchObject(OK);
    expect((await state(client)).s2c).toMatchObject({ qotLogined: false, trdLogined: true, connID: client.init.s2c?.connID });
    expect(noticeTypes(client)).toContain(3);
  });

  it('restarts: its port is closed for a while, its connections and subscriptions are gone', async () => {
    const { served, clock, open } = await upstream();
    const client = await open();
    await client.ask('Qot_Sub', SUB);
    await served.server.restart(2_000);
    await client.closed;
    await expect(open()).rejects.toThrow('ECONNREFUSED');
    clock.advance(2_000);
    await served.faults.up();
    const after = await open();
    expect(after.init.s2c?.connID).not.toBe(client.init.s2c?.connID);
    expect(await after.ask('Qot_GetSubInfo', { isReqAllConn: true })).toMatchObject({ s2c: { totalUsedQuota: 0 } });
  });

  it('stays down if stopped while down', async () => {
    const { served, clock } = await upstream();
    const { address } = served;
    await served.server.restart(1_000);
    await served.server.stop();
    clock.advance(1_000);
    await expect(CoreTcpClient.connect(address)).rejects.toThrow('ECONNREFUSED');
  });

  it('forgets subscriptions without a word', async () => {
    const { served, clock, open } = await upstream();
    const client = await open();
    await client.ask('Qot_Sub', SUB);
    await client.pushes.count('Qot_UpdateBasicQot', 1);
    await served.server.forgetSubscriptions();
    await state(client);
    const quotes = () => client.pushes.of('Qot_UpdateBasicQot');
    const { length } = quotes();
    clock.advance(10_000);
    expect(await client.ask('Qot_GetSubInfo', { isReqAllConn: false })).toMatchObject({ s2c: { totalUsedQuota: 0 } });
    expect(quotes()).toHaveLength(length);
  });

  it('lets nobody in while it awaits a code', async () => {
    const { served, open } = await upstream();
    served.server.state.awaitsCode = true;
    const client = await open();
    expect(client.init).toMatchObject({ retType: -1, retMsg: expect.stringContaining('验证码') });
    await client.closed;
  });
});

describe('points', () => {
  it('go down and come up again, one by one', async () => {
    const served = await SimServe.start();
    cleanups.push(() => served.stop());
    const init = { clientID: `svc:${await served.session()}` };
    const open = async (address: string) => {
      const client = await CoreTcpClient.open(address, { init });
      cleanups.push(() => client.close());
      return client;
    };
    const [platform, broker] = [await open(served.platform), await open(served.broker(1007))];
    await served.faults.down('1007');
    await broker.closed;
    expect(await state(platform)).toMatchObject(OK);
    await expect(open(served.broker(1007))).rejects.toThrow('ECONNREFUSED');
    await served.faults.up('1007');
    expect((await open(served.broker(1007))).init).toMatchObject(OK);
    served.faults.cut('platform');
    await platform.closed;
    expect((await open(served.platform)).init).toMatchObject(OK);
    expect(served.defects).toEqual([]);
  });
});

describe('/faults', () => {
  it('orders everything over HTTP', async () => {
    const { served, open } = await upstream();
    const url = `${served.server.addresses.faults}/faults`;
    const client = await open();
    expect(await postJson(url, { fault: 'refuse', text: 'no', proto_id: 1002, times: 1 })).toEqual({
      status: 200,
      answer: { ordered: 'refuse' },
    });
    const listed = (await (await fetch(url)).json()) as { pending: unknown[]; accepted: Record<string, Record<string, string>> };
    expect(listed.pending).toEqual([{ kind: 'refuse', text: 'no', retType: -1, protoId: 1002, times: 1 }]);
    expect(Object.keys(listed.accepted)).toEqual(
      expect.arrayContaining([
        'delay',
        'no_answer',
        'half_frame',
        'wrong_digest',
        'down',
        'kick_out',
        'restart',
        'forget_subscriptions',
        'logins',
      ]),
    );
    expect(await state(client)).toMatchObject({ retType: -1, retMsg: 'no' });
    await postJson(url, { fault: 'delay', ms: 1 });
    await fetch(url, { method: 'DELETE' });
    expect(served.faults.pending).toEqual([]);
    await postJson(url, { fault: 'kick_out' });
    await client.closed;
  });

  it.each([
    [{}, 'fault: expected one of delay, '],
    [{ fault: 'delay' }, 'missing field "ms"'],
    [{ fault: 'delay', ms: -1 }, 'ms: expected whole milliseconds'],
    [{ fault: 'delay', ms: 1, port: 1 }, 'unknown field "port"; accepted: fault, ms, point'],
    [{ fault: 'cut', point: '1009' }, 'point: expected one of api'],
    ['{', 'malformed JSON'],
  ])('refuses %j', async (body, text) => {
    const { served } = await upstream();
    const answered = await postJson(`${served.server.addresses.faults}/faults`, body);
    expect(answered).toEqual({ status: 400, answer: { error: expect.stringContaining(text) } });
  });

  it('orders what becomes of logins', async () => {
    const served = await SimServe.start();
    cleanups.push(() => served.stop());
    expect(await postJson(`${served.authUrl}/faults`, { fault: 'login', ret_type: 23, times: 2 })).toMatchObject({ status: 200 });
    expect(await postJson(`${served.authUrl}/faults`, { fault: 'login', ret_type: 3 })).toMatchObject({ status: 400 });
    for (const order of [
      { fault: 'exchange_refuses', times: 3 },
      { fault: 'exchange_silent', ms: 5 },
      { fault: 'delay', ms: 1 },
    ])
      await postJson(`${served.authUrl}/faults`, order);
    const pending = async () => ((await (await fetch(`${served.authUrl}/faults`)).json()) as { pending: object[] }).pending;
    expect(await pending()).toMatchObject([
      { kind: 'delay' },
      { fault: 'login', ret_type: 23 },
      { fault: 'login', ret_type: 23 },
      { fault: 'exchange_refuses', times: 3 },
      { fault: 'exchange_silent', ms: 5, times: 1 },
    ]);
    await fetch(`${served.authUrl}/faults`, { method: 'DELETE' });
    expect(await pending()).toEqual([]);
    expect(await postJson(`${served.authUrl}/faults`, { fault: 'expire_sessions' })).toMatchObject({ status: 200 });
    expect(await postJson(`${served.authUrl}/faults`, { fault: 'expire_tickets' })).toMatchObject({ status: 200 });
  });
});
