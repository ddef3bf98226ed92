import { getOrInsert } from '@svc-gateway/contract/memo';
import type { QuotePush, StreamsLost, TradePush } from '../backend.js';
import { streamKey } from './streams.js';

/** A part of the daemon that hears pushes itself, beside those that go to connections. */
export interface Observer {
  /** An event of what it observes, in order. */
  event(event: QuotePush | TradePush): void;
  /** The backend delivers it no more, for now: what happened from here on may be missing. */
  lost(reason: string): void;
}

/** The subject of an observer: a stream by its key ({@link streamKey}), or an account's orders and fills. */
export type Observed = string | bigint;

/** Observers by subject. They subscribe like everybody else: this only routes the events. */
export class Observers {
  readonly #observers = new Map<Observed, Set<Observer>>();

  /** Returns its own removal. */
  add(observed: Observed, observer: Observer): () => void {
    const own = getOrInsert(this.#observers, observed, () => new Set());
    own.add(observer);
    return () => {
      own.delete(observer);
      if (own.size === 0 && this.#observers.get(observed) === own) this.#observers.delete(observed);
    };
  }

  quote(event: QuotePush): void {
    // Fast path for every event: most of the time there are no observers.
    if (this.#observers.size > 0) this.#tell(streamKey(event.stream), event);
  }

  trade(event: TradePush): void {
    if (this.#observers.size > 0) this.#tell(event.accId, event);
  }

  lost({ streams, accIds, reason }: StreamsLost): void {
    const keys = streams === 'all' ? undefined : new Set(streams.map(streamKey));
    for (const [observed, observers] of this.#observers) {
      const affected = typeof observed === 'string' ? (keys?.has(observed) ?? true) : accIds === 'all' || accIds.includes(observed);
      if (affected) for (const observer of [...observers]) observer.lost(reason);
    }
  }

  #tell(observed: Observed, event: QuotePush | TradePush): void {
    for (const observer of [...(this.#observers.get(observed) ?? [])]) observer.event(event);
  }
}
