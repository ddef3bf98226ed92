/** Exchange incidents that tests can order. */
export interface OrderedIncidents {
  /** The next `times` orders are refused at its door. */
  refuse(times?: number): void;
  /** Leaves the next `times` orders unanswered for `ms` milliseconds. */
  silence(ms: number, times?: number): void;
  /** Makes the state of resting orders unknown for `ms` milliseconds. */
  loseSight(ms: number): Promise<void>;
  /** Takes the trades of a filled order back; throws where it is not filled. */
  cancelFills(orderIdEx: string): Promise<void>;
  /** Submissions that go wrong next, in their order. */
  readonly waiting: readonly OrderedSubmission[];
  /** Takes back what waits. */
  clear(): void;
}

/** Fate of an order on its way to the exchange: refused, or unanswered for some milliseconds. */
export type Submission = 'refused' | { readonly silentMs: number };

/** A submission that goes wrong as ordered, and how often yet. */
export interface OrderedSubmission {
  readonly submission: Submission;
  readonly left: number;
}

/** Ordered incidents that wait for their submissions; more are defects of whoever orders them. */
const WAITING_MAX = 1_000;

/** Incidents between brokerage and exchange. None happens unless ordered: see `svcd sim serve --faults`. */
export class Incidents {
  readonly #waiting: { readonly submission: Submission; left: number }[] = [];

  /** Orders `submission` for the next `times` orders that reach the exchange. */
  order(submission: Submission, times = 1): void {
    if (this.#waiting.length >= WAITING_MAX) throw new Error(`${WAITING_MAX} incidents are waiting already`);
    this.#waiting.push({ submission, left: times });
  }

  get waiting(): readonly OrderedSubmission[] {
    return this.#waiting;
  }

  clear(): void {
    this.#waiting.length = 0;
  }

  /** Fate of the order that reaches the exchange now; undefined without an incident. */
  next(): Submission | undefined {
    const [first] = this.#waiting;
    if (first === undefined) return undefined;
    first.left -= 1;
    if (first.left === 0) this.#waiting.shift();
    return first.submission;
  }
}
