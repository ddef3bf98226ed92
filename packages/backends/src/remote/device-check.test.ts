import { describe, expect, it } from 'vitest';
import { failureOf, LoginStage, NEW_DEVICE } from '../../../../test/support/login-stage.js';
import { grantOf } from '../../../../test/support/scripted-authority.js';
import { until } from '../../../../test/support/until.js';

const stage = LoginStage.forEach();

describe('a device check', () => {
  it('is answered by --verify-code after a restart, for the check whose code was sent', async () => {
    await stage.serve(NEW_DEVICE);
    const first = stage.open();
    first.session().catch(() => undefined);
    await until(() => first.awaitsCode && first.progress !== '', 'the check');
    first.stop();
    stage.authority.logins = [grantOf()];
    await stage.open({ verifyCode: '123456' }).session();
    expect(stage.authority.requests.at(-1)?.body).toMatchObject({
      verify_code: '123456',
      device_verify_sig: 'sig-1',
      device_id: 'device-1',
    });
    await stage.open().session();
    expect(stage.authority.requests.at(-1)?.body).toMatchObject({ verify_code: '', device_verify_sig: '', tgtgt: 'ticket-1' });
  });

  it('sends no second code to somebody who restarts within a minute', async () => {
    await stage.serve(NEW_DEVICE);
    for (const sigNow of ['sig-1', 'sig-2']) {
      stage.authority.logins = [{ ...NEW_DEVICE, device_verify_sig: sigNow }];
      const login = stage.open();
      login.session().catch(() => undefined);
      await until(() => login.progress !== '', 'the check');
      login.stop();
    }
    expect(stage.authority.requests.filter(({ path }) => path.endsWith('device-code'))).toHaveLength(1);
    stage.authority.logins = [grantOf()];
    await stage.open({ verifyCode: '1' }).session();
    expect(stage.authority.requests.at(-1)?.body.device_verify_sig).toBe('sig-1');
  });

  it('sends another code when it is asked to, once a minute', async () => {
    await stage.serve(NEW_DEVICE);
    const login = stage.open();
    login.session().catch(() => undefined);
    await until(() => login.progress !== '', 'the check');
    expect(await login.requestCode()).toEqual({ ok: false, message: 'a code was sent less than a minute ago; ask again in 60 s' });
    stage.clock.advance(60_000);
    expect(await login.requestCode()).toMatchObject({ ok: true, message: expect.stringContaining('4567') });
    expect(stage.authority.requests.filter(({ path }) => path.endsWith('device-code'))).toHaveLength(2);
  });

  it('has five codes an hour sent at most, over restarts and new devices, whatever is entered', async () => {
    await stage.serve(NEW_DEVICE);
    const codes = () => stage.authority.requests.filter(({ path }) => path.endsWith('device-code')).length;
    for (let round = 0; round < 59; round++) {
      stage.authority.logins = [{ ...NEW_DEVICE, device_verify_sig: `sig-${round}` }];
      const login = stage.open({ reset: round % 3 === 0 });
      login.session().catch(() => undefined);
      await until(() => login.progress !== '', 'the check');
      await login.answer('1');
      login.stop();
      stage.clock.advance(60_000);
    }
    expect(codes()).toBe(5);
    const login = stage.open();
    login.session().catch(() => undefined);
    await until(() => login.progress !== '', 'the check');
    expect(await login.requestCode()).toMatchObject({
      ok: false,
      message: 'five codes were sent within the hour; ask again in 60 s',
    });
    stage.clock.advance(60_000);
    await until(() => login.progress.startsWith('waiting'), 'the sixth code');
    expect(codes()).toBe(6);
  });

  it('refuses what is no code, a second one at the same time, and any when nothing is pending', async () => {
    await stage.serve(NEW_DEVICE, { ret_type: 21 });
    const login = stage.open();
    expect(await login.answer('1')).toEqual({ ok: false, message: 'no verification is pending: the login has not come to one' });
    login.session().catch(() => undefined);
    await until(() => login.progress !== '', 'the check');
    expect(await login.answer('12 34')).toEqual({ ok: false, message: 'a verification code is 1 to 32 letters and digits' });
    const both = await Promise.all([login.answer('1'), login.answer('2')]);
    expect(both.map(({ message }) => message)).toEqual([expect.stringContaining('ret_type 21'), expect.stringContaining('try again')]);
  });

  it('continues with a new check if the answered one had expired', async () => {
    await stage.serve(NEW_DEVICE, { ...NEW_DEVICE, device_verify_sig: 'sig-2' }, grantOf());
    const login = stage.open();
    const session = login.session();
    await until(() => login.progress !== '', 'the check');
    expect(await login.answer('1')).toEqual({
      ok: false,
      message: expect.stringMatching(
        /^the check had expired; a code was sent less than a minute ago: the next is sent at 2026-08-03T02:01:00/,
      ),
    });
    const codes = () => stage.authority.requests.filter(({ path }) => path.endsWith('device-code')).length;
    expect(codes()).toBe(1);
    stage.clock.advance(60_000);
    await until(() => login.progress.startsWith('waiting'), 'the next code');
    expect(codes()).toBe(2);
    await login.answer('2');
    await session;
    expect(stage.authority.asked[2]?.body).toMatchObject({ verify_code: '2', device_verify_sig: 'sig-2' });
  });

  it('ends the login where the code is followed by a refusal that no code helps', async () => {
    await stage.serve(NEW_DEVICE, { ret_type: 23 });
    const login = stage.open();
    const outcome = failureOf(login);
    await until(() => login.progress !== '', 'the check');
    expect(await login.answer('1')).toMatchObject({ ok: false, message: expect.stringContaining('phone number not bound') });
    expect((await outcome).final).toBe(true);
  });

  it('is tried again from the start where the code could not be asked for', async () => {
    await stage.serve(NEW_DEVICE);
    stage.authority.codes = [500];
    const failure = await failureOf(stage.open());
    expect(failure.final).toBe(false);
    expect(failure.message).toContain('HTTP 500');
  });

  it('is over when the code was entered before the service had said that it sent it', async () => {
    await stage.serve(NEW_DEVICE, grantOf());
    let saySent: (answer: object) => void = () => undefined;
    stage.authority.codes = [
      new Promise<object>((resolve) => {
        saySent = resolve;
      }),
    ];
    const login = stage.open();
    const session = login.session();
    await stage.authority.came(2);
    expect(await login.answer('123456')).toMatchObject({ ok: true });
    await session;
    saySent({ ret_type: 0, phone_no: '1' });
    // The late answer has come by the time the service has answered two more.
    for (let count = 0; count < 2; count++) await stage.open().session();
    expect(stage.authority.asked.at(-1)?.body.tgtgt).toBe('ticket-1');
    expect(login.progress).toBe('');
  });

  it('shows a terminal nothing that would steer it', async () => {
    const phone_no = '+852 9123 4\u001b[2J567\u009b';
    await stage.serve({ ...NEW_DEVICE, phone_no });
    stage.authority.codes = [{ ret_type: 0, phone_no }];
    const login = stage.open();
    void login.session().catch(() => undefined);
    await until(() => login.progress !== '', 'the check');
    expect(login.progress).toMatch(/^waiting for the verification code sent to \*+\d{4}: /);
    login.stop();
  });

  it('needs to be named by the service', async () => {
    await stage.serve({ ret_type: 20 });
    expect(await failureOf(stage.open())).toMatchObject({ final: true, message: expect.stringContaining('device_verify_sig is missing') });
  });
});
