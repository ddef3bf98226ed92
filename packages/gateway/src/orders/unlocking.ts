import { createHash } from 'node:crypto';
import { create } from '@bufbuild/protobuf';
import type { SteadyTime } from '@svc-gateway/access';
import { type C2S, C2SSchema } from '@svc-gateway/contract/generated/Trd_UnlockTrade_pb';
import type { RequestOf } from '@svc-gateway/contract/operation';
import { trade } from '@svc-gateway/contract/operations';
import { invalidField, Rejection } from '@svc-gateway/contract/rejection';
import { Tally } from '@svc-gateway/contract/tally';
import { tradeResultCodes } from '@svc-gateway/contract/trade-result-codes';
import type { Store, Table } from '@svc-gateway/storage';
import { checkAnswer } from '../answer-check.js';
import { cancelled } from '../call.js';
import type { GatewayBase } from '../gateway-base.js';
import type { Commit } from '../idempotency/keys.js';
import type { Ongoing } from '../pipeline/requests.js';
import { type Answer, RET_SUCCEED } from '../responses.js';
import { lateRejection } from './late-rejection.js';
import { noPacket } from './packet-ids.js';

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
  readonly #underWay = new Tally<string>();

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
    for (const name of [owner, ALL]) this.#underWay.add(name);
    return {
      settle: (outcome) => {
        for (const name of [owner, ALL]) this.#underWay.add(name, -1);
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
    const underWay = this.#underWay.of(name);
    return underWay > 0 && count + underWay >= free ? 1000 : 0;
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

/** Reads the trade password where the operator keeps it; undefined when there is none. */
export type TradePasswordSource = () => Promise<string | undefined>;

/**
 * An unlock asked for by a tool, with the password's digest that the backend wants. A language model must never see the
 * password, so that tools have no field for it and the daemon fills it in. Locking needs none.
 */
async function withTradePassword(request: C2S, source: TradePasswordSource): Promise<C2S | Rejection> {
  if (Object.hasOwn(request, 'pwdMD5')) {
    return invalidField('pwd_md5', 'tools take no password; the daemon has its own copy');
  }
  if (!request.unlock) return request;
  const password = await source();
  if (password === undefined || password === '') {
    const message = 'the trade password is not available to the daemon: set SVC_TRADE_PWD for svcd, or store it with svcctl set-trade-pwd';
    return new Rejection('request.invalid', message);
  }
  // A copy: whoever holds on to the request, the audit trail and the idempotency keys among them, holds no secret.
  return create(C2SSchema, { ...request, pwdMD5: createHash('md5').update(password, 'utf8').digest('hex') });
}

export interface UnlockingDeps extends GatewayBase {
  readonly unlocks: UnlockThrottle;
  /** Unlocks for tools, which cannot say the password themselves. */
  readonly tradePassword: TradePasswordSource;
}

/** Sends an unlock: one more try at the password. One that was interrupted is made again, with the password that comes with it. */
export async function unlock(
  deps: UnlockingDeps,
  { caller, identity, request: asked, call }: Ongoing,
  commit: Commit | undefined,
): Promise<Answer> {
  const { access, backend, clock, tradePassword, unlocks } = deps;
  const request = asked as RequestOf<typeof trade.unlockTrade>;
  const complete = caller.iface === 'mcp' ? await withTradePassword(request, tradePassword) : request;
  if (complete instanceof Rejection) return complete;
  if (!call.commit()) return cancelled();
  const attempt = complete.unlock ? unlocks.begin(identity.owner) : undefined;
  if (attempt instanceof Rejection) return attempt;
  let outcome: 'right' | 'wrong' | 'lost' = 'lost';
  try {
    call.lateRejection = lateRejection(access, clock, identity, { addsRisk: false });
    // The message of an unlock has no packet id.
    await commit?.(noPacket, complete).enter();
    const response = checkAnswer(trade.unlockTrade, await backend.call(trade.unlockTrade, complete, call));
    // An unlock with the daemon's own password does not prove that the caller knows it.
    if (response.retType !== RET_SUCCEED) outcome = refusesPassword(response) ? 'wrong' : 'lost';
    else if (complete === request) outcome = 'right';
    return response;
  } finally {
    attempt?.settle(outcome);
  }
}
