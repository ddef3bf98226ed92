import type { Store, Table, Transaction } from '@svc-gateway/storage';
import { type RecentOrders, RATE_WINDOW_MS as WINDOW_MS } from './gates.js';

/** The moments of one caller's orders in the last 60 seconds, oldest first. As long as the rate limit it serves, at most. */
export class RateWindow implements RecentOrders {
  readonly #times: number[] = [];
  /** Index in `#times` of the oldest moment that still counts. */
  #head = 0;
  /** Sequence number of `#times[0]`: moments are numbered from the first one on, which names their rows in the store. */
  #base: number;
  /** Every row below this number has been removed from the store. */
  #storedFrom: number;

  /** `base` continues the numbering of an earlier process. */
  constructor(base: number, times: readonly number[] = []) {
    this.#base = base;
    this.#storedFrom = base;
    this.#times.push(...times);
  }

  count(now: number): number {
    const times = this.#times;
    const expired = now + this.#ahead(now) - WINDOW_MS;
    let head = this.#head;
    while (head < times.length && (times[head] ?? now) <= expired) head += 1;
    return times.length - head;
  }

  millisecondsUntilBelow(max: number, now: number): number {
    // Fewer than max of n moments remain once n - max + 1 have left.
    const last = this.#times[this.#times.length - max] ?? now;
    return last + WINDOW_MS - now - this.#ahead(now);
  }

  /** Records an order at `now`; its sequence number. */
  add(now: number): number {
    this.slide(now);
    this.#times.push(now);
    return this.#base + this.#times.length - 1;
  }

  /** Known moments of the block that begins at `sequence`, and the number of the first of them. */
  block(sequence: number): RateBlock {
    const from = Math.max(sequence, this.#base);
    return { from, times: this.#times.slice(from - this.#base, Math.max(0, sequence + BLOCK - this.#base)) };
  }

  /** Sequence numbers whose rows may be removed from the store since the last call. */
  takeExpired(): { from: number; to: number } {
    const from = this.#storedFrom;
    this.#storedFrom = this.#base + this.#head;
    return { from, to: this.#storedFrom };
  }

  /** Lets go of what no longer counts. A clock set back must not make the window forget: the moments move back with it. */
  slide(now: number): void {
    const times = this.#times;
    const ahead = this.#ahead(now);
    if (ahead > 0) for (let index = this.#head; index < times.length; index++) times[index] = (times[index] ?? now) - ahead;
    while (this.#head < times.length && (times[this.#head] ?? now) <= now - WINDOW_MS) this.#head += 1;
    if (this.#head > 64 && this.#head * 2 > times.length) {
      times.splice(0, this.#head);
      this.#base += this.#head;
      this.#head = 0;
    }
  }

  /** How far the newest moment lies after `now`: more than 0 when the clock was set back. */
  #ahead(now: number): number {
    return Math.max(0, (this.#times.at(-1) ?? now) - now);
  }
}

/** Moments of one caller's orders, the first of them numbered `from`. */
interface RateBlock {
  readonly from: number;
  readonly times: readonly number[];
}

/** Moments that share a row: orders at once write few rows, and one alone not much more than its own. */
const BLOCK = 16;

/** Everyone's rate windows, and their rows in the store, so that a restart within the minute forgets no order. */
export class RateWindows {
  /** Caller and number of the first moment → the block from there on. */
  readonly #table: Table<RateBlock>;
  readonly #windows = new Map<string, RateWindow>();
  /** Rows of earlier processes that no longer count; removed with the next write. */
  readonly #stale: string[] = [];

  constructor(store: Store, now: number) {
    this.#table = store.table('order_rates');
    const kept = new Map<string, { base: number; times: number[] }>();
    for (const [row, { from, times }] of this.#table.entries()) {
      const caller = callerOf(row);
      if ((times.at(-1) ?? 0) <= now - WINDOW_MS) {
        this.#stale.push(row);
        continue;
      }
      const known = kept.get(caller) ?? { base: from, times: [] };
      kept.set(caller, known);
      for (const [index, time] of times.entries()) {
        if (from + index < known.base + known.times.length) continue;
        // A refused attempt was counted but may have no row; its moment is taken to be that of the order after it.
        while (known.base + known.times.length < from + index) known.times.push(time);
        known.times.push(time);
      }
    }
    for (const [caller, { base, times }] of kept) this.#windows.set(caller, new RateWindow(base, times));
  }

  of(caller: string): RateWindow {
    let window = this.#windows.get(caller);
    if (window === undefined) {
      window = new RateWindow(0);
      this.#windows.set(caller, window);
    }
    return window;
  }

  /** Puts one recorded order on disk and clears what no longer counts. */
  save(transaction: Transaction, caller: string, sequence: number): void {
    // Removals come first: a caller whose rows are all stale is numbered from 0 again.
    if (this.#stale.length > 0) for (const row of this.#stale.splice(0)) transaction.remove(this.#table, row);
    const window = this.of(caller);
    const { from, to } = window.takeExpired();
    for (let block = blockOf(from); block + BLOCK <= to; block += BLOCK) transaction.remove(this.#table, rowOf(caller, block));
    const block = blockOf(sequence);
    // Orders at once put their block many times for one flush.
    transaction.putLatest(this.#table, rowOf(caller, block), () => window.block(block));
  }
}

const SEQUENCE_DIGITS = 16;

function blockOf(sequence: number): number {
  return sequence - (sequence % BLOCK);
}

function rowOf(caller: string, sequence: number): string {
  return `${caller}:${String(sequence).padStart(SEQUENCE_DIGITS, '0')}`;
}

function callerOf(row: string): string {
  return row.slice(0, -SEQUENCE_DIGITS - 1);
}
