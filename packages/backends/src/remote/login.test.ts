import { createHash, createHmac } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@svc-gateway/contract/clock';
import { ConnectFailure } from '@svc-gateway/protocol-client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type AuthorityAnswer, grantOf, ScriptedAuthority } from '../../../../test/support/scripted-authority.js';
import { until } from '../../../../test/support/until.js';
import { AuthService } from './auth-service.js';
import { CredentialsFile } from './credentials-file.js';
import { Login } from './login.js';
import { passwordDigest } from './login-request.js';

const ACCOUNT = '1001';
const PASSWORD = 'correct horse';
const DIGEST = createHash('sha256').update(`${ACCOUNT}:${PASSWORD}`).digest('hex');
const NEW_DEVICE = { ret_type: 20, ret_msg: 'new device', device_verify_sig: 'sig-1', phone_no: '+852 9123 4567' };
const NOW = Date.parse('2026-08-03T02:00:00Z');

let folder: string;
let clock: ManualClock;
let authority: ScriptedAuthority;
const logins: Login[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-login-'));
  clock = new ManualClock(NOW);
});
afterEach(async () => {
  for (const login of logins.splice(0)) login.stop();
  await authority.stop();
  rmSync(folder, { recursive: true, force: true });
});

const filePath = () => join(folder, 'credentials.json');

function openFile(reset = false): CredentialsFile {
  let made = 0;
  const file = CredentialsFile.open(filePath(), { account: ACCOUNT, authUrl: authority.url }, reset, () => `device-${++made}`);
  if (typeof file === 'string') throw new Error(file);
  return file;
}

function open({ verifyCode = '', reset = false, password = PASSWORD } = {}): Login & { log: string[] } {
  let nonces = 0;
  const log: string[] = [];
  const write = (fields: object, message: string) => void log.push(`${JSON.stringify(fields)} ${message}`);
  const login = new Login({
    service: new AuthService(authority.url, clock),
    file: openFile(reset),
    identity: {
      account: ACCOUNT,
      accountKind: 'id',
      passwordDigest: passwordDigest(ACCOUNT, password),
      platform: 'svc',
      deviceName: 'desk',
    },
    clock,
    logger: { error: write, warn: write, info: write, debug: write },
    newNonce: () => String(++nonces).padStart(32, '0'),
    verifyCode,
  });
  logins.push(login);
  return Object.assign(login, { log });
}

async function failureOf(login: Login): Promise<ConnectFailure> {
  const thrown = await login.session().then(
    () => undefined,
    (error: unknown) => error,
  );
  if (thrown instanceof ConnectFailure) return thrown;
  throw new Error(`the login did not fail: ${thrown}`);
}

async function serve(...answers: AuthorityAnswer[]): Promise<void> {
  authority = await ScriptedAuthority.start(...answers);
}

describe('the request', () => {
  it('has exactly the fifteen fields, signed over the others by the digest of the password', async () => {
    await serve(grantOf());
    await open().session();
    const [{ path, headers, body }] = authority.requests as [(typeof authority.requests)[0]];
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
      timestamp: NOW / 1000,
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
    await serve(grantOf());
    const service = new AuthService(`${authority.url}/brand/x`, clock);
    await service.login({}, new AbortController().signal);
    expect(authority.requests[0]?.path).toBe('/brand/x/authority/');
  });
});

describe('a success', () => {
  it('gives the session and its points, and saves the ticket for its owner alone', async () => {
    await serve(grantOf());
    const login = open();
    expect(await login.session()).toEqual({
      ticket: 'ticket-1',
      userId: 9007199254740993n,
      sessionKey: 'session-1',
      platform: { host: '127.0.0.1', port: 1 },
      brokers: [{ brokerId: 1001, name: 'HK Securities', host: '127.0.0.1', port: 2 }],
    });
    expect(statSync(filePath()).mode & 0o777).toBe(0o600);
    expect(readFileSync(filePath(), 'utf8')).not.toContain('session-1');
    expect(login.log.join()).not.toMatch(/ticket-1|session-1|correct horse/);
    expect(login.log.join()).not.toContain(DIGEST);
  });

  it('shares one request among concurrent callers, and uses its ticket on the next start', async () => {
    await serve(grantOf());
    const login = open();
    await Promise.all([login.session(), login.session()]);
    await login.session();
    await open().session();
    expect(authority.asked.map(({ body }) => [body.device_id, body.tgtgt])).toEqual([
      ['device-1', ''],
      ['device-1', 'ticket-1'],
    ]);
  });

  it('is repeated once its session is refused, but not for an earlier session’s refusal', async () => {
    await serve(grantOf(), grantOf({ session_key: 'session-2' }));
    const login = open();
    await login.session();
    login.accepted('session-1');
    login.refused('session-1');
    expect((await login.session()).sessionKey).toBe('session-2');
    login.refused('session-1');
    await login.session();
    expect(authority.requests).toHaveLength(2);
  });

  it('is made anew once where its session is refused before it was used, and no more for a while where the next is too', async () => {
    await serve(grantOf(), ...[2, 3, 4].map((number) => grantOf({ session_key: `session-${number}` })));
    const login = open();
    const refusedAs = async (key: string) => {
      login.refused(key);
      return (await login.session()).sessionKey;
    };
    await login.session();
    expect(await refusedAs('session-1')).toBe('session-2');
    expect(await refusedAs('session-2')).toBe('session-2');
    clock.advance(300_000);
    expect(await refusedAs('session-2')).toBe('session-3');
    // A session that worked meanwhile may be refused again at once.
    login.accepted('session-3');
    expect(await refusedAs('session-3')).toBe('session-4');
  });

  it('is not repeated endlessly if sessions are accepted and then refused', async () => {
    await serve(grantOf());
    const login = open();
    for (let round = 0; round < 20; round++) {
      await login.session();
      login.accepted('session-1');
      login.refused('session-1');
    }
    expect(authority.requests).toHaveLength(6);
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
    await serve({ ret_type: retType, ret_msg: 'so it is' });
    const failure = await failureOf(open());
    expect(failure.final).toBe(true);
    expect(failure.message).toContain(`ret_type ${retType}, "so it is"`);
    expect(failure.message).toContain(advice);
    expect(failure.message).toContain('wait 300 s');
    expect(authority.requests).toHaveLength(1);
  });

  it('2 is not tried again by a restart with the same settings, and is with others, on a new device once, and when an operator wants it', async () => {
    await serve({ ret_type: 2, ret_msg: 'wrong' });
    await failureOf(open());
    const again = await failureOf(open());
    expect(again).toMatchObject({ final: true, message: expect.stringContaining('ret_type 2, "wrong"') });
    expect(again.message).toMatch(
      /this was at 2026-08-03T02:00:00.000Z, and with the same settings it is not tried again: .*admin\/reload/,
    );
    expect(authority.requests).toHaveLength(1);
    expect(readFileSync(filePath(), 'utf8')).not.toContain(DIGEST);
    for (const wish of [{ password: 'another' }, {}, { reset: true }, { reset: true }]) await failureOf(open(wish));
    // The other password, the first one after it, and the new device; a second new device is nothing new.
    expect(authority.asked.map(({ body }) => body.pwd_digest === DIGEST)).toEqual([true, false, true, true]);
    const insisting = open();
    await failureOf(insisting);
    expect(authority.requests).toHaveLength(4);
    authority.logins = [grantOf()];
    insisting.renew();
    await insisting.session();
    await open().session();
    expect(authority.requests).toHaveLength(6);
  });

  it('15 is waited for over a restart too', async () => {
    await serve({ ret_type: 15 }, grantOf());
    const first = open();
    first.session().catch(() => undefined);
    await until(() => first.progress !== '', 'the wait');
    first.stop();
    clock.advance(20_000);
    const second = open();
    const session = second.session();
    await until(() => second.progress !== '', 'the rest of the wait');
    expect(second.progress).toBe('the login service wants to be left alone; next try at 2026-08-03T02:01:00.000Z');
    clock.advance(39_999);
    expect(authority.requests).toHaveLength(1);
    clock.advance(1);
    await session;
  });

  it('15 is waited for no longer than the service is ever left alone, where the clock was ahead when it came', async () => {
    await serve({ ret_type: 15 }, grantOf());
    clock.step(3 * 86_400_000);
    const first = open();
    first.session().catch(() => undefined);
    await until(() => first.progress !== '', 'the wait');
    first.stop();
    clock.step(-3 * 86_400_000);
    const second = open();
    const session = second.session();
    await until(() => second.progress !== '', 'the rest of the wait');
    clock.advance(300_000);
    await session;
  });

  it('15 is tried again after 60 s, then without the ticket, after 300 s once more, and then no more', async () => {
    await serve(grantOf());
    await open().session();
    authority.logins = [{ ret_type: 15 }];
    const login = open();
    const outcome = failureOf(login);
    await authority.came(2);
    await until(() => login.progress !== '', 'the wait');
    expect(login.progress).toContain('next try at 2026-08-03T02:01:00.000Z');
    clock.advance(59_999);
    expect(authority.requests).toHaveLength(2);
    clock.advance(1);
    await authority.came(3);
    await until(() => login.progress.includes('02:02:00'), 'the second wait');
    clock.advance(60_000);
    await authority.came(4);
    await until(() => login.progress.includes('02:07:00'), 'the longer wait');
    clock.advance(300_000);
    const failure = await outcome;
    expect(failure.final).toBe(true);
    expect(failure.message).toContain('--reset-device, then log in once through the mobile app');
    expect(authority.asked.slice(1).map(({ body }) => body.tgtgt)).toEqual(['ticket-1', 'ticket-1', '', '']);
  });

  it('20 has a code sent, and waits for it', async () => {
    await serve(NEW_DEVICE, grantOf());
    const login = open();
    const session = login.session();
    await until(() => login.progress !== '', 'the check');
    expect(login.awaitsCode).toBe(true);
    expect(login.progress).toMatch(/^waiting for the verification code sent to \*+4567: .*\/api\/verification.*--verify-code/);
    expect(authority.requests[1]).toMatchObject({
      path: '/authority/device-code',
      body: { account: ACCOUNT, device_id: 'device-1', device_verify_sig: 'sig-1' },
    });
    expect(await login.answer('123456')).toMatchObject({ ok: true });
    expect((await session).sessionKey).toBe('session-1');
    expect(login.awaitsCode).toBe(false);
    expect(login.progress).toBe('');
    expect(authority.asked[1]?.body).toMatchObject({ verify_code: '123456', device_verify_sig: 'sig-1' });
  });

  it('21 leaves the check as it is: the next code is entered for the same one', async () => {
    await serve(NEW_DEVICE, { ret_type: 21 }, grantOf());
    const login = open();
    const session = login.session();
    await until(() => login.progress !== '', 'the check');
    const wrong = await login.answer('000000');
    expect(wrong).toEqual({ ok: false, message: expect.stringContaining('verification code wrong or missing (ret_type 21)') });
    expect(login.awaitsCode).toBe(true);
    expect(await login.answer('123456')).toMatchObject({ ok: true });
    await session;
    expect(authority.requests.filter(({ path }) => path.endsWith('device-code'))).toHaveLength(1);
    expect(authority.asked[2]?.body.device_verify_sig).toBe('sig-1');
  });
});

describe('a device check', () => {
  it('is answered by --verify-code after a restart, for the check whose code was sent', async () => {
    await serve(NEW_DEVICE);
    const first = open();
    first.session().catch(() => undefined);
    await until(() => first.awaitsCode && first.progress !== '', 'the check');
    first.stop();
    authority.logins = [grantOf()];
    await open({ verifyCode: '123456' }).session();
    expect(authority.requests.at(-1)?.body).toMatchObject({ verify_code: '123456', device_verify_sig: 'sig-1', device_id: 'device-1' });
    await open().session();
    expect(authority.requests.at(-1)?.body).toMatchObject({ verify_code: '', device_verify_sig: '', tgtgt: 'ticket-1' });
  });

  it('sends no second code to somebody who restarts within a minute', async () => {
    await serve(NEW_DEVICE);
    for (const sigNow of ['sig-1', 'sig-2']) {
      authority.logins = [{ ...NEW_DEVICE, device_verify_sig: sigNow }];
      const login = open();
      login.session().catch(() => undefined);
      await until(() => login.progress !== '', 'the check');
      login.stop();
    }
    expect(authority.requests.filter(({ path }) => path.endsWith('device-code'))).toHaveLength(1);
    authority.logins = [grantOf()];
    await open({ verifyCode: '1' }).session();
    expect(authority.requests.at(-1)?.body.device_verify_sig).toBe('sig-1');
  });

  it('sends another code when it is asked to, once a minute', async () => {
    await serve(NEW_DEVICE);
    const login = open();
    login.session().catch(() => undefined);
    await until(() => login.progress !== '', 'the check');
    expect(await login.requestCode()).toEqual({ ok: false, message: 'a code was sent less than a minute ago; ask again in 60 s' });
    clock.advance(60_000);
    expect(await login.requestCode()).toMatchObject({ ok: true, message: expect.stringContaining('4567') });
    expect(authority.requests.filter(({ path }) => path.endsWith('device-code'))).toHaveLength(2);
  });

  it('has five codes an hour sent at most, over restarts and new devices, whatever is entered', async () => {
    await serve(NEW_DEVICE);
    const codes = () => authority.requests.filter(({ path }) => path.endsWith('device-code')).length;
    for (let round = 0; round < 59; round++) {
      authority.logins = [{ ...NEW_DEVICE, device_verify_sig: `sig-${round}` }];
      const login = open({ reset: round % 3 === 0 });
      login.session().catch(() => undefined);
      await until(() => login.progress !== '', 'the check');
      await login.answer('1');
      login.stop();
      clock.advance(60_000);
    }
    expect(codes()).toBe(5);
    const login = open();
    login.session().catch(() => undefined);
    await until(() => login.progress !== '', 'the check');
    expect(await login.requestCode()).toMatchObject({
      ok: false,
      message: 'five codes were sent within the hour; ask again in 60 s',
    });
    clock.advance(60_000);
    await until(() => login.progress.startsWith('waiting'), 'the sixth code');
    expect(codes()).toBe(6);
  });

  it('refuses what is no code, a second one at the same time, and any when nothing is pending', async () => {
    await serve(NEW_DEVICE, { ret_type: 21 });
    const login = open();
    expect(await login.answer('1')).toEqual({ ok: false, message: 'no verification is pending: the login has not come to one' });
    login.session().catch(() => undefined);
    await until(() => login.progress !== '', 'the check');
    expect(await login.answer('12 34')).toEqual({ ok: false, message: 'a verification code is 1 to 32 letters and digits' });
    const both = await Promise.all([login.answer('1'), login.answer('2')]);
    expect(both.map(({ message }) => message)).toEqual([expect.stringContaining('ret_type 21'), expect.stringContaining('try again')]);
  });

  it('continues with a new check if the answered one had expired', async () => {
    await serve(NEW_DEVICE, { ...NEW_DEVICE, device_verify_sig: 'sig-2' }, grantOf());
    const login = open();
    const session = login.session();
    await until(() => login.progress !== '', 'the check');
    expect(await login.answer('1')).toEqual({
      ok: false,
      message: expect.stringMatching(
        /^the check had expired; a code was sent less than a minute ago: the next is sent at 2026-08-03T02:01:00/,
      ),
    });
    const codes = () => authority.requests.filter(({ path }) => path.endsWith('device-code')).length;
    expect(codes()).toBe(1);
    clock.advance(60_000);
    await until(() => login.progress.startsWith('waiting'), 'the next code');
    expect(codes()).toBe(2);
    await login.answer('2');
    await session;
    expect(authority.asked[2]?.body).toMatchObject({ verify_code: '2', device_verify_sig: 'sig-2' });
  });

  it('ends the login where the code is followed by a refusal that no code helps', async () => {
    await serve(NEW_DEVICE, { ret_type: 23 });
    const login = open();
    const outcome = failureOf(login);
    await until(() => login.progress !== '', 'the check');
    expect(await login.answer('1')).toMatchObject({ ok: false, message: expect.stringContaining('phone number not bound') });
    expect((await outcome).final).toBe(true);
  });

  it('is tried again from the start where the code could not be asked for', async () => {
    await serve(NEW_DEVICE);
    authority.codes = [500];
    const failure = await failureOf(open());
    expect(failure.final).toBe(false);
    expect(failure.message).toContain('HTTP 500');
  });

  it('is over when the code was entered before the service had said that it sent it', async () => {
    await serve(NEW_DEVICE, grantOf());
    let saySent: (answer: object) => void = () => undefined;
    authority.codes = [
      new Promise<object>((resolve) => {
        saySent = resolve;
      }),
    ];
    const login = open();
    const session = login.session();
    await authority.came(2);
    expect(await login.answer('123456')).toMatchObject({ ok: true });
    await session;
    saySent({ ret_type: 0, phone_no: '1' });
    // The late answer has come by the time the service has answered two more.
    for (let count = 0; count < 2; count++) await open().session();
    expect(authority.asked.at(-1)?.body.tgtgt).toBe('ticket-1');
    expect(login.progress).toBe('');
  });

  it('shows a terminal nothing that would steer it', async () => {
    const phone_no = '+852 9123 4\u001b[2J567\u009b';
    await serve({ ...NEW_DEVICE, phone_no });
    authority.codes = [{ ret_type: 0, phone_no }];
    const login = open();
    void login.session().catch(() => undefined);
    await until(() => login.progress !== '', 'the check');
    expect(login.progress).toMatch(/^waiting for the verification code sent to \*+\d{4}: /);
    login.stop();
  });

  it('needs to be named by the service', async () => {
    await serve({ ret_type: 20 });
    expect(await failureOf(open())).toMatchObject({ final: true, message: expect.stringContaining('device_verify_sig is missing') });
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
    await serve(answer);
    const failure = await failureOf(open());
    expect(failure.final).toBe(false);
    expect(failure.message).toContain(text);
  });

  it('is left alone for as long as it asks to be', async () => {
    await serve(503, grantOf());
    const login = open();
    await failureOf(login);
    const session = login.session();
    clock.advance(6_999);
    expect(authority.requests).toHaveLength(1);
    clock.advance(1);
    await session;
  });

  it('is given up after 15 s of silence, and at once when the daemon stops', async () => {
    await serve('silence');
    const login = open();
    const late = failureOf(login);
    await authority.came(1);
    clock.advance(15_000);
    expect((await late).message).toContain('within 15 s');
    const stopped = failureOf(login);
    await authority.came(2);
    login.stop();
    expect((await stopped).final).toBe(false);
  });

  it('names the address when the connection is refused', async () => {
    await serve(grantOf());
    const login = open();
    await authority.stop();
    expect((await failureOf(login)).message).toContain('nothing listens at http://127.0.0.1:');
    await serve();
  });
});

describe('the credentials file', () => {
  it('keeps the device whoever logs in, and its ticket to its account and service', async () => {
    await serve(grantOf());
    await open().session();
    const other = CredentialsFile.open(filePath(), { account: '1002', authUrl: authority.url }, false, () => 'new');
    if (typeof other === 'string') throw new Error(other);
    expect([other.saved.deviceId, other.saved.ticket]).toEqual(['device-1', undefined]);
    const elsewhere = CredentialsFile.open(filePath(), { account: ACCOUNT, authUrl: 'https://other.example' }, false, () => 'new');
    expect(elsewhere).toMatchObject({ saved: { deviceId: 'device-1' } });
    expect(elsewhere).not.toHaveProperty('saved.ticket');
  });

  it('is forgotten by --reset-device, device and all', async () => {
    await serve(grantOf());
    await open().session();
    const file = CredentialsFile.open(filePath(), { account: ACCOUNT, authUrl: authority.url }, true, () => 'new');
    expect(file).toMatchObject({ saved: { deviceId: 'new' } });
    expect(file).not.toHaveProperty('saved.ticket');
  });

  it.each([
    ['half of it', '{"version": 1, "device_id"', 'it is damaged at line 1, column '],
    ['another version', '{"version": 2}', 'version must be 1; found the number 2'],
    ['no device', '{"version": 1}', 'device_id is missing'],
    ['a list', '[]', 'the file must be an object; found an array'],
  ])('is refused in a sentence when it is damaged: %s', async (_name, content, text) => {
    await serve();
    writeFileSync(filePath(), content);
    const found = CredentialsFile.open(filePath(), { account: ACCOUNT, authUrl: authority.url }, false, () => 'new');
    expect(found).toContain(text);
    expect(found).toContain('start once with --reset-device');
    expect(CredentialsFile.open(filePath(), { account: ACCOUNT, authUrl: authority.url }, true, () => 'new')).toMatchObject({
      saved: { deviceId: 'new' },
    });
  });
});
