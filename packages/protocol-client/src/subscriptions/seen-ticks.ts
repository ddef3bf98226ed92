import { PushDataType, type Ticker } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { LruCache } from '../requests/lru-cache.js';

/** Symbols whose newest tick is remembered. */
const SYMBOLS_MAX = 10_000;

const FROM_MEMORY: number = PushDataType.PushDataType_Cache;

/** Newest tick seen of a symbol. */
type Newest = Pick<Ticker, 'sequence' | 'timestamp'>;

/**
 * The newest tick of each symbol that was passed on. A server that is subscribed to again after a loss repeats the last ticks that it
 * has in memory, and says so of them: each is to be heard once. What is live, or was missed by the server itself, always is.
 */
export class SeenTicks {
  readonly #newest = new LruCache<Newest>(SYMBOLS_MAX);

  /** New ticks of a push, in its order; they are old from now on. */
  take(symbol: string, ticks: readonly Ticker[]): readonly Ticker[] {
    const before = this.#newest.get(symbol);
    const fresh = before === undefined ? ticks : ticks.filter((tick) => tick.pushDataType !== FROM_MEMORY || isAfter(tick, before));
    let newest = before;
    for (const tick of fresh) if (newest === undefined || isAfter(tick, newest)) newest = tick;
    if (newest !== undefined) this.#newest.set(symbol, { sequence: newest.sequence, timestamp: newest.timestamp });
    return fresh;
  }

  /** Whoever subscribes to it next hears its last tick first. */
  forget(symbol: string): void {
    this.#newest.delete(symbol);
  }
}

/** Sequence numbers rise; where a server begins anew with them, its times tell. */
function isAfter(tick: Newest, other: Newest): boolean {
  return tick.sequence > other.sequence || tick.timestamp > other.timestamp;
}
