import { describe, expect, it } from 'vitest';
import { TestDaemon } from '../support/daemon.js';

const daemon = TestDaemon.forAll({ keys: { desk: { scopes: ['qot:read'] } } });

describe('404', () => {
  it.each<[path: string, error: string]>([
    ['/api/quot', 'not found; did you mean /api/quote?'],
    ['/api/quote/', 'not found; did you mean /api/quote?'],
    ['/api/QUOTE', 'not found; did you mean /api/quote?'],
    ['/api/deals', 'not found; did you mean /api/order-fills?'],
    ['/api/Trades', 'not found; did you mean /api/order-fills?'],
    ['/balance', 'not found; did you mean /api/funds?'],
    ['/api/get-portfolio', 'not found; did you mean /api/positions?'],
    ...['/api/nothing', '/', '/api/admin', '/..%2fetc', `/api/${'quote'.repeat(100)}`].map((path): [string, string] => [path, 'not found']),
  ])('%s: with the route of the nearest name', async (path, error) => {
    for (const client of [daemon.as('desk'), daemon.as()]) {
      const answer = await client.get(path);
      expect(answer.status).toBe(404);
      expect(answer.json).toMatchObject({ code: 'route.not_found', error, ret_type: -1 });
      expect(answer.headers.allow).toBeUndefined();
    }
  });

  it('says the same of an unknown path to a caller whose key is no good', async () => {
    const answer = await daemon.withKey('svc_nonsense').post('/api/nothing', {});
    expect([answer.status, answer.json.error]).toEqual([404, 'not found']);
  });
});

describe('/ws', () => {
  it('is a path of its own: an upgrade elsewhere is answered as if none were asked for, also with a good key', async () => {
    for (const [path, status] of [
      ['/', 404],
      ['/ws/', 404],
      ['/nowhere', 404],
      ['/api/quote', 405],
      ['/api/ping', 200],
    ] as const) {
      await expect(daemon.pushAt(path, { authorization: `Bearer ${daemon.keys.desk}` })).rejects.toMatchObject({ status });
    }
  });

  it('keeps the token of its query out of the audit trail and the log', async () => {
    const token = daemon.keys.desk;
    const client = await daemon.pushAt(`/ws?token=${token}`);
    await client.close();
    await daemon.as().get(`/ws?token=${token}`);
    await daemon.as().get(`/nowhere?token=${token}`);
    await expect(daemon.pushAt(`/ws?token=${token}x`)).rejects.toMatchObject({ status: 401 });
    const trail = JSON.stringify(await daemon.audit());
    expect(trail).toContain('GET /nowhere');
    expect(trail).not.toContain(token);
    expect(daemon.log.join('')).not.toContain(token);
  });
});

describe('405', () => {
  it('names the methods of a known path', async () => {
    const wrong = await daemon.as('desk').get('/api/quote');
    expect([wrong.status, wrong.json.code, wrong.headers.allow]).toEqual([405, 'route.method_not_allowed', 'POST']);
    const put = await daemon.as('desk').request('PUT', '/api/delay-statistics', { body: {} });
    expect([put.status, put.headers.allow]).toEqual([405, 'GET, POST']);
  });
});

describe('413', () => {
  const limit = 1024 * 1024;
  const body = (bytes: number) => JSON.stringify({ symbol: 'HK.00700' }).padEnd(bytes);

  it('takes a body of 1 MiB and refuses one byte more', async () => {
    expect((await daemon.as('desk').post('/api/quote', body(limit))).status).toBe(200);
    const over = await daemon.as('desk').post('/api/quote', body(limit + 1));
    expect([over.status, over.json.code]).toEqual([413, 'request.too_large']);
    expect(over.json.error).toContain(String(limit));
    expect(over.headers.connection).toBe('close');
  });
});
