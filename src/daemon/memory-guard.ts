import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '../contract/clock.js';

/** How often the heap is looked at: in between, work in turns adds some megabytes. */
const LOOK_MS = 50;
/** Parts of the heap's limit: from the first on caches are emptied, from the second on reads are refused. Beyond the limit V8 ends the process. */
const EMPTIED_FROM = 0.65;
const SHORT_FROM = 0.85;
/** Emptied caches fill again, and a collection holds everybody up: neither is done more often. */
const EMPTIED_EVERY_MS = 1_000;
const COLLECTED_EVERY_MS = 2_000;

export interface MemoryGuardParts {
  readonly clock: Pick<Clock, 'after' | 'monotonic'>;
  /** Empties what can be worked out again. */
  readonly empty: () => void;
  /** Bytes in use, and the most there may be. */
  readonly heap?: () => { readonly used: number; readonly limit: number };
  /** Frees what nothing refers to: V8 does it by itself only where something is asked of it. */
  readonly collect?: () => void;
}

/** Watches the heap, so that the daemon refuses reads for a while where it would else be ended by V8. */
export class MemoryGuard {
  readonly #parts: Required<MemoryGuardParts>;
  #cancel: () => void = () => {};
  #isShort = false;
  #emptiedAt = -Infinity;
  #collectedAt = -Infinity;

  constructor(parts: MemoryGuardParts) {
    this.#parts = { heap: heapOfV8, collect: collector(), ...parts };
  }

  /** There is no room for reads. */
  get isShort(): boolean {
    return this.#isShort;
  }

  start(): void {
    this.#look();
    this.#cancel = this.#parts.clock.after(LOOK_MS, () => this.start());
  }

  stop(): void {
    this.#cancel();
  }

  #look(): void {
    const { clock, empty, collect } = this.#parts;
    const now = clock.monotonic();
    if (this.#part() >= EMPTIED_FROM && now - this.#emptiedAt >= EMPTIED_EVERY_MS) {
      this.#emptiedAt = now;
      empty();
    }
    // Most of what is in use may be garbage.
    if (this.#part() >= SHORT_FROM && now - this.#collectedAt >= COLLECTED_EVERY_MS) {
      this.#collectedAt = now;
      collect();
    }
    this.#isShort = this.#part() >= SHORT_FROM;
  }

  #part(): number {
    const { used, limit } = this.#parts.heap();
    return used / limit;
  }
}

function heapOfV8(): { used: number; limit: number } {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
  return { used, limit };
}

function collector(): () => void {
  let collect: (() => void) | undefined;
  return () => {
    if (collect === undefined) {
      setFlagsFromString('--expose-gc');
      collect = runInNewContext('gc') as () => void;
    }
    collect();
  };
}
