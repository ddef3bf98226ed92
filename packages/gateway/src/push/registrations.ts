import { type Store, type Table, whenTaken } from '@svc-gateway/storage';
import type { QuoteStream } from '../backend.js';
import type { AccountRegistrations } from './accounts.js';
import type { Subscriptions } from './subscriptions.js';

interface KeptStream {
  readonly stream: QuoteStream;
  readonly push: boolean;
  readonly first: boolean;
}

/** Registrations of an owner that outlives its connections. */
interface Row {
  /** Hash of the key's text: another key may be given the id of one that is gone. */
  readonly keyHash?: string | undefined;
  readonly streams: readonly KeptStream[];
  readonly accIds: readonly bigint[];
}

/** Registrations that an owner may still have after a restart. */
export interface Entitled {
  readonly quotes: (stream: QuoteStream) => boolean;
  readonly accounts: boolean;
}

/**
 * Keeps on disk what keys and the anonymous caller are subscribed to and which accounts they follow, so that a restart ends no feed.
 * A connection's own registrations end with it.
 */
export class Registrations {
  readonly #table: Table<Row>;
  /** Owners whose rows are to be written at the end of this turn. */
  readonly #changed = new Set<string>();
  #written: Promise<void> = Promise.resolve();

  constructor(
    private readonly store: Store,
    private readonly subscriptions: Subscriptions,
    private readonly accounts: AccountRegistrations,
    /** Hash of the text of an owner's key; undefined where there is none. */
    private readonly keyHashOf: (owner: string) => string | undefined,
  ) {
    this.#table = store.table('push_registrations');
  }

  /** Something of an owner has changed. */
  changed(owner: string): void {
    if (owner !== 'anonymous' && !owner.startsWith('key:')) return;
    this.#changed.add(owner);
    if (this.#changed.size === 1) this.#written = Promise.resolve().then(() => this.#write());
  }

  /** Resolves when what has changed so far is on disk, or waits for the disk with everything else. */
  whenKept(): Promise<void> {
    return this.#written;
  }

  /** Takes up what an earlier process left, as far as its owners may still have it. The backend is to be told of it. */
  takeUp(entitled: (owner: string) => Entitled): void {
    for (const [owner, { keyHash, streams, accIds }] of [...this.#table.entries()]) {
      const { quotes, accounts } = keyHash === this.keyHashOf(owner) ? entitled(owner) : nothing;
      for (const { stream, push, first } of streams) if (quotes(stream)) this.subscriptions.adopt(owner, stream, { push, first });
      if (accounts) this.accounts.adopt(owner, accIds);
      this.changed(owner);
    }
  }

  async #write(): Promise<void> {
    const owners = [...this.#changed];
    this.#changed.clear();
    const written = this.store.write((change) => {
      for (const owner of owners) {
        const row = this.#rowOf(owner);
        if (row.streams.length + row.accIds.length > 0) change.put(this.#table, owner, row);
        else if (this.#table.get(owner) !== undefined) change.remove(this.#table, owner);
      }
    });
    // A disk that takes nothing is told of by the store; the pushes go on.
    await whenTaken(written).catch(() => undefined);
  }

  #rowOf(owner: string): Row {
    const streams = this.subscriptions.list(owner).map(({ stream, push, first }) => ({ stream, push, first }));
    return { keyHash: this.keyHashOf(owner), streams, accIds: this.accounts.of(owner) };
  }
}

const nothing: Entitled = { quotes: () => false, accounts: false };
