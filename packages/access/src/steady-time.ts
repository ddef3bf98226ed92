import { type Clock, Stopwatch } from '@svc-gateway/contract/clock';
import type { Store, Table } from '@svc-gateway/storage';
import { readBootId } from './boot-id.js';

/** State that a process leaves to the next one. */
interface Row {
  readonly boot: string | undefined;
  /** When it was written: by the machine's uptime, and by its clock (epoch ms). */
  readonly uptime: number;
  readonly wall: number;
  readonly elapsed: number;
  /** Steady time less elapsed time. */
  readonly ahead: number;
}

export interface SteadyTimeOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Names this run of the machine; undefined = nothing tells it from another. */
  readonly bootId?: string | undefined;
}

const ROW = 'time';
const SAVE_MS = 10 * 60_000;
/** How far the clock may be off before it counts as set. */
const SET_MS = 5_000;
/** Time after which a set clock is trusted. */
const BELIEVED_MS = 24 * 3_600_000;

/**
 * Time for what must hold whatever the machine's clock is set to, over all processes that used the same store.
 *
 * While the daemon is down, time counts as far as the same run of the machine vouches for it; otherwise a new process begins
 * with what the clock shows, and never before the time that the one before it had reached.
 */
export class SteadyTime {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #bootId: string | undefined;
  readonly #table: Table<Row>;
  readonly #stopwatch: Stopwatch;
  readonly #elapsedBefore: number;
  #ahead: number;
  /** Lead of the clock over steady time since a moment (of elapsed time). */
  #set: { readonly by: number; readonly since: number } | undefined;
  #cancelSave: () => void;

  constructor({ store, clock, bootId = readBootId() }: SteadyTimeOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#bootId = bootId;
    this.#table = store.table<Row>('steady_time');
    this.#stopwatch = new Stopwatch(clock);
    const row = this.#table.get(ROW);
    const known = row !== undefined && row.boot !== undefined && row.boot === bootId && clock.uptime() >= row.uptime;
    // The lesser of what the two clocks say: a container may be told another uptime than its neighbour.
    const away = known ? Math.max(0, Math.min(clock.uptime() - row.uptime, Math.max(clock.now() - row.wall, 0))) : 0;
    this.#elapsedBefore = (row?.elapsed ?? 0) + away;
    // Days only go forward: a clock that starts in the past is not believed at once.
    this.#ahead = known ? row.ahead : Math.max(clock.now() - this.#elapsedBefore, row?.ahead ?? Number.NEGATIVE_INFINITY);
    this.#save();
    this.#cancelSave = this.#scheduleSave();
  }

  /** Milliseconds that have passed while somebody watched: it may lag behind what has really passed, and never leads. */
  elapsed(): number {
    return this.#elapsedBefore + this.#stopwatch.elapsed();
  }

  /**
   * Epoch ms, UTC, as the clock showed it before it was last set. A clock that goes on from where it was set for a day is
   * believed.
   */
  now(): number {
    const elapsed = this.elapsed();
    this.#watchClock(elapsed);
    return Math.floor(elapsed + this.#ahead);
  }

  /** Leaves its time to the next process. */
  async stop(): Promise<void> {
    this.#cancelSave();
    await this.#save();
  }

  #watchClock(elapsed: number): void {
    const by = this.#clock.now() - elapsed - this.#ahead;
    if (Math.abs(by) <= SET_MS) this.#set = undefined;
    else if (this.#set === undefined || Math.abs(by - this.#set.by) > SET_MS) this.#set = { by, since: elapsed };
    else if (elapsed - this.#set.since >= BELIEVED_MS) {
      this.#ahead += by;
      this.#set = undefined;
    }
  }

  #scheduleSave(): () => void {
    return this.#clock.after(SAVE_MS, () => {
      this.now();
      void this.#save();
      this.#cancelSave = this.#scheduleSave();
    });
  }

  /** Time that is not saved has not passed for the next process: limits then err on the strict side. */
  async #save(): Promise<void> {
    const row: Row = {
      boot: this.#bootId,
      uptime: this.#clock.uptime(),
      wall: this.#clock.now(),
      elapsed: this.elapsed(),
      ahead: this.#ahead,
    };
    await this.#store.write((change) => change.put(this.#table, ROW, row)).catch(() => undefined);
  }
}
