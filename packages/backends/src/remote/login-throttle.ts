import { scrypt } from 'node:crypto';
import { promisify } from 'node:util';
import type { Clock } from '@svc-gateway/contract/clock';
import type { Logger } from '@svc-gateway/gateway';
import type { CredentialsFile } from './credentials-file.js';
import type { LoginRefusal } from './login-answer.js';
import { CLIENT_VERSION, type LoginIdentity } from './login-request.js';
import { refusalText, ruleOf } from './ret-types.js';

export interface LoginThrottleOptions {
  readonly file: CredentialsFile;
  readonly identity: LoginIdentity;
  readonly clock: Clock;
  readonly logger: Logger;
  /** 16 random bytes in hex. */
  readonly newNonce: () => string;
}

/** Retention of the times at which codes were asked for. */
const CODE_TIMES_MS = 3_600_000;
/** Maximum codes per period, restarts included: each is a text message. */
const codeBounds = [
  { codes: 1, ms: 60_000, said: 'a code was sent less than a minute ago' },
  { codes: 5, ms: CODE_TIMES_MS, said: 'five codes were sent within the hour' },
] as const;
/** The longest that the service is left alone. */
export const PATIENCE_MS_MAX = 300_000;
const HASH_BYTES = 32;
const derive = promisify<string, string, number, Buffer>(scrypt);

/** Reason why no code is asked for now. */
export interface CodePause {
  readonly ms: number;
  readonly said: string;
}

/** Bounds on log-ins and code messages. The credentials file carries the counts over restarts. */
export class LoginThrottle {
  readonly #options: LoginThrottleOptions;
  /** An operator wants one try, whatever was refused before. */
  #insisted = false;

  constructor(options: LoginThrottleOptions) {
    this.#options = options;
  }

  /** How long no other code is asked for; undefined where one may be. A clock that was set back does not prolong it. */
  codePause(): CodePause | undefined {
    const { file, clock } = this.#options;
    const now = clock.now();
    const times = (file.saved.codeTimes ?? []).filter((time) => time <= now);
    const pauses = codeBounds.map(({ codes, ms, said }) => ({ said, ms: (times.at(-codes) ?? Number.NEGATIVE_INFINITY) + ms - now }));
    const [longest] = pauses.filter(({ ms }) => ms > 0).sort((a, b) => b.ms - a.ms);
    return longest;
  }

  /** A code is about to be asked for. */
  codeAsked(): void {
    const { file, clock } = this.#options;
    const now = clock.now();
    const recent = (file.saved.codeTimes ?? []).filter((time) => now - time < CODE_TIMES_MS);
    this.save(() => file.save({ codeTimes: [...recent, now] }));
  }

  /** How long the service wants to be left alone, by what it said before a restart. A clock that was set back does not prolong it. */
  patienceMs(): number {
    const { file, clock } = this.#options;
    return Math.min(Math.max(0, (file.saved.notBefore ?? 0) - clock.now()), PATIENCE_MS_MAX);
  }

  /** The service wants patience. */
  patienceAsked(ms: number): void {
    const { file, clock } = this.#options;
    this.save(() => file.save({ notBefore: clock.now() + ms }));
  }

  /** The next login is tried, whatever was refused before. */
  insist(): void {
    this.#insisted = true;
  }

  /** Reason why a login is not even tried: these settings were refused. */
  async refusedBefore(): Promise<string | undefined> {
    const { saved, reset } = this.#options.file;
    const { refusal } = saved;
    const insisted = this.#insisted;
    this.#insisted = false;
    if (refusal === undefined || insisted || (reset && !refusal.reset)) return undefined;
    if ((await this.#hash(refusal.salt)) !== refusal.settings) return undefined;
    const { retType, said, at } = refusal;
    const since = new Date(at).toISOString();
    return `${refusalText(retType, said)}; this was at ${since}, and with the same settings it is not tried again: change them, or POST /api/admin/reload for one more try`;
  }

  /** The service refused a login for good: where its settings are why, that is remembered. */
  async refused({ retType, said }: LoginRefusal): Promise<void> {
    const { file, clock, newNonce } = this.#options;
    if (ruleOf(retType).ofSettings !== true) return;
    const before = file.saved.refusal;
    const salt = before?.salt ?? newNonce();
    const settings = await this.#hash(salt);
    const reset = file.reset || (before?.settings === settings && before.reset);
    this.save(() => file.save({ refusal: { retType, said, at: clock.now(), settings, salt, reset } }));
  }

  /** A disk that takes nothing costs a code at the next start, and not this login. */
  save(write: () => void): void {
    const { file, logger } = this.#options;
    try {
      write();
    } catch (error) {
      logger.error({ err: error, path: file.path }, 'the credentials could not be saved: the next start asks for a code');
    }
  }

  /** Slow password hash, as a reader of the file has unlimited time. */
  async #hash(salt: string): Promise<string> {
    const { account, accountKind, passwordDigest, platform, deviceName } = this.#options.identity;
    const text = JSON.stringify([account, accountKind, passwordDigest, platform, deviceName, CLIENT_VERSION]);
    return (await derive(text, salt, HASH_BYTES)).toString('hex');
  }
}
