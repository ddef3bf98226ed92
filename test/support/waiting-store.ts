import { MemoryStore, type Transaction } from '@svc-gateway/storage';

/** A store in memory that can keep back the word that a write is on disk. */
export class WaitingStore extends MemoryStore {
  #held: (() => void)[] | undefined;

  /** Writes wait from now on, or those after which `isKept` holds. */
  hold(isKept: () => boolean = () => true): void {
    this.#held = [];
    this.#isKept = isKept;
  }
  #isKept = () => true;

  /** Waits for a write that waits. Later ones do not; calling what comes back lets go of those that do. */
  async waiting(): Promise<() => void> {
    const held = this.#held ?? [];
    while (held.length === 0) await new Promise(setImmediate);
    this.#held = undefined;
    return () => {
      for (const release of held) release();
    };
  }

  override async write(change: (transaction: Transaction) => void): Promise<void> {
    const written = super.write(change);
    const held = this.#held;
    if (held !== undefined && this.#isKept()) await new Promise<void>((resolve) => held.push(resolve));
    return written;
  }
}
