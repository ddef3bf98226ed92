import type { Message } from '@bufbuild/protobuf';
import type { Clock } from '../../contract/clock.js';
import { quoteMarkets } from '../../contract/markets.js';
import { messageBytes } from '../../contract/message-writer.js';
import { localDayNumber } from '../../contract/time.js';
import type { ProtocolOperation } from '../connection/upstream.js';
import { fieldsOf } from './request.js';

/** All that is kept, in bytes of messages: every security of the largest markets. */
const BYTES_MAX = 32 * 1024 * 1024;

/** Whole answers that hold for the day; with a condition where only some do. */
const dailyReads: ReadonlyMap<number, (c2s: Message) => boolean> = new Map<number, (c2s: Message) => boolean>([
  [3202, () => true],
  [3204, () => true],
  // Sorted, it goes by what changes all day.
  [3205, (c2s) => !fieldsOf(c2s).sortField],
  [3206, () => true],
  // Filtered by the Greeks, likewise.
  [3209, (c2s) => fieldsOf(c2s).dataFilter === undefined],
  [3219, () => true],
  [3224, () => true],
]);

const zones = [...new Set(quoteMarkets.map(({ timeZone }) => timeZone))];

/**
 * What does not change within a day: static information, calendars, contract lists. Kept until a new day begins in any market,
 * and beyond its size the least recently used is dropped first.
 */
export class DayCache {
  readonly #entries = new Map<string, { readonly value: Message; readonly bytes: number }>();
  #bytes = 0;
  #days = '';

  constructor(private readonly clock: Clock) {}

  /** Whether the whole answer to this request holds for the day. */
  holds({ protoId }: ProtocolOperation, c2s: Message): boolean {
    return protoId !== null && dailyReads.get(protoId)?.(c2s) === true;
  }

  get(key: string): Message | undefined {
    this.#turnDay();
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** `bytes` is about what the value takes. */
  set(key: string, value: Message, bytes: number): void {
    this.#turnDay();
    this.#drop(key);
    if (bytes > BYTES_MAX) return;
    this.#entries.set(key, { value, bytes });
    this.#bytes += bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= BYTES_MAX) break;
      this.#drop(oldest);
    }
  }

  clear(): void {
    this.#entries.clear();
    this.#bytes = 0;
  }

  #drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }

  #turnDay(): void {
    const now = this.clock.now();
    const days = zones.map((zone) => localDayNumber(now, zone)).join();
    if (days === this.#days) return;
    this.#days = days;
    this.clear();
  }
}

/** What a request is known by: equal for equal requests. */
export function keyOf({ protoId, messages }: ProtocolOperation, c2s: Message): string {
  return `${protoId} ${Buffer.from(messageBytes(messages.C2SSchema, c2s)).toString('latin1')}`;
}
