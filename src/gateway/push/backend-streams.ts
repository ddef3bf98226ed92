import type { Backend, QuoteStream, StreamScope, UnsubscribeRefusal } from '../backend.js';
import { quotaKey, streamKey } from './streams.js';

/** A stream as the backend has it; `W` is what an owner that wants it keeps of it. */
export interface BackendStream<W> {
  readonly stream: QuoteStream;
  /** {@link streamKey} of the stream. */
  readonly key: string;
  /** By owner. After a change: {@link BackendStreams.tidy}. */
  readonly wanted: Map<string, W>;
  /** The backend delivers it. */
  readonly running: boolean;
  /** The backend may deliver it although nobody wants it: it is to be ended later. */
  readonly lingering: boolean;
  /** Settles when the work asked for so far is done; undefined when there is none. */
  readonly work: Promise<void> | undefined;
}

interface Entry<W> extends BackendStream<W> {
  running: boolean;
  lingering: boolean;
  /** Another try to end it is due. */
  retrying: boolean;
  /** It has its part in a quota unit. */
  counted: boolean;
  work: Promise<void> | undefined;
}

export interface BackendReply {
  readonly retType: number;
  readonly retMsg: string;
  readonly errCode: number;
}

interface Settled {
  /** The backend refused to start streams. */
  readonly refusal: BackendReply | undefined;
  /** The backend has not released streams that were to end. */
  readonly kept: UnsubscribeRefusal | undefined;
}

/** The least time between two tries to end a stream. */
const RETRY_MS_MIN = 5_000;

/**
 * Keeps the streams that the backend delivers in line with those that somebody wants. Work on one stream is done in the
 * order in which it was asked for, and each piece looks at what is wanted when its turn comes.
 */
export class BackendStreams<W> {
  readonly #entries = new Map<string, Entry<W>>();
  /** Streams in use per quota unit. */
  readonly #units = new Map<string, number>();
  readonly #retries = new Set<() => void>();
  /** How often streams were lost: a reply that is older than the last loss proves nothing. */
  #losses = 0;

  constructor(
    private readonly backend: Pick<Backend, 'subscribe' | 'unsubscribe'>,
    /** Runs an action after so many milliseconds. */
    private readonly after: (ms: number, action: () => void) => () => void,
  ) {}

  /** Nothing is tried again. */
  stop(): void {
    for (const cancel of this.#retries) cancel();
    this.#retries.clear();
  }

  get usedQuota(): number {
    return this.#units.size;
  }

  /** Quota units that these streams would need and that are not in use. */
  unitsNeeded(streams: readonly QuoteStream[]): number {
    return new Set(streams.map(quotaKey).filter((unit) => !this.#units.has(unit))).size;
  }

  /** The stream, made known when it was not. */
  entry(stream: QuoteStream): BackendStream<W> {
    const key = streamKey(stream);
    let entry = this.#entries.get(key);
    if (entry === undefined) {
      entry = { stream, key, wanted: new Map(), running: false, lingering: false, retrying: false, counted: false, work: undefined };
      this.#entries.set(key, entry);
    }
    return entry;
  }

  get(key: string): BackendStream<W> | undefined {
    return this.#entries.get(key);
  }

  /** Every stream that somebody wants, whether the backend delivers it or not. */
  desired(): readonly QuoteStream[] {
    return [...this.#entries.values()].filter(({ wanted }) => wanted.size > 0).map(({ stream }) => stream);
  }

  /** Brings the quota in line with what is wanted of a stream, and forgets one that is over. */
  tidy({ key }: BackendStream<W>): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    const counts = entry.wanted.size > 0 || entry.lingering;
    if (counts !== entry.counted) {
      entry.counted = counts;
      const unit = quotaKey(entry.stream);
      const streams = (this.#units.get(unit) ?? 0) + (counts ? 1 : -1);
      if (streams > 0) this.#units.set(unit, streams);
      else this.#units.delete(unit);
    }
    if (!counts && !entry.running && entry.work === undefined) this.#entries.delete(key);
  }

  /**
   * Starts what is wanted of these streams and ends the rest, after all earlier work on any of them. `onRefused` takes back
   * what was wanted, before what a refused batch may have started is ended again.
   */
  settle(streams: readonly BackendStream<W>[], onRefused: () => void): Promise<Settled> {
    const entries = this.#known(streams);
    return this.#queue(entries, () => this.#reconcile(entries, onRefused));
  }

  /** The backend delivers these no more: the keys of those that somebody wants. */
  lost(streams: StreamScope['streams']): readonly string[] {
    const entries = this.#within(streams);
    if (entries.length === 0) return [];
    this.#losses += 1;
    const missed = entries.filter(({ running, wanted }) => running && wanted.size > 0).map(({ key }) => key);
    for (const entry of entries) {
      entry.running = false;
      entry.lingering = false;
      this.tidy(entry);
    }
    return missed;
  }

  /** Starts those of these that are wanted and do not run: the keys of all that run. `onRefused` ends what is wanted of one. */
  restore(streams: StreamScope['streams'], onRefused: (stream: BackendStream<W>, reason: string) => void): Promise<readonly string[]> {
    const entries = this.#within(streams);
    return this.#queue(entries, async () => {
      const idle = entries.filter(({ running, wanted }) => !running && wanted.size > 0);
      await this.#restart(idle, onRefused);
      return entries.filter(({ running }) => running).map(({ key }) => key);
    });
  }

  /** Starts streams again, together or, when that is refused, one by one. */
  async #restart(entries: readonly Entry<W>[], onRefused: (stream: BackendStream<W>, reason: string) => void): Promise<void> {
    if (entries.length === 0) return;
    const reply = await this.#start(entries);
    if (reply.retType === 0 || !reply.answered) return;
    const [entry] = entries;
    if (entry !== undefined && entries.length === 1) onRefused(entry, reply.retMsg);
    else for (const each of entries) await this.#restart([each], onRefused);
  }

  #within(streams: StreamScope['streams']): readonly Entry<W>[] {
    if (streams === 'all') return [...this.#entries.values()];
    return streams.map((stream) => this.#entries.get(streamKey(stream))).filter((entry) => entry !== undefined);
  }

  #known(streams: readonly BackendStream<W>[]): readonly Entry<W>[] {
    return this.#within(streams.map(({ stream }) => stream));
  }

  #queue<T>(entries: readonly Entry<W>[], job: () => Promise<T>): Promise<T> {
    const before = Promise.all(entries.map((entry) => entry.work));
    const result = before.then(job);
    const done: Promise<void> = result.then(
      () => this.#release(entries, done),
      () => this.#release(entries, done),
    );
    for (const entry of entries) entry.work = done;
    return result;
  }

  #release(entries: readonly Entry<W>[], done: Promise<void>): void {
    for (const entry of entries) {
      if (entry.work !== done) continue;
      entry.work = undefined;
      this.tidy(entry);
    }
  }

  async #reconcile(entries: readonly Entry<W>[], onRefused: () => void): Promise<Settled> {
    const starting = entries.filter((entry) => entry.wanted.size > 0 && !entry.running);
    let refusal: BackendReply | undefined;
    if (starting.length > 0) {
      const losses = this.#losses;
      const reply = await this.#start(starting);
      if (reply.retType !== 0) {
        refusal = reply;
        onRefused();
        // Of a refused batch the backend may have started a part.
        if (losses === this.#losses) for (const entry of starting) entry.running = true;
      }
    }
    const stopping = entries.filter(
      (entry) => (entry.wanted.size === 0 && (entry.running || entry.lingering)) || (refusal !== undefined && starting.includes(entry)),
    );
    const kept = stopping.length > 0 ? await this.#stop(stopping) : undefined;
    return { refusal, kept };
  }

  async #start(entries: readonly Entry<W>[]): Promise<BackendReply & { readonly answered: boolean }> {
    const losses = this.#losses;
    try {
      const reply = await this.backend.subscribe(entries.map(({ stream }) => stream));
      if (reply.retType === 0 && losses === this.#losses) {
        for (const entry of entries) {
          entry.running = true;
          entry.lingering = false;
        }
      }
      return { retType: reply.retType, retMsg: reply.retMsg, errCode: reply.errCode, answered: true };
    } catch (thrown) {
      const retMsg = `the backend did not answer: ${messageOf(thrown)}`;
      return { retType: -1, retMsg, errCode: 0, answered: false };
    }
  }

  /** Ends streams. What the backend does not release, or may still have, is tried again later. */
  async #stop(entries: readonly Entry<W>[]): Promise<UnsubscribeRefusal | undefined> {
    const streams = entries.map(({ stream }) => stream);
    const losses = this.#losses;
    let refusal: UnsubscribeRefusal | undefined;
    let answered = true;
    try {
      refusal = await this.backend.unsubscribe(streams);
    } catch (thrown) {
      answered = false;
      refusal = { streams, message: `the backend did not answer: ${messageOf(thrown)}`, retryAfterMs: RETRY_MS_MIN };
    }
    // With their connection the streams are gone as well.
    if (losses !== this.#losses) refusal = undefined;
    const kept = new Set(refusal?.streams.map(streamKey));
    for (const entry of entries) {
      entry.lingering = kept.has(entry.key);
      entry.running = answered && entry.lingering;
      this.tidy(entry);
    }
    const due = entries.filter((entry) => entry.lingering && !entry.retrying);
    if (refusal !== undefined && due.length > 0) this.#retryAfter(refusal.retryAfterMs, due);
    return refusal;
  }

  #retryAfter(ms: number, entries: readonly Entry<W>[]): void {
    for (const entry of entries) entry.retrying = true;
    const cancel = this.after(Math.max(ms, RETRY_MS_MIN), () => {
      this.#retries.delete(cancel);
      for (const entry of entries) entry.retrying = false;
      const idle = entries.filter((entry) => entry.lingering && entry.wanted.size === 0 && this.#entries.get(entry.key) === entry);
      if (idle.length > 0) void this.settle(idle, () => undefined);
    });
    this.#retries.add(cancel);
  }
}

function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
