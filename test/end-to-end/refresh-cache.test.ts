import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HK, HK_MARGIN, SIMULATE } from '../support/accounts.js';
import { ScriptedBackend, type ServedGateway, serveGateway } from '../support/gateway.js';

/** Fields that bypass the server's cache must reach the backend as sent. */
const backend = new ScriptedBackend();
let gateway: ServedGateway;
beforeAll(async () => {
  gateway = await serveGateway({ backend, keys: { desk: { scopes: ['acc:read'] } } });
});
afterAll(() => gateway.stop());
beforeEach(() => {
  backend.calls.length = 0;
});

const account = { acc_id: HK_MARGIN, env: SIMULATE, market: HK };
const ask = (path: string, more: object) => gateway.as('desk').post(path, { ...account, ...more });

describe.each(['/api/funds', '/api/positions', '/api/orders', '/api/order-fills'])('refresh_cache of %s', (path) => {
  it('asks the backend itself, whatever is held, where it is true', async () => {
    for (let times = 1; times <= 2; times++) {
      expect((await ask(path, { refresh_cache: true })).json.ret_type).toBe(0);
      expect(backend.calls.map(({ request }) => request)).toMatchObject(Array.from({ length: times }, () => ({ refreshCache: true })));
    }
  });

  it('is left alone where it is not', async () => {
    for (const more of [{}, { refresh_cache: false }]) {
      expect((await ask(path, more)).json.ret_type).toBe(0);
      expect(backend.calls.at(-1)?.request).not.toMatchObject({ refreshCache: true });
    }
  });

  it.each([['yes'], [1]])('is true or false: %j is refused', async (value) => {
    const answer = await ask(path, { refresh_cache: value });
    expect([answer.status, answer.json.code, answer.json.field]).toEqual([400, 'request.wrong_type', 'refresh_cache']);
    expect(backend.calls).toEqual([]);
  });
});
