import type { Clock } from '@svc-gateway/contract/clock';
import type { Random } from '../deps.js';

/** A device with a pending code. */
interface DeviceCheck {
  readonly account: string;
  readonly deviceId: string;
  /** `device_verify_sig`. */
  readonly sig: string;
  /** On the monotonic clock. */
  readonly until: number;
  code: string | undefined;
  sentAt: number;
  wrongTries: number;
}

const CHECK_MS = 10 * 60_000;
/** Least time between two codes. */
const RESEND_MS = 60_000;
const WRONG_TRIES_MAX = 5;
/** The oldest end before there are more. */
const CHECKS_MAX = 1_000;
const SIG_BYTES = 24;
const CODES = 1_000_000;

/** Checks of new devices that are under way, one a device. A code works once, for ten minutes and five tries. */
export class DeviceChecks {
  /** By `device_verify_sig`; the oldest first. */
  readonly #checks = new Map<string, DeviceCheck>();

  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  /** The `device_verify_sig` of a device's check: that under way, or of a new one. */
  begin(account: string, deviceId: string): string {
    const now = this.clock.monotonic();
    for (const [sig, check] of this.#checks) if (check.until <= now) this.#checks.delete(sig);
    for (const check of this.#checks.values()) if (check.account === account && check.deviceId === deviceId) return check.sig;
    for (const oldest of this.#checks.keys()) {
      if (this.#checks.size < CHECKS_MAX) break;
      this.#checks.delete(oldest);
    }
    const sig = this.random(SIG_BYTES).toString('base64url');
    this.#checks.set(sig, {
      account,
      deviceId,
      sig,
      until: now + CHECK_MS,
      code: undefined,
      sentAt: Number.NEGATIVE_INFINITY,
      wrongTries: 0,
    });
    return sig;
  }

  /** Whether a check of this device is under way. */
  has(sig: string, account: string, deviceId: string): boolean {
    return this.#find(sig, account, deviceId) !== undefined;
  }

  /** A new code for a check; the seconds to wait where one has just been sent, undefined where there is no such check. */
  sendCode(sig: string, account: string, deviceId: string): { readonly code: string } | { readonly waitSeconds: number } | undefined {
    const check = this.#find(sig, account, deviceId);
    if (check === undefined) return undefined;
    const wait = check.sentAt + RESEND_MS - this.clock.monotonic();
    if (wait > 0) return { waitSeconds: Math.ceil(wait / 1000) };
    check.code = String(this.random(4).readUInt32BE() % CODES).padStart(6, '0');
    check.sentAt = this.clock.monotonic();
    check.wrongTries = 0;
    return { code: check.code };
  }

  /** Whether this is the code that was sent, which then works no more. After five wrong ones the check ends. */
  answer(sig: string, account: string, deviceId: string, code: string): boolean {
    const check = this.#find(sig, account, deviceId);
    if (check === undefined) return false;
    if (code !== '' && code === check.code) {
      this.#checks.delete(sig);
      return true;
    }
    // An empty code is none that was tried.
    if (code !== '') check.wrongTries += 1;
    if (check.wrongTries >= WRONG_TRIES_MAX) this.#checks.delete(sig);
    return false;
  }

  #find(sig: string, account: string, deviceId: string): DeviceCheck | undefined {
    const check = this.#checks.get(sig);
    if (check === undefined || check.account !== account || check.deviceId !== deviceId) return undefined;
    return check.until > this.clock.monotonic() ? check : undefined;
  }
}
