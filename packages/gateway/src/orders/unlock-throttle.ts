import type { SteadyTime } from '@svc-gateway/access';
import { Rejection } from '@svc-gateway/contract/rejection';
import { tradeResultCodes } from '@svc-gateway/contract/trade-result-codes';
import type { Store, Table } from '@svc-gateway/storage';

/** One unlock in flight. */
export interface UnlockAttempt {
  /** Outcome of the attempt: `wrong` if the password was refused, `lost` if the answer is missing. */
  settle(outcome: 'right' | 'wrong' | 'lost'): void;
}

const OF_PASSWORD = /password|passwd|\bpwd|密码|密碼/i;
/** Firms that are not connected, accounts without permission, tokens: the password may be right. */
const OF_ANOTHER_REASON = /\bfirms?\b|securityfirm|broker|account|token|permission|券商|账[户号]|帳[戶號]|令牌|权限|權限/i;

/**
 * Whether a refused unlock refuses the password. Only words say so: whatever speaks of a password, and whatever gives no other reason,
 * counts as a try at it.
 */
export function refusesPassword({ retMsg, errCode = 0 }: { readonly retMsg: string; readonly errCode?: number }): boolean {
  if (OF_PASSWORD.test(retMsg)) return true;
  return !tradeResultCodes.has(errCode) && !OF_ANOTHER_REASON.test(retMsg);
}

interface Failures {
  /** Wrong passwords since the last right one. */
  readonly count: number;
  /** No attempt before this {@link SteadyTime.elapsed}. */
  readonly until: number;
}

/** Wrong passwords of one key, and of all keys together, that cost nothing. */
const FREE = 3;
const FREE_IN_ALL = 10;
const FIRST_WAIT_MS = 2_000;
const WAIT_MS_MAX = 15 * 60_000;
/** Stands for all keys together; no owner's name. */
const ALL = '';
const none: Failures = { count: 0, until: 0 };

/**
 * Keeps the trade password from being guessed: after three wrong ones in a row of a key, or ten of all keys, each further one
 * doubles the wait for the next, up to a quarter of an hour, and there is one try at a time. Kept over restarts.
 */
export class UnlockThrottle {
  readonly #table: Table<Failures>;
  readonly #failures: Map<string, Failures>;
  readonly #underWay = new Map<string, number>();

  constructor(
    private readonly store: Store,
    private readonly time: SteadyTime,
  ) {
    this.#table = store.table('unlock_failures');
    this.#failures = new Map(this.#table.entries());
  }

  /** Lets one password be tried, or says how long none is. */
  begin(owner: string): UnlockAttempt | Rejection {
    const waitMs = Math.max(this.#waitOf(owner, FREE), this.#waitOf(ALL, FREE_IN_ALL));
    if (waitMs > 0) {
      const retryAfterSeconds = Math.ceil(waitMs / 1000);
      const message = `too many wrong trade passwords: try again in ${retryAfterSeconds} s`;
      return new Rejection('limit.unlock', message, { retryAfterSeconds });
    }
    for (const name of [owner, ALL]) this.#underWay.set(name, (this.#underWay.get(name) ?? 0) + 1);
    return {
      settle: (outcome) => {
        for (const name of [owner, ALL]) this.#ended(name);
        if (outcome === 'wrong') {
          this.#failed(owner, FREE);
          this.#failed(ALL, FREE_IN_ALL);
        } else if (outcome === 'right') {
          this.#forget(owner);
          this.#forget(ALL);
        }
      },
    };
  }

  /** Milliseconds until one may try; a second where another try is under way. */
  #waitOf(name: string, free: number): number {
    const { count, until } = this.#failures.get(name) ?? none;
    const wait = until - this.time.elapsed();
    if (wait > 0) return wait;
    const underWay = this.#underWay.get(name) ?? 0;
    return underWay > 0 && count + underWay >= free ? 1000 : 0;
  }

  #ended(name: string): void {
    const left = (this.#underWay.get(name) ?? 1) - 1;
    if (left === 0) this.#underWay.delete(name);
    else this.#underWay.set(name, left);
  }

  #failed(name: string, free: number): void {
    const count = (this.#failures.get(name)?.count ?? 0) + 1;
    const wait = count < free ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (count - free), WAIT_MS_MAX);
    const failures = { count, until: wait === 0 ? 0 : this.time.elapsed() + wait };
    this.#failures.set(name, failures);
    // In memory it holds in any case; a disk that takes no writes is told of where something was to be kept.
    this.store.write((change) => change.put(this.#table, name, failures)).catch(() => undefined);
  }

  #forget(name: string): void {
    if (!this.#failures.delete(name)) return;
    this.store.write((change) => change.remove(this.#table, name)).catch(() => undefined);
  }
}
