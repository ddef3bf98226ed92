import type { Clock } from '@svc-gateway/contract/clock';
import { Emitter } from '@svc-gateway/contract/emitter';
import type { Logger } from '@svc-gateway/gateway';
import { addressOf, ConnectFailure, pause } from '@svc-gateway/protocol-client';
import { type AuthService, ServiceFailure } from './auth-service.js';
import type { CredentialsFile, SavedCheck } from './credentials-file.js';
import type { LoginAnswer, LoginGrant, LoginRefusal } from './login-answer.js';
import { type LoginIdentity, loginBody } from './login-request.js';
import { LoginThrottle, PATIENCE_MS_MAX } from './login-throttle.js';
import { refusalText, ruleOf, SUCCESS } from './ret-types.js';

/** Outcome of an answer to the device check, or of a request for a code. */
export interface CheckOutcome {
  readonly ok: boolean;
  /** Message for people. */
  readonly message: string;
}

export interface LoginOptions {
  readonly service: AuthService;
  readonly file: CredentialsFile;
  readonly identity: LoginIdentity;
  readonly clock: Clock;
  readonly logger: Logger;
  /** 16 random bytes in hex. */
  readonly newNonce: () => string;
  /** `--verify-code`, entered once; '' without it. */
  readonly verifyCode: string;
}

/** A device check for which no code was sent yet. */
type NewCheck = Omit<SavedCheck, 'codeSentAt'> & { readonly codeSentAt: undefined };

/** A device check that waits for its code. */
interface Check {
  deviceVerifySig: string;
  phone: string;
  codeSentAt: number | undefined;
  /** Settles the login that waits for the check. */
  readonly granted: (grant: LoginGrant) => void;
  readonly failed: (failure: Error) => void;
}

/** Waits before another try where the service asks for patience; then it is over. */
const BACK_OFF_MS: readonly number[] = [60_000, 60_000, PATIENCE_MS_MAX];
/** Tries with a ticket before one without it: the service reports an expired ticket like too many tries. */
const TRIES_WITH_TICKET = 2;
/** Sessions within this time that are made anew because one was refused: logins are throttled. */
const RENEWALS_MS = 300_000;
/** New logins after refused sessions: of used ones, and of an unused one, which a reload may have made before the brokerage was restarted. */
const RENEWALS_MAX = { used: 5, unused: 1 } as const;
const CODE = /^[A-Za-z0-9]{1,32}$/;
const HOW_TO_ANSWER = "enter it at the daemon's terminal, with POST /api/verification, or by a restart with --verify-code";
const SHUTTING_DOWN = 'the daemon is shutting down';

/**
 * The session that every connection is authenticated by. One login serves all who ask; it is made anew once its session was
 * forgotten. Where only a person can help it ends in a `ConnectFailure` that is final; a device check is waited for.
 */
export class Login {
  readonly #options: LoginOptions;
  readonly #throttle: LoginThrottle;
  readonly #stopping = new AbortController();
  readonly #listeners = new Emitter();
  /** Called when {@link progress} has changed. Returns its own removal. */
  readonly onProgress = this.#listeners.on;
  #verifyCode: string;
  #grant: LoginGrant | undefined;
  /** A connection was let in under it. */
  #accepted = false;
  /** When sessions were given up because they were refused, of `Clock.monotonic`; those of unused ones since a session was accepted. */
  readonly #renewals: Record<'used' | 'unused', number[]> = { used: [], unused: [] };
  #running: Promise<LoginGrant> | undefined;
  #check: Check | undefined;
  /** A code is being judged or sent. */
  #busy = false;
  /** Time before which the service is not asked, of `Clock.monotonic`. */
  #notBefore = 0;
  #progress = '';
  /** Cancels the code that is to be sent later. */
  #cancelCode: () => void = () => undefined;

  constructor(options: LoginOptions) {
    this.#options = options;
    this.#verifyCode = options.verifyCode;
    this.#throttle = new LoginThrottle(options);
    this.#notBefore = options.clock.monotonic() + this.#throttle.patienceMs();
  }

  /** Progress of the login under way, in a sentence; '' where it waits for nothing but the service. */
  get progress(): string {
    return this.#progress;
  }

  /** A device check waits for its code. */
  get awaitsCode(): boolean {
    return this.#check !== undefined;
  }

  /** The session in force, else a new one. Rejects with a `ConnectFailure`. */
  session(): Promise<LoginGrant> {
    if (this.#grant !== undefined) return Promise.resolve(this.#grant);
    this.#running ??= this.#logIn().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Whoever asks next has a new session made, also where an operator has to have put something right first. */
  renew(): void {
    this.#throttle.insist();
    this.#grant = undefined;
  }

  /**
   * A connection was refused under the session of this key, or is of no use under it. Where it is the one in force it has expired:
   * whoever asks next has a new one made. Where new ones are refused too, something else is wrong, and further log-ins wait.
   */
  refused(sessionKey: string): void {
    if (this.#grant?.sessionKey !== sessionKey) return;
    const now = this.#options.clock.monotonic();
    const use = this.#accepted ? 'used' : 'unused';
    const recent = this.#renewals[use].filter((time) => now - time < RENEWALS_MS);
    if (recent.length >= RENEWALS_MAX[use]) return;
    this.#renewals[use] = [...recent, now];
    this.#grant = undefined;
  }

  /** A connection was let in under the session of this key. */
  accepted(sessionKey: string): void {
    if (this.#grant?.sessionKey !== sessionKey) return;
    this.#accepted = true;
    this.#renewals.unused = [];
  }

  /** Enters a code: resolves when the service has judged it. */
  answer(code: string): Promise<CheckOutcome> {
    return this.#withCheck(async (check) => {
      if (!CODE.test(code)) return { ok: false, message: 'a verification code is 1 to 32 letters and digits' };
      const answer = await this.#ask({ ticket: '', code, deviceVerifySig: check.deviceVerifySig });
      if (answer.grant !== undefined) {
        this.#endCheck();
        check.granted(this.#granted(answer.grant));
        return { ok: true, message: 'the code was right: the login goes on' };
      }
      const message = refusalText(answer.retType, answer.said);
      const { course } = ruleOf(answer.retType);
      if (course === 'failed') {
        await this.#throttle.refused(answer);
        throw new ConnectFailure(message, true);
      }
      this.#options.logger.warn({ ret_type: answer.retType }, message);
      if (course !== 'verify' || answer.deviceVerifySig === '') return { ok: false, message };
      // The check that the code was for is over, and this is another.
      Object.assign(check, { deviceVerifySig: answer.deviceVerifySig, phone: answer.phone, codeSentAt: undefined });
      const { message: sent } = await this.#haveCodeSent(check);
      return { ok: false, message: `the check had expired; ${sent}` };
    });
  }

  /** Has a code sent once more. */
  requestCode(): Promise<CheckOutcome> {
    return this.#withCheck((check) => {
      const wait = this.#throttle.codePause();
      if (wait === undefined) return this.#sendCode(check);
      return { ok: false, message: `${wait.said}; ask again in ${Math.ceil(wait.ms / 1000)} s` };
    });
  }

  /** Whoever waits is told that it is over. */
  stop(): void {
    this.#stopping.abort();
    this.#cancelCode();
    const check = this.#check;
    this.#check = undefined;
    check?.failed(new ConnectFailure(SHUTTING_DOWN));
  }

  async #logIn(): Promise<LoginGrant> {
    const { file } = this.#options;
    const refused = await this.#throttle.refusedBefore();
    if (refused !== undefined) throw new ConnectFailure(refused, true);
    // A restart with the code that was asked for before it.
    const saved = file.saved.check;
    const code = saved === undefined ? '' : this.#takeCode();
    const given = saved === undefined || code === '' ? { code: '', deviceVerifySig: '' } : { code, deviceVerifySig: saved.deviceVerifySig };
    let ticket = given.code === '' ? (file.saved.ticket ?? '') : '';
    try {
      for (let tries = 0; ; tries++) {
        await this.#pause();
        const answer = await this.#ask({ ticket, ...given });
        if (answer.grant !== undefined) return this.#granted(answer.grant);
        const text = refusalText(answer.retType, answer.said);
        const { course } = ruleOf(answer.retType);
        // The progress says more than that a new device was not let in.
        if (course !== 'verify') this.#options.logger.warn({ ret_type: answer.retType }, text);
        const patienceMs = BACK_OFF_MS[tries];
        if (course === 'verify' || course === 'code') return await this.#verify(this.#checkOf(answer, given.deviceVerifySig));
        await this.#throttle.refused(answer);
        if (course === 'failed' || patienceMs === undefined) throw new ConnectFailure(text, true);
        if (tries + 1 >= TRIES_WITH_TICKET) ticket = '';
        this.#putOff(patienceMs);
        this.#throttle.patienceAsked(patienceMs);
        this.#say(`${text}; next try at ${this.#timeIn(patienceMs)}`);
      }
    } catch (thrown) {
      throw this.#failureOf(thrown);
    } finally {
      this.#say('');
    }
  }

  /** The check that a refusal asks for; the one that waits already where its code is still to be entered. */
  #checkOf(answer: LoginRefusal, sentSig: string): SavedCheck | NewCheck {
    const saved = this.#options.file.saved.check;
    const waits = saved !== undefined && (ruleOf(answer.retType).course === 'code' || this.#throttle.codePause() !== undefined);
    if (waits) return saved;
    const deviceVerifySig = answer.deviceVerifySig || sentSig;
    if (deviceVerifySig !== '') return { deviceVerifySig, phone: answer.phone, codeSentAt: undefined };
    throw new ConnectFailure('the login service asks for a code without saying for which check (device_verify_sig is missing)', true);
  }

  /** Waits until the check is passed or given up. */
  #verify(found: SavedCheck | NewCheck): Promise<LoginGrant> {
    return new Promise((granted, failed) => {
      const check: Check = { ...found, granted, failed };
      this.#check = check;
      this.#attend(check, this.#beginCheck(check));
    });
  }

  /** Any failure of a check ends it. */
  #attend(check: Check, work: Promise<unknown>): void {
    work.catch((thrown: unknown) => {
      if (this.#check !== check) return;
      this.#endCheck();
      check.failed(this.#failureOf(thrown));
    });
  }

  async #beginCheck(check: Check): Promise<void> {
    const code = this.#takeCode();
    if (code !== '') await this.answer(code);
    if (this.#check !== check) return;
    if (check.codeSentAt === undefined) await this.#haveCodeSent(check);
    else this.#sayCodeAwaited(check);
  }

  /** Has a code sent for the check as soon as one may be. Throws what ends the login. */
  async #haveCodeSent(check: Check): Promise<CheckOutcome> {
    const wait = this.#throttle.codePause();
    if (wait === undefined) return this.#sendCode(check);
    const message = `${wait.said}: the next is sent at ${this.#timeIn(wait.ms)}, since no more than one a minute and five an hour are asked for`;
    this.#say(message);
    this.#cancelCode();
    this.#cancelCode = this.#options.clock.after(wait.ms, () => {
      if (this.#check === check) this.#attend(check, this.#haveCodeSent(check));
    });
    return { ok: false, message };
  }

  /** Has a code sent for the check. Throws what ends the login. */
  async #sendCode(check: Check): Promise<CheckOutcome> {
    const { service, file, identity, clock, logger } = this.#options;
    this.#cancelCode();
    this.#throttle.codeAsked();
    const body = { account: identity.account, device_id: file.saved.deviceId, device_verify_sig: check.deviceVerifySig };
    const { retType, said, phone } = await service.requestDeviceCode(body, this.#stopping.signal);
    // The code may be there, and entered, before the service has said that it sent it.
    if (this.#check !== check) return { ok: true, message: 'the code was entered meanwhile' };
    if (retType !== SUCCESS) {
      const message = `no code was sent: ${refusalText(retType, said)}`;
      if (ruleOf(retType).course === 'failed') throw new ConnectFailure(message, true);
      this.#say(`${message}; ask for another with POST /api/verification`);
      return { ok: false, message };
    }
    check.codeSentAt = clock.now();
    check.phone = phone || check.phone;
    const { deviceVerifySig, codeSentAt } = check;
    this.#throttle.save(() => file.save({ ticket: undefined, check: { deviceVerifySig, phone: check.phone, codeSentAt } }));
    this.#sayCodeAwaited(check);
    logger.warn({}, this.#progress);
    return { ok: true, message: this.#progress };
  }

  #sayCodeAwaited({ phone }: Check): void {
    this.#say(`waiting for the verification code sent${phone === '' ? '' : ` to ${phone}`}: ${HOW_TO_ANSWER}`);
  }

  /** One thing at a time is done about the check that waits. */
  async #withCheck(action: (check: Check) => CheckOutcome | Promise<CheckOutcome>): Promise<CheckOutcome> {
    const check = this.#check;
    if (check === undefined) {
      const state = this.#grant === undefined ? 'the login has not come to one' : 'the daemon is logged in';
      return { ok: false, message: `no verification is pending: ${state}` };
    }
    if (this.#busy) return { ok: false, message: 'another code is being checked or sent; try again when that is answered' };
    this.#busy = true;
    try {
      return await action(check);
    } catch (thrown) {
      const failure = this.#failureOf(thrown);
      if (failure instanceof ConnectFailure && failure.final && this.#check === check) {
        this.#endCheck();
        check.failed(failure);
      }
      return { ok: false, message: failure.message };
    } finally {
      this.#busy = false;
    }
  }

  #endCheck(): void {
    this.#check = undefined;
    this.#cancelCode();
    this.#say('');
  }

  #ask(entered: { readonly ticket: string; readonly code: string; readonly deviceVerifySig: string }): Promise<LoginAnswer> {
    const { service, file, identity, clock, newNonce } = this.#options;
    const { ticket, code: verifyCode, deviceVerifySig } = entered;
    const attempt = { deviceId: file.saved.deviceId, ticket, deviceVerifySig, verifyCode, now: clock.now(), nonce: newNonce() };
    return service.login(loginBody(identity, attempt), this.#stopping.signal);
  }

  #granted(grant: LoginGrant): LoginGrant {
    const { file, logger } = this.#options;
    this.#throttle.save(() => file.save({ ticket: grant.ticket, check: undefined, refusal: undefined, notBefore: undefined }));
    this.#verifyCode = '';
    this.#grant = grant;
    this.#accepted = false;
    const brokers = grant.brokers.map(({ brokerId, ...point }) => `${brokerId} at ${addressOf(point)}`);
    logger.info({ user_id: String(grant.userId), platform: addressOf(grant.platform), brokers }, 'logged in');
    return grant;
  }

  /** `--verify-code` is entered once. */
  #takeCode(): string {
    const code = this.#verifyCode;
    this.#verifyCode = '';
    return code;
  }

  #timeIn(ms: number): string {
    return new Date(this.#options.clock.now() + ms).toISOString();
  }

  #putOff(ms: number): void {
    this.#notBefore = this.#options.clock.monotonic() + ms;
  }

  /** Resolves when the service may be asked again. */
  async #pause(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#stopping;
    const ms = this.#notBefore - clock.monotonic();
    if (ms > 0 && this.#progress === '') this.#say(`the login service wants to be left alone; next try at ${this.#timeIn(ms)}`);
    if (ms > 0) await pause(clock, ms, { deadline: Number.POSITIVE_INFINITY, signal }).catch(() => undefined);
    if (signal.aborted) throw new ConnectFailure(SHUTTING_DOWN);
  }

  #failureOf(thrown: unknown): Error {
    if (!(thrown instanceof ServiceFailure)) return thrown instanceof Error ? thrown : new Error(String(thrown));
    if (thrown.retryAfterMs !== undefined) this.#putOff(thrown.retryAfterMs);
    return new ConnectFailure(`the login service did not answer: ${thrown.message}`);
  }

  #say(progress: string): void {
    if (this.#progress === progress) return;
    this.#progress = progress;
    this.#listeners.emit();
  }
}
