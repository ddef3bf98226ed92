import type { Clock } from '../../contract/clock.js';
import { Run } from './run.js';

/** What has frames to write when the pass comes. */
export interface Writer {
  flush(): void;
}

/** Milliseconds for which frames are gathered after a pass. */
const GATHER_MS = 1;

/**
 * Decides when frames are written. Idle, at the end of the turn that brought them: an event leaves at once, and the
 * rest of a burst with it. Within a millisecond after a pass, when that millisecond is over: under load a pass over
 * thousands of sockets takes longer than that, so each pass finds what arrived during the one before, and writes it in
 * one go per connection.
 */
export class Gatherer {
  /** The run from which those of this pass grow. */
  origin = Run.empty();
  #waiting: Writer[] = [];
  #passing: Writer[] = [];
  #lastPass = Number.NEGATIVE_INFINITY;
  readonly #pass = () => this.#flush();

  constructor(private readonly clock: Clock) {}

  /** Puts a writer on the list of the next pass. */
  add(writer: Writer): void {
    if (this.#waiting.length === 0) this.#schedule();
    this.#waiting.push(writer);
  }

  #schedule(): void {
    const due = this.#lastPass + GATHER_MS;
    if (this.clock.now() >= due) queueMicrotask(this.#pass);
    else this.clock.at(due, this.#pass);
  }

  #flush(): void {
    const writers = this.#waiting;
    this.#waiting = this.#passing;
    this.origin = Run.empty();
    for (const writer of writers) writer.flush();
    // Kept for the pass after the next, so that the list need not grow again.
    writers.length = 0;
    this.#passing = writers;
    this.#lastPass = this.clock.now();
  }
}
