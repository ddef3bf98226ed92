import { MemoryStore, StorageFailure, type Transaction } from '../../src/storage/index.js';

/** A store in memory whose disk takes no more once it is `full`: the first writes after that are refused, and later ones are kept in memory. */
export class FullStore extends MemoryStore {
  full = false;
  #failure: StorageFailure | undefined;
  #refusing: StorageFailure | undefined;
  readonly #listeners: (() => void)[] = [];

  get failure(): StorageFailure | undefined {
    return this.#failure;
  }

  onFailure(listener: () => void): void {
    this.#listeners.push(listener);
  }

  override async write(change: (transaction: Transaction) => void): Promise<void> {
    await super.write(change);
    if (this.full && this.#failure === undefined) {
      // Whatever is on its way to the disk at that time is refused with it.
      this.#refusing ??= this.#refuse();
      throw this.#refusing;
    }
    if (!this.full && this.#failure !== undefined) this.#tell(undefined);
  }

  #refuse(): StorageFailure {
    const failure = new StorageFailure('no space left', { kept: true });
    setImmediate(() => {
      this.#refusing = undefined;
      this.#tell(failure);
    });
    return failure;
  }

  #tell(failure: StorageFailure | undefined): void {
    this.#failure = failure;
    for (const listener of this.#listeners) listener();
  }
}
