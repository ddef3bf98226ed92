import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { type OrderBook, OrderBookDetailSchema, OrderBookSchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { localDateTime } from '@svc-gateway/contract/time';
import type { Book, BookLevel, DetailedLevel } from '../market/market.js';
import { keyOf, uniform } from '../rng/random.js';
import { kinds } from '../world/kinds.js';
import { nextPrice } from '../world/ticks.js';
import { hasBrokerQueue } from './broker-queue.js';
import type { Facts } from './facts.js';
import type { Listing } from './listings.js';

/** Qot_Common.OrderBookType. */
export const BookType = { normal: 0, odd: 1 } as const;

/** Most levels of each side that the protocol asks for. */
export const BOOK_DEPTH_MAX = 40;

/** Orders that are published of each side. */
const ORDERS_MAX = 1_000;

/** Book fields shared by answers and pushes. */
export interface BookFields {
  readonly orderBookAskList: OrderBook[];
  readonly orderBookBidList: OrderBook[];
  readonly svrRecvTimeBid: string;
  readonly svrRecvTimeBidTimestamp: number;
  readonly svrRecvTimeAsk: string;
  readonly svrRecvTimeAskTimestamp: number;
  readonly orderBookType: number;
}

export function bookFields(facts: Facts<'market'>, listing: Listing, depth: number, type: number): BookFields {
  const whole = facts.market.book(listing.instrument, depth);
  return fieldsOf(listing, type === BookType.odd ? oddLotBook(listing, whole) : whole, type, (levels) => levels.map(levelMessage));
}

/** The whole-lot book with the orders behind each level, where the exchange publishes them. */
export function detailedBookFields(facts: Facts<'market'>, listing: Listing, depth: number): BookFields {
  // The same feed carries both.
  if (!hasBrokerQueue(listing)) return bookFields(facts, listing, depth, BookType.normal);
  return fieldsOf(listing, facts.market.detailedBook(listing.instrument, depth), BookType.normal, detailedMessages);
}

function fieldsOf<Level extends BookLevel>(
  listing: Listing,
  book: { readonly time: number; readonly bids: readonly Level[]; readonly asks: readonly Level[] },
  type: number,
  messages: (levels: readonly Level[]) => OrderBook[],
): BookFields {
  const time = localDateTime(book.time, listing.market.timeZone);
  const timestamp = book.time / 1000;
  return {
    orderBookAskList: messages(book.asks),
    orderBookBidList: messages(book.bids),
    svrRecvTimeBid: time,
    svrRecvTimeBidTimestamp: timestamp,
    svrRecvTimeAsk: time,
    svrRecvTimeAskTimestamp: timestamp,
    orderBookType: type,
  };
}

/** Whether a listing has a book at all: nobody buys or sells an index. */
export function hasBook({ instrument }: Listing): boolean {
  return kinds[instrument.kind].hasBook;
}

/** Whether odd lots of it trade in a book of their own: shares and funds of Hong Kong with a board lot. */
export function hasOddLots({ instrument }: Listing): boolean {
  return instrument.market === 'HK' && instrument.lotSize > 1 && kinds[instrument.kind].isShare;
}

/** Odd lots queue at every other price of the whole-lot book, one tick behind it, each less than a board lot. */
function oddLotBook(listing: Listing, whole: Book): Book {
  const { instrument } = listing;
  const side = (name: string, levels: readonly BookLevel[], direction: 1 | -1): BookLevel[] =>
    levels
      .filter((_, index) => index % 2 === 0)
      .map((level) => {
        const price = nextPrice(instrument.tickTable, level.price, direction);
        const share = uniform(keyOf(`${instrument.symbol} odd ${name} ${price}`), 0);
        return { price, volume: BigInt(1 + Math.floor(share * (instrument.lotSize - 1))), orderCount: 1 };
      });
  return { time: whole.time, bids: side('bid', whole.bids, -1), asks: side('ask', whole.asks, 1) };
}

function levelMessage(level: BookLevel): OrderBook {
  const message = create(OrderBookSchema);
  message.price = decimalToNumber(level.price);
  message.volume = level.volume;
  // The protocol's spelling.
  message.orederCount = level.orderCount;
  return message;
}

/** The best orders of a side, as many as are published; levels beyond them have none. */
function detailedMessages(levels: readonly DetailedLevel[]): OrderBook[] {
  let room = ORDERS_MAX;
  return levels.map((level) => {
    const message = levelMessage(level);
    message.detailList = level.orders.slice(0, room).map(({ id, volume }) => {
      const detail = create(OrderBookDetailSchema);
      detail.orderID = id;
      detail.volume = volume;
      return detail;
    });
    room -= message.detailList.length;
    return message;
  });
}
