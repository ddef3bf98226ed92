import { operations } from '@svc-gateway/contract/operations';
import { type Scope, scopes } from '@svc-gateway/contract/scope';
import { switches } from '@svc-gateway/contract/switches';
import { describe, expect, it } from 'vitest';
import { operationRows } from '../specification/operation-rows.js';
import { BUY, HK, HK_MARGIN, REAL, REAL_ENV, SIMULATE } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import type { HttpClient } from '../support/http-client.js';
import { HandshakeRefused } from '../support/push-client.js';

/** Scopes of the operations that this gateway has beyond the specification. */
const beyond: Readonly<Record<string, readonly string[]>> = {
  wait_for: ['qot:read', 'acc:read'],
  get_refusals: ['acc:read', 'trade:simulate', 'trade:real'],
  place_bracket_order: ['trade:simulate', 'trade:real'],
  get_brackets: ['acc:read'],
  cancel_bracket: ['trade:simulate', 'trade:real'],
};

/** Accepted scopes by operation, any one of them. */
const expected: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(operationRows.map(({ operation, needed }) => [operation, needed.length === 0 ? scopes : needed])),
  ...beyond,
};

/** Legacy mode refuses the specification's write and admin endpoints. */
const isRefusedInLegacyMode = (name: string) => expected[name]?.every((scope) => /^(trade:|admin$)/.test(scope));

const routes = operations.flatMap(({ name, rest }) => rest.map(({ method, path }) => ({ name, method, path })));

/** Calls without a body's fields: who may ask gets past 401 and 403, whatever then becomes of it. */
async function status(client: HttpClient, { method, path }: { method: string; path: string }): Promise<number> {
  return (await client.request(method, path, { body: method === 'POST' ? {} : undefined })).status;
}

it('the table names every declared operation and no other', () => {
  expect(Object.keys(expected).sort()).toEqual(operations.map(({ name }) => name).sort());
});

describe('scope mode', () => {
  const keys = Object.fromEntries(scopes.map((scope) => [scope, { scopes: [scope] }])) as Record<Scope, { scopes: [Scope] }>;
  const daemon = TestDaemon.forAll({ keys, flags: switches });

  it.each(routes)('$method $path ($name) takes the keys of its scopes alone', async (route) => {
    expect(await status(daemon.as(), route)).toBe(401);
    const allowed: Scope[] = [];
    for (const scope of scopes) {
      const answer = await status(daemon.as(scope), route);
      if (answer === 403) continue;
      expect([scope, answer]).toEqual([scope, answer === 400 ? 400 : 200]);
      allowed.push(scope);
    }
    expect([...allowed].sort()).toEqual([...(expected[route.name] ?? [])].sort());
  });

  it('an order needs the scope of its own environment', async () => {
    const order = { market: HK, side: BUY, code: '00700', qty: 100, price: 1 };
    const bodies = {
      'trade:simulate': { ...order, acc_id: HK_MARGIN, env: SIMULATE },
      'trade:real': { ...order, acc_id: REAL, env: REAL_ENV },
    };
    for (const scope of ['trade:simulate', 'trade:real'] as const) {
      for (const [environment, body] of Object.entries(bodies)) {
        for (const path of ['/api/order', '/api/cancel-all-order']) {
          const { market, acc_id, env } = body;
          const answer = await daemon.as(scope).post(path, path === '/api/order' ? body : { market, acc_id, env });
          // A real account is locked at first, and some backends say that with a status.
          const { code = 'answered' } = answer.json;
          const passed = answer.status === 200 || code === 'backend.forbidden';
          expect([scope, environment, path, passed, code]).toEqual([scope, environment, path, scope === environment, code]);
          if (!passed) expect(answer.status).toBe(403);
        }
      }
    }
  });

  it('/metrics takes metrics:read and admin, /ws qot:read', async () => {
    expect((await daemon.as().get('/metrics')).status).toBe(401);
    for (const scope of scopes) {
      const metrics = scope === 'metrics:read' || scope === 'admin' ? 200 : 403;
      expect([scope, (await daemon.as(scope).get('/metrics')).status]).toEqual([scope, metrics]);
      const opened = await daemon.push(scope).then(
        () => 101,
        (error: unknown) => (error instanceof HandshakeRefused ? error.status : error),
      );
      expect([scope, opened]).toEqual([scope, scope === 'qot:read' ? 101 : 403]);
    }
  });

  it('/ws refuses a handshake without a key, or with one that is no good; ?token= does as well as the header', async () => {
    for (const [path, code] of [
      ['/ws', 'auth.missing'],
      ['/ws?token=', 'auth.missing'],
      ['/ws?token=svc_nonsense', 'auth.invalid'],
    ] as const) {
      await expect(daemon.pushAt(path)).rejects.toMatchObject({ status: 401, text: expect.stringContaining(`"code":"${code}"`) });
    }
    await daemon.pushAt(`/ws?token=${daemon.keys['qot:read']}`);
  });

  it('probes are never behind a key', async () => {
    for (const path of ['/livez', '/health', '/readyz', '/openapi.json', '/docs']) expect((await daemon.as().get(path)).status).toBe(200);
  });
});

describe('legacy mode', () => {
  const daemon = TestDaemon.forAll({ flags: switches });

  it.each(routes)('$method $path ($name) takes the keys of its scopes alone', async (route) => {
    const answer = await status(daemon.as(), route);
    if (isRefusedInLegacyMode(route.name)) expect(answer).toBe(401);
    else expect([200, 400]).toContain(answer);
  });

  it('/metrics, /ws and the probes are public', async () => {
    for (const path of ['/metrics', '/livez', '/health', '/readyz']) expect((await daemon.as().get(path)).status).toBe(200);
    await daemon.push();
  });
});
