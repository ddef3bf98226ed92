/**
 * What must survive a crash: named tables of text keys and structured values, in one embedded database of the state
 * folder. Writers keep their working state in memory and read the tables only at start.
 */
export interface Store {
  /** The table of this name, made on first use. Values are structured data: strings, numbers, bigints, arrays, plain objects. */
  table<V>(name: string): Table<V>;
  /**
   * Runs `change`, whose puts and removals take effect together or not at all, and resolves when they are on disk.
   * Changes made in the same turn share one commit (group commit). `change` runs at once and must not await. Rejects
   * with {@link StorageFailure} when the disk does not take it.
   */
  write(change: (transaction: Transaction) => void): Promise<void>;
  /** Waits for what was written and closes the files. Nothing may be called afterwards. */
  close(): Promise<void>;
}

export interface Table<V> {
  readonly name: string;
  get(key: string): V | undefined;
  /** Every entry in the order of keys (by code unit), from `start` inclusive to `end` exclusive. */
  entries(range?: { start?: string; end?: string }): Iterable<[string, V]>;
}

export interface Transaction {
  put<V>(table: Table<V>, key: string, value: V): void;
  remove<V>(table: Table<V>, key: string): void;
}
