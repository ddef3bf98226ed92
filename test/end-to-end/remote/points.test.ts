import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, NORMAL, SIMULATE, US, US_MARGIN } from '../../support/accounts.js';
import type { TestDaemon } from '../../support/daemon.js';
import { readyzSays, remoteFlags, remoteVariables, startVerified, whenReady } from '../../support/remote-daemon.js';
import { SimServe } from '../../support/sim-serve.js';
import { until } from '../../support/until.js';

/** Common.ProgramStatusType. */
const READY = 10;
const keys = {
  desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'] },
  capped: { scopes: ['qot:read', 'acc:read', 'trade:simulate'], limits: { maxOrderValue: '1000', limitsCurrency: 'USD' } },
  owner: { scopes: ['qot:read', 'acc:read', 'trade:real', 'trade:unlock'] },
  admin: { scopes: ['admin'] },
} as const;

let brokerage: SimServe;
let daemon: TestDaemon<keyof typeof keys>;
beforeEach(async () => {
  brokerage = await SimServe.start({ simulation: { historyKlQuotaMax: 300 } });
  daemon = await startVerified(brokerage, { keys });
});
afterEach(async () => {
  await daemon.stop();
  await brokerage.stop();
});

const inHk = { market: HK, acc_id: HK_MARGIN, env: SIMULATE };
const inUs = { market: US, acc_id: US_MARGIN, env: SIMULATE };
const text = { 'x-svc-int64': 'string' };
const hkOrder = { ...inHk, side: BUY, code: '00700', qty: 100, price: 1, order_type: NORMAL };
const usOrder = { ...inUs, side: BUY, code: 'AAPL', qty: 1, price: 1, order_type: NORMAL };

async function status() {
  return (await daemon.as('admin').get('/api/admin/status')).json.s2c;
}

/** The state of a broker. */
async function broker(id: number) {
  return (await status()).brokers.find(({ broker_id }: { broker_id: number }) => broker_id === id);
}

it('shows the platform and every broker, and the accounts of all of them', async () => {
  const { platform, brokers, backend } = await status();
  expect(backend).toBe('remote');
  expect(platform).toMatchObject({ lifecycle_state: 'ready', lifecycle_generation: 1, reconnect_attempts: 0 });
  expect(brokers.map(({ broker_id }: { broker_id: number }) => broker_id)).toEqual([1001, 1007, 1008]);
  for (const one of brokers) expect(one).toMatchObject({ lifecycle_state: 'ready', last_success_at: expect.any(String) });
  const push = await daemon.push('desk');
  const told = await push.frame((frame) => frame.proto_id === 1003, 'how the login stands');
  expect(told.body.program_status.program_status.type).toBe(READY);
  const { json } = await daemon.as('desk').get('/api/list-accounts', text);
  const listed = json.s2c.acc_list.map(({ acc_id }: { acc_id: string }) => acc_id);
  expect(listed).toEqual(expect.arrayContaining([HK_MARGIN, US_MARGIN]));
  expect(new Set(listed).size).toBe(brokerage.simulation.brokerage.accounts.length);
});

it('sends an order to the broker of its account, and hears what becomes of it', async () => {
  const push = await daemon.push('desk', '?int64=string');
  for (const account of [HK_MARGIN, US_MARGIN]) await daemon.as('desk').s2c('/api/sub-acc-push', { acc_id_list: [account] });
  for (const order of [hkOrder, usOrder]) {
    const { order_id_ex } = await daemon.as('desk').s2c('/api/order', order, text);
    const heard = await push.frame((frame) => frame.proto_id === 2208 && frame.body.order.order_id_ex === order_id_ex, 'the order');
    expect(heard).toMatchObject({ acc_id: order.acc_id });
    const { order_list } = await daemon.as('desk').s2c('/api/orders', { market: order.market, acc_id: order.acc_id, env: SIMULATE }, text);
    expect(order_list.map((one: { order_id_ex: string }) => one.order_id_ex)).toContain(order_id_ex);
    expect(order_list.find((one: { order_id_ex: string }) => one.order_id_ex === order_id_ex).remark ?? '').toBe('');
  }
});

it('holds orders against a cap in another currency, by the platform’s rates', async () => {
  // 100 × 70 HKD are about 900 dollars.
  expect((await daemon.as('capped').post('/api/order', { ...hkOrder, price: 70 })).json.ret_type).toBe(0);
  const refused = await daemon.as('capped').post('/api/order', { ...hkOrder, price: 80 });
  expect([refused.status, refused.json.code]).toEqual([429, 'limit.order_value']);
});

it('unlocks every broker by one request, and refuses an account that there is not', async () => {
  const pwd_md5 = 'e10adc3949ba59abbe56e057f20f883e';
  expect((await daemon.as('owner').post('/api/unlock-trade', { unlock: true, pwd_md5 })).json.ret_type).toBe(0);
  expect((await daemon.as('owner').post('/api/unlock-trade', { unlock: true, pwd_md5: '0'.repeat(32) })).json.ret_type).toBe(-1);
  const unknown = await daemon.as('desk').post('/api/funds', { ...inHk, acc_id: '7' });
  expect(unknown.json).toMatchObject({ ret_type: -1, ret_msg: expect.stringContaining('unknown account 7') });
  const pushes = await daemon.as('desk').post('/api/sub-acc-push', { acc_id_list: ['7'] });
  expect(pushes.json.ret_msg).toContain('unknown account 7');
});

describe('a broker that is away', () => {
  it('leaves quotes and other brokers available', async () => {
    await brokerage.faults.down('1007');
    expect(await readyzSays(daemon, /broker 1007/)).toMatch(/is (reconnecting|connecting)/);
    const refused = await daemon.as('desk').post('/api/order', usOrder);
    expect([refused.status, refused.json.code]).toEqual([503, 'backend.not_ready']);
    expect(refused.json.error).toContain('broker 1007');
    expect(await daemon.as('desk').s2c('/api/order', hkOrder)).toMatchObject({ order_id_ex: expect.any(String) });
    await daemon.as('desk').s2c('/api/quote', { symbol: 'US.AAPL' });
    const { json } = await daemon.as('desk').get('/api/list-accounts', text);
    expect(json.s2c.acc_list.map(({ acc_id }: { acc_id: string }) => acc_id)).toContain(US_MARGIN);
    await brokerage.faults.up('1007');
    await whenReady(daemon);
    await daemon.as('desk').s2c('/api/order', usOrder);
    const again = await broker(1007);
    expect(again).toMatchObject({ lifecycle_state: 'ready', reconnect_successes: 1 });
    expect(again.lifecycle_generation).toBe(again.reconnect_attempts + 1);
    expect(again.reconnect_failures).toBe(again.reconnect_attempts - 1);
    expect((await broker(1001)).lifecycle_generation).toBe(1);
  });

  it('has its account pushes again when it is back, with a gap, and with what happened meanwhile as recovered', async () => {
    const push = await daemon.push('desk', '?int64=string');
    await daemon.as('desk').s2c('/api/sub-acc-push', { acc_id_list: [HK_MARGIN] });
    const { order_id } = await daemon.as('desk').s2c('/api/order', hkOrder, text);
    await push.frame((frame) => frame.proto_id === 2208 && frame.body.order.order_status === 5, 'the order');
    await brokerage.faults.down('1001');
    await readyzSays(daemon, /broker 1001/);
    const desk = brokerage.simulation.brokerage;
    const account = desk.accounts.find(({ id }) => String(id) === HK_MARGIN);
    const order = desk.order(BigInt(order_id));
    if (account === undefined || order === undefined) throw new Error('the order is not at the brokerage');
    await desk.desk.cancel(account, order, { packet: undefined, fingerprint: '' });
    await until(() => desk.order(BigInt(order_id))?.status === 'cancelled_all', 'the cancellation');
    await brokerage.faults.up('1001');
    const gap = await push.frame((frame) => frame.type === 'notify' && frame.body.gap !== undefined, 'the gap');
    expect(gap.body.gap.reason).toContain('connection to Simulated Securities was lost');
    const found = await push.frame((frame) => frame.proto_id === 2208 && frame.recovered === true, 'what happened meanwhile');
    expect(found.body.order).toMatchObject({ order_id, order_status: 15 });
  });
});

it('finds an order whose answer was lost, and does not send it again', async () => {
  brokerage.faults.order({ kind: 'no_answer', point: '1001', protoId: 2202, times: 1 });
  const came = new Set<string>();
  brokerage.simulation.brokerage.onEvent((event) => {
    if (event.kind === 'order') came.add(String(event.order.id));
  });
  const placed = daemon.as('desk').s2c('/api/order', hkOrder, text);
  await until(() => came.size > 0, 'the order');
  await brokerage.faults.cut('1001');
  expect([...came]).toEqual([(await placed).order_id]);
});

it('a broker that begins to refuse its account list is not ready, says why, and is asked again', async () => {
  brokerage.faults.order({ kind: 'refuse', text: 'the permission was withdrawn', retType: -1, point: '1001', protoId: 2001, times: 3 });
  const refused = await daemon.as('desk').get('/api/list-accounts', text);
  expect(refused.json).toMatchObject({ ret_type: -1, ret_msg: 'the permission was withdrawn' });
  expect(await readyzSays(daemon, /broker 1001/)).toContain('the account list is refused: the permission was withdrawn');
  await whenReady(daemon);
  expect((await broker(1007)).lifecycle_generation).toBe(1);
});

describe('the platform', () => {
  it('has its streams again after a loss, and the gap is told', async () => {
    const push = await daemon.push('desk');
    await daemon.as('desk').s2c('/api/subscribe', { symbols: ['HK.00700'], sub_types: [1], is_sub_or_un_sub: true });
    await push.frame((frame) => frame.type === 'quote', 'a quote');
    await brokerage.faults.cut('platform');
    const gap = await push.frame((frame) => frame.type === 'notify' && frame.body.gap !== undefined, 'the gap');
    expect(gap.body.gap.reason).toContain('connection to the platform was lost');
    await push.frame((frame) => frame.type === 'quote', 'another quote', push.frames.length);
    expect((await broker(1001)).lifecycle_generation).toBe(1);
  });

  it('lost again during restoration has its pushes after the next try', async () => {
    const push = await daemon.push('desk');
    await daemon.as('desk').s2c('/api/subscribe', { symbols: ['HK.00700'], sub_types: [1], is_sub_or_un_sub: true });
    await push.frame((frame) => frame.type === 'quote', 'a quote');
    brokerage.faults.order({ kind: 'cut', point: 'platform', protoId: 3001, times: 1 });
    await brokerage.faults.cut('platform');
    const isReadyAgain = ({ platform }: Awaited<ReturnType<typeof status>>) =>
      platform.lifecycle_generation >= 3 && platform.lifecycle_state === 'ready';
    await until(async () => isReadyAgain(await status()), 'the third connection');
    await push.frame((frame) => frame.type === 'quote', 'another quote', push.frames.length);
  });
});

describe('a session that has expired', () => {
  it('is made anew by the saved ticket when a connection needs it', async () => {
    brokerage.sessions.expireAll();
    await brokerage.faults.cut('1008');
    await until(async () => (await broker(1008)).reconnect_successes === 1, 'the broker');
    expect((await broker(1008)).reconnect_failures).toBeGreaterThanOrEqual(1);
    await whenReady(daemon);
    expect(brokerage.codes).toHaveLength(1);
  });
});

it('comes back by one login after the whole brokerage was restarted', async () => {
  await brokerage.halt();
  await readyzSays(daemon, /is (reconnecting|connecting)/);
  await brokerage.boot();
  await whenReady(daemon);
  await daemon.as('desk').s2c('/api/order', hkOrder);
  await daemon.as('desk').s2c('/api/quote', { symbol: 'HK.00700' });
  expect(brokerage.codes).toHaveLength(1);
});

describe('the history K-line quota', () => {
  const history = (symbol: string) =>
    daemon.as('desk').post('/api/history-kline', {
      symbol,
      rehab_type: 1,
      kl_type: 1,
      begin_time: '2026-01-05 00:00:00',
      end_time: '2026-01-09 00:00:00',
    });

  it('is the account’s, and above it what the operator has set', async () => {
    const own = await daemon.as('desk').s2c('/api/history-kl-quota');
    expect(own.remain_quota).toBe(300);
    await daemon.halt();
    await daemon.boot({ flags: remoteFlags(brokerage), variables: { ...remoteVariables, SVC_HISTORY_KL_QUOTA_MAX: '1' } });
    await whenReady(daemon);
    expect(await daemon.as('desk').s2c('/api/history-kl-quota')).toMatchObject({ used_quota: 0, remain_quota: 1 });
    expect((await history('HK.00700')).json.ret_type).toBe(0);
    expect((await history('HK.00700')).json.ret_type).toBe(0);
    const refused = await history('HK.00005');
    expect(refused.json).toMatchObject({ ret_type: -1, ret_msg: expect.stringContaining('1 symbols of 1 (--history-kl-quota-max)') });
    const user = (await daemon.as('desk').get('/api/user-info')).json.s2c;
    expect(user.history_kl_quota).toBe(1);
  });
});

describe('an administrator’s reload', () => {
  it('logs in anew while connections go on', async () => {
    expect((await status()).last_reload_refresh).toBe('never_run');
    expect((await daemon.as('admin').post('/api/admin/reload')).json.s2c).toEqual({ last_reload_refresh: 'running' });
    await until(async () => (await status()).last_reload_refresh === 'succeeded', 'the refresh');
    expect((await status()).platform.lifecycle_generation).toBe(1);
  });

  it('costs one login when the whole brokerage restarts before the new session was used', async () => {
    await daemon.as('admin').post('/api/admin/reload');
    await until(async () => (await status()).last_reload_refresh === 'succeeded', 'the refresh');
    await brokerage.halt();
    await readyzSays(daemon, /is (reconnecting|connecting)/);
    await brokerage.boot();
    await whenReady(daemon);
    await daemon.as('desk').s2c('/api/order', hkOrder);
    expect(brokerage.codes).toHaveLength(1);
  });

  it('says that it failed where the login is refused; what is connected stays so', async () => {
    brokerage.login.order(2);
    await daemon.as('admin').post('/api/admin/reload');
    await until(async () => (await status()).last_reload_refresh === 'failed', 'the refresh');
    await daemon.as('desk').s2c('/api/quote', { symbol: 'HK.00700' });
    expect((await status()).platform.lifecycle_state).toBe('ready');
  });
});
