import type { StorageFailure } from './storage-failure.js';

/**
 * State that survives a crash: named sets of rows with text keys and structured values, in one embedded database of the state
 * folder. Values are structured data: strings, numbers, bigints, bytes, arrays, plain objects.
 *
 * Writes reach the disk in the order in which they were made, so that a later one is never there without the earlier.
 * While the disk refuses writes, they are kept in memory, where reads see them, and go to the disk together once it takes writes.
 */
export interface Store {
  /** Reason why the disk refuses writes; undefined while it takes them. */
  readonly failure?: StorageFailure | undefined;
  /** Calls `listener` whenever {@link failure} changes. */
  onFailure?(listener: () => void): void;
  /** Table of this name: small data, whose rows are in memory too and can be listed at once. */
  table<V>(name: string): Table<V>;
  /** Archive of this name: growing data, whose rows are on disk only and are read on demand. */
  archive<V>(name: string): Archive<V>;
  /**
   * Runs `change`, whose puts and removals take effect together or not at all, and resolves when they are on disk.
   * Changes made in the same turn share one flush, and so do all that come while a flush is under way; large ones are split between
   * changes.
   * `change` runs at once and must not await. Rejects with {@link StorageFailure} when the disk refuses it. During an outage
   * ({@link failure}) it resolves once the change is in memory; only changes that reduce risk may be written then.
   * A change made `soon` joins the next flush, or is flushed after some milliseconds.
   */
  write(change: (transaction: Transaction) => void, when?: 'now' | 'soon'): Promise<void>;
  /**
   * Waits for pending writes and closes the files. Nothing may be called afterwards. Rejects with {@link StorageFailure} if changes kept
   * in memory are lost, since the disk still refuses writes.
   */
  close(): Promise<void>;
}

/** Keys from `start` inclusive to `end` exclusive. */
export interface Range {
  readonly start?: string;
  readonly end?: string;
}

/** Rows of a table or an archive. Reads do not see unflushed writes. */
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
  /** Snapshot of the rows in the order of keys (or backwards), read in chunks. */
  entries(range?: Range & { readonly reverse?: boolean }): AsyncIterable<[string, V]>;
}

export interface Transaction {
  put<V>(rows: Table<V> | Archive<V>, key: string, value: V): void;
  /**
   * Puts the result of `read`, which is called once when the flush begins, however often the row is put for one flush. For rows
   * that many changes add to. `read` must not throw, and what it returns belongs to the store.
   */
  putLatest<V>(rows: Table<V> | Archive<V>, key: string, read: () => V): void;
  remove<V>(rows: Table<V> | Archive<V>, key: string): void;
}
