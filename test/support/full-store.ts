import { MemoryStore, StorageFailure, type Transaction } from '../../src/storage/index.js';

/** A store in memory whose disk takes no more once it is `full`. */
export class FullStore extends MemoryStore {
  full = false;

  override async write(change: (transaction: Transaction) => void): Promise<void> {
    if (this.full) throw new StorageFailure('no space left', { lasts: true });
    return super.write(change);
  }
}
