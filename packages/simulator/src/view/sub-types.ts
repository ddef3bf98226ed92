import { kinds } from '../world/kinds.js';
import { hasBrokerQueue } from './broker-queue.js';
import type { Listing } from './listings.js';
import { hasBook, hasOddLots } from './order-book.js';

/** Qot_Common.SubType. */
export const SubType = { basic: 1, orderBook: 2, ticker: 4, rt: 5, broker: 14, oddOrderBook: 22 } as const;

/** Qot_Common.SubType → Qot_Common.KLType, of the types that are K-lines. */
export const klTypeOfSubType: ReadonlyMap<number, number> = new Map([
  [6, 2],
  [7, 6],
  [8, 7],
  [9, 8],
  [10, 9],
  [11, 1],
  [12, 3],
  [13, 4],
  [15, 11],
  [16, 5],
  [17, 10],
  [18, 12],
  [19, 13],
  [20, 14],
  [21, 15],
]);

const always = [SubType.basic, SubType.rt, ...klTypeOfSubType.keys()];

/** Subscription types that a listing serves. */
export function subTypesOf(listing: Listing): readonly number[] {
  return [
    ...always,
    ...(kinds[listing.instrument.kind].hasTrades ? [SubType.ticker] : []),
    ...(hasBook(listing) ? [SubType.orderBook] : []),
    ...(hasBrokerQueue(listing) ? [SubType.broker] : []),
    ...(hasOddLots(listing) ? [SubType.oddOrderBook] : []),
  ];
}
