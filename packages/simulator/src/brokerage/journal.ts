import { StorageFailure, type Store, type Transaction } from '@svc-gateway/storage';
import { Pace } from '../pace.js';
import type { Account } from './account.js';
import type { FillRecord, OrderRecord } from './order.js';

/** Something that became durable. An event carries the order, and what could be sold, as they were at that point. */
export type BrokerageEvent = {
  readonly account: Account;
  readonly order: OrderRecord;
  /** Units of the order's symbol that the account could sell: see `Ledger.canSell`. */
  readonly canSell: bigint;
} & ({ readonly kind: 'order' } | { readonly kind: 'fill'; readonly fill: FillRecord });

/** Events told in one turn: each becomes a message and is handed to every connection that wants it. */
const EVENTS_A_TURN = 100;

const NOTHING_WRITTEN = Promise.resolve();

interface CommitOptions<T> {
  readonly events: readonly BrokerageEvent[];
  readonly settled?: () => void;
  /**
   * Takes the change back where the disk refused it, so that nobody hears of it; false where that is too late. It may write, and must
   * not throw. Without it, a change that the store keeps is told of all the same.
   */
  readonly takeBack?: () => boolean;
  /** `soon`: nobody waits for it. */
  readonly when?: 'now' | 'soon';
  readonly answer?: T | undefined;
}

/** A change that is on its way to the disk. */
interface Entry {
  readonly events: readonly BrokerageEvent[];
  readonly settled: (() => void) | undefined;
  readonly takeBack: (() => boolean) | undefined;
  readonly answer: unknown;
  readonly done: (answer: never) => void;
  readonly failed: (error: Error) => void;
}

/** Changes that reach the disk together. */
interface Group {
  readonly written: Promise<void>;
  readonly entries: Entry[];
}

/**
 * Puts changes on disk in the order in which they were made, and tells of each only once it is there.
 *
 * A change is in memory as soon as it is made. When the disk refuses one, nobody is promised it. Where the store keeps it until the
 * disk takes it, it is taken back or else told of all the same; otherwise the journal fails for good, and the process has to start again
 * from what the disk has.
 */
export class Journal {
  readonly #listeners = new Set<(event: BrokerageEvent) => void>();
  #tail: Promise<void> = Promise.resolve();
  /** The last one, while others may join it. */
  #open: Group | undefined;
  #pending = 0;
  /** Number of changes that were taken back. */
  #takenBack = 0;
  readonly #pace = new Pace(EVENTS_A_TURN);
  #failure: Error | undefined;

  constructor(private readonly store: Store) {}

  /** Reason why the disk takes nothing, for now or for good. */
  get failure(): Error | undefined {
    return this.#failure ?? this.store.failure;
  }

  /**
   * Resolves to `answer` when the change is on disk and its events have been told; `settled` is called between the two. Rejects
   * when it is not known to be. Events without a change are told once every change before them is on disk.
   */
  commit<T = undefined>(
    change: ((transaction: Transaction) => void) | undefined,
    { events, settled, takeBack, when = 'now', answer }: CommitOptions<T>,
  ): Promise<T> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const open = change === undefined ? this.#open : undefined;
    const { entries } = open ?? this.#groupOf(change === undefined ? NOTHING_WRITTEN : this.store.write(change, when));
    this.#pending += 1;
    return new Promise<T>((done, failed) => entries.push({ events, settled, takeBack, answer, done, failed }));
  }

  /** A store that puts several changes on disk at once says so of all of them with one promise. */
  #groupOf(written: Promise<void>): Group {
    if (this.#open?.written === written) return this.#open;
    const group: Group = { written, entries: [] };
    this.#open = group;
    // The write may fail before it is awaited.
    written.catch(() => undefined);
    this.#tail = this.#tail.then(() => this.#finish(group));
    return group;
  }

  async #finish(group: Group): Promise<void> {
    let refused: Error | undefined;
    try {
      await group.written;
    } catch (error) {
      refused = errorOf(error);
      if (!(error instanceof StorageFailure && error.kept)) this.#failure ??= refused;
    }
    if (this.#open === group) this.#open = undefined;
    for (const { events, settled, takeBack, answer, done, failed } of group.entries) {
      this.#pending -= 1;
      if (this.#failure !== undefined) {
        failed(this.#failure);
        continue;
      }
      if (refused !== undefined && takeBack?.()) {
        this.#takenBack += 1;
        failed(refused);
        continue;
      }
      try {
        settled?.();
      } catch (error) {
        failed(errorOf(error));
        continue;
      }
      for (const event of events) {
        this.#tell(event);
        const wait = this.#pace.step();
        if (wait !== undefined) await wait;
      }
      if (refused === undefined) done(answer as never);
      else failed(refused);
    }
  }

  /**
   * `answer`, once everything made so far is on disk, or kept until the disk takes it: what is shown to callers must not be taken back by a crash.
   * Rejects after a failure, when memory holds what the disk has not.
   */
  whenDurable<T>(answer: T): T | Promise<T> {
    if (this.#failure === undefined && this.#pending === 0) return answer;
    this.#hurry();
    return this.#tail.then(() => {
      if (this.#failure !== undefined) throw this.#failure;
      return answer;
    });
  }

  /** The result of `read` as {@link whenDurable}, read again where a change that it may show was taken back meanwhile. */
  async durable<T>(read: () => T | Promise<T>): Promise<T> {
    for (;;) {
      const before = this.#takenBack;
      const answer = await this.whenDurable(await read());
      if (before === this.#takenBack) return answer;
    }
  }

  /** Resolves when nothing is on its way to the disk any more, also after a failure. */
  whenIdle(): Promise<void> {
    this.#hurry();
    return this.#tail;
  }

  onEvent(listener: (event: BrokerageEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Speeds up the flush of a write that is awaited only now. */
  #hurry(): void {
    if (this.#open !== undefined && this.#open.written !== NOTHING_WRITTEN) this.store.write(() => undefined).catch(() => undefined);
  }

  #tell(event: BrokerageEvent): void {
    for (const listener of this.#listeners) {
      try {
        listener(event);
      } catch (error) {
        // A listener's defect is its own: it must neither undo the change nor keep the event from the others.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
