import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '../../contract/decimal.js';
import { type OrderBook, OrderBookSchema } from '../../contract/generated/Qot_Common_pb.js';
import { localDateTime } from '../../contract/time.js';
import { keyOf, uniform } from '../chance/random.js';
import type { Book, BookLevel } from '../market/market.js';
import { kinds } from '../world/kinds.js';
import { nextPrice } from '../world/ticks.js';
import type { Facts } from './facts.js';
import type { Listing } from './listings.js';

/** Qot_Common.OrderBookType. */
export const BookType = { normal: 0, odd: 1 } as const;

/** Most levels of each side that the protocol asks for. */
export const BOOK_DEPTH_MAX = 40;

/** What an answer and a push say of a book. */
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
  const book = type === BookType.odd ? oddLotBook(listing, whole) : whole;
  const time = localDateTime(book.time, listing.market.timeZone);
  const timestamp = book.time / 1000;
  return {
    orderBookAskList: book.asks.map(levelMessage),
    orderBookBidList: book.bids.map(levelMessage),
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
