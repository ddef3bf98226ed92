import { create } from '@bufbuild/protobuf';
import { type Broker, BrokerSchema } from '../../contract/generated/Qot_Common_pb.js';
import type { Simulation } from '../handler.js';
import type { BookLevel } from '../market/market.js';
import { keyOf, uniform } from '../market/random.js';
import type { Listing } from './listings.js';

const BROKERS = 48;
const QUEUE_LENGTH_MAX = 40;
const LEVELS = 10;

/** Whether its exchange shows who queues: Hong Kong does, for what is traded in board lots. */
export function hasBrokerQueue({ instrument }: Listing): boolean {
  return instrument.market === 'HK' && (instrument.kind === 'equity' || instrument.kind === 'etf');
}

/** What an answer and a push say of the queues. */
export interface QueueFields {
  readonly brokerAskList: Broker[];
  readonly brokerBidList: Broker[];
}

/** Who stands at the best prices: one entry for each order of the book, nearest level first, at most 40 a side. */
export function queueFields(simulation: Simulation, listing: Listing): QueueFields {
  const book = simulation.market.book(listing.instrument, LEVELS);
  return { brokerAskList: queue(listing, 'ask', book.asks), brokerBidList: queue(listing, 'bid', book.bids) };
}

function queue(listing: Listing, side: string, levels: readonly BookLevel[]): Broker[] {
  const brokers: Broker[] = [];
  for (const [index, level] of levels.entries()) {
    const key = keyOf(`${listing.instrument.symbol} ${side} ${level.price}`);
    for (let order = 0; order < level.orderCount && brokers.length < QUEUE_LENGTH_MAX; order++) {
      const number = 1 + Math.floor(uniform(key, order) * BROKERS);
      const broker = create(BrokerSchema);
      broker.id = BigInt(number);
      broker.name = `Simulated Broker ${number}`;
      broker.pos = index + 1;
      brokers.push(broker);
    }
  }
  return brokers;
}
