import { Tally } from '@svc-gateway/contract/tally';
import { answered } from '../answer-check.js';
import type { Backend, QuoteStream, StreamScope, UnsubscribeRefusal } from '../backend.js';
import { BackendRefused, BackendTimeout } from '../backend-failures.js';
import { type After, inTime, isRefusedForGood, RETRY_MS_MIN, Retries, unansweredText } from './retries.js';
import { quotaKey, streamKey } from './streams.js';

/** A refusal by the backend. */
export interface Refused {
  readonly retType: number;
  readonly message: string;
  readonly errCode: number;
  /** Where it is one for a reason that has a code. */
  readonly cause?: BackendRefused;
}

interface Settled {
  /** The backend refused what was to be started. */
  readonly refused: Refused | undefined;
  /** The backend does not let go of what was to be ended. */
  readonly kept: UnsubscribeRefusal | undefined;
}

/** Result of restoring streams. */
export interface RestoredStreams {
  /** Keys of those that run. */
  readonly keys: readonly string[];
  /** Says later which of those that the backend did not answer for, or refused for now, are to be restored again: still wanted, and not lost since. */
  readonly overdue: () => readonly QuoteStream[];
}

interface Entry {
  readonly stream: QuoteStream;
  readonly key: string;
  /** The backend delivers it. */
  running: boolean;
  /** Unwanted, but perhaps still delivered by the backend: to be unsubscribed later. */
  lingering: boolean;
  /** A retry of the unsubscription is due. */
  retrying: boolean;
  /** How often it was lost: a reply to what was asked before the last loss proves nothing. */
  losses: number;
  /** Counted in a quota unit. */
  counted: boolean;
  /** Settles when the work asked for so far is done; undefined when there is none. */
  work: Promise<void> | undefined;
}

/** An answer to a request to start streams. */
interface Reply extends Refused {
  /** `not now`: refused for a temporary reason. `none`: no answer, or not in time. */
  readonly answer: 'given' | 'not now' | 'none';
}

/** Result of restarting streams. */
interface Restart {
  /** Streams to retry. */
  readonly again: readonly Entry[];
  /** The backend answered, one way or another. */
  readonly answered: boolean;
}

/**
 * The streams that the backend delivers, brought in line with those that somebody wants.
 *
 * Work on one stream is done in the order in which it was asked for, and each piece looks at what is wanted when its turn
 * comes, so any interleaving ends in the right state. A stream with work to do has its one entry until that is done.
 */
export class UpstreamStreams {
  readonly #entries = new Map<string, Entry>();
  /** Streams in use per quota unit. */
  readonly #units = new Tally<string>();
  readonly #retries: Retries;

  constructor(
    private readonly backend: Pick<Backend, 'subscribe' | 'unsubscribe'>,
    private readonly isWanted: (key: string) => boolean,
    private readonly after: After,
  ) {
    this.#retries = new Retries(after);
  }

  /** Nothing is tried again. */
  stop(): void {
    this.#retries.stop();
  }

  /** Quota units of what is wanted, or lingers. */
  get usedQuota(): number {
    return this.#units.size;
  }

  /** How many quota units these would add to those in use. */
  newUnits(streams: readonly QuoteStream[]): number {
    return new Set(streams.map(quotaKey).filter((unit) => !this.#units.has(unit))).size;
  }

  /** Whether a stream is wanted has changed; the backend hears of it by {@link settle}. */
  note(stream: QuoteStream): void {
    this.#tidy(this.#entry(stream));
  }

  /** All of these run, and nothing is under way for them. */
  allRun(streams: readonly QuoteStream[]): boolean {
    return streams.every((stream) => {
      const entry = this.#entries.get(streamKey(stream));
      return entry?.running === true && entry.work === undefined;
    });
  }

  /**
   * Brings the backend in line with what is wanted of these streams, after all earlier work on any of them. Where it refuses
   * to start them, `onRefused` says what is no longer wanted, and what the backend started all the same is ended.
   */
  settle(streams: readonly QuoteStream[], onRefused: () => void = () => undefined): Promise<Settled> {
    const entries = streams.map((stream) => this.#entry(stream));
    return this.#queue(entries, () => this.#reconcile(entries, onRefused));
  }

  /** Marks streams as lost at the backend; returns the keys of the wanted ones. */
  lost(streams: StreamScope['streams']): readonly string[] {
    const entries = this.#within(streams);
    const missed = entries.filter(({ running, key }) => running && this.isWanted(key)).map(({ key }) => key);
    for (const entry of entries) {
      entry.losses += 1;
      entry.running = false;
      entry.lingering = false;
      this.#tidy(entry);
    }
    return missed;
  }

  /** Starts those of these that are wanted and do not run. `onRefused` ends one that the backend refuses by itself. */
  restore(streams: StreamScope['streams'], onRefused: (key: string, reason: string) => void): Promise<RestoredStreams> {
    const entries = this.#within(streams);
    return this.#queue(entries, async () => {
      const missing = entries.filter((entry) => this.#isMissing(entry));
      const { again } = await this.#restart(missing, onRefused);
      const notLost = watchLosses(again);
      const overdue = () => notLost().flatMap(({ key, stream }) => (this.isWanted(key) ? [stream] : []));
      return { keys: entries.filter(({ running }) => running).map(({ key }) => key), overdue };
    });
  }

  #isMissing({ key, running }: Entry): boolean {
    return !running && this.isWanted(key);
  }

  /** Starts streams again, together or, when that is refused, one by one. */
  async #restart(entries: readonly Entry[], onRefused: (key: string, reason: string) => void): Promise<Restart> {
    const [entry] = entries;
    if (entry === undefined) return { again: [], answered: true };
    const notLost = watchLosses(entries);
    const { retType, message, answer } = await this.#start(entries);
    if (retType === 0) return { again: [], answered: true };
    if (answer === 'none') return { again: notLost(), answered: false };
    if (entries.length === 1) {
      if (answer === 'not now') return { again: notLost(), answered: true };
      onRefused(entry.key, message);
      return { again: [], answered: true };
    }
    const again: Entry[] = [];
    for (const [index, each] of entries.entries()) {
      const alone = await this.#restart([each], onRefused);
      again.push(...alone.again);
      // The others would only wait as long, one after another.
      if (!alone.answered) return { again: [...again, ...entries.slice(index + 1)], answered: false };
    }
    return { again, answered: true };
  }

  #within(streams: StreamScope['streams']): readonly Entry[] {
    if (streams === 'all') return [...this.#entries.values()];
    return streams.map((stream) => this.#entries.get(streamKey(stream))).filter((entry) => entry !== undefined);
  }

  #queue<T>(entries: readonly Entry[], job: () => Promise<T>): Promise<T> {
    const before = Promise.all(entries.map((entry) => entry.work));
    const result = before.then(job);
    const done: Promise<void> = result.then(
      () => this.#release(entries, done),
      () => this.#release(entries, done),
    );
    for (const entry of entries) entry.work = done;
    return result;
  }

  #release(entries: readonly Entry[], done: Promise<void>): void {
    for (const entry of entries) {
      if (entry.work !== done) continue;
      entry.work = undefined;
      this.#tidy(entry);
    }
  }

  /** Brings the quota in line with an entry, and forgets one that is over. */
  #tidy(entry: Entry): void {
    const counts = entry.lingering || this.isWanted(entry.key);
    if (counts !== entry.counted) {
      entry.counted = counts;
      this.#units.add(quotaKey(entry.stream), counts ? 1 : -1);
    }
    if (!counts && !entry.running && entry.work === undefined) this.#entries.delete(entry.key);
  }

  async #reconcile(entries: readonly Entry[], onRefused: () => void): Promise<Settled> {
    const starting = entries.filter((entry) => this.#isMissing(entry));
    let refused: Refused | undefined;
    if (starting.length > 0) {
      const notLost = watchLosses(starting);
      const reply = await this.#start(starting);
      if (reply.retType !== 0) {
        refused = reply;
        onRefused();
        // The backend may have started part of a refused batch.
        for (const entry of notLost()) entry.running = true;
      }
    }
    const stopping = entries.filter(
      (entry) => (!this.isWanted(entry.key) && (entry.running || entry.lingering)) || (refused !== undefined && starting.includes(entry)),
    );
    const kept = stopping.length > 0 ? await this.#end(stopping) : undefined;
    return { refused, kept };
  }

  async #start(entries: readonly Entry[]): Promise<Reply> {
    const notLost = watchLosses(entries);
    const streams = entries.map(({ stream }) => stream);
    let asked: ReturnType<Backend['subscribe']> | undefined;
    try {
      asked = this.backend.subscribe(streams);
      const { retType, retMsg, errCode } = answered(await inTime(asked, this.after));
      if (retType === 0) {
        for (const entry of notLost()) {
          entry.running = true;
          entry.lingering = false;
        }
      }
      return { retType, message: retMsg, errCode, answer: 'given' };
    } catch (thrown) {
      if (thrown instanceof BackendRefused) {
        const answer = isRefusedForGood(thrown) ? 'given' : 'not now';
        return { retType: -1, message: thrown.message, errCode: 0, cause: thrown, answer };
      }
      if (thrown instanceof BackendTimeout) asked?.then(({ retType }) => retType === 0 && this.#startedLate(streams), ignore);
      return { retType: -1, message: unansweredText(thrown), errCode: 0, answer: 'none' };
    }
  }

  /** The backend has started these after their time: perhaps after they were ended again. */
  #startedLate(streams: readonly QuoteStream[]): void {
    const unwanted = streams.filter((stream) => !this.isWanted(streamKey(stream)));
    for (const stream of unwanted) this.#entry(stream).lingering = true;
    if (unwanted.length > 0) void this.settle(unwanted);
  }

  /** Ends streams. What the backend does not let go of, or may not have, is tried again later. */
  async #end(entries: readonly Entry[]): Promise<UnsubscribeRefusal | undefined> {
    const streams = entries.map(({ stream }) => stream);
    const notLost = watchLosses(entries);
    let refusal: UnsubscribeRefusal | undefined;
    let answered = true;
    try {
      refusal = await inTime(this.backend.unsubscribe(streams), this.after);
    } catch (thrown) {
      answered = false;
      refusal = { streams, message: unansweredText(thrown), retryAfterMs: RETRY_MS_MIN };
    }
    // With their connection the streams are gone as well.
    const still = new Set(notLost().map(({ key }) => key));
    const streamsKept = refusal?.streams.filter((stream) => still.has(streamKey(stream))) ?? [];
    const kept = new Set(streamsKept.map(streamKey));
    for (const entry of entries) {
      entry.lingering = kept.has(entry.key);
      entry.running = answered && entry.lingering;
      this.#tidy(entry);
    }
    const due = entries.filter((entry) => entry.lingering && !entry.retrying);
    if (refusal === undefined || kept.size === 0) return undefined;
    if (due.length > 0) this.#retryAfter(refusal.retryAfterMs, due);
    return { ...refusal, streams: streamsKept };
  }

  #retryAfter(ms: number, entries: readonly Entry[]): void {
    for (const entry of entries) entry.retrying = true;
    this.#retries.schedule(ms, () => {
      for (const entry of entries) entry.retrying = false;
      const idle = entries.filter((entry) => entry.lingering && !this.isWanted(entry.key) && this.#entries.get(entry.key) === entry);
      if (idle.length > 0) void this.settle(idle.map(({ stream }) => stream));
    });
  }

  #entry(stream: QuoteStream): Entry {
    const key = streamKey(stream);
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      const nothing = { running: false, lingering: false, retrying: false, losses: 0, counted: false, work: undefined };
      entry = { stream, key, ...nothing };
      this.#entries.set(key, entry);
    }
    return entry;
  }
}

const ignore = () => undefined;

/** Says later which of these were not lost in between. */
function watchLosses(entries: readonly Entry[]): () => readonly Entry[] {
  const before = entries.map(({ losses }) => losses);
  return () => entries.filter(({ losses }, index) => losses === before[index]);
}
