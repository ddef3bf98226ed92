import { create } from '@bufbuild/protobuf';
import { type Broker, BrokerSchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { brokerQueue, type QueuedBroker } from '../market/index.js';
import { kinds } from '../world/kinds.js';
import type { Facts } from './facts.js';
import type { Listing } from './listings.js';

/** The exchange shows the queues at as many price levels of each side. */
const LEVELS = 10;

/** Whether its exchange shows who queues: Hong Kong does, for what is traded in board lots. */
export function hasBrokerQueue({ instrument }: Listing): boolean {
  return instrument.market === 'HK' && kinds[instrument.kind].isShare;
}

/** Queue fields shared by answers and pushes. */
export interface QueueFields {
  readonly brokerAskList: Broker[];
  readonly brokerBidList: Broker[];
}

/** Brokers at the best prices, nearest level first. */
export function queueFields({ market }: Facts<'market'>, { instrument }: Listing): QueueFields {
  const { asks, bids } = brokerQueue(instrument, market.book(instrument, LEVELS));
  return { brokerAskList: asks.map(brokerMessage), brokerBidList: bids.map(brokerMessage) };
}

function brokerMessage({ id, name, position }: QueuedBroker): Broker {
  const message = create(BrokerSchema);
  message.id = BigInt(id);
  message.name = name;
  message.pos = position;
  return message;
}
