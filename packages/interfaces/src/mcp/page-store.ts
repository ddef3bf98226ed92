import { randomBytes } from 'node:crypto';
import type { Message } from '@bufbuild/protobuf';
import type { Clock } from '@svc-gateway/contract/clock';
import type { Operation } from '@svc-gateway/contract/operation';
import { Rejection } from '@svc-gateway/contract/rejection';
import { type Identity, isSameIdentity } from '@svc-gateway/gateway';
import { type Cut, PAGE_BYTES_MAX, pagesOf } from './paging.js';
import type { Table } from './rows.js';

/** A page of an answer. */
export interface HandedPage {
  /** Operation of the answer. */
  readonly operation: Operation;
  /** The operation's payload (`S2C`), or a part of it. Read-only. */
  readonly payload: Message;
  /** The list that is written as a table; undefined if all are written as objects. */
  readonly table: Table | undefined;
  /** Position of the page; undefined for a complete answer. */
  readonly page: (Cut & { readonly next: string | null }) | undefined;
}

/** Options for paging the records of an answer. */
export interface Layout {
  /** Maximum records of a page. */
  readonly limit?: number | undefined;
  readonly table?: Table | undefined;
}

export interface PageStoreOptions {
  readonly clock: Clock;
  /** Maximum JSON text of a page, in UTF-8 bytes. */
  readonly pageBytesMax?: number;
  /** Maximum answers kept, over all callers. */
  readonly answersMax?: number;
  /** Maximum JSON text kept, over all callers, in bytes; memory use is a small multiple. */
  readonly bytesMax?: number;
  /** Returns random bytes for cursors. */
  readonly random?: (bytes: number) => Buffer;
}

/** A paged answer after its first page. */
interface StoredAnswer {
  /** Caller of the answer, with the key as it was: an edited key may no longer see it. */
  readonly holder: Identity;
  readonly operation: Operation;
  readonly pages: readonly HandedPage[];
  /** Cursor of each page but the first. */
  readonly cursors: readonly string[];
  readonly bytes: number;
  /** Expiry on the monotonic clock. */
  readonly expiresAt: number;
}

const KEPT_MS = 10 * 60_000;
const defaults = { pageBytesMax: PAGE_BYTES_MAX, answersMax: 1_000, bytesMax: 64 * 2 ** 20, random: randomBytes };
const CURSOR_BYTES = 16;

/**
 * Keeps the rest of a large answer for ten minutes after the first page. When there is no more room the oldest
 * answers go first. A cursor is a secret of its caller, and can be read repeatedly.
 */
export class PageStore {
  readonly #options: Required<PageStoreOptions>;
  /** In order of age and expiry. */
  readonly #kept = new Set<StoredAnswer>();
  readonly #byCursor = new Map<string, { readonly kept: StoredAnswer; readonly index: number }>();
  #bytes = 0;

  constructor(options: PageStoreOptions) {
    this.#options = { ...defaults, ...options };
  }

  /** Returns the first page of an answer and keeps the others for its caller. */
  async first(payload: Message, holder: Identity, operation: Operation, layout: Layout = {}): Promise<HandedPage | Rejection> {
    const { limit, table } = layout;
    const { bytes, pages: parts } = await pagesOf(operation, payload, { bytesMax: this.#options.pageBytesMax, itemsMax: limit, table });
    if (parts.length === 1) return { operation, payload, table, page: undefined };
    if (bytes > this.#options.bytesMax) {
      return new Rejection(
        'request.too_large',
        `the answer has ${bytes} bytes; at most ${this.#options.bytesMax} can be kept: ask for less`,
      );
    }
    const cursors = parts.slice(1).map(() => this.#options.random(CURSOR_BYTES).toString('base64url'));
    const pages = parts.map(({ payload, cut }, index): HandedPage => {
      return { operation, payload, table, page: cut === undefined ? undefined : { ...cut, next: cursors[index] ?? null } };
    });
    const [first] = pages;
    if (first === undefined) throw new Error(`no page of ${operation.name}`);
    this.#keep({ holder, operation, pages, cursors, bytes, expiresAt: this.#options.clock.monotonic() + KEPT_MS });
    return first;
  }

  /** Returns the page of a cursor, of an answer to this operation's tool. */
  take(cursor: string, holder: Identity, operation: Operation): HandedPage | Rejection {
    this.#forgetExpired();
    const found = this.#byCursor.get(cursor);
    const page = found?.kept.pages[found.index];
    // The same text for another caller's cursor and an unknown one, which hides that it exists.
    if (found === undefined || page === undefined || !isSameIdentity(found.kept.holder, holder)) {
      return refuse('it is unknown or has expired (pages are kept for 10 minutes); call the tool again without a cursor');
    }
    if (found.kept.operation !== operation && found.kept.operation !== operation.otherForm?.operation) {
      return refuse(`it belongs to ${found.kept.operation.tool}; give it to that tool`);
    }
    return page;
  }

  #keep(kept: StoredAnswer): void {
    this.#forgetExpired();
    for (const oldest of this.#kept) {
      if (this.#kept.size < this.#options.answersMax && this.#bytes + kept.bytes <= this.#options.bytesMax) break;
      this.#forget(oldest);
    }
    this.#kept.add(kept);
    this.#bytes += kept.bytes;
    for (const [index, cursor] of kept.cursors.entries()) this.#byCursor.set(cursor, { kept, index: index + 1 });
  }

  #forgetExpired(): void {
    const now = this.#options.clock.monotonic();
    for (const oldest of this.#kept) {
      if (oldest.expiresAt > now) break;
      this.#forget(oldest);
    }
  }

  #forget(kept: StoredAnswer): void {
    this.#kept.delete(kept);
    this.#bytes -= kept.bytes;
    for (const cursor of kept.cursors) this.#byCursor.delete(cursor);
  }
}

function refuse(why: string): Rejection {
  return new Rejection('request.invalid', `cursor: ${why}`, { field: 'cursor' });
}
