import { getOrInsert } from '@svc-gateway/contract/memo';
import { answered } from '../answer-check.js';
import type { Backend } from '../backend.js';
import { type After, inTime, isRefusedForGood, unansweredText } from './retries.js';

/** No list that the backend is known to have. */
const UNKNOWN = '?';

export type AccountOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly message: string; readonly retType: number; readonly errCode: number };

/** An answer to a list of accounts. */
type Told = AccountOutcome & {
  /** True if the refusal is the backend's own. */
  readonly answered: boolean;
};

/** Result of restoring accounts. */
export interface RestoredAccounts {
  /** Accounts whose pushes are back. */
  readonly accIds: readonly bigint[];
  readonly ended: readonly EndedAccount[];
  /** Reason why nothing is known of the others: the backend did not answer. */
  readonly failure?: string;
}

/** A registration that its owner did not end. */
export interface EndedAccount {
  readonly owner: string;
  readonly accId: bigint;
  /** The backend's words. */
  readonly reason: string;
}

/** Told after the fact, synchronously. */
export interface AccountListener {
  /** From now on an owner receives an account's events. */
  began(owner: string, accId: bigint): void;
  /** From now on it does not. */
  ended(owner: string, accId: bigint): void;
}

interface Registration {
  /** The backend has accepted it. */
  active: boolean;
}

/**
 * Receivers of each account's order and fill pushes. The backend receives the whole list on each change, one change after the
 * other. An end takes effect at once; a start when the backend has accepted it.
 */
export class AccountRegistrations {
  readonly #accounts = new Map<bigint, Map<string, Registration>>();
  #work: Promise<unknown> = Promise.resolve();
  /** The list that the backend accepted last. */
  #told = '';
  /** How often pushes were lost: a reply that is older than the last loss proves nothing. */
  #losses = 0;
  /** Accounts being restored, or not restored in time; a loss removes them. */
  readonly #overdue = new Set<bigint>();

  constructor(
    private readonly backend: Pick<Backend, 'subscribeAccounts'>,
    private readonly listener: AccountListener,
    private readonly after: After,
  ) {}

  /** Registers an owner for accounts; refused as a whole. */
  subscribe(owner: string, accIds: readonly bigint[]): Promise<AccountOutcome> {
    const added = new Map<bigint, Registration>();
    for (const accId of accIds) {
      const owners = getOrInsert(this.#accounts, accId, () => new Map());
      if (owners.get(owner)?.active) continue;
      const registration: Registration = { active: false };
      owners.set(owner, registration);
      added.set(accId, registration);
    }
    return this.#inTurn(async () => {
      const outcome = await this.#tell([...added.keys()]);
      for (const [accId, registration] of added) {
        // The registration may have ended or been renewed in the meantime.
        if (this.#accounts.get(accId)?.get(owner) !== registration) continue;
        if (outcome.ok) this.#activate(owner, accId, registration);
        else this.#remove(owner, accId);
      }
      return outcome;
    });
  }

  /** Takes up registrations that an earlier process had; the backend is told by {@link restore}. */
  adopt(owner: string, accIds: readonly bigint[]): void {
    if (accIds.length === 0) return;
    this.#told = UNKNOWN;
    for (const accId of accIds) {
      const registration: Registration = { active: false };
      getOrInsert(this.#accounts, accId, () => new Map()).set(owner, registration);
      this.#activate(owner, accId, registration);
    }
  }

  /** Ends registrations of an owner; those it does not have are ignored. */
  async unsubscribe(owner: string, accIds: readonly bigint[]): Promise<void> {
    const ended = accIds.filter((accId) => this.#remove(owner, accId));
    if (ended.length === 0) return;
    // A refusal to hear less changes nothing for anybody: events without an owner are dropped here.
    await this.#inTurn(() => this.#tell([]));
  }

  /** Makes these accounts, and no others, the ones of an owner. Refused, it still has ended the others. */
  replace(owner: string, accIds: readonly bigint[]): Promise<AccountOutcome> {
    const kept = new Set(accIds);
    const others = [...this.#accounts].filter(([accId, owners]) => owners.has(owner) && !kept.has(accId)).map(([accId]) => accId);
    void this.unsubscribe(owner, others);
    return this.subscribe(owner, accIds);
  }

  unsubscribeAll(owner: string): Promise<void> {
    return this.unsubscribe(owner, [...this.#accounts.keys()]);
  }

  /** Owners that receive the events of an account. */
  receivers(accId: bigint): readonly string[] {
    return [...(this.#accounts.get(accId) ?? [])].filter(([, { active }]) => active).map(([owner]) => owner);
  }

  /** Accounts whose events an owner receives. */
  of(owner: string): readonly bigint[] {
    return [...this.#accounts].filter(([, owners]) => owners.get(owner)?.active).map(([accId]) => accId);
  }

  /** Marks accounts as lost at the backend; returns those with receivers. */
  lost(accIds: 'all' | readonly bigint[]): readonly bigint[] {
    if (accIds.length === 0) return [];
    this.#losses += 1;
    this.#told = UNKNOWN;
    for (const accId of within([...this.#overdue], accIds)) this.#overdue.delete(accId);
    return within(this.desired(), accIds);
  }

  /** Accounts that the backend did not answer for when they were to be restored: they are to be restored again. */
  overdue(): readonly bigint[] {
    return this.desired().filter((accId) => this.#overdue.has(accId));
  }

  /** Tells the backend again what is wanted: all of it or, when that is refused, account by account. Those refused alone end. */
  async restore(accIds: 'all' | readonly bigint[]): Promise<RestoredAccounts> {
    const wanted = within(this.desired(), accIds);
    for (const accId of wanted) this.#overdue.add(accId);
    const restored: RestoredAccounts =
      this.#told !== UNKNOWN || wanted.length === 0 ? { accIds: wanted, ended: [] } : await this.#inTurn(() => this.#tellAgain(accIds));
    if (restored.failure !== undefined) return restored;
    // An answer from before another loss restores nothing.
    const accepted = restored.accIds.filter((accId) => this.#overdue.has(accId));
    for (const accId of wanted) this.#overdue.delete(accId);
    return { ...restored, accIds: accepted };
  }

  async #tellAgain(accIds: 'all' | readonly bigint[]): Promise<RestoredAccounts> {
    const whole = await this.#tell([]);
    if (whole.ok) return { accIds: within(this.desired(), accIds), ended: [] };
    if (!whole.answered) return { accIds: [], ended: [], failure: whole.message };
    const accepted: bigint[] = [];
    const ended: EndedAccount[] = [];
    for (const accId of this.desired()) {
      const outcome = await this.#tellList([...accepted, accId]);
      if (outcome.ok) accepted.push(accId);
      else if (!outcome.answered) return { accIds: [], ended, failure: outcome.message };
      else ended.push(...this.#end(accId, outcome.message));
    }
    return { accIds: within(accepted, accIds), ended };
  }

  /** Accounts with a registration. */
  desired(): readonly bigint[] {
    return [...this.#accounts].filter(([, owners]) => [...owners.values()].some(({ active }) => active)).map(([accId]) => accId);
  }

  /** Tells the backend the accepted accounts and these. */
  #tell(more: readonly bigint[]): Promise<Told> {
    return this.#tellList([...new Set([...this.desired(), ...more])]);
  }

  /** Tells the backend a list, unless it knows it. */
  async #tellList(accIds: readonly bigint[]): Promise<Told> {
    const list = [...accIds].sort().join();
    if (list === this.#told) return { ok: true, answered: true };
    const losses = this.#losses;
    try {
      const answer = await inTime(this.backend.subscribeAccounts(accIds), this.after);
      const { retType, retMsg, errCode } = answered(answer);
      if (retType !== 0) return { ok: false, message: retMsg, retType, errCode, answered: true };
      if (losses === this.#losses) this.#told = list;
      return { ok: true, answered: true };
    } catch (thrown) {
      // The backend may have accepted this list or kept the previous one.
      this.#told = UNKNOWN;
      return { ok: false, message: unansweredText(thrown), retType: -1, errCode: 0, answered: isRefusedForGood(thrown) };
    }
  }

  #end(accId: bigint, reason: string): EndedAccount[] {
    const owners = this.receivers(accId);
    for (const owner of owners) this.#remove(owner, accId);
    return owners.map((owner) => ({ owner, accId, reason }));
  }

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#work.then(action);
    this.#work = result;
    return result;
  }

  #activate(owner: string, accId: bigint, registration: Registration): void {
    registration.active = true;
    this.listener.began(owner, accId);
  }

  #remove(owner: string, accId: bigint): boolean {
    const owners = this.#accounts.get(accId);
    if (owners === undefined || !owners.delete(owner)) return false;
    if (owners.size === 0) this.#accounts.delete(accId);
    this.listener.ended(owner, accId);
    return true;
  }
}

function within(accounts: readonly bigint[], accIds: 'all' | readonly bigint[]): readonly bigint[] {
  return accIds === 'all' ? accounts : accounts.filter((accId) => accIds.includes(accId));
}
