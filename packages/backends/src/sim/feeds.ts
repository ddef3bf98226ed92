import { create } from '@bufbuild/protobuf';
import * as UpdateBasicQot from '@svc-gateway/contract/generated/Qot_UpdateBasicQot_pb';
import * as UpdateBroker from '@svc-gateway/contract/generated/Qot_UpdateBroker_pb';
import * as UpdateOrderBook from '@svc-gateway/contract/generated/Qot_UpdateOrderBook_pb';
import * as UpdateTicker from '@svc-gateway/contract/generated/Qot_UpdateTicker_pb';
import type { QuoteStream } from '@svc-gateway/gateway/backend';
import type { Tick } from '@svc-gateway/simulator/market/market';
import { Refusal } from '@svc-gateway/simulator/refusal';
import { isRegular } from '@svc-gateway/simulator/view/bars';
import { queueFields } from '@svc-gateway/simulator/view/broker-queue';
import type { Facts } from '@svc-gateway/simulator/view/facts';
import type { Listing } from '@svc-gateway/simulator/view/listings';
import { type BookFields, BookType, bookFields, detailedBookFields } from '@svc-gateway/simulator/view/order-book';
import { klTypeOfSubType, SubType, subTypesOf } from '@svc-gateway/simulator/view/sub-types';
import { PushDataType, tickerMessage } from '@svc-gateway/simulator/view/tickers';
import { success } from './answers.js';
import { klineFeed, timeShareFeed } from './bar-feeds.js';
import { type Feed, pushAbout } from './feed.js';

const ProtoId = { basic: 3005, ticker: 3011, orderBook: 3013, broker: 3015 } as const;

/** Levels of each side in a book push. */
const PUSHED_LEVELS = 10;
/** Trades in a first push. */
const FIRST_TICKS = 50;

/** The feed of a stream, or why there is none: its symbol does not serve the type. */
export function createFeed(
  facts: Facts<'world' | 'companies' | 'market' | 'quoteBoard'>,
  listing: Listing,
  stream: QuoteStream,
): Feed | Refusal {
  const { subType } = stream;
  if (!subTypesOf(listing).includes(subType)) {
    return new Refusal(`${stream.symbol} does not serve sub_type ${subType}; accepted: ${subTypesOf(listing).join(', ')}`);
  }
  switch (subType) {
    case SubType.basic:
      return basicFeed(facts, listing);
    case SubType.orderBook:
      return bookFeed(listing, () =>
        stream.orderDetail ? detailedBookFields(facts, listing, PUSHED_LEVELS) : bookFields(facts, listing, PUSHED_LEVELS, BookType.normal),
      );
    case SubType.oddOrderBook:
      return bookFeed(listing, () => bookFields(facts, listing, PUSHED_LEVELS, BookType.odd));
    case SubType.broker:
      return brokerFeed(facts, listing);
    case SubType.ticker:
      return tickerFeed(facts, listing, stream);
    case SubType.rt:
      return timeShareFeed(facts, listing, stream);
    default: {
      const klType = klTypeOfSubType.get(subType);
      if (klType === undefined) throw new Error(`sub_type ${subType} has no feed`);
      return klineFeed(facts, listing, stream, klType);
    }
  }
}

function basicFeed(facts: Facts<'quoteBoard'>, listing: Listing): Feed {
  const current = () => {
    const payload = create(UpdateBasicQot.S2CSchema);
    payload.basicQotList = [facts.quoteBoard.read(listing)];
    return success(UpdateBasicQot, payload);
  };
  return { protoId: ProtoId.basic, on: 'tick', next: current, current };
}

function bookFeed(listing: Listing, fields: () => BookFields): Feed {
  const current = () => pushAbout(UpdateOrderBook, listing, fields());
  return { protoId: ProtoId.orderBook, on: 'book', next: current, current };
}

function brokerFeed(facts: Facts<'market'>, listing: Listing): Feed {
  const current = () => pushAbout(UpdateBroker, listing, queueFields(facts, listing));
  return { protoId: ProtoId.broker, on: 'book', next: current, current };
}

function tickerFeed(facts: Facts<'world' | 'market'>, listing: Listing, { extendedTime }: QuoteStream): Feed {
  const regularOnly = listing.market.name === 'US' && !extendedTime;
  const push = (ticks: readonly Tick[], pushDataType: number) => {
    const wanted = regularOnly ? ticks.filter((tick) => isRegular(facts, listing, tick.time)) : ticks;
    if (wanted.length === 0) return undefined;
    return pushAbout(UpdateTicker, listing, { tickerList: wanted.map((tick) => tickerMessage(listing, tick, pushDataType)) });
  };
  return {
    protoId: ProtoId.ticker,
    on: 'tick',
    next: (event) => (event.kind === 'tick' ? push(event.ticks, PushDataType.realtime) : undefined),
    current: () => push(facts.market.ticks(listing.instrument, FIRST_TICKS), PushDataType.cache),
  };
}
