import type { Clock } from '@svc-gateway/contract/clock';
import { Emitter } from '@svc-gateway/contract/emitter';
import { inTurns } from '../pace.js';
import type { Instrument } from '../world/instrument.js';
import type { MarketEvent, Tick } from './market.js';

/** Market access that live events need. */
export interface LiveSource {
  /** The newest `count` ticks after `sequence`, oldest first. */
  ticksAfter(instrument: Instrument, sequence: bigint, count: number): readonly Tick[];
  /** The next moment after now at which the background trades or changes its book. */
  nextChange(instrument: Instrument): number;
  /** As of `SimulatedMarket.prepare`. */
  prepare(instrument: Instrument): Generator<void, void>;
}

/**
 * After a jump of the clock (a machine that slept) only this many of the missed ticks are emitted, the newest: the tape
 * and the bars have them all.
 */
export const EMITTED_TICKS_MAX = 1_000;

interface Watched {
  readonly instrument: Instrument;
  watchers: number;
  emitted: bigint;
  /** When the timer falls due, epoch ms. */
  due: number;
  cancel: () => void;
}

/** Runs one timer for each watched symbol, set to its next change, and tells the listeners what happened. */
export class LiveEvents {
  readonly #watched = new Map<string, Watched>();
  readonly #listeners = new Emitter<MarketEvent>();

  constructor(
    readonly clock: Clock,
    readonly source: LiveSource,
  ) {}

  watch(instrument: Instrument): void {
    const known = this.#watched.get(instrument.symbol);
    if (known !== undefined) {
      known.watchers += 1;
      return;
    }
    const emitted = this.source.ticksAfter(instrument, 0n, 1).at(-1)?.sequence ?? 0n;
    const watched = { instrument, watchers: 1, emitted, due: Infinity, cancel: () => {} };
    this.#watched.set(instrument.symbol, watched);
    this.#arm(watched, this.source.nextChange(instrument));
  }

  unwatch(instrument: Instrument): void {
    const watched = this.#watched.get(instrument.symbol);
    if (watched === undefined) throw new Error(`${instrument.symbol} is not watched`);
    watched.watchers -= 1;
    if (watched.watchers > 0) return;
    watched.cancel();
    this.#watched.delete(instrument.symbol);
  }

  onEvent(listener: (event: MarketEvent) => void): () => void {
    return this.#listeners.on(listener);
  }

  /** A caller changed the book or the tape: told at once, but not from within the call, so that a listener may itself trade. */
  changed(instrument: Instrument): void {
    const watched = this.#watched.get(instrument.symbol);
    const now = this.clock.now();
    if (watched !== undefined && watched.due > now) this.#arm(watched, now);
  }

  /** Tells the listeners of an event that did not come with time; nobody where its symbol is not watched. */
  tell(event: MarketEvent): void {
    if (this.#watched.has(event.instrument.symbol)) this.#listeners.emit(event);
  }

  #arm(watched: Watched, due: number): void {
    watched.cancel();
    watched.due = due;
    watched.cancel = due === Infinity ? () => {} : this.clock.at(due, () => this.#fire(watched));
  }

  #fire(watched: Watched): void {
    const { instrument } = watched;
    // Timers of the machine may come a moment early.
    if (this.clock.now() < watched.due) {
      this.#arm(watched, watched.due);
      return;
    }
    const preparing = inTurns(this.source.prepare(instrument));
    if (preparing instanceof Promise) {
      void preparing.then(() => {
        if (this.#watched.get(instrument.symbol) === watched) this.#arm(watched, this.clock.now());
      });
      return;
    }
    // Armed before the listeners run: what they change then counts as new.
    this.#arm(watched, this.source.nextChange(instrument));
    const ticks = this.source.ticksAfter(instrument, watched.emitted, EMITTED_TICKS_MAX);
    const last = ticks.at(-1);
    if (last !== undefined) {
      watched.emitted = last.sequence;
      this.#listeners.emit({ kind: 'tick', instrument, ticks });
    }
    this.#listeners.emit({ kind: 'book', instrument });
  }
}
