import { createHash, createHmac } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ACCOUNT, failureOf, LOGIN_START, LoginStage, NEW_DEVICE, PASSWORD } from '../../../../test/support/login-stage.js';
import { grantOf } from '../../../../test/support/scripted-authority.js';
import { until } from '../../../../test/support/until.js';
import { AuthService } from './auth-service.js';
import { CredentialsFile } from './credentials-file.js';

const DIGEST = createHash('sha256').update(`${ACCOUNT}:${PASSWORD}`).digest('hex');
const stage = LoginStage.forEach();

describe('the request', () => {
  it('has exactly the fifteen fields, signed over the others by the digest of the password', async () => {
    await stage.serve(grantOf());
    await stage.open().session();
    const [{ path, headers, body }] = stage.authority.requests as [(typeof stage.authority.requests)[0]];
    expect(path).toBe('/authority/');
    expect(Number(headers['x-svc-client-version'])).toBeGreaterThanOrEqual(800);
    const { sign, ...others } = body;
    expect(others).toEqual({
      account: ACCOUNT,
      account_kind: 'id',
      pwd_digest: DIGEST,
      platform: 'svc',
      device_id: 'device-1',
      device_name: 'desk',
      os: process.platform,
      client_version: '800',
      lang: 'en',
      timestamp: LOGIN_START / 1000,
      nonce: '1'.padStart(32, '0'),
      verify_code: '',
      device_verify_sig: '',
      tgtgt: '',
    });
    const signed = Object.keys(others)
      .sort()
      .map((name) => `${name}=${others[name]}`)
      .join('&');
    expect(sign).toBe(createHmac('sha256', DIGEST).update(signed).digest('hex'));
  });

  it('goes below the path of --auth-url', async () => {
    await stage.serve(grantOf());
    const service = new AuthService(`${stage.authority.url}/brand/x`, stage.clock);
    await service.login({}, new AbortController().signal);
    expect(stage.authority.requests[0]?.path).toBe('/brand/x/authority/');
  });
});

describe('a success', () => {
  it('gives the session and its points, and saves the ticket for its owner alone', async () => {
    await stage.serve(grantOf());
    const login = stage.open();
    expect(await login.session()).toEqual({
      ticket: 'ticket-1',
      userId: 9007199254740993n,
      sessionKey: 'session-1',
      platform: { host: '127.0.0.1', port: 1 },
      brokers: [{ brokerId: 1001, name: 'HK Securities', host: '127.0.0.1', port: 2 }],
    });
    expect(statSync(stage.filePath).mode & 0o777).toBe(0o600);
    expect(readFileSync(stage.filePath, 'utf8')).not.toContain('session-1');
    expect(login.log.join()).not.toMatch(/ticket-1|session-1|correct horse/);
    expect(login.log.join()).not.toContain(DIGEST);
  });

  it('shares one request among concurrent callers, and uses its ticket on the next start', async () => {
    await stage.serve(grantOf());
    const login = stage.open();
    await Promise.all([login.session(), login.session()]);
    await login.session();
    await stage.open().session();
    expect(stage.authority.asked.map(({ body }) => [body.device_id, body.tgtgt])).toEqual([
      ['device-1', ''],
      ['device-1', 'ticket-1'],
    ]);
  });

  it('is repeated once its session is refused, but not for an earlier session’s refusal', async () => {
    await stage.serve(grantOf(), grantOf({ session_key: 'session-2' }));
    const login = stage.open();
    await login.session();
    login.accepted('session-1');
    login.refused('session-1');
    expect((await login.session()).sessionKey).toBe('session-2');
    login.refused('session-1');
    await login.session();
    expect(stage.authority.requests).toHaveLength(2);
  });

  it('is made anew once where its session is refused before it was used, and no more for a while where the next is too', async () => {
    await stage.serve(grantOf(), ...[2, 3, 4].map((number) => grantOf({ session_key: `session-${number}` })));
    const login = stage.open();
    const refusedAs = async (key: string) => {
      login.refused(key);
      return (await login.session()).sessionKey;
    };
    await login.session();
    expect(await refusedAs('session-1')).toBe('session-2');
    expect(await refusedAs('session-2')).toBe('session-2');
    stage.clock.advance(300_000);
    expect(await refusedAs('session-2')).toBe('session-3');
    // A session that worked meanwhile may be refused again at once.
    login.accepted('session-3');
    expect(await refusedAs('session-3')).toBe('session-4');
  });

  it('is not repeated endlessly if sessions are accepted and then refused', async () => {
    await stage.serve(grantOf());
    const login = stage.open();
    for (let round = 0; round < 20; round++) {
      await login.session();
      login.accepted('session-1');
      login.refused('session-1');
    }
    expect(stage.authority.requests).toHaveLength(6);
  });
});

describe('each ret_type', () => {
  it.each([
    [2, 'check --login-account, --login-pwd and --platform; if they are right, start once with --reset-device'],
    [11, 'all 15 fields'],
    [23, 'bind a phone number to the account in the mobile app'],
    [45, 'update svcd'],
    [99, 'a field was missing or not accepted'],
    [77, 'unknown answer (ret_type 77'],
  ])('%i ends the login with what to do, and is not tried again', async (retType, advice) => {
    await stage.serve({ ret_type: retType, ret_msg: 'so it is' });
    const failure = await failureOf(stage.open());
    expect(failure.final).toBe(true);
    expect(failure.message).toContain(`ret_type ${retType}, "so it is"`);
    expect(failure.message).toContain(advice);
    expect(failure.message).toContain('wait 300 s');
    expect(stage.authority.requests).toHaveLength(1);
  });

  it('2 is not tried again by a restart with the same settings, and is with others, on a new device once, and when an operator wants it', async () => {
    await stage.serve({ ret_type: 2, ret_msg: 'wrong' });
    await failureOf(stage.open());
    const again = await failureOf(stage.open());
    expect(again).toMatchObject({ final: true, message: expect.stringContaining('ret_type 2, "wrong"') });
    expect(again.message).toMatch(
      /this was at 2026-08-03T02:00:00.000Z, and with the same settings it is not tried again: .*admin\/reload/,
    );
    expect(stage.authority.requests).toHaveLength(1);
    expect(readFileSync(stage.filePath, 'utf8')).not.toContain(DIGEST);
    for (const wish of [{ password: 'another' }, {}, { reset: true }, { reset: true }]) await failureOf(stage.open(wish));
    // The other password, the first one after it, and the new device; a second new device is nothing new.
    expect(stage.authority.asked.map(({ body }) => body.pwd_digest === DIGEST)).toEqual([true, false, true, true]);
    const insisting = stage.open();
    await failureOf(insisting);
    expect(stage.authority.requests).toHaveLength(4);
    stage.authority.logins = [grantOf()];
    insisting.renew();
    await insisting.session();
    await stage.open().session();
    expect(stage.authority.requests).toHaveLength(6);
  });

  it('15 is waited for over a restart too', async () => {
    await stage.serve({ ret_type: 15 }, grantOf());
    const first = stage.open();
    first.session().catch(() => undefined);
    await until(() => first.progress !== '', 'the wait');
    first.stop();
    stage.clock.advance(20_000);
    const second = stage.open();
    const session = second.session();
    await until(() => second.progress !== '', 'the rest of the wait');
    expect(second.progress).toBe('the login service wants to be left alone; next try at 2026-08-03T02:01:00.000Z');
    stage.clock.advance(39_999);
    expect(stage.authority.requests).toHaveLength(1);
    stage.clock.advance(1);
    await session;
  });

  it('15 is waited for no longer than the service is ever left alone, where the stage.clock was ahead when it came', async () => {
    await stage.serve({ ret_type: 15 }, grantOf());
    stage.clock.step(3 * 86_400_000);
    const first = stage.open();
    first.session().catch(() => undefined);
    await until(() => first.progress !== '', 'the wait');
    first.stop();
    stage.clock.step(-3 * 86_400_000);
    const second = stage.open();
    const session = second.session();
    await until(() => second.progress !== '', 'the rest of the wait');
    stage.clock.advance(300_000);
    await session;
  });

  it('15 is tried again after 60 s, then without the ticket, after 300 s once more, and then no more', async () => {
    await stage.serve(grantOf());
    await stage.open().session();
    stage.authority.logins = [{ ret_type: 15 }];
    const login = stage.open();
    const outcome = failureOf(login);
    await stage.authority.came(2);
    await until(() => login.progress !== '', 'the wait');
    expect(login.progress).toContain('next try at 2026-08-03T02:01:00.000Z');
    stage.clock.advance(59_999);
    expect(stage.authority.requests).toHaveLength(2);
    stage.clock.advance(1);
    await stage.authority.came(3);
    await until(() => login.progress.includes('02:02:00'), 'the second wait');
    stage.clock.advance(60_000);
    await stage.authority.came(4);
    await until(() => login.progress.includes('02:07:00'), 'the longer wait');
    stage.clock.advance(300_000);
    const failure = await outcome;
    expect(failure.final).toBe(true);
    expect(failure.message).toContain('--reset-device, then log in once through the mobile app');
    expect(stage.authority.asked.slice(1).map(({ body }) => body.tgtgt)).toEqual(['ticket-1', 'ticket-1', '', '']);
  });

  it('20 has a code sent, and waits for it', async () => {
    await stage.serve(NEW_DEVICE, grantOf());
    const login = stage.open();
    const session = login.session();
    await until(() => login.progress !== '', 'the check');
    expect(login.awaitsCode).toBe(true);
    expect(login.progress).toMatch(/^waiting for the verification code sent to \*+4567: .*\/api\/verification.*--verify-code/);
    expect(stage.authority.requests[1]).toMatchObject({
      path: '/authority/device-code',
      body: { account: ACCOUNT, device_id: 'device-1', device_verify_sig: 'sig-1' },
    });
    expect(await login.answer('123456')).toMatchObject({ ok: true });
    expect((await session).sessionKey).toBe('session-1');
    expect(login.awaitsCode).toBe(false);
    expect(login.progress).toBe('');
    expect(stage.authority.asked[1]?.body).toMatchObject({ verify_code: '123456', device_verify_sig: 'sig-1' });
  });

  it('21 leaves the check as it is: the next code is entered for the same one', async () => {
    await stage.serve(NEW_DEVICE, { ret_type: 21 }, grantOf());
    const login = stage.open();
    const session = login.session();
    await until(() => login.progress !== '', 'the check');
    const wrong = await login.answer('000000');
    expect(wrong).toEqual({ ok: false, message: expect.stringContaining('verification code wrong or missing (ret_type 21)') });
    expect(login.awaitsCode).toBe(true);
    expect(await login.answer('123456')).toMatchObject({ ok: true });
    await session;
    expect(stage.authority.requests.filter(({ path }) => path.endsWith('device-code'))).toHaveLength(1);
    expect(stage.authority.asked[2]?.body.device_verify_sig).toBe('sig-1');
  });
});

describe('a service that does not answer as it should', () => {
  it.each([
    ['503', 503, 'HTTP 503'],
    ['text', 'hello', 'what is not JSON'],
    ['no ret_type', {}, 'ret_type must be an integer; found nothing'],
    ['a grant without its session', grantOf({ session_key: '' }), 'session_key must be a text'],
    ['a port that is none', grantOf({ platform: { host: 'x', port: 70_000 } }), 'platform.port must be a whole number from 1 to 65535'],
    ['brokers that are none', grantOf({ brokers: {} }), 'brokers must be an array'],
    ['a broker twice', grantOf({ brokers: [1, 1].map(() => ({ broker_id: 7, host: 'x', port: 1 })) }), '7 is there twice'],
  ])('is tried again: %s', async (_name, answer, text) => {
    await stage.serve(answer);
    const failure = await failureOf(stage.open());
    expect(failure.final).toBe(false);
    expect(failure.message).toContain(text);
  });

  it('is left alone for as long as it asks to be', async () => {
    await stage.serve(503, grantOf());
    const login = stage.open();
    await failureOf(login);
    const session = login.session();
    stage.clock.advance(6_999);
    expect(stage.authority.requests).toHaveLength(1);
    stage.clock.advance(1);
    await session;
  });

  it('is given up after 15 s of silence, and at once when the daemon stops', async () => {
    await stage.serve('silence');
    const login = stage.open();
    const late = failureOf(login);
    await stage.authority.came(1);
    stage.clock.advance(15_000);
    expect((await late).message).toContain('within 15 s');
    const stopped = failureOf(login);
    await stage.authority.came(2);
    login.stop();
    expect((await stopped).final).toBe(false);
  });

  it('names the address when the connection is refused', async () => {
    await stage.serve(grantOf());
    const login = stage.open();
    await stage.authority.stop();
    expect((await failureOf(login)).message).toContain('nothing listens at http://127.0.0.1:');
    await stage.serve();
  });
});

describe('the credentials file', () => {
  it('keeps the device whoever logs in, and its ticket to its account and service', async () => {
    await stage.serve(grantOf());
    await stage.open().session();
    const other = CredentialsFile.open(stage.filePath, { account: '1002', authUrl: stage.authority.url }, false, () => 'new');
    if (typeof other === 'string') throw new Error(other);
    expect([other.saved.deviceId, other.saved.ticket]).toEqual(['device-1', undefined]);
    const elsewhere = CredentialsFile.open(stage.filePath, { account: ACCOUNT, authUrl: 'https://other.example' }, false, () => 'new');
    expect(elsewhere).toMatchObject({ saved: { deviceId: 'device-1' } });
    expect(elsewhere).not.toHaveProperty('saved.ticket');
  });

  it('is forgotten by --reset-device, device and all', async () => {
    await stage.serve(grantOf());
    await stage.open().session();
    const file = CredentialsFile.open(stage.filePath, { account: ACCOUNT, authUrl: stage.authority.url }, true, () => 'new');
    expect(file).toMatchObject({ saved: { deviceId: 'new' } });
    expect(file).not.toHaveProperty('saved.ticket');
  });

  it.each([
    ['half of it', '{"version": 1, "device_id"', 'it is damaged at line 1, column '],
    ['another version', '{"version": 2}', 'version must be 1; found the number 2'],
    ['no device', '{"version": 1}', 'device_id is missing'],
    ['a list', '[]', 'the file must be an object; found an array'],
  ])('is refused in a sentence when it is damaged: %s', async (_name, content, text) => {
    await stage.serve();
    writeFileSync(stage.filePath, content);
    const found = CredentialsFile.open(stage.filePath, { account: ACCOUNT, authUrl: stage.authority.url }, false, () => 'new');
    expect(found).toContain(text);
    expect(found).toContain('start once with --reset-device');
    expect(CredentialsFile.open(stage.filePath, { account: ACCOUNT, authUrl: stage.authority.url }, true, () => 'new')).toMatchObject({
      saved: { deviceId: 'new' },
    });
  });
});
