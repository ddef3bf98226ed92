import { keyOf, mix } from '../rng/random.js';
import { refreshAt } from './background-book.js';
import type { Spot } from './spot.js';

const MAKERS = keyOf('market makers');
/** Quotes are renewed at least so often, however seldom the underlying trades: a moment is drawn in each period. */
const PERIOD_MS = 2_000;

/** A moment at which quotes are set. */
export interface Quoting {
  /** Epoch ms. */
  readonly time: number;
  /** Number of the renewal, which rises with time. */
  readonly number: number;
  /** The moment at which quotes are next set: epoch ms. */
  readonly next: number;
}

/**
 * When market makers set their quotes of everything that follows one underlying: with each of its trades, and in between. It is the same moment for all
 * futures, options and warrants on it, so that they agree with one another and with the underlying at every moment.
 */
export class Makers {
  readonly #refreshes: { readonly key: number; readonly period: number };
  /** The moment that was asked for last: contracts on one underlying ask for it one after another. */
  #last: Quoting | undefined;

  /** @param key stream of the underlying */
  constructor(
    key: number,
    private readonly spot: Spot,
  ) {
    this.#refreshes = { key: mix(key, MAKERS), period: PERIOD_MS };
  }

  at(time: number): Quoting {
    const last = this.#last;
    if (last !== undefined && last.time <= time && time < last.next) return last;
    const refresh = refreshAt(this.#refreshes, time);
    const moved = this.spot.moved(time);
    const found = { time: Math.max(refresh.time, moved.last), number: refresh.number, next: Math.min(refresh.next, moved.next) };
    this.#last = found;
    return found;
  }
}
