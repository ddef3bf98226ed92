import { create } from '@bufbuild/protobuf';
import type { BasicQot } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetBasicQot_pb';
import type { quote as declared } from '@svc-gateway/contract/operations';
import { SYMBOLS_MAX } from '@svc-gateway/contract/shape';
import { timeShare } from '../../market/index.js';
import { eachInTurns, inTurns } from '../../pace.js';
import { Refusal } from '../../refusal.js';
import { hasBrokerQueue, queueFields } from '../../view/broker-queue.js';
import type { Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { locate, locateAll, locateTraded, ofSecurity } from '../../view/locate.js';
import { BOOK_DEPTH_MAX, BookType, bookFields, detailedBookFields, hasOddLots } from '../../view/order-book.js';
import { tickerMessage } from '../../view/tickers.js';
import { timeShareMessage } from '../../view/time-shares.js';
import { shownState } from '../../world/index.js';
import type { AnswerTo } from '../table.js';

/** The first quote of a symbol costs some tenths of a millisecond. */
const QUOTES_A_TURN = 25;

// The answer about one symbol is kept with its quote, so that it too is the same object while nothing changes.
const singles = new WeakMap<BasicQot, S2C>();

/** Qot_GetBasicQot. The answer is shared between callers: nothing may write to it. */
export const getQuote: AnswerTo<typeof declared.getQuote> = (facts, request) => {
  const { securityList } = request;
  if (securityList.length !== 1) {
    const listings = locateAll(facts, securityList, SYMBOLS_MAX);
    if (listings instanceof Refusal) return listings;
    return inTurns(quotes(facts, listings));
  }
  const listing = locate(facts, securityList[0]);
  if (listing instanceof Refusal) return listing;
  const quote = facts.quoteBoard.read(listing);
  const payload = singles.get(quote) ?? create(S2CSchema, { basicQotList: [quote] });
  singles.set(quote, payload);
  return payload;
};

function* quotes({ quoteBoard }: Facts<'quoteBoard'>, listings: readonly Listing[]): Generator<void, object> {
  return { basicQotList: yield* eachInTurns(listings, QUOTES_A_TURN, (listing) => quoteBoard.read(listing)) };
}

/** Qot_GetOrderBook: best levels of both sides, with their orders for who is subscribed to those. Indices have an empty book. */
export const getOrderBook: AnswerTo<typeof declared.getOrderBook> = ofSecurity((facts, listing, request, asker) => {
  const { num, orderBookType } = request;
  if (!(num >= 1 && num <= BOOK_DEPTH_MAX)) return new Refusal(`num ${num}: expected 1 to ${BOOK_DEPTH_MAX} levels`, 'broker.value');
  if (orderBookType !== BookType.normal && orderBookType !== BookType.odd) {
    return new Refusal(`unknown order_book_type ${orderBookType}; accepted: 0 (whole lots), 1 (odd lots)`, 'broker.value');
  }
  if (orderBookType === BookType.odd && !hasOddLots(listing)) {
    return new Refusal(`${listing.instrument.symbol} has no odd-lot book; only Hong Kong shares and funds with a board lot have one`);
  }
  const detailed = asker?.orderDetail === true && orderBookType === BookType.normal;
  return {
    security: listing.security,
    name: listing.instrument.name,
    ...(detailed ? detailedBookFields(facts, listing, num) : bookFields(facts, listing, num, orderBookType)),
  };
});

/** Qot_GetBroker: the broker queue at the best prices. Only the Hong Kong exchange shows it. */
export const getBroker: AnswerTo<typeof declared.getBroker> = ofSecurity((facts, listing) => {
  if (!hasBrokerQueue(listing)) {
    return new Refusal(`no broker queue for ${listing.instrument.symbol}: only Hong Kong shares and funds have one`);
  }

  return { security: listing.security, name: listing.instrument.name, ...queueFields(facts, listing) };
});

const TICKS_MAX = 1000;

/** Qot_GetTicker: the newest trades, oldest first. */
export const getTicker: AnswerTo<typeof declared.getTicker> = (facts, request) => {
  const listing = locateTraded(facts, request.security);
  if (listing instanceof Refusal) return listing;
  const { maxRetNum } = request;
  if (!(maxRetNum >= 1 && maxRetNum <= TICKS_MAX))
    return new Refusal(`max_ret_num ${maxRetNum}: expected 1 to ${TICKS_MAX}`, 'broker.value');
  const tickerList = facts.market.ticks(listing.instrument, maxRetNum).map((tick) => tickerMessage(listing, tick));
  return { security: listing.security, name: listing.instrument.name, tickerList };
};

/** Qot_GetRT: the trading day's regular hours minute by minute. Volumes and turnovers sum to the quote's. */
export const getRt: AnswerTo<typeof declared.getRt> = ofSecurity((facts, listing) => inTurns(timeShares(facts, listing)));

function* timeShares({ clock, world, market }: Facts<'clock' | 'world' | 'market'>, listing: Listing): Generator<void, object> {
  const { instrument } = listing;
  const [first] = world
    .calendar(instrument)
    .sessions(market.quote(instrument).tradingDay)
    .filter(({ kind }) => kind === 'regular');
  if (first !== undefined) yield* market.barsInTurns(instrument, { unit: 'minute', count: 1 }, { from: first.start });
  const rtList = timeShare(market, world.calendar(instrument), instrument, clock.now()).map((point) => timeShareMessage(listing, point));
  return { security: listing.security, name: instrument.name, rtList };
}

/** Qot_GetMarketState: the state, now, of the sessions that each symbol trades by. */
export const getMarketState: AnswerTo<typeof declared.getMarketState> = (facts, request) => {
  const listings = locateAll(facts, request.securityList, SYMBOLS_MAX);
  if (listings instanceof Refusal) return listings;
  const now = facts.clock.now();
  const marketInfoList = listings.map(({ security, instrument }) => ({
    security,
    name: instrument.name,
    marketState: shownState(facts.world.calendar(instrument), now, instrument),
  }));
  return { marketInfoList };
};
