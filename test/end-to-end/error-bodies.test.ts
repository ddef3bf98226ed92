import { describe, expect, it } from 'vitest';
import { HK_MARGIN } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';

const PROBLEM = /^application\/problem\+json\b/;
const daemon = TestDaemon.forAll({ keys: { desk: { scopes: ['qot:read', 'acc:read'] } } });

describe('the error body', () => {
  it('gives every error body the same fields', async () => {
    const answer = await daemon.as('desk').post('/api/orderbook', { symbol: 'HK.00700', depth: 99 });
    expect(answer.headers['content-type']).toMatch(/^application\/json\b/);
    const { error, request_id } = answer.json;
    expect(answer.json).toEqual({
      error,
      code: 'request.out_of_range',
      ret_type: -1,
      ret_msg: error,
      err_code: 'request.out_of_range',
      request_id,
      field: 'depth',
    });
    expect(answer.headers['x-request-id']).toBe(request_id);
  });

  it('answers problem details to those who ask for them (RFC 9457)', async () => {
    const answer = await daemon
      .as('desk')
      .post('/api/orderbook', { symbol: 'HK.00700', depth: 99 }, { accept: 'application/problem+json' });
    expect([answer.status, answer.headers['content-type']]).toEqual([400, expect.stringMatching(PROBLEM)]);
    expect(answer.json).toEqual({
      type: 'urn:svc-gateway:problem:request.out_of_range',
      title: 'request.out_of_range',
      status: 400,
      detail: expect.stringContaining('1 to 40'),
      code: 'request.out_of_range',
      request_id: answer.headers['x-request-id'],
      field: 'depth',
    });
  });

  it.each([
    ['GET', '/api/nothing', 404],
    ['GET', '/api/quote', 405],
    ['POST', '/api/order', 403],
  ])('is problem details for %s %s too', async (method, path, status) => {
    const answer = await daemon.as('desk').request(method, path, { headers: { accept: 'application/problem+json' } });
    expect([answer.status, answer.headers['content-type'], answer.json.status]).toEqual([status, expect.stringMatching(PROBLEM), status]);
  });

  it('asks for a bearer in a 401', async () => {
    const answer = await daemon.as().post('/api/quote', { symbol: 'HK.00700' });
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'Bearer']);
  });
});

describe('request ids', () => {
  it('gives each request an id of its own, in the answer and in the audit trail', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => daemon.as('desk').post('/api/quote', { symbol: 'HK.00700' })));
    const ids = answers.map((answer) => String(answer.headers['x-request-id']));
    expect(new Set(ids).size).toBe(20);
    const audited = new Set((await daemon.audit()).map((line) => line.request_id));
    for (const id of ids) expect(audited).toContain(id);
  });
});

describe('an answer', () => {
  it('answers the envelope with nulls, and the payload alone', async () => {
    const desk = daemon.as('desk');
    const funds = { market: 1, acc_id: HK_MARGIN, env: 1 };
    for (const answer of [
      await desk.get('/api/ping'),
      await desk.post('/api/funds', funds),
      await desk.post('/api/quote', { symbol: 'HK.00700' }),
    ]) {
      expect([answer.status, answer.headers['content-type']]).toEqual([200, expect.stringMatching(/^application\/json\b/)]);
      expect(answer.json).toEqual({ ret_type: 0, ret_msg: null, err_code: null, s2c: expect.any(Object) });
    }
  });
});

describe('business failures', () => {
  it('answers business failures with HTTP 200 and the envelope', async () => {
    const answer = await daemon.as('desk').post('/api/funds', { market: 1, acc_id: '1', env: 1 });
    expect(answer.status).toBe(200);
    expect(Object.keys(answer.json).sort()).toEqual(['code', 'err_code', 'ret_msg', 'ret_type', 's2c']);
    expect(answer.json.ret_type).not.toBe(0);
    expect(answer.json.ret_msg).toContain('1');
  });
});

describe('64-bit integers', () => {
  it('writes 64-bit integers as strings for clients that say X-Svc-Int64: string', async () => {
    const body = { market: 1, acc_id: HK_MARGIN, env: 1 };
    const exact = await daemon.as('desk').post('/api/funds', body);
    expect(exact.text).toContain(`"acc_id":${HK_MARGIN}`);
    const text = await daemon.as('desk').post('/api/funds', body, { 'x-svc-int64': 'string' });
    expect(text.json.s2c.header.acc_id).toBe(HK_MARGIN);
  });
});
