import { type Aggregate, aggregateOfTick, merge } from './aggregate.js';
import type { Tick } from './market.js';

const MINUTE = 60_000;
/** As many ticks of a symbol as anybody may ask for stay whole; of those before, the totals of each minute. */
const WHOLE_TICKS_MAX = 1_000;
/** Minutes with prints that are kept: the newest. More than a month of a day that has one in each. */
const MINUTES_MAX = 50_000;

interface Minute {
  readonly start: number;
  totals: Aggregate;
}

/** Prints that a copy of {@link Prints} in another thread lacks, as plain data. */
export interface PrintsChange {
  /** Oldest first. */
  readonly ticks: readonly Tick[];
  readonly minutes: readonly { readonly start: number; readonly totals: Aggregate }[];
  readonly version: number;
}

/**
 * The trades that callers made in one symbol, in order of time: those of the current and recent days. Every bar is made
 * of whole minutes, so the totals of each minute are all that bars need, however many prints there were.
 */
export class Prints {
  #ticks: Tick[] = [];
  #minutes: Minute[] = [];
  #lastSequence = 0;
  #version = 0;
  /** Prints of an earlier run, until something is printed in this one. */
  #restored: readonly Tick[] = [];

  /** Sequence of the newest print; 0 when there is none. */
  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** Changes with every print. */
  get version(): number {
    return this.#version;
  }

  /** Prints come in order of time and sequence. */
  add(tick: Tick): void {
    this.#restored = [];
    this.#append(tick);
  }

  /** Puts prints of an earlier run back, in any order and as often as one likes, before anything is printed in this one. */
  restore(ticks: readonly Tick[]): void {
    const all = new Map([...this.#restored, ...ticks].map((tick) => [tick.sequence, tick]));
    const inOrder = [...all.values()].sort((a, b) => Number(a.sequence - b.sequence));
    this.#ticks = [];
    this.#minutes = [];
    for (const tick of inOrder) this.#append(tick);
    this.#restored = inOrder;
  }

  #append(tick: Tick): void {
    this.#version += 1;
    this.#lastSequence = Number(tick.sequence);
    this.#ticks.push(tick);
    // Halving at twice the bound keeps the cost of a print constant.
    if (this.#ticks.length >= 2 * WHOLE_TICKS_MAX) this.#ticks = this.#ticks.slice(-WHOLE_TICKS_MAX);
    const start = minuteStart(tick.time);
    const added = aggregateOfTick(tick);
    const last = this.#minutes.at(-1);
    if (last !== undefined && last.start >= start) last.totals = merge(last.totals, added) ?? added;
    else this.#minutes.push({ start, totals: added });
    if (this.#minutes.length >= 2 * MINUTES_MAX) this.#minutes = this.#minutes.slice(-MINUTES_MAX);
  }

  /** The ticks after a sequence, with the totals of the minutes since the one before them; everything while prints may still be put back. */
  changeAfter(sequence: number): PrintsChange {
    const ticks = this.#restored.length > 0 ? this.#ticks : this.#ticks.filter((tick) => Number(tick.sequence) > sequence);
    const [last] = this.#ticks.slice(0, this.#ticks.length - ticks.length).slice(-1);
    const from = last === undefined ? -Infinity : minuteStart(last.time);
    return { ticks, minutes: this.#minutes.filter(({ start }) => start >= from), version: this.#version };
  }

  /** Takes in a change of the original that this is a copy of. */
  adopt({ ticks, minutes, version }: PrintsChange): void {
    const from = minutes[0]?.start ?? Infinity;
    this.#minutes = [...this.#minutes.filter(({ start }) => start < from), ...minutes];
    const first = ticks[0]?.sequence ?? 0n;
    this.#ticks = [...this.#ticks.filter(({ sequence }) => sequence < first), ...ticks].slice(-WHOLE_TICKS_MAX);
    this.#lastSequence = Number(ticks.at(-1)?.sequence ?? 0n);
    this.#version = version;
  }

  /** The newest prints with a sequence of at least `sequence`, oldest first; at most the {@link WHOLE_TICKS_MAX} newest of all. */
  since(sequence: number): readonly Tick[] {
    const from = firstIndex(this.#ticks.length, (i) => Number(this.#ticks[i]?.sequence) >= sequence);
    return this.#ticks.slice(Math.max(from, this.#ticks.length - WHOLE_TICKS_MAX));
  }

  /** Totals of the prints in [from, to): whole minutes, but for a running one. */
  totals(from: number, to: number): Aggregate | undefined {
    let sum: Aggregate | undefined;
    const start = firstIndex(this.#minutes.length, (i) => (this.#minutes[i]?.start ?? Infinity) >= from);
    for (let i = start; i < this.#minutes.length; i++) {
      const minute = this.#minutes[i];
      if (minute === undefined || minute.start >= to) break;
      sum = merge(sum, minute.totals);
    }
    return sum;
  }
}

function minuteStart(time: number): number {
  return Math.floor(time / MINUTE) * MINUTE;
}

/** The least i in [0, length) for which `holds`, given that it holds for all after; `length` when for none. */
export function firstIndex(length: number, holds: (i: number) => boolean): number {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
