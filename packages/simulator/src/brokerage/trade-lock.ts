import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '@svc-gateway/contract/clock';
import { Refusal } from '../refusal.js';
import { type Account, accounts, FIRST_FIRM } from './account.js';

/** Reason why trading stays locked, as the protocol numbers it. */
const TOKEN_NEEDED = -20011;
const CHANNEL_UNSUPPORTED = -102;

const TRIES_MAX = 5;
const PAUSE_MS = 60_000;

/** Whether real accounts may place and change orders: those that ask for the trade password alone. Locked at start; its state is the daemon's, not an account's. */
export class TradeLock {
  readonly #expected: Buffer;
  #unlocked = false;
  #wrongTries = 0;
  /** On the monotonic clock. */
  #pausedUntil = 0;

  constructor(
    private readonly clock: Clock,
    password: string,
  ) {
    this.#expected = Buffer.from(createHash('md5').update(password, 'utf8').digest('hex'));
  }

  get isUnlocked(): boolean {
    return this.#unlocked;
  }

  lock(): void {
    this.#unlocked = false;
  }

  /** Reason why an account takes no orders now; undefined where it does. */
  refusal({ id, environment, lacks }: Account): Refusal | undefined {
    if (environment !== 'real') return undefined;
    if (lacks === 'permission') return new Refusal(`account ${id} has no permission to trade`, CHANNEL_UNSUPPORTED);
    if (this.#unlocked && lacks === undefined) return undefined;
    const how = lacks === 'token' ? 'its two-factor token, see token-state,' : 'the trade password';
    const text = `trading is locked: unlock it with ${how} before changing orders of the real account ${id}`;
    return new Refusal(text, CHANNEL_UNSUPPORTED);
  }

  /**
   * @param firm Trd_Common.SecurityFirm of the accounts to unlock; 0 is the first one.
   * @param asked hex MD5 of the trade password, in either case. After five wrong ones in a row nothing is tried for a minute.
   */
  unlock(asked: string, firm = FIRST_FIRM): Refusal | undefined {
    const passwordMd5 = asked.toLowerCase();
    const now = this.clock.monotonic();
    if (now < this.#pausedUntil) {
      return new Refusal(
        `too many wrong trade passwords: try again in ${Math.ceil((this.#pausedUntil - now) / 1000)} s`,
        'broker.password',
      );
    }
    if (!/^[0-9a-f]{32}$/.test(passwordMd5)) {
      return new Refusal('pwdMD5 must be the MD5 of the trade password as 32 hexadecimal digits', 'broker.password');
    }
    if (timingSafeEqual(Buffer.from(passwordMd5), this.#expected)) {
      this.#wrongTries = 0;
      const refusal = refusalOf(firm === 0 ? FIRST_FIRM : firm);
      if (refusal === undefined) this.#unlocked = true;
      return refusal;
    }
    this.#wrongTries += 1;
    if (this.#wrongTries < TRIES_MAX)
      return new Refusal(`wrong trade password (${TRIES_MAX - this.#wrongTries} tries left)`, 'broker.password');
    this.#wrongTries = 0;
    this.#pausedUntil = now + PAUSE_MS;
    return new Refusal(`wrong trade password: no more tries for ${PAUSE_MS / 1000} s`, 'broker.password');
  }
}

/** Reason why the right password does not unlock the accounts of a firm; undefined where it does. */
function refusalOf(firm: number): Refusal | undefined {
  const real = accounts.filter((account) => account.environment === 'real');
  const own = real.filter((account) => (account.firm ?? FIRST_FIRM) === firm);
  if (own.some(({ lacks }) => lacks === undefined)) return undefined;
  const [account] = own;
  if (account === undefined) {
    const firms = [...new Set(real.map((one) => one.firm ?? FIRST_FIRM))].join(', ');
    return new Refusal(`there is no connection to securityFirm ${firm}; firms of the real accounts: ${firms}`, CHANNEL_UNSUPPORTED);
  }
  return account.lacks === 'token'
    ? new Refusal(
        `account ${account.id} asks for a two-factor token: confirm the unlock in the app that shows it (token-state says which)`,
        TOKEN_NEEDED,
      )
    : new Refusal(`account ${account.id} has no permission to trade`, CHANNEL_UNSUPPORTED);
}
