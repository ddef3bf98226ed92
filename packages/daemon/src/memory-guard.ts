import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from '@svc-gateway/contract/clock';

/** How often caches are looked after. */
const LOOK_MS = 50;
/** Memory that no read may take: for writes, for what reads under way turn out to need, and for the youngest objects, which are in the limit too. */
const RESERVE_PART = 0.15;
const RESERVE_BYTES_MIN = 64 * 1024 * 1024;
/** Part of the rest from which on caches are emptied. */
const EMPTIED_FROM = 0.75;
/** Memory that a read may come to need while it is under way: a list of a whole market takes some megabytes. */
const READ_BYTES = 2 * 1024 * 1024;
/** Emptied caches fill again, and a collection holds everybody up: neither is done more often. */
const EMPTIED_EVERY_MS = 1_000;
const COLLECTED_EVERY_MS = 2_000;

export interface MemoryGuardDeps {
  readonly clock: Pick<Clock, 'after' | 'monotonic'>;
  /** Empties what can be worked out again. */
  readonly empty: () => void;
  /** Bytes in use, those of buffers among them, which hold answers that nobody has read yet; and the most the heap may have. */
  readonly heap?: () => { readonly used: number; readonly limit: number };
  /** Frees what nothing refers to: V8 does it by itself only where something is asked of it. */
  readonly collect?: () => void;
}

/** Watches the heap, so that the daemon refuses reads for a while where it would else be ended by V8. */
export class MemoryGuard {
  readonly #deps: Required<MemoryGuardDeps>;
  #cancel: () => void = () => {};
  #emptiedAt = -Infinity;
  #collectedAt = -Infinity;

  constructor(deps: MemoryGuardDeps) {
    this.#deps = { heap: heapOfV8, collect: collector(), ...deps };
  }

  /** Whether there is no room for one more read beside so many that are under way. It takes less than a microsecond. */
  isShort(reads: number): boolean {
    if (this.#hasRoom(reads)) return false;
    const { clock, empty, collect } = this.#deps;
    const now = clock.monotonic();
    // Most of what is in use may be garbage.
    if (now - this.#collectedAt < COLLECTED_EVERY_MS) return true;
    this.#collectedAt = now;
    empty();
    collect();
    return !this.#hasRoom(reads);
  }

  start(): void {
    this.#look();
    this.#cancel = this.#deps.clock.after(LOOK_MS, () => this.start());
  }

  stop(): void {
    this.#cancel();
  }

  #look(): void {
    const { clock, empty, heap } = this.#deps;
    const now = clock.monotonic();
    const { used, limit } = heap();
    if (used < EMPTIED_FROM * roomIn(limit) || now - this.#emptiedAt < EMPTIED_EVERY_MS) return;
    this.#emptiedAt = now;
    empty();
  }

  #hasRoom(reads: number): boolean {
    const { used, limit } = this.#deps.heap();
    return used + (reads + 1) * READ_BYTES <= roomIn(limit);
  }
}

function roomIn(limit: number): number {
  return limit - Math.max(RESERVE_PART * limit, Math.min(RESERVE_BYTES_MIN, limit / 2));
}

function heapOfV8(): { used: number; limit: number } {
  const { used_heap_size: heap, external_memory: buffers, heap_size_limit: limit } = getHeapStatistics();
  return { used: heap + buffers, limit };
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
