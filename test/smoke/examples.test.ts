import { operations } from '@svc-gateway/contract/operations';
import { scopes } from '@svc-gateway/contract/scope';
import { switches } from '@svc-gateway/contract/switches';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUY, HK, HK_CASH, SIMULATE } from '../support/accounts.js';
import { exampleVariables, fillIn, requestExamples } from '../support/request-examples.js';
import { SpawnedDaemon } from '../support/spawned-daemon.js';

const examples = requestExamples();

/** Calls that do not belong into a tour: they answer a question of a login, or are an operator's. */
const elsewhere = ['verification', 'admin_halt', 'admin_reload', 'admin_resume', 'admin_shutdown', 'admin_status'];

describe('examples/requests.http', () => {
  let daemon: SpawnedDaemon<'desk'>;
  const answers = new Map<string, unknown>();
  const variables = exampleVariables();
  beforeAll(async () => {
    daemon = await SpawnedDaemon.start({
      keys: { desk: { scopes } },
      flags: [...switches, '--sim-clock', 'replay:2026-11-20T15:00:00Z'],
    });
    // All examples succeed, and one of them lists refused orders.
    await daemon
      .as('desk')
      .post('/api/order', { acc_id: HK_CASH, env: SIMULATE, market: HK, side: BUY, code: '00700', qty: 1, price: 300 });
  });
  afterAll(() => daemon.stop());

  it('has a call of every operation that REST serves', () => {
    const called = new Set(examples.map(({ method, path }) => `${method} ${path}`));
    const missing = operations.filter(({ rest }) => !rest.some(({ method, path }) => called.has(`${method} ${path}`)));
    expect(missing.map(({ name }) => name).sort()).toEqual(elsewhere.sort());
  });

  // One after another: some take up what an earlier one answered.
  it.each(examples.map((example) => [`${example.method} ${example.path}`, example.title, example] as const))(
    '%s: %s',
    async (...[, , example]) => {
      const body = example.body === undefined ? {} : { body: fillIn(example.body, variables, answers) };
      const { status, json } = await daemon.as('desk').request(example.method, example.path, { ...body, headers: example.headers });
      expect([status, json.ret_type, json.error ?? json.ret_msg ?? '']).toEqual([200, 0, '']);
      expect(lists(json.s2c)).not.toEqual([]);
      if (example.name !== undefined) answers.set(example.name, json);
    },
  );
});

/** Contents of an answer: empty where all its lists are. */
function lists(payload: unknown): unknown[] {
  const all = Object.values((payload ?? {}) as object);
  return all.length === 0 ? ['nothing to say'] : all.filter((value) => !Array.isArray(value) || value.length > 0);
}
