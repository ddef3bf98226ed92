import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { type Ticker, TickerSchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { localDateTime } from '@svc-gateway/contract/time';
import type { Tick } from '../market/market.js';
import type { Listing } from './listings.js';

/** Qot_Common.TickerDirection: whose side was the aggressor. */
const direction = { 1: 1, [-1]: 2, 0: 3 } as const;

/** Qot_Common.TickerType: matched automatically, or in an auction. */
const TickerType = { automatch: 1, auction: 7 } as const;

/** Qot_Common.PushDataType. */
export const PushDataType = { realtime: 1, cache: 3 } as const;

/** A trade as the protocol writes it. Its sequence rises by time and never repeats within a symbol. */
export function tickerMessage(listing: Listing, tick: Tick, pushDataType?: number): Ticker {
  const message = create(TickerSchema);
  message.time = localDateTime(tick.time, listing.market.timeZone);
  message.timestamp = tick.time / 1000;
  message.sequence = tick.sequence;
  // Simulated trades arrive as they happen.
  message.recvTime = tick.time / 1000;
  message.typeSign = 0;
  message.dir = direction[tick.direction];
  message.price = decimalToNumber(tick.price);
  message.volume = tick.volume;
  message.turnover = decimalToNumber(tick.turnover);
  message.type = tick.direction === 0 ? TickerType.auction : TickerType.automatch;
  if (pushDataType !== undefined) message.pushDataType = pushDataType;
  return message;
}
