import { ManualClock } from '@svc-gateway/contract/clock';
import { afterEach, describe, expect, it } from 'vitest';
import { ACCOUNT, loginFields, PASSWORD, postJson, SimServe, type SimServeOptions } from '../../support/sim-serve.js';

/** The login service over plain HTTP, by the specification's table. */

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

interface LoginAnswer {
  readonly ret_type: number;
  readonly ret_msg: string;
  readonly tgtgt?: string;
  readonly session_key?: string;
  readonly device_verify_sig?: string;
  readonly phone_no?: string;
  readonly user_id?: number;
  readonly platform?: { readonly host: string; readonly port: number };
  readonly brokers?: readonly { readonly broker_id: number; readonly name: string; readonly host: string; readonly port: number }[];
}

const START = Date.UTC(2026, 10, 20, 2, 30);

async function serve(options: SimServeOptions = {}): Promise<SimServe> {
  const served = await SimServe.start(options);
  cleanups.push(async () => {
    await served.stop();
    expect(served.defects).toEqual([]);
  });
  return served;
}

async function post(served: SimServe, path: string, body: unknown, version: string | null = '800'): Promise<LoginAnswer> {
  const { status, answer } = await postJson(`${served.authUrl}${path}`, body, version === null ? {} : { 'x-svc-client-version': version });
  expect(status).toBe(200);
  return answer as LoginAnswer;
}

const login = (served: SimServe, change: Readonly<Record<string, unknown>> = {}, version?: string | null) =>
  post(served, '/authority/', loginFields(change), version);

/** Verifies a device; the answer of its login. */
async function verify(served: SimServe, change: Readonly<Record<string, unknown>> = {}): Promise<LoginAnswer> {
  const asked = await login(served, change);
  const { device_verify_sig } = asked;
  const code = served.nextCode();
  const device = { account: ACCOUNT, device_id: change.device_id ?? 'device-1', device_verify_sig };
  expect(await post(served, '/authority/device-code', device)).toMatchObject({ ret_type: 0, phone_no: asked.phone_no });
  return login(served, { ...change, device_verify_sig, verify_code: await code });
}

describe('a login', () => {
  it('of a new device needs a code, then succeeds with a ticket, a session and the connection points', async () => {
    const served = await serve();
    expect(await login(served)).toEqual({
      ret_type: 20,
      ret_msg: expect.any(String),
      device_verify_sig: expect.any(String),
      phone_no: expect.stringContaining('*'),
    });
    const answer = await verify(served);
    const place = { host: '127.0.0.1', port: expect.any(Number) };
    expect(answer).toEqual({
      ret_type: 0,
      ret_msg: '',
      tgtgt: expect.any(String),
      user_id: 1001,
      session_key: expect.any(String),
      platform: place,
      brokers: [1001, 1007, 1008].map((broker_id) => ({ broker_id, name: expect.any(String), ...place })),
    });
    expect(`${answer.platform?.host}:${answer.platform?.port}`).toBe(served.platform);
    expect(served.codes).toEqual([{ account: ACCOUNT, code: expect.stringMatching(/^\d{6}$/) }]);
  });

  it('with its saved ticket needs no code, from the same device alone', async () => {
    const served = await serve();
    const { tgtgt } = await verify(served);
    const again = await login(served, { tgtgt });
    expect(again).toMatchObject({ ret_type: 0, tgtgt });
    expect(await login(served, { tgtgt, device_id: 'device-2' })).toMatchObject({ ret_type: 15 });
    expect(await login(served, { tgtgt: 'made up' })).toMatchObject({ ret_type: 15 });
    // Credentials that were lost.
    expect(await login(served)).toMatchObject({ ret_type: 20 });
  });

  it('with a ticket that has expired is told so', async () => {
    const clock = new ManualClock(START);
    const served = await serve({ clock });
    const timestamp = () => ({ timestamp: Math.floor(clock.now() / 1000) });
    const { tgtgt } = await verify(served, timestamp());
    clock.advance(29 * 24 * 3_600_000);
    expect(await login(served, { tgtgt, ...timestamp() })).toMatchObject({ ret_type: 0 });
    clock.advance(24 * 3_600_000);
    expect(await login(served, { tgtgt, ...timestamp() })).toMatchObject({ ret_type: 15 });
  });

  it('finds its ticket and its ports again after a restart', async () => {
    const served = await serve();
    const { tgtgt } = await verify(served);
    const before = [served.authUrl, served.platform, served.broker(1007)];
    await served.halt();
    await served.boot();
    expect([served.authUrl, served.platform, served.broker(1007)]).toEqual(before);
    expect(await login(served, { tgtgt })).toMatchObject({ ret_type: 0 });
  });

  it('with a wrong password or an unknown account is refused, and after ten of them for a while', async () => {
    const clock = new ManualClock(START);
    const served = await serve({ clock });
    const fields = (change: object, password = PASSWORD) => loginFields({ timestamp: Math.floor(clock.now() / 1000), ...change }, password);
    expect(await post(served, '/authority/', fields({ account: '10002' }))).toMatchObject({ ret_type: 2 });
    for (let count = 0; count < 9; count++) expect(await post(served, '/authority/', fields({}, 'wrong'))).toMatchObject({ ret_type: 2 });
    expect(await post(served, '/authority/', fields({}))).toMatchObject({ ret_type: 15, ret_msg: expect.stringContaining('300 s') });
    clock.advance(300_000);
    expect(await post(served, '/authority/', fields({}))).toMatchObject({ ret_type: 20 });
  });

  it('with a wrong signature is refused', async () => {
    const served = await serve();
    expect(await post(served, '/authority/', { ...loginFields(), lang: 'zh' })).toMatchObject({ ret_type: 11 });
  });

  it.each([
    [
      'a nonce that was used',
      async (served: SimServe) => (await login(served, { nonce: 'ab'.repeat(16) })) && login(served, { nonce: 'AB'.repeat(16) }),
      'nonce',
    ],
    ['an old timestamp', (served: SimServe) => login(served, { timestamp: Math.floor(Date.now() / 1000) - 301 }), 'timestamp'],
    ['a timestamp ahead', (served: SimServe) => login(served, { timestamp: Math.floor(Date.now() / 1000) + 400 }), 'timestamp'],
    [
      'an unknown kind of account',
      (served: SimServe) => login(served, { account_kind: 'name' }),
      'account_kind: expected id, phone or email',
    ],
    ['a field too many', (served: SimServe) => login(served, { more: 1 }), 'unknown field "more"'],
    ['a number for a text', (served: SimServe) => login(served, { lang: 1 }), 'lang'],
    ['no object', (served: SimServe) => post(served, '/authority/', []), 'expected a JSON object'],
    ['no JSON', (served: SimServe) => post(served, '/authority/', '{"account":'), 'malformed JSON'],
  ] as const)('with %s is a parameter error', async (_, ask, text) => {
    const served = await serve();
    expect(await ask(served)).toMatchObject({ ret_type: 99, ret_msg: expect.stringContaining(text) });
  });

  it.each(Object.keys(loginFields()))('without %s is a parameter error', async (name) => {
    const served = await serve();
    const { [name]: _, ...fields } = loginFields();
    expect(await post(served, '/authority/', fields)).toEqual({ ret_type: 99, ret_msg: `missing field "${name}"` });
  });

  it.each([['799'], ['x'], [null]])('of client version %s is too old', async (version) => {
    const served = await serve();
    expect(await login(served, {}, version)).toMatchObject({ ret_type: 45 });
  });

  it('is answered as ordered', async () => {
    const served = await serve();
    for (const ret_type of [2, 11, 15, 20, 21, 23, 45, 99] as const) {
      served.login.order(ret_type);
      const answer = await login(served);
      expect(answer).toMatchObject({ ret_type, ret_msg: expect.stringMatching(/./) });
      expect(answer.device_verify_sig === undefined).toBe(ret_type !== 20);
    }
    const { tgtgt } = await verify(served);
    await served.devices.expireAll();
    expect(await login(served, { tgtgt })).toMatchObject({ ret_type: 15 });
  });
});

describe('a device code', () => {
  it('is refused when wrong or empty, up to five tries', async () => {
    const served = await serve();
    const { device_verify_sig } = await login(served);
    const device = { account: ACCOUNT, device_id: 'device-1', device_verify_sig };
    expect(await login(served, { device_verify_sig, verify_code: '000000' })).toMatchObject({ ret_type: 21 });
    await post(served, '/authority/device-code', device);
    const right = served.codes[0]?.code ?? '';
    const wrong = right === '111111' ? '222222' : '111111';
    expect(await login(served, { device_verify_sig })).toMatchObject({ ret_type: 21 });
    for (let count = 0; count < 5; count++) {
      expect(await login(served, { device_verify_sig, verify_code: wrong })).toMatchObject({ ret_type: 21 });
    }
    expect(await login(served, { device_verify_sig, verify_code: right })).toMatchObject({ ret_type: 20 });
  });

  it('works once, for its own device, within ten minutes', async () => {
    const clock = new ManualClock(START);
    const served = await serve({ clock });
    const ask = (change: object) => login(served, { timestamp: Math.floor(clock.now() / 1000), ...change });
    const { device_verify_sig } = await ask({});
    const device = { account: ACCOUNT, device_id: 'device-1', device_verify_sig };
    await post(served, '/authority/device-code', device);
    const code = { device_verify_sig, verify_code: served.codes[0]?.code };
    expect(await ask({ ...code, device_id: 'device-2' })).toMatchObject({ ret_type: 20 });
    // The same check goes on for who logs in anew.
    expect(await ask({})).toMatchObject({ ret_type: 20, device_verify_sig });
    expect(await post(served, '/authority/device-code', device)).toMatchObject({ ret_type: 15, ret_msg: expect.stringContaining('60 s') });
    expect(await ask(code)).toMatchObject({ ret_type: 0 });
    expect(await ask(code)).toMatchObject({ ret_type: 20 });
    clock.advance(600_000);
    expect(await post(served, '/authority/device-code', device)).toMatchObject({ ret_type: 99 });
  });

  it('is sent for a check that is under way', async () => {
    const served = await serve();
    const body = { account: ACCOUNT, device_id: 'device-1', device_verify_sig: 'made up' };
    expect(await post(served, '/authority/device-code', body)).toMatchObject({ ret_type: 99 });
    expect(await post(served, '/authority/device-code', { ...body, code: 1 })).toMatchObject({ ret_type: 99 });
    expect(served.codes).toEqual([]);
  });
});

it('serves no other path or method', async () => {
  const served = await serve();
  expect((await fetch(`${served.authUrl}/`)).status).toBe(404);
  expect((await fetch(`${served.authUrl}/authority/`)).status).toBe(405);
  expect((await fetch(`${served.authUrl}/authority/`, { method: 'POST', body: 'x'.repeat(70_000) })).status).toBe(413);
});
