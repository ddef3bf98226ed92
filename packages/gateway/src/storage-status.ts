import { Emitter } from '@svc-gateway/contract/emitter';
import type { StorageFailure, Store } from '@svc-gateway/storage';

/** Whether the database accepts writes, by what the store says and by what requests have met. */
export class StorageStatus {
  /** The last failure that is not known to be over. */
  #failure: StorageFailure | undefined;
  readonly #changes = new Emitter();
  /** Calls `listener` whenever {@link failure} changes; returns its removal. */
  readonly onChange = this.#changes.on;

  constructor(private readonly store: Store) {
    store.onFailure?.(() => this.#set(undefined));
  }

  /** Reason why the database accepts no writes; undefined while it does. */
  get failure(): string | undefined {
    return this.#failure?.message;
  }

  /** Records the failure of a write or read. */
  failed(failure: StorageFailure): void {
    this.#set(failure);
  }

  /** A write has reached the disk. An outage that the store itself reports goes on all the same: a way out needs no disk. */
  succeeded(): void {
    this.#set(undefined);
  }

  #set(failure: StorageFailure | undefined): void {
    const current = this.store.failure ?? failure;
    if (current?.message === this.failure) return;
    this.#failure = current;
    this.#changes.emit();
  }
}
