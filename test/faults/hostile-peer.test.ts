import { request } from 'node:https';
import { text as textOf } from 'node:stream/consumers';
import { scopes } from '@svc-gateway/contract/scope';
import { afterEach, describe, expect, it } from 'vitest';
import { BUY, HK, HK_CASH, HK_MARGIN, NORMAL, REAL_ENV } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import { whenReady } from '../support/remote-daemon.js';
import { exampleVariables, requestExamples } from '../support/request-examples.js';
import { grantOf, ScriptedAuthority } from '../support/scripted-authority.js';
import { until } from '../support/until.js';
import { LyingServer } from './hostile/lying-server.js';
import { seededRandom } from './random.js';

/** Servers that lie, by `SVC_FAULT_SCHEDULES` so many from seed `SVC_FAULT_SEED` on. */
const schedules = Number(process.env.SVC_FAULT_SCHEDULES ?? 1);
const firstSeed = Number(process.env.SVC_FAULT_SEED ?? 1);
const seeds = Array.from({ length: schedules }, (_, at) => firstSeed + at);
const SCHEDULE_MS_MAX = 300_000;
const ORDERS = 12;
const switches = [
  '--enable-trading',
  '--enable-desktop-phase2-reads',
  '--enable-v18-experimental-reads',
  '--enable-v18-kline-patterns',
  '--enable-v18-kline-pattern-performance',
];

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

async function lyingServer(random: () => number, accId: string): Promise<LyingServer> {
  const server = await LyingServer.listen(random, BigInt(accId));
  cleanups.push(() => server.close());
  return server;
}

/** The servers behind a daemon, and its flags. */
const behind: Readonly<Record<string, (random: () => number) => Promise<{ servers: LyingServer[]; flags: string[] }>>> = {
  async opend(random) {
    const server = await lyingServer(random, HK_MARGIN);
    return { servers: [server], flags: ['--backend', `opend://127.0.0.1:${server.endpoint.port}`] };
  },
  async remote(random) {
    const platform = await lyingServer(random, HK_MARGIN);
    const brokers = [await lyingServer(random, HK_MARGIN), await lyingServer(random, HK_CASH)];
    const points = brokers.map(({ endpoint }, at) => ({ broker_id: 1001 + at, name: `broker ${at}`, ...endpoint }));
    const authority = await ScriptedAuthority.start(grantOf({ platform: platform.endpoint, brokers: points }));
    cleanups.push(() => authority.stop());
    const login = ['--auth-url', authority.url, '--login-account', '1001', '--login-pwd', 'secret'];
    return { servers: [platform, ...brokers], flags: ['--backend', 'remote', ...login] };
  },
};

/** An answer as it is: what a liar says may contradict the OpenAPI document. */
function ask(daemon: TestDaemon<'all'>, method: string, path: string, body?: string, more = {}): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const { ca, url, keys } = daemon;
    const options = { method, agent: false, ca, servername: 'localhost', headers: { authorization: `Bearer ${keys.all}`, ...more } };
    const asking = request(new URL(path, url), options, (response) => {
      textOf(response).then((text) => resolve({ status: response.statusCode ?? 0, text }), reject);
    });
    asking.on('error', reject);
    asking.end(body);
  });
}

/** Every call of the examples, whatever earlier ones would have said. */
function calls(): { method: string; path: string; body: string | undefined }[] {
  const variables = exampleVariables();
  const filled = (text: string) => text.replace(/\{\{(.+?)\}\}/g, (_, name: string) => variables[name] ?? '1');
  return requestExamples()
    .filter(({ path }) => !path.startsWith('/api/admin/'))
    .map(({ method, path, body }) => ({ method, path: filled(path), body: body === undefined ? undefined : filled(body) }));
}

/** Places an order that is told from others by its remark; asked again under its key where nobody knows what became of it. */
async function placeOrder(daemon: TestDaemon<'all'>, remark: string): Promise<void> {
  const account = { market: HK, acc_id: HK_MARGIN, env: REAL_ENV };
  const order = { ...account, side: BUY, code: '00700', qty: 100, price: 1, order_type: NORMAL, remark };
  for (let tries = 0; tries < 2; tries++) {
    const { status, text } = await ask(daemon, 'POST', '/api/order', JSON.stringify(order), { 'idempotency-key': remark });
    expect(status, text).not.toBe(400);
    if (status < 500) return;
  }
}

describe.each(Object.keys(behind))('a daemon with --backend %s before servers that lie', (name) => {
  it.each(seeds)(
    'neither falls nor speaks nonsense, sends nothing twice, and is as good as before afterwards: seed %i',
    async (seed) => {
      const { servers, flags } = await (behind[name] as (typeof behind)[string])(seededRandom(seed));
      const daemon = await TestDaemon.start({ keys: { all: { scopes } }, flags: [...flags, ...switches, '--request-timeout', '5'] });
      cleanups.push(() => daemon.stop());
      await whenReady(daemon);
      const push = await daemon.push('all');
      await daemon
        .as('all')
        .s2c('/api/subscribe', { symbols: ['HK.00700'], sub_types: [1, 2, 4, 5, 6, 11, 14], is_reg_or_un_reg_push: true });
      await daemon.as('all').s2c('/api/sub-acc-push', { acc_id_list: [HK_MARGIN] });
      // Half of the orders are on their way when the lies begin: a daemon that cannot restore what it lost sends none.
      const placed = Array.from({ length: ORDERS / 2 }, (_, at) => placeOrder(daemon, `order-${at}`));
      await until(() => servers.some(({ remarks }) => remarks.length > 0), 'an order that arrives');
      for (const server of servers) server.honest = false;
      const asked = calls();
      const rest = Math.ceil((2 * asked.length) / ORDERS);
      for (const [at, { method, path, body }] of asked.entries()) {
        if (at % rest === 0) placed.push(placeOrder(daemon, `order-${placed.length}`));
        for (const server of servers) server.push();
        const { status, text } = await ask(daemon, method, path, body);
        const what = `${method} ${path}: ${status} ${text.slice(0, 300)}`;
        expect(() => JSON.parse(text), what).not.toThrow();
        expect(text, what).not.toContain('"code":"internal"');
      }
      await Promise.all(placed);
      for (const server of servers) server.honest = true;
      await whenReady(daemon);
      // Each of its frames is JSON.
      await push.settled();
      const sent = servers.flatMap(({ remarks }) => remarks);
      const ours = sent.filter((remark) => remark.startsWith('order-'));
      expect(ours.length).toBeGreaterThan(0);
      expect(ours.length).toBe(new Set(ours).size);
      const defects = daemon.log.filter((line) => /"level":[56]0/.test(line) && !line.includes('"target":"audit"'));
      expect(defects).toEqual([]);
    },
    SCHEDULE_MS_MAX,
  );
});
