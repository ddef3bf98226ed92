import { keyOf, mix, uniform } from '../rng/random.js';
import type { Instrument } from '../world/instrument.js';
import type { Book, BookLevel } from './market.js';

/** One broker waiting at a price (protocol: Broker). */
export interface QueuedBroker {
  readonly id: number;
  readonly name: string;
  /** Price level, 1 the best. */
  readonly position: number;
}

export interface BrokerQueue {
  readonly bids: readonly QueuedBroker[];
  readonly asks: readonly QueuedBroker[];
}

/** Hong Kong shows at most 40 brokers a side, and no more than ten levels of them. */
const BROKERS_MAX = 40;
const LEVELS_MAX = 10;

// Invented houses: the simulation puts no words into anybody's mouth. Each has some consecutive numbers, as members of the exchange have.
const houses = [
  'Harbour Securities',
  'Peak Brokerage',
  'Lantau Capital',
  'Kowloon Bay Securities',
  'Victoria Trading',
  'Pearl Delta Securities',
  'Sai Kung Partners',
  'Repulse Bay Brokers',
  'New Territories Securities',
  'Jade Gate Capital',
  'Star Ferry Securities',
  'Bauhinia Brokerage',
] as const;
const FIRST_ID = 1_000;
const IDS_PER_HOUSE = 10;

/** Every broker that the simulation knows, by number. */
export const brokers: readonly { readonly id: number; readonly name: string }[] = houses.flatMap((name, house) =>
  Array.from({ length: IDS_PER_HOUSE }, (_, i) => ({ id: FIRST_ID + house * IDS_PER_HOUSE + i, name })),
);

/** Brokers waiting at the book's levels, by time at each. Only Hong Kong shows this: elsewhere both sides are empty. */
export function brokerQueue(instrument: Instrument, book: Book): BrokerQueue {
  if (instrument.market !== 'HK') return { bids: [], asks: [] };
  return { bids: queue(instrument, book.bids), asks: queue(instrument, book.asks) };
}

function queue(instrument: Instrument, levels: readonly BookLevel[]): readonly QueuedBroker[] {
  const key = keyOf(`brokers|${instrument.symbol}`);
  const queued: QueuedBroker[] = [];
  for (const [i, level] of levels.slice(0, LEVELS_MAX).entries()) {
    // The same brokers stay at a price while its orders come and go behind them.
    const place = mix(key, Number(level.price % 4_294_967_291n));
    for (let order = 0; order < level.orderCount; order++) {
      if (queued.length === BROKERS_MAX) return queued;
      const broker = brokers[Math.floor(uniform(place, order) * brokers.length)];
      if (broker !== undefined) queued.push({ ...broker, position: i + 1 });
    }
  }
  return queued;
}
