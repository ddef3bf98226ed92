import type { Backend } from '../backend.js';

/** No list that the backend was told. */
const UNKNOWN = '?';

export type AccountOutcome =
  | { readonly ok: true }
  | { readonly ok: false; readonly message: string; readonly retType: number; readonly errCode: number };

interface Registration {
  /** The backend has accepted it. */
  active: boolean;
}

/**
 * Who receives the order and fill pushes of which account. The backend is told the whole list each time it changes, one
 * change after the other. An end takes effect at once; a beginning when the backend has accepted it.
 */
export class AccountRegistrations {
  readonly #accounts = new Map<bigint, Map<string, Registration>>();
  #work: Promise<unknown> = Promise.resolve();
  /** The list that the backend accepted last. */
  #told = '';
  /** How often pushes were lost: a reply that is older than the last loss proves nothing. */
  #losses = 0;

  constructor(
    private readonly backend: Pick<Backend, 'subscribeAccounts'>,
    /** Told when an owner does not receive an account's events any more. */
    private readonly onEnded: (owner: string, accId: bigint) => void,
  ) {}

  /** Registers an owner for accounts; refused as a whole. */
  subscribe(owner: string, accIds: readonly bigint[]): Promise<AccountOutcome> {
    const added = new Map<bigint, Registration>();
    for (const accId of accIds) {
      let owners = this.#accounts.get(accId);
      if (owners === undefined) {
        owners = new Map();
        this.#accounts.set(accId, owners);
      }
      if (owners.get(owner)?.active) continue;
      const registration: Registration = { active: false };
      owners.set(owner, registration);
      added.set(accId, registration);
    }
    return this.#inTurn(async () => {
      const outcome = await this.#tell([...added.keys()]);
      for (const [accId, registration] of added) {
        // It may have been ended, or asked for again, in the meantime.
        if (this.#accounts.get(accId)?.get(owner) !== registration) continue;
        if (outcome.ok) registration.active = true;
        else this.#remove(owner, accId);
      }
      return outcome;
    });
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

  /** The backend has forgotten these: those of them that somebody receives. */
  lost(accIds: 'all' | readonly bigint[]): readonly bigint[] {
    if (accIds.length === 0) return [];
    this.#losses += 1;
    this.#told = UNKNOWN;
    return within(this.desired(), accIds);
  }

  /** Tells the backend again what is wanted. The accounts of these that are restored; why not, where it refuses. */
  async restore(accIds: 'all' | readonly bigint[]): Promise<readonly bigint[] | string> {
    const wanted = within(this.desired(), accIds);
    if (this.#told !== UNKNOWN || wanted.length === 0) return wanted;
    const outcome = await this.#inTurn(() => this.#tell([]));
    return outcome.ok ? within(this.desired(), accIds) : outcome.message;
  }

  /** Accounts with a registration. */
  desired(): readonly bigint[] {
    return [...this.#accounts].filter(([, owners]) => [...owners.values()].some(({ active }) => active)).map(([accId]) => accId);
  }

  /** Tells the backend the accepted accounts and these, unless it knows that list. */
  async #tell(more: readonly bigint[]): Promise<AccountOutcome> {
    const accIds = [...new Set([...this.desired(), ...more])];
    const list = [...accIds].sort().join();
    if (list === this.#told) return { ok: true };
    const losses = this.#losses;
    try {
      const { retType, retMsg, errCode } = await this.backend.subscribeAccounts(accIds);
      if (retType !== 0) return { ok: false, message: retMsg, retType, errCode };
      if (losses === this.#losses) this.#told = list;
      return { ok: true };
    } catch (thrown) {
      const message = `the backend did not answer: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
      return { ok: false, message, retType: -1, errCode: 0 };
    }
  }

  #inTurn<T>(action: () => Promise<T>): Promise<T> {
    const result = this.#work.then(action);
    this.#work = result;
    return result;
  }

  #remove(owner: string, accId: bigint): boolean {
    const owners = this.#accounts.get(accId);
    if (owners === undefined || !owners.delete(owner)) return false;
    if (owners.size === 0) this.#accounts.delete(accId);
    this.onEnded(owner, accId);
    return true;
  }
}

function within(accounts: readonly bigint[], accIds: 'all' | readonly bigint[]): readonly bigint[] {
  return accIds === 'all' ? accounts : accounts.filter((accId) => accIds.includes(accId));
}
