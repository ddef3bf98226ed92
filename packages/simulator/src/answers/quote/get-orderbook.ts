import { create } from '@bufbuild/protobuf';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetOrderBook_pb';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { locate } from '../../view/locate.js';
import { BOOK_DEPTH_MAX, BookType, bookFields, detailedBookFields, hasOddLots } from '../../view/order-book.js';

/** Qot_GetOrderBook: best levels of both sides, with their orders for who is subscribed to those. Indices have an empty book. */
export const getOrderBook: Answer<'market' | 'listings', C2S, S2C> = (facts, request, asker) => {
  const listing = locate(facts, request.security);
  if (listing instanceof Refusal) return listing;
  const { num, orderBookType } = request;
  if (!(num >= 1 && num <= BOOK_DEPTH_MAX)) return new Refusal(`num ${num}: expected 1 to ${BOOK_DEPTH_MAX} levels`, 'broker.value');
  if (orderBookType !== BookType.normal && orderBookType !== BookType.odd) {
    return new Refusal(`unknown order_book_type ${orderBookType}; accepted: 0 (whole lots), 1 (odd lots)`, 'broker.value');
  }
  if (orderBookType === BookType.odd && !hasOddLots(listing)) {
    return new Refusal(`${listing.instrument.symbol} has no odd-lot book; only Hong Kong shares and funds with a board lot have one`);
  }
  const payload = create(S2CSchema);
  payload.security = listing.security;
  payload.name = listing.instrument.name;
  const detailed = asker?.orderDetail === true && orderBookType === BookType.normal;
  return Object.assign(payload, detailed ? detailedBookFields(facts, listing, num) : bookFields(facts, listing, num, orderBookType));
};
