import type { Clock } from '@svc-gateway/contract/clock';
import type { Backend, QuoteStream, ResponseMessage } from '@svc-gateway/gateway/backend';
import { quotaKey, replacedBy, streamKey, streamOfKey } from '@svc-gateway/gateway/push';
import type { Connected } from './connected.js';

/** A stream that a client is subscribed to. */
export interface Held {
  readonly stream: QuoteStream;
  /** Its pushes are wanted too. */
  readonly push: boolean;
}

/** Subscriptions of one client. */
interface Holdings {
  /** By {@link streamKey}. */
  readonly streams: Map<string, Held>;
  /** When it first subscribed to a symbol and type, on the monotonic clock. */
  readonly since: Map<string, number>;
}

export interface SubscriptionsOptions {
  readonly backend: Backend;
  readonly clock: Clock;
  /** Least age of a subscription; one whose client has gone holds its quota until then. 0 = none. */
  readonly ageMsMin: number;
}

/** Subscriptions of the clients of a server. One symbol and type is one unit of its quota, once for all clients. */
export class Subscriptions {
  readonly #clients = new Map<Connected, Holdings>();
  /** By stream: who holds it. */
  readonly #holders = new Map<string, Set<Connected>>();
  /** Units of clients that have gone, and until when they count. */
  readonly #lingering = new Map<string, number>();
  #changes: Promise<unknown> = Promise.resolve();

  constructor(private readonly options: SubscriptionsOptions) {}

  get ageMsMin(): number {
    return this.options.ageMsMin;
  }

  /** Units ("HK.00700 1") that count towards the quota. */
  units(): ReadonlySet<string> {
    const now = this.options.clock.monotonic();
    for (const [unit, until] of this.#lingering) if (until <= now) this.#lingering.delete(unit);
    const units = new Set(this.#lingering.keys());
    for (const { since } of this.#clients.values()) for (const unit of since.keys()) units.add(unit);
    return units;
  }

  /** Clients that hold anything, with their subscriptions. */
  all(): Iterable<readonly [Connected, readonly Held[]]> {
    return [...this.#clients].map(([client, { streams }]) => [client, [...streams.values()]] as const);
  }

  of(client: Connected): readonly Held[] {
    return [...(this.#clients.get(client)?.streams.values() ?? [])];
  }

  /** Whether a client holds a stream. */
  holds(client: Connected, key: string): boolean {
    return this.#clients.get(client)?.streams.has(key) ?? false;
  }

  /** Since when a client is subscribed to a symbol and type (monotonic ms); undefined where it is not. */
  since(client: Connected, unit: string): number | undefined {
    return this.#clients.get(client)?.since.get(unit);
  }

  /** Clients that want the pushes of a stream. */
  *listeners(stream: QuoteStream): Iterable<Connected> {
    const key = streamKey(stream);
    for (const client of this.#holders.get(key) ?? []) if (this.#clients.get(client)?.streams.get(key)?.push === true) yield client;
  }

  /**
   * Subscribes a client, or says why not. A stream that replaces another (with other hours, with or without the orders of a book) keeps its age.
   * @param push undefined leaves the registration for pushes as it was.
   */
  subscribe(client: Connected, streams: readonly QuoteStream[], push: boolean | undefined): Promise<ResponseMessage> {
    return this.#inTurn(async () => {
      const answer = await this.options.backend.subscribe(streams);
      if (answer.retType !== 0 || client.gone) {
        await this.#end(streams.map(streamKey));
        return answer;
      }
      const now = this.options.clock.monotonic();
      const holdings = this.#clients.get(client) ?? { streams: new Map(), since: new Map() };
      this.#clients.set(client, holdings);
      for (const stream of streams) {
        const [key, unit] = [streamKey(stream), quotaKey(stream)];
        holdings.streams.set(key, { stream, push: push ?? holdings.streams.get(key)?.push ?? false });
        if (!holdings.since.has(unit)) holdings.since.set(unit, now);
        this.#lingering.delete(unit);
        this.#holders.set(key, (this.#holders.get(key) ?? new Set()).add(client));
      }
      const held = [...holdings.streams.values()].map(({ stream }) => stream);
      await this.#drop(client, replacedBy(streams, held).map(streamKey));
      return answer;
    });
  }

  /** Turns the pushes of what a client holds on or off. */
  register(client: Connected, streams: readonly QuoteStream[], push: boolean): void {
    const held = this.#clients.get(client)?.streams;
    for (const key of streams.map(streamKey)) {
      const entry = held?.get(key);
      if (entry !== undefined) held?.set(key, { ...entry, push });
    }
  }

  /** Ends a client's streams of these units; all of its streams where none is named. */
  unsubscribe(client: Connected, units?: ReadonlySet<string>): Promise<void> {
    return this.#inTurn(() => {
      const streams = this.of(client).map(({ stream }) => stream);
      return this.#drop(client, streams.filter((stream) => units === undefined || units.has(quotaKey(stream))).map(streamKey));
    });
  }

  /** A client has gone: what it held counts until it is old enough to be given back. */
  left(client: Connected): Promise<void> {
    const { clock, ageMsMin } = this.options;
    const now = clock.monotonic();
    for (const [unit, since] of this.#clients.get(client)?.since ?? []) {
      const until = since + ageMsMin;
      if (until > now) this.#lingering.set(unit, Math.max(until, this.#lingering.get(unit) ?? 0));
    }
    return this.unsubscribe(client);
  }

  /** Forgets everything at once, as a server does that starts again. */
  forget(): Promise<void> {
    return this.#inTurn(async () => {
      const keys = [...this.#holders.keys()];
      this.#clients.clear();
      this.#holders.clear();
      this.#lingering.clear();
      await this.options.backend.unsubscribe(keys.map(streamOfKey));
    });
  }

  /** One change after the other: between a stream's start at the backend and its entry here, nobody else's end may come. */
  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const done = this.#changes.then(change);
    this.#changes = done.catch(() => undefined);
    return done;
  }

  async #drop(client: Connected, keys: readonly string[]): Promise<void> {
    const holdings = this.#clients.get(client);
    if (holdings === undefined) return;
    for (const key of keys) {
      holdings.streams.delete(key);
      this.#holders.get(key)?.delete(client);
    }
    const left = new Set([...holdings.streams.values()].map(({ stream }) => quotaKey(stream)));
    for (const unit of [...holdings.since.keys()]) if (!left.has(unit)) holdings.since.delete(unit);
    if (left.size === 0) this.#clients.delete(client);
    await this.#end(keys);
  }

  /** Ends streams without holders. */
  async #end(keys: readonly string[]): Promise<void> {
    const idle = keys.filter((key) => (this.#holders.get(key)?.size ?? 0) === 0);
    for (const key of idle) this.#holders.delete(key);
    if (idle.length > 0) await this.options.backend.unsubscribe(idle.map(streamOfKey));
  }
}
