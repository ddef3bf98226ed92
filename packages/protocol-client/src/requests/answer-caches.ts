import { type Message, toBinary } from '@bufbuild/protobuf';
import { type Clock, Stopwatch } from '@svc-gateway/contract/clock';
import { quoteMarkets } from '@svc-gateway/contract/markets';
import { type Operation, readsMarketData } from '@svc-gateway/contract/operation';
import { localDayNumber } from '@svc-gateway/contract/time';
import type { HeldAnswer, ResponseMessage } from '@svc-gateway/gateway/backend';
import { sizeOf } from '../connection/bodies.js';
import type { ProtocolOperation } from '../connection/upstream.js';
import { LruCache } from './lru-cache.js';
import { fieldsOf } from './request.js';

/** Name of a request: equal for equal requests. */
export function keyOf({ name, protoId, messages }: ProtocolOperation, c2s: Message): string {
  return `${protoId ?? name} ${Buffer.from(toBinary(messages.C2SSchema, c2s)).toString('latin1')}`;
}

/** Ids whose whole answers hold for the day; with a condition where only some do. */
const dailyReads: ReadonlyMap<number, (c2s: Message) => boolean> = new Map<number, (c2s: Message) => boolean>([
  [3202, () => true],
  [3204, () => true],
  // Sorted by figures that change all day, it does not hold.
  [3205, (c2s) => !fieldsOf(c2s).sortField],
  [3206, () => true],
  // Nor does a filter by the Greeks.
  [3209, (c2s) => fieldsOf(c2s).dataFilter === undefined],
  [3219, () => true],
  [3224, () => true],
]);

const zones = [...new Set(quoteMarkets.map(({ timeZone }) => timeZone))];

/**
 * Answers that do not change within a day: static information, calendars, contract lists. Kept until a new day begins in any market;
 * there is room for every security of the largest markets.
 */
export class DayCache {
  readonly #values = new LruCache<Message>(32 * 1024 * 1024);
  #days = '';

  constructor(private readonly clock: Clock) {}

  /** Whether the whole answer to this request holds for the day. */
  holds({ protoId }: ProtocolOperation, c2s: Message): boolean {
    return protoId !== null && dailyReads.get(protoId)?.(c2s) === true;
  }

  get(key: string): Message | undefined {
    this.#turnDay();
    return this.#values.get(key);
  }

  /** `bytes` is about the size of the value. */
  set(key: string, value: Message, bytes: number): void {
    this.#turnDay();
    this.#values.set(key, value, bytes);
  }

  clear(): void {
    this.#values.clear();
  }

  #turnDay(): void {
    const now = this.clock.now();
    const days = zones.map((zone) => localDayNumber(now, zone)).join();
    if (days !== this.#days) this.clear();
    this.#days = days;
  }
}

const STALE_MS_MAX = 600_000;
const STALE_BYTES_MAX = 16 * 1024 * 1024;
/** Size of an answer's key and objects, beside its bytes. */
const ENTRY_BYTES = 512;

/**
 * The newest answers to reads of market data, for when the server is away: they are of use for a while, with their age beside them. An
 * old answer about an account could be traded on.
 */
export class StaleAnswers {
  readonly #age: Stopwatch;
  /** `since` is of the stopwatch: an answer ages while the machine sleeps too, and however its clock is set. */
  readonly #values = new LruCache<Omit<HeldAnswer, 'ageMs'> & { readonly since: number }>(STALE_BYTES_MAX);

  constructor(private readonly clock: Clock) {
    this.#age = new Stopwatch(clock);
  }

  /** Keeps an answer if it is one to keep. */
  note(operation: Operation, request: Message, response: ResponseMessage): void {
    if (response.retType !== 0 || !readsMarketData(operation)) return;
    const bytes = sizeOf(operation.messages, response) + ENTRY_BYTES;
    if (bytes > STALE_BYTES_MAX / 8) return;
    this.#values.set(keyOf(operation, request), { response, at: this.clock.now(), since: this.#age.elapsed() }, bytes);
  }

  /** Last answer to this request, if it is not too old. */
  get(operation: Operation, request: Message): HeldAnswer | undefined {
    if (!readsMarketData(operation)) return undefined;
    const entry = this.#values.get(keyOf(operation, request));
    if (entry === undefined) return undefined;
    const ageMs = this.#age.elapsed() - entry.since;
    return ageMs < STALE_MS_MAX ? { response: entry.response, at: entry.at, ageMs } : undefined;
  }

  /** Clears the cache for another server. */
  clear(): void {
    this.#values.clear();
  }
}
