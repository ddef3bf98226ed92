import { randomBytes } from 'node:crypto';
import type { Message } from '@bufbuild/protobuf';
import type { Clock } from '../../contract/clock.js';
import type { Operation } from '../../contract/operation.js';
import { Rejection } from '../../contract/rejection.js';
import { type Identity, isSameIdentity } from '../../gateway/index.js';
import { type Cut, PAGE_BYTES_MAX, pagesOf } from './paging.js';
import type { Table } from './rows.js';

/** A page as it is handed out. */
export interface HandedPage {
  /** Whose answer it is of. */
  readonly operation: Operation;
  /** The operation's payload (`S2C`), or a part of it. Not to be changed. */
  readonly payload: Message;
  /** The list that is written as a table; undefined where all are written as objects. */
  readonly table: Table | undefined;
  /** Undefined for an answer that is whole. */
  readonly page: (Cut & { readonly next: string | null }) | undefined;
}

/** How the records of an answer are handed out. */
export interface Layout {
  /** Most records of a page. */
  readonly limit?: number | undefined;
  readonly table?: Table | undefined;
}

export interface PageStoreOptions {
  readonly clock: Clock;
  /** Longest JSON text of a page, in UTF-8 bytes. */
  readonly pageBytesMax?: number;
  /** Most answers kept, over all callers. */
  readonly answersMax?: number;
  /** Most JSON text kept, over all callers, in bytes: a measure of the memory, which is a small multiple of it. */
  readonly bytesMax?: number;
  /** Unguessable bytes. */
  readonly random?: (bytes: number) => Buffer;
}

/** An answer of which a caller has had the first page. */
interface Kept {
  /** Whose answer it is, with the key as it was: an edited one may not be allowed to see it any more. */
  readonly holder: Identity;
  readonly operation: Operation;
  readonly pages: readonly HandedPage[];
  /** The cursor of each page but the first. */
  readonly cursors: readonly string[];
  readonly bytes: number;
  /** On the monotonic clock. */
  readonly expiresAt: number;
}

const KEPT_MS = 10 * 60_000;
const ANSWERS_MAX = 1_000;
const BYTES_MAX = 64 * 2 ** 20;
const CURSOR_BYTES = 16;

/**
 * Keeps what a large answer has left for ten minutes after the first page. When there is no more room the oldest
 * answers go first. A cursor is a secret of its caller, and good for as many readings as it is kept.
 */
export class PageStore {
  readonly #clock: Clock;
  readonly #pageBytesMax: number;
  readonly #answersMax: number;
  readonly #bytesMax: number;
  readonly #random: (bytes: number) => Buffer;
  /** In order of age, which is that of expiry too. */
  readonly #kept = new Set<Kept>();
  readonly #byCursor = new Map<string, { readonly kept: Kept; readonly index: number }>();
  #bytes = 0;

  constructor(options: PageStoreOptions) {
    this.#clock = options.clock;
    this.#pageBytesMax = options.pageBytesMax ?? PAGE_BYTES_MAX;
    this.#answersMax = options.answersMax ?? ANSWERS_MAX;
    this.#bytesMax = options.bytesMax ?? BYTES_MAX;
    this.#random = options.random ?? randomBytes;
  }

  /** The first page of an answer; the others are kept for its holder. */
  async first(payload: Message, holder: Identity, operation: Operation, layout: Layout = {}): Promise<HandedPage | Rejection> {
    const { limit, table } = layout;
    const { bytes, pages: parts } = await pagesOf(operation, payload, { bytesMax: this.#pageBytesMax, itemsMax: limit, table });
    if (parts.length === 1) return { operation, payload, table, page: undefined };
    if (bytes > this.#bytesMax) {
      return new Rejection('request.too_large', `the answer has ${bytes} bytes; at most ${this.#bytesMax} can be kept: ask for less`);
    }
    const cursors = parts.slice(1).map(() => this.#random(CURSOR_BYTES).toString('base64url'));
    const pages = parts.map(({ payload, cut }, index): HandedPage => {
      return { operation, payload, table, page: cut === undefined ? undefined : { ...cut, next: cursors[index] ?? null } };
    });
    const [first] = pages;
    if (first === undefined) throw new Error(`no page of ${operation.name}`);
    this.#keep({ holder, operation, pages, cursors, bytes, expiresAt: this.#clock.monotonic() + KEPT_MS });
    return first;
  }

  /** The page that a cursor stands for, of an answer to this operation's tool. */
  take(cursor: string, holder: Identity, operation: Operation): HandedPage | Rejection {
    this.#forgetExpired();
    const found = this.#byCursor.get(cursor);
    const page = found?.kept.pages[found.index];
    // One text for another caller's cursor and for none at all: it is not told that there is one.
    if (found === undefined || page === undefined || !isSameIdentity(found.kept.holder, holder)) {
      return refuse('it is unknown or has expired (pages are kept for 10 minutes); call the tool again without a cursor');
    }
    if (found.kept.operation !== operation && found.kept.operation !== operation.otherForm?.operation) {
      return refuse(`it belongs to ${found.kept.operation.tool}; give it to that tool`);
    }
    return page;
  }

  #keep(kept: Kept): void {
    this.#forgetExpired();
    for (const oldest of this.#kept) {
      if (this.#kept.size < this.#answersMax && this.#bytes + kept.bytes <= this.#bytesMax) break;
      this.#forget(oldest);
    }
    this.#kept.add(kept);
    this.#bytes += kept.bytes;
    for (const [index, cursor] of kept.cursors.entries()) this.#byCursor.set(cursor, { kept, index: index + 1 });
  }

  #forgetExpired(): void {
    const now = this.#clock.monotonic();
    for (const oldest of this.#kept) {
      if (oldest.expiresAt > now) break;
      this.#forget(oldest);
    }
  }

  #forget(kept: Kept): void {
    this.#kept.delete(kept);
    this.#bytes -= kept.bytes;
    for (const cursor of kept.cursors) this.#byCursor.delete(cursor);
  }
}

function refuse(why: string): Rejection {
  return new Rejection('request.invalid', `cursor: ${why}`, { field: 'cursor' });
}
