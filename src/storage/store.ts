import type { StorageFailure } from './storage-failure.js';

/**
 * State that survives a crash: named rows of text keys and structured values, in one embedded database of the state
 * folder. Values are structured data: strings, numbers, bigints, bytes, arrays, plain objects.
 *
 * Writes reach the disk in the order in which they were made, so that a later one is never there without the earlier.
 * While the disk takes none, writes are kept in memory, where reads see them; it gets all of them at once when it takes some again.
 */
export interface Store {
  /** Why the disk takes no writes; undefined while it does. */
  readonly failure?: StorageFailure | undefined;
  /** Calls `listener` whenever {@link failure} changes. */
  onFailure?(listener: () => void): void;
  /** The table of this name: its rows stay in memory too, so that they can be listed at once. For what is small. */
  table<V>(name: string): Table<V>;
  /** The archive of this name: its rows are on disk alone and are read when somebody asks. For what grows with time. */
  archive<V>(name: string): Archive<V>;
  /**
   * Runs `change`, whose puts and removals take effect together or not at all, and resolves when they are on disk.
   * Changes made in the same turn share one flush, and so do all that come while the flush before is under way; what is too
   * much for one is cut between changes.
   * `change` runs at once and must not await. Rejects with {@link StorageFailure} when the disk does not take it. Once that is known
   * ({@link failure}) it resolves when memory has it: then nothing may be written that adds risk.
   * With `soon` nobody waits for it: it goes with the next flush, or after some milliseconds.
   */
  write(change: (transaction: Transaction) => void, when?: 'now' | 'soon'): Promise<void>;
  /**
   * Waits for what was written and closes the files. Nothing may be called afterwards. Rejects with {@link StorageFailure} when changes that
   * were kept in memory are lost, since the disk still takes none.
   */
  close(): Promise<void>;
}

/** Keys from `start` inclusive to `end` exclusive. */
export interface Range {
  readonly start?: string;
  readonly end?: string;
}

/** Reads, of tables and of archives, do not see unflushed writes. */
interface Rows<V> {
  readonly name: string;
  /** Throws {@link StorageFailure} when the row is damaged. */
  get(key: string): V | undefined;
}

export interface Table<V> extends Rows<V> {
  readonly kind: 'table';
  /** Every entry in the order of keys. */
  entries(range?: Range): Iterable<[string, V]>;
}

export interface Archive<V> extends Rows<V> {
  readonly kind: 'archive';
  /** As the rows were when it was asked for, in the order of keys (or backwards); read piece by piece. */
  entries(range?: Range & { readonly reverse?: boolean }): AsyncIterable<[string, V]>;
}

export interface Transaction {
  put<V>(rows: Table<V> | Archive<V>, key: string, value: V): void;
  /**
   * Puts what `read` returns when the flush begins: asked once, however often the row is put for one flush. For what many changes
   * in a row add to. It is at least as new as this change, and stands after whatever else the flush does with the row of an archive.
   * `read` must not fail, and what it returns is the store's own.
   */
  putLatest<V>(rows: Table<V> | Archive<V>, key: string, read: () => V): void;
  remove<V>(rows: Table<V> | Archive<V>, key: string): void;
}
