import type { Store, Table } from '@svc-gateway/storage';

/** An order to take no more risk: of one key, or of everybody. */
export interface TradingHalt {
  /** The key that it holds for; null = every caller. */
  readonly keyId: string | null;
  /** Epoch ms: when it was first ordered. */
  readonly since: number;
  /** Id of the key that ordered it, or the daemon's own user over its control socket. */
  readonly by: string;
  /** Free text; may be empty. */
  readonly reason: string;
}

/** Stands for every caller; no key has this id. */
const EVERYBODY = '';

/** The halts in force: at once for the next order, on disk so that they outlast a crash. At most one for everybody and one for each key. */
export class TradingHalts {
  readonly #table: Table<TradingHalt>;
  readonly #halts = new Map<string, TradingHalt>();

  constructor(private readonly store: Store) {
    this.#table = store.table('trading_halts');
    for (const [row, halt] of this.#table.entries()) this.#halts.set(row.slice(PREFIX.length), halt);
  }

  /** The halt that holds for a caller by its own name: a key's id, or '' for the one that holds for everybody. */
  of(caller: string): TradingHalt | undefined {
    return this.#halts.get(caller);
  }

  /** True if no halt is in force. */
  get none(): boolean {
    return this.#halts.size === 0;
  }

  /** All halts, oldest first. */
  all(): readonly TradingHalt[] {
    return [...this.#halts.values()].sort((a, b) => a.since - b.since);
  }

  /** In force when it returns; resolves once it is on disk. Of one that is in force already only the time is kept. */
  halt(halt: TradingHalt): Promise<void> {
    const caller = halt.keyId ?? EVERYBODY;
    const kept = { ...halt, since: this.#halts.get(caller)?.since ?? halt.since };
    this.#halts.set(caller, kept);
    return this.store.write((change) => change.put(this.#table, PREFIX + caller, kept));
  }

  /** Ends a halt, once that is on disk; false where there is none. */
  async resume(keyId: string | null): Promise<boolean> {
    const caller = keyId ?? EVERYBODY;
    const halt = this.#halts.get(caller);
    if (halt === undefined) return false;
    await this.store.write((change) => change.remove(this.#table, PREFIX + caller));
    // A halt ordered meanwhile is another one and stays in force.
    if (this.#halts.get(caller) === halt) this.#halts.delete(caller);
    return true;
  }
}

/** A row's name is never empty. */
const PREFIX = 'halt:';
