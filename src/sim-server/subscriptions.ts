import type { Clock } from '../contract/clock.js';
import type { Backend, QuoteStream, ResponseMessage } from '../gateway/backend.js';
import { quotaKey, streamKey } from '../gateway/push/index.js';
import type { Connected } from './connected.js';

/** A stream that a client is subscribed to. */
export interface Held {
  readonly stream: QuoteStream;
  /** Its pushes are wanted too. */
  readonly push: boolean;
  /** On the monotonic clock: when the client first subscribed to the symbol and type. */
  readonly since: number;
}

export interface SubscriptionsOptions {
  readonly backend: Backend;
  readonly clock: Clock;
  /** Least age of a subscription; one whose client has gone holds its quota until then. 0 = none. */
  readonly ageMsMin: number;
}

/** Who is subscribed to what at a server. One symbol and type is one unit of its quota, once for all of its clients. */
export class Subscriptions {
  readonly #options: SubscriptionsOptions;
  readonly #clients = new Map<Connected, Map<string, Held>>();
  /** By stream: who holds it. */
  readonly #holders = new Map<string, Set<Connected>>();
  /** Units of clients that have gone, and until when they count. */
  readonly #lingering = new Map<string, number>();

  constructor(options: SubscriptionsOptions) {
    this.#options = options;
  }

  get ageMsMin(): number {
    return this.#options.ageMsMin;
  }

  /** Units ("HK.00700 1") that count towards the quota. */
  units(): ReadonlySet<string> {
    const now = this.#options.clock.monotonic();
    for (const [unit, until] of this.#lingering) if (until <= now) this.#lingering.delete(unit);
    const units = new Set(this.#lingering.keys());
    for (const held of this.#clients.values()) for (const { stream } of held.values()) units.add(quotaKey(stream));
    return units;
  }

  /** Those who hold anything, and what. */
  all(): Iterable<readonly [Connected, readonly Held[]]> {
    return [...this.#clients].map(([client, held]) => [client, [...held.values()]] as const);
  }

  of(client: Connected): readonly Held[] {
    return [...(this.#clients.get(client)?.values() ?? [])];
  }

  /** Since when a client is subscribed to a symbol and type (monotonic ms); undefined where it is not. */
  since(client: Connected, unit: string): number | undefined {
    return this.of(client).find(({ stream }) => quotaKey(stream) === unit)?.since;
  }

  /** Clients that want the pushes of a stream. */
  *listeners(stream: QuoteStream): Iterable<Connected> {
    const key = streamKey(stream);
    for (const client of this.#holders.get(key) ?? []) if (this.#clients.get(client)?.get(key)?.push === true) yield client;
  }

  /**
   * Subscribes a client, or says why not. A stream that replaces another (with or without extended hours) keeps its age.
   * @param push undefined leaves the registration for pushes as it was.
   */
  async subscribe(client: Connected, streams: readonly QuoteStream[], push: boolean | undefined): Promise<ResponseMessage> {
    const answer = await this.#options.backend.subscribe(streams);
    if (answer.retType !== 0 || client.gone) {
      await this.#release(streams.map(streamKey));
      return answer;
    }
    const now = this.#options.clock.monotonic();
    const held = this.#clients.get(client) ?? new Map<string, Held>();
    this.#clients.set(client, held);
    const replaced: string[] = [];
    for (const stream of streams) {
      const [key, unit] = [streamKey(stream), quotaKey(stream)];
      const before = held.get(key);
      const since = this.since(client, unit) ?? now;
      for (const [other, { stream: one }] of held) {
        if (other !== key && quotaKey(one) === unit && one.extendedTime !== stream.extendedTime) replaced.push(other);
      }
      held.set(key, { stream, push: push ?? before?.push ?? false, since });
      this.#lingering.delete(unit);
      const holders = this.#holders.get(key) ?? new Set();
      this.#holders.set(key, holders.add(client));
    }
    await this.#drop(client, replaced);
    return answer;
  }

  /** Turns the pushes of what a client holds on or off. */
  register(client: Connected, streams: readonly QuoteStream[], push: boolean): void {
    const held = this.#clients.get(client);
    for (const key of streams.map(streamKey)) {
      const entry = held?.get(key);
      if (entry !== undefined) held?.set(key, { ...entry, push });
    }
  }

  /** Ends a client's streams of these units; all of its streams where none is named. */
  async unsubscribe(client: Connected, units?: ReadonlySet<string>): Promise<void> {
    const keys = this.of(client).flatMap(({ stream }) => (units === undefined || units.has(quotaKey(stream)) ? [streamKey(stream)] : []));
    await this.#drop(client, keys);
  }

  /** A client has gone: what it held counts until it is old enough to be given back. */
  left(client: Connected): Promise<void> {
    const { clock, ageMsMin } = this.#options;
    const now = clock.monotonic();
    for (const { stream, since } of this.of(client)) {
      const until = since + ageMsMin;
      const unit = quotaKey(stream);
      if (until > now) this.#lingering.set(unit, Math.max(until, this.#lingering.get(unit) ?? 0));
    }
    return this.unsubscribe(client);
  }

  /** Forgets everything at once, as a server does that starts again. */
  async forget(): Promise<void> {
    const keys = [...this.#holders.keys()];
    this.#clients.clear();
    this.#holders.clear();
    this.#lingering.clear();
    await this.#release(keys);
  }

  async #drop(client: Connected, keys: readonly string[]): Promise<void> {
    const held = this.#clients.get(client);
    for (const key of keys) {
      held?.delete(key);
      this.#holders.get(key)?.delete(client);
    }
    if (held?.size === 0) this.#clients.delete(client);
    await this.#release(keys);
  }

  /** Ends the streams that nobody holds any more. */
  async #release(keys: readonly string[]): Promise<void> {
    const idle = keys.filter((key) => (this.#holders.get(key)?.size ?? 0) === 0);
    for (const key of idle) this.#holders.delete(key);
    if (idle.length > 0) await this.#options.backend.unsubscribe(idle.map(streamOf));
  }
}

/** The stream of a {@link streamKey}. */
function streamOf(key: string): QuoteStream {
  const [symbol = '', subType, rehabType, extended] = key.split(' ');
  return { symbol, subType: Number(subType), rehabType: Number(rehabType), extendedTime: extended === 'x' };
}
