import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, SIMULATE } from '../support/accounts.js';
import { stoppedAfterEach, TestDaemon } from '../support/daemon.js';
import { editKey } from '../support/keys.js';

const kept = stoppedAfterEach();
const start = async (options: Parameters<typeof TestDaemon.start<string>>[0]) => kept(await TestDaemon.start<string>(options));

const quote = { symbol: 'HK.00700' };
const order = { market: HK, acc_id: HK_MARGIN, env: SIMULATE, side: BUY, code: '00700', qty: 100, price: 1 };

describe('401', () => {
  it('bearer missing', async () => {
    const daemon = await start({ keys: { desk: { scopes: ['qot:read'] } } });
    const bare = await daemon.as().post('/api/quote', quote);
    expect([bare.status, bare.json.code, bare.json.error]).toEqual([401, 'auth.missing', 'bearer missing']);
    for (const authorization of ['Bearer', 'Bearer ', 'Basic ZGVzazpkZXNr', daemon.keys.desk ?? '']) {
      const answer = await daemon.as().post('/api/quote', quote, { authorization });
      expect([authorization, answer.status, answer.json.code]).toEqual([authorization, 401, 'auth.missing']);
    }
  });

  it('token invalid, and nothing of the body is looked at', async () => {
    const daemon = await start({ keys: { desk: { scopes: ['qot:read'] } } });
    const right = daemon.keys.desk ?? '';
    for (const text of ['svc_', right.slice(0, -1), `${right}A`, right.toUpperCase(), 'x'.repeat(4000)]) {
      const answer = await daemon.withKey(text).post('/api/quote', '{ not json');
      expect([answer.status, answer.json.code]).toEqual([401, 'auth.invalid']);
    }
    expect((await daemon.as('desk').post('/api/quote', quote)).status).toBe(200);
  });

  it('the scheme of the header is read in any case (RFC 9110, section 11.1)', async () => {
    const daemon = await start({ keys: { desk: { scopes: ['qot:read'] } } });
    const answer = await daemon.as().post('/api/quote', quote, { authorization: `bearer ${daemon.keys.desk}` });
    expect(answer.status).toBe(200);
  });

  it('revoked, on the next request after the reload', async () => {
    const daemon = await start({ keys: { gone: { scopes: ['qot:read'] }, stays: { scopes: ['qot:read'] } } });
    editKey(daemon.keysPath, 'gone', undefined);
    expect((await daemon.as('gone').get('/api/ping')).status).toBe(200);
    await daemon.daemon.reload();
    const answer = await daemon.as('gone').get('/api/ping');
    expect([answer.status, answer.json.code]).toEqual([401, 'auth.revoked']);
    expect((await daemon.as('stays').get('/api/ping')).status).toBe(200);
  });

  it('bound to another machine, or frozen', async () => {
    const daemon = await start({
      keys: {
        elsewhere: { scopes: ['qot:read'], machines: [`fp_${'0'.repeat(64)}`] },
        frozen: { scopes: ['qot:read'], machines: [] },
      },
    });
    for (const id of ['elsewhere', 'frozen']) {
      const answer = await daemon.as(id).get('/api/ping');
      expect([answer.status, answer.json.code]).toEqual([401, 'auth.machine']);
    }
  });

  it('legacy mode: writes and administration, whatever bearer is sent', async () => {
    const daemon = await start({ flags: ['--enable-trading'] });
    const writes: [string, string, unknown][] = [
      ['POST', '/api/order', order],
      ['POST', '/api/modify-order', {}],
      ['POST', '/api/cancel-order', {}],
      ['POST', '/api/cancel-all-order', {}],
      ['POST', '/api/unlock-trade', { unlock: true, pwd_md5: 'e10adc3949ba59abbe56e057f20f883e' }],
      ['GET', '/api/admin/status', undefined],
      ['POST', '/api/admin/reload', {}],
      ['POST', '/api/admin/shutdown', {}],
    ];
    for (const [method, path, body] of writes) {
      for (const key of [undefined, `svc_${'A'.repeat(43)}`]) {
        const answer = await daemon.withKey(key).request(method, path, { body });
        expect([path, answer.status, answer.json.code]).toEqual([path, 401, 'auth.legacy']);
        expect(answer.json.error).toContain('UNAUTHORIZED');
      }
    }
    expect(daemon.shutdownRequests).toEqual([]);
  });
});

describe('403', () => {
  it('scope insufficient, before the body is read', async () => {
    const daemon = await start({ keys: { reader: { scopes: ['qot:read'] }, idle: { scopes: [] } }, flags: ['--enable-trading'] });
    expect((await daemon.as('idle').get('/api/ping')).json.error).toContain('"idle" holds no scope');
    const answer = await daemon.as('reader').post('/api/order', '{ not json');
    expect([answer.status, answer.json.code]).toEqual([403, 'auth.scope']);
    expect(answer.json.error).toContain('trade:simulate or trade:real');
    expect(answer.json.error).toContain('"reader" holds qot:read');
  });

  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;

  it.skipIf(outside === undefined)('an unlock from outside loopback', async () => {
    const daemon = await start({ keys: { ops: { scopes: ['trade:unlock', 'qot:read'] } }, flags: ['--bind', '0.0.0.0'] });
    const { port } = new URL(daemon.url);
    const body = { unlock: true, pwd_md5: 'e10adc3949ba59abbe56e057f20f883e' };
    daemon.url = `https://${outside}:${port}`;
    expect((await daemon.as('ops').get('/api/ping')).status).toBe(200);
    const answer = await daemon.as('ops').post('/api/unlock-trade', body, { 'x-forwarded-for': '127.0.0.1', forwarded: 'for=127.0.0.1' });
    expect([answer.status, answer.json.code]).toEqual([403, 'rest.unlock_trade.local_transport_required']);
    daemon.url = `https://127.0.0.1:${port}`;
    expect((await daemon.as('ops').post('/api/unlock-trade', body)).json.ret_type).toBe(0);
  });

  it('no unlock that a proxy on this machine passes on', async () => {
    const daemon = await start({ keys: { ops: { scopes: ['trade:unlock'] } } });
    const body = { unlock: true, pwd_md5: 'e10adc3949ba59abbe56e057f20f883e' };
    const forwarded = { 'x-forwarded-for': '203.0.113.5', forwarded: 'for=203.0.113.5' };
    expect((await daemon.as('ops').post('/api/unlock-trade', body, forwarded)).json.ret_type).toBe(0);
  });

  it('a web page of another origin, and in legacy mode a host name that is not this machine', async () => {
    const daemon = await start({});
    const foreign = await daemon.as().post('/api/quote', quote, { origin: 'https://evil.example' });
    expect([foreign.status, foreign.json.code]).toEqual([403, 'auth.origin']);
    const rebound = await daemon.as().post('/api/quote', quote, { host: 'evil.example' });
    expect([rebound.status, rebound.json.code]).toEqual([403, 'auth.origin']);
    const allowed = await start({ flags: ['--allowed-origins', 'https://desk.example'] });
    expect((await allowed.as().post('/api/quote', quote, { origin: 'https://desk.example' })).status).toBe(200);
  });
});

describe('TLS', () => {
  it('plain HTTP to a TLS listener fails in the handshake', async () => {
    const daemon = await start({ keys: { desk: { scopes: ['qot:read'] } } });
    daemon.url = daemon.url.replace('https:', 'http:');
    for (const headers of [{}, { 'x-forwarded-proto': 'https', forwarded: 'proto=https' }])
      await expect(daemon.as('desk').get('/livez', headers)).rejects.toThrow();
  });
});
