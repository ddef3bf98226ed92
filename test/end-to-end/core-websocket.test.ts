import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { backendName } from '../support/backend-behind.js';
import { CoreWsClient } from '../support/core-ws-client.js';
import { TestDaemon } from '../support/daemon.js';
import { editKey } from '../support/keys.js';
import { protocolIds } from '../support/public-protocol.js';
import { publishedDecode, publishedEncode } from '../support/published-client.js';
import { HandshakeRefused, PushClient } from '../support/push-client.js';
import { until } from '../support/until.js';

/** Time passes faster, so that there is more to push. */
const BUSY = ['--sim-clock', 'replay:2026-03-02T02:00:00Z@60'];
const tencent = { market: 1, code: '00700' };
const subscribe = { securityList: [tencent], subTypeList: [1], isSubOrUnSub: true, isRegOrUnRegPush: true };

describe('with keys', () => {
  let test: TestDaemon<'desk' | 'reader' | 'texts'>;
  const open = (id?: 'desk' | 'reader' | 'texts') => CoreWsClient.open(test.daemon.websocketUrl!, id && test.keys[id], test.ca);
  const connect = (path = '', headers: Record<string, string> = {}) =>
    CoreWsClient.connect(`${test.daemon.websocketUrl}${path}`, { ca: test.ca!, headers });

  beforeAll(async () => {
    test = await TestDaemon.start({
      keys: {
        desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'], sdk: true },
        reader: { scopes: ['qot:read'], limits: { allowedSymbols: 'HK.00005' }, sdk: true },
        texts: { scopes: ['qot:read'] },
      },
      flags: ['--enable-trading', ...BUSY],
    });
  });
  afterAll(() => test.stop());

  it('accepts the MD5 of a key made for it, or a key at the upgrade', async () => {
    const client = await open('desk');
    expect(await client.ask('GetGlobalState', { userID: 0 })).toMatchObject({ retType: 0 });
    for (const [path, headers] of [
      [`/?token=${test.keys.texts}&p=:1`, {}],
      ['/', { authorization: `Bearer ${test.keys.texts}` }],
    ] as const) {
      const other = await connect(path, headers);
      expect(await other.login('')).toMatchObject({ error: 0 });
      expect(await other.ask('GetGlobalState', { userID: 0 })).toMatchObject({ retType: 0 });
      // Only gen-key --sdk makes a key for the MD5.
      expect((await (await connect(path, headers)).login(test.keys.texts)).error).not.toBe(0);
      await other.close();
    }
    await client.close();
  });

  it('refuses any other login in the header, in ASCII, and closes', async () => {
    for (const key of ['', 'svc_wrong']) {
      const client = await connect();
      const { error, errorText, body } = await client.login(key);
      expect(error).not.toBe(0);
      expect(errorText).toMatch(/^[\x20-\x7e]+$/);
      expect(publishedDecode('InitWebSocket.Response', body!)).toMatchObject({ retType: -1, errCode: 401 });
      expect((await client.closed).code).toBe(1008);
    }
    // The text of this one is longer than a close frame takes.
    const odd = await connect();
    const { body } = await odd.send(1, publishedEncode('KeepAlive.Request', { c2s: { time: 1 } }).fill(0xff));
    expect(publishedDecode('InitWebSocket.Response', body!)).toMatchObject({ retType: -1, errCode: 400 });
    expect((await odd.closed).code).toBe(1008);
    await expect(connect('/?token=svc_wrong')).rejects.toThrow('401');
    await expect(connect('', { origin: 'https://elsewhere.example' })).rejects.toThrow('403');
    const lines = (await test.audit()).filter(({ iface, outcome }) => iface === 'core-ws' && outcome === 'reject');
    expect(lines.map(({ endpoint }) => endpoint)).toEqual(expect.arrayContaining(['init_websocket', 'connect']));
  });

  it('serves nothing before the login, and says so', async () => {
    const client = await connect();
    const { error, body } = await client.send(
      protocolIds.GetGlobalState,
      publishedEncode('GetGlobalState.Request', { c2s: { userID: 0 } }),
    );
    expect(error).toBe(0);
    expect(publishedDecode('GetGlobalState.Response', body!)).toMatchObject({ retType: -1, retMsg: 'InitWebSocket must come first' });
    expect(await client.login(test.keys.desk)).toMatchObject({ error: 0 });
    const again = await client.login(test.keys.desk);
    expect(publishedDecode('InitWebSocket.Response', again.body!)).toMatchObject({ retType: -1 });
    expect(await client.ask('GetGlobalState', { userID: 0 })).toMatchObject({ retType: 0 });
    await client.close();
  });

  it('closes on a text, on what is no message of the protocol, and on one that is too long', async () => {
    const [text, noise, long] = [await open('desk'), await open('desk'), await open('desk')];
    text.webSocket.send('hello');
    noise.webSocket.send(Buffer.alloc(64, 1));
    long.webSocket.send(Buffer.alloc(2 * 1024 * 1024));
    expect([(await text.closed).code, (await noise.closed).code, (await long.closed).code]).toEqual([1003, 1003, 1009]);
  });

  it('answers an unknown id, and operations beyond the key’s scopes', async () => {
    const [desk, reader] = [await open('desk'), await open('reader')];
    const unknown = await desk.send(999_999, new Uint8Array([0x0a, 0]));
    expect(publishedDecode('KeepAlive.Response', unknown.body!)).toMatchObject({ retType: -1, errCode: 404 });
    expect(await reader.ask('Trd_GetAccList', { userID: 0 })).toMatchObject({ retType: -1, errCode: 403 });
    expect(await reader.ask('Qot_Sub', subscribe)).toMatchObject({
      retType: -1,
      errCode: 429,
      retMsg: expect.stringContaining('HK.00700'),
    });
    expect(await desk.ask('KeepAlive', { time: 1 })).toMatchObject({ retType: 0 });
    await Promise.all([desk.close(), reader.close()]);
  });

  it('pushes what the connection subscribed to, and not what others did', async () => {
    const [one, other] = [await open('desk'), await open('desk')];
    expect(await one.ask('Qot_GetBasicQot', { securityList: [tencent] })).toMatchObject({ retType: -1 });
    expect(await one.ask('Qot_Sub', subscribe)).toMatchObject({ retType: 0 });
    expect(await one.ask('Qot_GetBasicQot', { securityList: [tencent] })).toMatchObject({ retType: 0 });
    const pushes = await one.pushes.count('Qot_UpdateBasicQot', 5);
    for (const { response } of pushes) expect(response).toMatchObject({ retType: 0, s2c: { basicQotList: [{ security: tencent }] } });
    expect(await other.ask('GetGlobalState', { userID: 0 })).toMatchObject({ retType: 0 });
    expect(other.pushes.of('Qot_UpdateBasicQot')).toEqual([]);
    await one.close();
    await other.close();
  });

  it('shows its connections beside those of the push stream', async () => {
    const client = await open('desk');
    await client.ask('Qot_Sub', subscribe);
    const { json } = await test.as('desk').get('/api/push-subscriber-info');
    expect(json.s2c.subscriber_list).toContainEqual(expect.objectContaining({ iface: 'core-ws', key_id: 'desk', subscription_count: 1 }));
    await client.close();
  });

  it('goes on with what a narrowed key leaves it, and ends with the key', async () => {
    const client = await open('texts').catch(() => connect(`/?token=${test.keys.texts}`));
    await client.login('');
    await client.ask('Qot_Sub', subscribe);
    await client.pushes.count('Qot_UpdateBasicQot', 1);
    editKey(test.keysPath, 'texts', { scopes: ['acc:read'] });
    await test.daemon.reload();
    expect(await client.ask('Qot_GetBasicQot', { securityList: [tencent] })).toMatchObject({ retType: -1, errCode: 403 });
    editKey(test.keysPath, 'texts', undefined);
    await test.daemon.reload();
    expect(await client.closed).toEqual({ code: 4401, reason: 'key revoked' });
  });

  it('is of no use to plain HTTP and to /ws clients', async () => {
    const url = test.daemon.websocketUrl!.replace(/^ws/, 'http');
    await expect(PushClient.open(`${test.daemon.websocketUrl}/ws?token=bad`, { ca: test.ca! })).rejects.toBeInstanceOf(HandshakeRefused);
    const { request } = await import('node:https');
    const status = await new Promise((resolve, reject) => {
      request(url, { ca: test.ca }, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
    expect(status).toBe(426);
  });
});

describe('when the daemon stops', () => {
  it('answers requests in flight and announces its end', async () => {
    const test = await TestDaemon.start({ flags: BUSY });
    const client = await CoreWsClient.open(test.daemon.websocketUrl!);
    const early = await CoreWsClient.connect(test.daemon.websocketUrl!);
    const asked = client.ask('Qot_Sub', subscribe);
    // The request is at the daemon when a later one has been answered.
    await client.ask('GetGlobalState', { userID: 0 });
    const stopped = test.daemon.stop();
    expect(await asked).toMatchObject({ retType: 0 });
    expect((await client.closed).code).toBe(1001);
    expect((await early.closed).code).toBe(1001);
    await stopped;
    test.remove();
  });
});

describe('a key that is narrowed', () => {
  const other = { market: 1, code: '00005' };

  it('gives back the quota of streams that it may not see any more, on all its connections', async () => {
    const test = await TestDaemon.start({
      keys: { desk: { scopes: ['qot:read'], sdk: true } },
      flags: ['--max-subscriptions-per-key', '4'],
    });
    const desk = test.as('desk');
    const [one, two] = [await CoreWsClient.open(test.daemon.websocketUrl!, test.keys.desk, test.ca), await test.push('desk')];
    const used = async () => (await desk.s2c('/api/query-subscription', {})).total_used_quota;
    await one.ask('Qot_Sub', { ...subscribe, securityList: [tencent, other] });
    await two.command('subscribe', { symbols: ['HK.00005'], sub_types: [2] });
    await desk.s2c('/api/subscribe', { symbols: ['HK.00005'], sub_types: [4] });
    const full = await desk.post('/api/subscribe', { symbols: ['HK.00700'], sub_types: [2] });
    expect(full).toMatchObject({ status: 429, json: { code: 'limit.subscriptions' } });
    expect(full.json.error).toMatch(/^subscription quota of the key exceeded: 4 of 4 in use/);
    editKey(test.keysPath, 'desk', { limits: { allowed_symbols: ['HK.00700'] } });
    await test.daemon.reload();
    // Other upstreams take a stream back a minute after it began, at the earliest.
    const isGivenBackAtOnce = backendName === 'sim';
    if (isGivenBackAtOnce) await until(async () => (await used()) === 1, 'the quota of unseen streams to be given back');
    expect((await desk.post('/api/subscribe', { symbols: ['HK.00700'], sub_types: [2] })).json).toMatchObject({ ret_type: 0 });
    if (isGivenBackAtOnce) expect(await used()).toBe(2);
    await Promise.all([one.close(), two.close()]);
    await test.stop();
  });
});
