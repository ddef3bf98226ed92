import { type Store, type Transaction, whenTaken } from '@svc-gateway/storage';

/** Writes the user's state, and has its readers wait for what is being written: nobody is shown what a crash could undo. */
export class Writes {
  /** The newest, while it is under way or once it has failed: writes reach the disk in order, and none after one that failed. */
  #last: Promise<void> | undefined;

  constructor(private readonly store: Store) {}

  /** Resolves when the change is on disk; rejects with StorageFailure when the disk does not take it. */
  write(change: (transaction: Transaction) => void): Promise<void> {
    const written = this.store.write(change);
    const taken = whenTaken(written);
    this.#last = taken;
    taken.then(
      () => {
        if (this.#last === taken) this.#last = undefined;
      },
      () => undefined,
    );
    return written;
  }

  /** The answer once all that it may show is on disk: at once where nothing is being written. */
  whenDurable<T>(answer: T): T | Promise<T> {
    return this.#last === undefined ? answer : this.#last.then(() => answer);
  }
}
