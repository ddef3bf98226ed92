import { type Archive, MemoryStore, type Store, type Table, type Transaction } from '@svc-gateway/storage';

type Step = (transaction: Transaction) => void;

/** A store in memory whose disk can be held up: what was written meanwhile is lost with a crash, and is in no read before. */
export class CrashingStore implements Store {
  readonly #disk: MemoryStore;
  #held = false;
  #isOver = false;
  #waiting: { readonly steps: readonly Step[]; readonly done: () => void }[] = [];

  constructor(disk = new MemoryStore()) {
    this.#disk = disk;
  }

  /** Nothing reaches the disk from now on. */
  hold(): void {
    this.#held = true;
  }

  /** Puts the first `count` of the writes that wait on the disk. */
  async flush(count = this.#waiting.length): Promise<void> {
    for (const { steps, done } of this.#waiting.splice(0, count)) {
      await this.#disk.write((transaction) => {
        for (const step of steps) step(transaction);
      });
      done();
    }
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  /** The store that the next process opens. What the one before had under way or still writes is lost, and keeps nobody waiting who takes it down. */
  crashed(): CrashingStore {
    this.#isOver = true;
    for (const { done } of this.#waiting.splice(0)) done();
    return new CrashingStore(this.#disk);
  }

  table<V>(name: string): Table<V> {
    return this.#disk.table(name);
  }

  archive<V>(name: string): Archive<V> {
    return this.#disk.archive(name);
  }

  write(change: (transaction: Transaction) => void): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    const steps: Step[] = [];
    change({
      put: (to, key, value) => {
        const kept = structuredClone(value);
        steps.push((transaction) => transaction.put(to, key, kept));
      },
      putLatest: (to, key, read) => steps.push((transaction) => transaction.putLatest(to, key, read)),
      remove: (from, key) => steps.push((transaction) => transaction.remove(from, key)),
    });
    const written = new Promise<void>((done) => this.#waiting.push({ steps, done }));
    if (!this.#held) void this.flush();
    return written;
  }

  async close(): Promise<void> {}
}
