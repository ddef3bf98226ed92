import type { Clock } from '@svc-gateway/contract/clock';
import { type Store, whenTaken } from '@svc-gateway/storage';

const WINDOW_MS = 30 * 86_400_000;

/** A symbol whose history was asked for, and when it was counted (epoch ms). */
export interface QuotaUse {
  readonly symbol: string;
  readonly time: number;
}

/** Counts the distinct symbols whose history was read within 30 days. Survives a restart. */
export class HistoryQuota {
  /** Most symbols within 30 days. */
  readonly max: number;
  readonly #clock: Clock;
  readonly #store: Store;
  readonly #table;
  /** In order of time. */
  readonly #uses = new Map<string, number>();
  #lastWrite: Promise<void> = Promise.resolve();

  constructor(options: { readonly clock: Clock; readonly store: Store; readonly max: number }) {
    this.max = options.max;
    this.#clock = options.clock;
    this.#store = options.store;
    this.#table = options.store.table<number>('sim-history-kl-quota');
    const saved = [...this.#table.entries()].sort(([, a], [, b]) => a - b);
    for (const [symbol, time] of saved) this.#uses.set(symbol, time);
  }

  /**
   * Counts a symbol: `exceeded` when there is no quota left for it; undefined when it was counted before; otherwise a
   * promise that resolves when the count is on disk.
   */
  use(symbol: string): Promise<void> | undefined | 'exceeded' {
    const now = this.#clock.now();
    const expired = this.#expire(now);
    if (this.#uses.has(symbol)) return undefined;
    if (this.#uses.size >= this.max) return 'exceeded';
    this.#uses.set(symbol, now);
    const written = this.#store.write((transaction) => {
      for (const old of expired) transaction.remove(this.#table, old);
      transaction.put(this.#table, symbol, now);
    });
    this.#lastWrite = whenTaken(written);
    return this.#lastWrite;
  }

  /** Resolves when everything that was counted is on disk. */
  whenDurable(): Promise<void> {
    return this.#lastWrite;
  }

  /** Quota in use now, oldest first. */
  uses(): readonly QuotaUse[] {
    this.#expire(this.#clock.now());
    return [...this.#uses].map(([symbol, time]) => ({ symbol, time }));
  }

  /** Forgets what is too old, and tells which: rows left on disk by a read are forgotten again at the next start. */
  #expire(now: number): string[] {
    const expired: string[] = [];
    for (const [symbol, time] of this.#uses) {
      if (time > now - WINDOW_MS) break;
      this.#uses.delete(symbol);
      expired.push(symbol);
    }
    return expired;
  }
}
