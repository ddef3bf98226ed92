import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HK_MARGIN, US_MARGIN } from '../../support/accounts.js';
import type { FaultyBackend } from '../../support/faulty-backend.js';
import type { ServedGateway } from '../../support/gateway.js';
import { everything, gap, OutageSite, REASON, START } from '../../support/outage-site.js';
import type { PushClient } from '../../support/push-client.js';
import { quote, stream } from '../../support/push-fakes.js';

let site: OutageSite;
let backend: FaultyBackend;
let gateway: ServedGateway;
let push: PushClient;
beforeEach(async () => {
  site = await OutageSite.open();
  ({ backend, gateway, push } = site);
});
afterEach(() => site.close());

describe('changes of subscriptions that the backend never answers', () => {
  const PATIENCE_MS = 60_000;
  const RETRY_MS = 5_000;

  beforeEach(() => {
    backend.silent = true;
  });

  it('are given up, and the next one has its turn', async () => {
    const request = { symbols: ['HK.00700'], sub_types: [1], is_reg_or_un_reg_push: true };
    const first = gateway.as('desk').post('/api/subscribe', request);
    await backend.when(() => backend.asked.length === 1);
    site.clock.advance(PATIENCE_MS);
    expect((await first).json.code).toBe('backend.timeout');
    // The backend may have started it.
    await backend.when(() => backend.asked.length === 2);
    backend.silent = false;
    site.clock.advance(PATIENCE_MS);
    await site.subscribe(['HK.00700'], 'other');
    site.clock.advance(RETRY_MS);
    await push.settled();
    expect(backend.asked).toEqual(['+HK.00700', '-HK.00700', '+HK.00700']);
  });

  it('of accounts are given up as well, and say nothing of what the backend has', async () => {
    backend.silent = false;
    const register = (operation: string, accounts: readonly string[]) =>
      gateway.as('desk').post(`/api/${operation}`, { acc_id_list: accounts });
    await register('sub-acc-push', [HK_MARGIN, US_MARGIN]);
    backend.silent = true;
    const ending = register('unsub-acc-push', [US_MARGIN]);
    await backend.when(() => backend.asked.length === 2);
    site.clock.advance(PATIENCE_MS);
    await ending;
    backend.silent = false;
    expect((await register('sub-acc-push', [US_MARGIN])).json.ret_type).toBe(0);
    expect(backend.asked.at(-1)).toBe(`accounts ${[HK_MARGIN, US_MARGIN].join()}`);
    expect(backend.asked).toHaveLength(3);
  });

  it('after a loss are asked for again until the feed is back, and the gap is told then', async () => {
    backend.silent = false;
    await site.subscribe(['HK.00700']);
    await gateway.as('desk').s2c('/api/sub-acc-push', { acc_id_list: [HK_MARGIN] });
    backend.lose(everything, START - 1000, REASON);
    backend.silent = true;
    backend.asked.length = 0;
    const restored = backend.restore(everything);
    await backend.when(() => backend.asked.length === 2);
    site.clock.advance(PATIENCE_MS);
    await restored;
    expect((await gateway.as('desk').get('/metrics')).text).toContain('\nsvc_push_missing 2\n');
    site.clock.advance(RETRY_MS);
    await backend.when(() => backend.asked.length === 4);
    backend.silent = false;
    site.clock.advance(PATIENCE_MS);
    await push.settled();
    site.clock.advance(RETRY_MS);
    await backend.when(() => backend.subscribed.has('HK.00700') && backend.accounts.length === 1);
    site.gathered();
    const notice = await push.frame(({ body }) => body?.gap !== undefined, 'the gap');
    expect(notice.body.gap).toMatchObject({ from: gap.from, reason: REASON });
    expect((await gateway.as('desk').get('/metrics')).text).toContain('\nsvc_push_missing 0\n');
  });

  it('of the accounts of one broker are asked for again whatever another broker loses meanwhile', async () => {
    backend.silent = false;
    await gateway.as('desk').s2c('/api/sub-acc-push', { acc_id_list: [HK_MARGIN, US_MARGIN] });
    const hongKong = { streams: [], accIds: [BigInt(HK_MARGIN)] };
    const unitedStates = { streams: [], accIds: [BigInt(US_MARGIN)] };
    backend.lose(hongKong, START - 1000, REASON);
    backend.silent = true;
    const restored = backend.restore(hongKong);
    await backend.when(() => backend.asked.length === 2);
    site.clock.advance(PATIENCE_MS);
    await restored;
    backend.silent = false;
    backend.lose(unitedStates, START + PATIENCE_MS, REASON);
    await backend.restore(unitedStates);
    site.clock.advance(RETRY_MS);
    site.gathered();
    await push.settled();
    expect(push.frames.filter(({ body }) => body?.gap)).toHaveLength(2);
    expect((await gateway.as('desk').get('/metrics')).text).toContain('\nsvc_push_missing 0\n');
  });

  it('after a loss are left to the next restoration when the connection is lost again', async () => {
    backend.silent = false;
    await site.subscribe(['HK.00700']);
    backend.lose(everything, START - 1000, REASON);
    backend.silent = true;
    const restored = backend.restore(everything);
    await backend.when(() => backend.asked.length === 2);
    site.clock.advance(PATIENCE_MS);
    await restored;
    backend.lose(everything, START - 1000, REASON);
    backend.asked.length = 0;
    site.clock.advance(10 * RETRY_MS);
    await push.settled();
    expect(backend.asked).toEqual([]);
  });
});

describe('an unsubscription that the backend refuses for now', () => {
  const unsubscribe = { symbols: ['HK.00700'], sub_types: [1] };
  const RETRY_MS = 60_000;

  beforeEach(async () => {
    backend.keep = (streams) => ({ streams, message: 'a subscription lasts a minute at least', retryAfterMs: RETRY_MS });
    await site.subscribe(['HK.00700']);
  });

  it('ends for the caller, who hears what happened, and is tried again while nobody holds it', async () => {
    const answer = (await gateway.as('desk').post('/api/unsubscribe', unsubscribe)).json;
    expect(answer.ret_type).toBe(0);
    expect(answer.ret_msg).toMatch(/HK\.00700 1 \(Basic\): a subscription lasts a minute at least/);
    backend.push(quote(stream('HK.00700'), 300));
    await push.settled();
    expect(push.quotes).toEqual([]);
    // The ledger is true: nobody has it, and the quota is still used.
    const shown = await gateway.as('desk').s2c('/api/query-subscription', {});
    expect([shown.total_used_quota, shown.conn_sub_info_list[0].sub_info_list]).toEqual([1, []]);
    site.clock.advance(RETRY_MS - 1);
    expect(backend.asked).toEqual(['+HK.00700', '-HK.00700']);
    site.clock.advance(1);
    await backend.when(() => backend.asked.length === 3);
    await push.settled();
    backend.keep = () => undefined;
    site.clock.advance(RETRY_MS);
    await backend.when(() => backend.asked.length === 4);
    expect(backend.asked.slice(2)).toEqual(['-HK.00700', '-HK.00700']);
    await push.settled();
    expect((await gateway.as('desk').s2c('/api/query-subscription', {})).total_used_quota).toBe(0);
    site.clock.advance(10 * RETRY_MS);
    expect(backend.asked).toHaveLength(4);
  });

  it('is not tried again once somebody subscribes, who gets it at once', async () => {
    await gateway.as('desk').post('/api/unsubscribe', unsubscribe);
    await site.subscribe(['HK.00700'], 'other');
    const other = await gateway.push('other');
    backend.push(quote(stream('HK.00700'), 300));
    await other.frame(({ type }) => type === 'quote', 'the quote');
    site.clock.advance(10 * RETRY_MS);
    await push.settled();
    expect(backend.asked).toEqual(['+HK.00700', '-HK.00700']);
    await other.close();
  });
});
