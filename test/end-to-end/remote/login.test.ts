import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, NORMAL, SIMULATE } from '../../support/accounts.js';
import type { TestDaemon } from '../../support/daemon.js';
import { readyzSays, remoteFlags, remoteVariables, startRemote, whenReady } from '../../support/remote-daemon.js';
import { ACCOUNT, PASSWORD, SimServe } from '../../support/sim-serve.js';
import { until } from '../../support/until.js';

/** Common.ProgramStatusType. */
const NEEDS_PHONE_CODE = 4;
const PHONE = 2;
const REQUEST = 1;
const ENTER = 2;
const order = { market: HK, acc_id: HK_MARGIN, env: SIMULATE, side: BUY, code: '00700', qty: 100, price: 1, order_type: NORMAL };

const keys = {
  setup: { scopes: ['auth:setup'] },
  desk: { scopes: ['qot:read', 'acc:read', 'trade:simulate'] },
  admin: { scopes: ['admin'] },
} as const;
type Id = keyof typeof keys;

let brokerage: SimServe;
let daemon: TestDaemon<Id>;
beforeEach(async () => {
  brokerage = await SimServe.start();
});
afterEach(async () => {
  await daemon.stop();
  await brokerage.stop();
});

async function pending(): Promise<{ code: string }> {
  const sent = brokerage.nextCode();
  daemon = await startRemote(brokerage, { keys });
  const code = await sent;
  await readyzSays(daemon, /waiting for the verification code/);
  return { code };
}

const enter = (code: string, op = ENTER) => daemon.as('setup').post('/api/verification', { type: PHONE, op, code });

describe('a new device', () => {
  it('has its listeners up while the code is awaited, and says so', async () => {
    await pending();
    const caller = daemon.as();
    expect((await caller.get('/livez')).status).toBe(200);
    for (const probe of ['/health', '/readyz']) {
      const { status, json } = await caller.get(probe);
      expect(status).toBe(503);
      expect(json).toMatchObject({ status: 'unavailable', lifecycle_state: 'connecting' });
      expect(json.reason).toMatch(/waiting for the verification code sent to \*+0101: .*\/api\/verification.*--verify-code/);
    }
    for (const refused of [
      await daemon.as('desk').post('/api/quote', { symbol: 'HK.00700' }),
      await daemon.as('desk').post('/api/order', order),
    ]) {
      expect([refused.status, refused.json.code]).toEqual([503, 'backend.not_ready']);
      expect(refused.headers['retry-after']).toBeDefined();
    }
    const { json } = await daemon.as('admin').get('/api/admin/status');
    expect(json.s2c.platform).toMatchObject({
      lifecycle_state: 'connecting',
      last_lifecycle_event: expect.stringContaining('verification code'),
    });
    expect(json.s2c.brokers).toEqual([]);
    const told = await (await daemon.push('desk')).frame((frame) => frame.proto_id === 1003, 'how the login stands');
    expect(told.body.program_status.program_status.type).toBe(NEEDS_PHONE_CODE);
    // Nobody knows the account's own quota yet.
    expect(await daemon.as('desk').s2c('/api/history-kl-quota')).toMatchObject({ used_quota: 0, remain_quota: 100 });
    // A reload does not wait for somebody to type, and changes nothing about the check.
    await daemon.as('admin').post('/api/admin/reload');
    await until(async () => (await daemon.as('admin').get('/api/admin/status')).json.s2c.last_reload_refresh === 'failed', 'the refresh');
    expect(brokerage.codes).toHaveLength(1);
  });

  it('is verified by POST /api/verification: then quotes are read and orders placed', async () => {
    const { code } = await pending();
    const wrong = await enter(code === '000000' ? '000001' : '000000');
    expect(wrong.json).toMatchObject({ ret_type: -1, ret_msg: expect.stringContaining('ret_type 21') });
    expect((await enter('')).json.ret_msg).toContain('code is required with op 2');
    expect((await enter(code)).json.ret_type).toBe(0);
    await whenReady(daemon);
    expect(await daemon.as('desk').s2c('/api/quote', { symbol: 'HK.00700' })).toMatchObject({
      basic_qot_list: [{ security: { code: '00700' } }],
    });
    expect(await daemon.as('desk').s2c('/api/order', order)).toMatchObject({ order_id_ex: expect.any(String) });
    expect((await enter(code)).json.ret_msg).toBe('no verification is pending: the daemon is logged in');
  });

  it('gets another code when asked, and not within the minute', async () => {
    await pending();
    expect((await enter('', REQUEST)).json).toMatchObject({ ret_type: -1, ret_msg: expect.stringMatching(/ask again in \d+ s/) });
    expect((await daemon.as('setup').post('/api/verification', { type: 1, op: REQUEST })).json.ret_msg).toContain('codes go to the phone');
    expect((await daemon.as('desk').post('/api/verification', { type: PHONE, op: REQUEST })).status).toBe(403);
  });

  it('is verified by a restart with --verify-code, and needs no code from then on', async () => {
    const { code } = await pending();
    await daemon.halt();
    const boot = { variables: remoteVariables };
    await daemon.boot({ ...boot, flags: [...remoteFlags(brokerage), '--verify-code', code] });
    await whenReady(daemon);
    expect(statSync(join(daemon.folder, 'state', 'credentials.json')).mode & 0o777).toBe(0o600);
    await daemon.halt();
    await daemon.boot({ ...boot, flags: remoteFlags(brokerage) });
    await whenReady(daemon);
    expect(brokerage.codes).toHaveLength(1);
    await daemon.halt();
    const again = brokerage.nextCode();
    await daemon.boot({ ...boot, flags: [...remoteFlags(brokerage), '--reset-device'] });
    await again;
  });

  it('keeps the password and what the login gave out of its log, its answers and its audit trail', async () => {
    const { code } = await pending();
    await enter(code);
    await whenReady(daemon);
    const credentials = JSON.parse(readFileSync(join(daemon.folder, 'state', 'credentials.json'), 'utf8'));
    const seen = [...daemon.log, JSON.stringify(await daemon.audit()), (await daemon.as('admin').get('/api/admin/status')).text].join('\n');
    const digest = createHash('sha256').update(`${ACCOUNT}:${PASSWORD}`).digest('hex');
    for (const secret of [`"${PASSWORD}"`, digest, credentials.tgtgt]) expect(seen).not.toContain(secret);
  });
});

describe('a login that is refused', () => {
  it.each([
    [2, 'password or signature mismatch'],
    [11, 'signature verification failed'],
    [23, 'phone number not bound'],
    [45, 'client version too low'],
    [99, 'request parameter error'],
  ] as const)('with %i says what to do, and is not tried again', async (retType, says) => {
    brokerage.login.order(retType);
    daemon = await startRemote(brokerage, { keys });
    const reason = await readyzSays(daemon, new RegExp(says));
    expect(reason).toContain(`ret_type ${retType}`);
    const { json } = await daemon.as('admin').get('/api/admin/status');
    expect(json.s2c.platform).toMatchObject({ lifecycle_state: 'failed', lifecycle_generation: 1 });
    expect((await daemon.as().get('/health')).status).toBe(503);
  });

  it('is made once more when an administrator reloads', async () => {
    brokerage.login.order(2);
    daemon = await startRemote(brokerage, { keys });
    await readyzSays(daemon, /is failed/);
    const sent = brokerage.nextCode();
    expect((await daemon.as('admin').post('/api/admin/reload')).json.s2c).toEqual({ last_reload_refresh: 'running' });
    const code = await sent;
    await until(async () => {
      const { json } = await daemon.as('admin').get('/api/admin/status');
      return json.s2c.last_reload_refresh === 'failed';
    }, 'the refresh');
    await enter(code);
    await whenReady(daemon);
  });

  it('with 15 is tried again after a while', async () => {
    brokerage.login.order(15);
    daemon = await startRemote(brokerage, { keys });
    expect(await readyzSays(daemon, /ret_type 15/)).toMatch(/wait 60 s.*next try at \d{4}-/);
  });
});

describe('an unreachable login service', () => {
  it('is asked again and again until it is there', async () => {
    await brokerage.halt();
    daemon = await startRemote(brokerage, { keys });
    await readyzSays(daemon, /nothing listens at/);
    const sent = brokerage.nextCode();
    await brokerage.boot();
    const code = await sent;
    await readyzSays(daemon, /waiting for the verification code/);
    await enter(code);
    await whenReady(daemon);
  });
});
