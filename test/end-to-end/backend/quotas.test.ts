import type { SubscriptionQuotas } from '@svc-gateway/gateway';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FaultyBackend } from '../../support/faulty-backend.js';
import { type ServedGateway, serveGateway } from '../../support/gateway.js';
import type { HttpClient } from '../../support/http-client.js';

class QuotaBackend extends FaultyBackend {
  quotas: SubscriptionQuotas | undefined;

  subscriptionQuotas(): SubscriptionQuotas | undefined {
    return this.quotas;
  }
}

let backend: QuotaBackend;
let gateway: ServedGateway;
let desk: HttpClient;

beforeEach(async () => {
  backend = new QuotaBackend();
  gateway = await serveGateway({
    backend,
    keys: { desk: { scopes: ['qot:read', 'metrics:read', 'admin'] }, other: { scopes: ['qot:read'] } },
  });
  desk = gateway.as('desk');
});
afterEach(() => gateway.stop());

it('the quotas of the server behind the gateway are shown wherever one looks', async () => {
  backend.quotas = { securities: { used: 120, limit: 300 }, options: { used: 5, limit: 60 } };
  expect(await desk.s2c('/api/used-quota', {})).toMatchObject({ used_sub_quota: 120 });
  const info = { total_used_quota: 120, remain_quota: 180, option_used_quota: 5, option_remain_quota: 55 };
  expect(await desk.s2c('/api/query-subscription', {})).toMatchObject(info);
  const status = (await desk.get('/api/admin/status')).json.s2c;
  expect(status).toMatchObject({ subscription_quota: { used: 120, limit: 300 }, option_quota: { used: 5, limit: 60 } });
  const metrics = (await desk.get('/metrics')).text;
  expect(metrics).toContain('\nsvc_upstream_subscription_quota_used{kind="securities"} 120\n');
  expect(metrics).toContain('\nsvc_upstream_subscription_quota_limit{kind="options"} 60\n');
});

it('while the server has not said how large its quota is, the daemon’s own is shown', async () => {
  await desk.s2c('/api/subscribe', { symbols: ['HK.00700'], sub_types: [1] });
  expect(await desk.s2c('/api/used-quota', {})).toMatchObject({ used_sub_quota: 1 });
  expect(await desk.s2c('/api/query-subscription', {})).toMatchObject({ total_used_quota: 1, remain_quota: 999 });
  expect((await desk.get('/api/admin/status')).json.s2c).not.toHaveProperty('subscription_quota');
  expect((await desk.get('/metrics')).text).not.toContain('svc_upstream_subscription_quota');
});

it('a quota larger than the daemon’s own can be used up, by one key half of it', async () => {
  backend.quotas = { securities: { used: 0, limit: 2_000 } };
  const symbols = (first: number) => Array.from({ length: 400 }, (_, index) => `HK.${String(first + index).padStart(5, '0')}`);
  for (const first of [0, 400, 800])
    await gateway.as(first < 800 ? 'desk' : 'other').s2c('/api/subscribe', { symbols: symbols(first), sub_types: [1] });
  expect((await desk.post('/api/subscribe', { symbols: symbols(900), sub_types: [1] })).json.ret_msg).toContain('800 of 1000 in use');
  expect(backend.subscribed.size).toBe(1_200);
});
