import * as Notify from '@svc-gateway/contract/generated/Notify_pb';
import * as QotGetStaticInfo from '@svc-gateway/contract/generated/Qot_GetStaticInfo_pb';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HK_MARGIN } from '../../support/accounts.js';
import { TestDaemon, untilConnected } from '../../support/daemon.js';
import { ScriptedServer } from '../../support/scripted-server.js';
import { answersUsually } from '../../support/usual-answers.js';

const SUBSCRIBE = 3001;
/** QotMarketState: the morning session. */
const OPEN = 3;
const READY = 10;
const NEEDS_PHONE_CODE = 4;

let upstream: ScriptedServer;
let daemon: TestDaemon<'desk'>;
/** The upstream's own state. */
let said: { qotLogined: boolean; trdLogined: boolean; programStatus: number };

beforeEach(async () => {
  said = { qotLogined: true, trdLogined: true, programStatus: READY };
  upstream = await ScriptedServer.listen();
  const basic = { security: { market: 1, code: '00700' }, id: 1n, lotSize: 100, secType: 3, name: 'TENCENT', listTime: '2004-06-16' };
  upstream.onRequest = answersUsually(() => ({ accIds: [BigInt(HK_MARGIN)], marketState: OPEN, ...said }), {
    3202: (frame, peer) => peer.answer(frame, QotGetStaticInfo, { retType: 0, s2c: { staticInfoList: [{ basic }] } }),
  });
});
afterEach(async () => {
  await daemon.stop();
  await upstream.close();
});

async function start(): Promise<void> {
  daemon = await TestDaemon.start({
    keys: { desk: { scopes: ['qot:read', 'qot:state', 'acc:read', 'trade:simulate', 'admin'] } },
    flags: ['--backend', `opend://127.0.0.1:${upstream.port}`, '--enable-trading'],
  });
}

/** Tells it as upstreams do. */
function notify(logins: { qotLogined: boolean; trdLogined: boolean }): void {
  Object.assign(said, logins);
  const s2c = { type: Notify.NotifyType.NotifyType_ConnStatus, connectStatus: logins };
  upstream.peer.push(1003, Notify, { retType: 0, s2c });
}

describe('an upstream that loses a login', () => {
  it('trades on while the upstream’s quote login is lost, and announces what was missed', async () => {
    await start();
    await untilConnected(daemon.daemon);
    const desk = daemon.as('desk');
    const push = await daemon.push('desk');
    await desk.s2c('/api/subscribe', { symbols: ['HK.00700'], sub_types: [1], is_reg_or_un_reg_push: true });

    notify({ qotLogined: false, trdLogined: true });
    const told = await push.frame(({ body }) => body?.connect_status !== undefined, 'the loss');
    expect(told.body.connect_status).toEqual({ qot_logined: false, trd_logined: true });
    const reason = 'the platform is reconnecting (the upstream is not logged in for quotes)';
    expect(await desk.get('/readyz')).toMatchObject({ status: 503, json: { reason: expect.stringContaining(reason) } });
    expect(await desk.post('/api/snapshot', { symbols: ['HK.00700'] })).toMatchObject({
      status: 503,
      json: { code: 'backend.not_ready', error: expect.stringContaining(reason) },
      headers: { 'retry-after': '1' },
    });
    expect(await desk.get('/api/list-accounts')).toMatchObject({ status: 200, json: { ret_type: 0 } });

    notify({ qotLogined: true, trdLogined: true });
    const gap = await push.frame(({ body }) => body?.gap !== undefined, 'the gap');
    expect(gap.body.gap.reason).toBe('the upstream is not logged in for quotes');
    await push.frame(({ body }) => body?.connect_status?.qot_logined === true, 'the return');
    const subscribed = upstream.peer.requests.filter(({ protoId }) => protoId === SUBSCRIBE);
    expect(subscribed).toHaveLength(2);
    expect(upstream.connections).toHaveLength(1);
  });

  it('quotes on while the upstream’s trading login is lost', async () => {
    await start();
    await untilConnected(daemon.daemon);
    const desk = daemon.as('desk');
    const push = await daemon.push('desk');
    notify({ qotLogined: true, trdLogined: false });
    await push.frame(({ body }) => body?.connect_status?.trd_logined === false, 'the loss');
    expect(await desk.get('/api/list-accounts')).toMatchObject({
      status: 503,
      json: { error: expect.stringContaining('broker 0 (upstream) is reconnecting (the upstream is not logged in for trading)') },
    });
    expect(await desk.post('/api/snapshot', { symbols: ['HK.00700'] })).toMatchObject({ status: 200 });
    notify({ qotLogined: true, trdLogined: true });
    await push.frame(({ body }) => body?.connect_status?.trd_logined === true, 'the return');
    const { brokers } = (await desk.get('/api/admin/status')).json.s2c;
    expect(brokers[0]).toMatchObject({ lifecycle_state: 'ready', reconnect_attempts: 1, reconnect_successes: 1 });
  });
});

describe('reads while quotes are away', () => {
  it('answers cached reads with their age while quotes are away, and refuses others and writes', async () => {
    await start();
    await untilConnected(daemon.daemon);
    const desk = daemon.as('desk');
    const asked = { symbols: ['HK.00700'] };
    const fresh = await desk.post('/api/static-info', asked);
    expect(fresh).toMatchObject({ status: 200, json: { ret_type: 0, ret_msg: null } });
    expect(fresh.headers['x-svc-stale-ms']).toBeUndefined();
    const push = await daemon.push('desk');
    notify({ qotLogined: false, trdLogined: true });
    await push.frame(({ body }) => body?.connect_status !== undefined, 'the loss');
    const held = await desk.post('/api/static-info', asked);
    expect(held).toMatchObject({ status: 200, json: { ret_type: 0, s2c: fresh.json.s2c, ret_msg: expect.stringContaining('held since') } });
    expect(Number(held.headers['x-svc-stale-ms'])).toBeGreaterThanOrEqual(0);
    expect(await desk.post('/api/static-info', { symbols: ['HK.00005'] })).toMatchObject({
      status: 503,
      json: { code: 'backend.not_ready' },
    });
    // Accounts are still to be had; once they are not, nothing old is said of them.
    expect(await desk.get('/api/list-accounts')).toMatchObject({ status: 200 });
    notify({ qotLogined: false, trdLogined: false });
    await push.frame(({ body }) => body?.connect_status?.trd_logined === false, 'the other loss');
    expect(await desk.get('/api/list-accounts')).toMatchObject({ status: 503, json: { code: 'backend.not_ready' } });
    const order = { market: 1, acc_id: HK_MARGIN, env: 1, side: 1, code: '00700', qty: 100, price: 1, order_type: 1 };
    expect(await desk.post('/api/order', order)).toMatchObject({ status: 503, json: { code: 'backend.not_ready' } });
  });
});

describe('an upstream that is not logged in yet', () => {
  it('says what an upstream that is not logged in yet waits for', async () => {
    Object.assign(said, { qotLogined: false, trdLogined: false, programStatus: NEEDS_PHONE_CODE });
    await start();
    const { backend } = daemon.daemon;
    const waiting = () => backend.status().platform.lastLifecycleEvent?.includes('phone code');
    if (!waiting()) {
      await new Promise<void>((resolve) => {
        backend.onLifecycle(() => waiting() && resolve());
      });
    }
    const desk = daemon.as('desk');
    expect(await desk.get('/health')).toMatchObject({ status: 200 });
    const reason = 'the platform is authenticating (the upstream is not ready: it waits for a phone code: answer it there)';
    expect(await desk.get('/readyz')).toMatchObject({ status: 503, json: { reason: expect.stringContaining(reason) } });
    said.programStatus = READY;
    notify({ qotLogined: true, trdLogined: true });
    await untilConnected(daemon.daemon);
    expect(await desk.get('/readyz')).toMatchObject({ status: 200 });
  });
});
