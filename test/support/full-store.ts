import { type Archive, MemoryStore, StorageFailure, type Table, type Transaction } from '@svc-gateway/storage';

/** A store in memory whose disk takes no more once it is `full`: the first writes after that are refused, and later ones are kept in memory. */
export class FullStore extends MemoryStore {
  full = false;
  #failure: StorageFailure | undefined;
  #refusing: StorageFailure | undefined;
  readonly #listeners: (() => void)[] = [];
  readonly #disk = new MemoryStore();
  #waiting: ((transaction: Transaction) => void)[] = [];

  get failure(): StorageFailure | undefined {
    return this.#failure;
  }

  onFailure(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** The disk as the next process finds it, where this one ends without having had room for the rest. */
  crashed(): MemoryStore {
    return this.#disk;
  }

  override async write(change: (transaction: Transaction) => void): Promise<void> {
    await super.write((memory) =>
      change({
        put: (to, key, value) => {
          memory.put(to, key, value);
          this.#waiting.push((disk) => disk.put(this.#onDisk(to), key, value));
        },
        putLatest: (to, key, read) => {
          memory.putLatest(to, key, read);
          this.#waiting.push((disk) => disk.putLatest(this.#onDisk(to), key, read));
        },
        remove: (from, key) => {
          memory.remove(from, key);
          this.#waiting.push((disk) => disk.remove(this.#onDisk(from), key));
        },
      }),
    );
    if (!this.full) {
      const steps = this.#waiting.splice(0);
      await this.#disk.write((disk) => {
        for (const step of steps) step(disk);
      });
    }
    if (this.full && this.#failure === undefined) {
      // Whatever is on its way to the disk at that time is refused with it.
      this.#refusing ??= this.#refuse();
      throw this.#refusing;
    }
    if (!this.full && this.#failure !== undefined) this.#tell(undefined);
  }

  #onDisk<V>({ kind, name }: Table<V> | Archive<V>): Table<V> | Archive<V> {
    return kind === 'table' ? this.#disk.table<V>(name) : this.#disk.archive<V>(name);
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
