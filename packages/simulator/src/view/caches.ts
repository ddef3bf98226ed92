import type { Clock } from '@svc-gateway/contract/clock';

/** A kind of values that take long to make. */
export interface CacheKind<T> {
  /** Values kept of the kind; beyond that, the one that was made first goes. */
  readonly max: number;
  readonly made?: T;
}

interface Entry {
  readonly stamp: string | number;
  readonly made: unknown;
}

const MINUTE_MS = 60_000;

/** Values made of a world that take long, each kept for as long as its stamp is the same. */
export class Caches {
  readonly #kinds = new Map<CacheKind<unknown>, Map<string, Entry>>();

  constructor(private readonly clock: Pick<Clock, 'now'>) {}

  /** @param stamp names what the value lasts for, such as a day */
  get<T>(kind: CacheKind<T>, key: string, stamp: string | number, make: () => T): T {
    const known = this.known(kind, key, stamp);
    return known === undefined ? this.keep(kind, key, stamp, make()) : known.made;
  }

  /** As {@link get}, of work that may pause. */
  *inTurns<T>(kind: CacheKind<T>, key: string, stamp: string | number, make: () => Generator<void, T>): Generator<void, T> {
    const known = this.known(kind, key, stamp);
    return known === undefined ? this.keep(kind, key, stamp, yield* make()) : known.made;
  }

  /** A value that lasts for a minute by the clock. */
  ofMinute<T>(kind: CacheKind<T>, key: string, make: () => T): T {
    return this.get(kind, key, Math.floor(this.clock.now() / MINUTE_MS), make);
  }

  known<T>(kind: CacheKind<T>, key: string, stamp: string | number): { readonly made: T } | undefined {
    const known = this.#kinds.get(kind)?.get(key);
    return known?.stamp === stamp ? (known as { readonly made: T }) : undefined;
  }

  keep<T>(kind: CacheKind<T>, key: string, stamp: string | number, made: T): T {
    const entries = this.#kinds.get(kind) ?? new Map<string, Entry>();
    this.#kinds.set(kind, entries);
    entries.delete(key);
    const [oldest] = entries.size >= kind.max ? entries.keys() : [];
    if (oldest !== undefined) entries.delete(oldest);
    entries.set(key, { stamp, made });
    return made;
  }
}
