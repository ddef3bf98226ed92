import { createHash, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../contract/clock.js';
import { Refusal } from '../refusal.js';

const TRIES_MAX = 5;
const PAUSE_MS = 60_000;

/** Whether real accounts may place and change orders. Locked at start; its state is the daemon's, not an account's. */
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

  /**
   * @param passwordMd5 lower-case hex MD5 of the trade password. After five wrong ones in a row nothing is tried for a minute.
   */
  unlock(passwordMd5: string): Refusal | undefined {
    const now = this.clock.monotonic();
    if (now < this.#pausedUntil) {
      return new Refusal(`too many wrong trade passwords: try again in ${Math.ceil((this.#pausedUntil - now) / 1000)} s`);
    }
    if (!/^[0-9a-f]{32}$/.test(passwordMd5)) {
      return new Refusal('pwdMD5 must be the MD5 of the trade password as 32 lower-case hexadecimal digits');
    }
    if (timingSafeEqual(Buffer.from(passwordMd5), this.#expected)) {
      this.#unlocked = true;
      this.#wrongTries = 0;
      return undefined;
    }
    this.#wrongTries += 1;
    if (this.#wrongTries < TRIES_MAX) return new Refusal(`wrong trade password (${TRIES_MAX - this.#wrongTries} tries left)`);
    this.#wrongTries = 0;
    this.#pausedUntil = now + PAUSE_MS;
    return new Refusal(`wrong trade password: no more tries for ${PAUSE_MS / 1000} s`);
  }
}
