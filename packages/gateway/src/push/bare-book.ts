import { withFields } from '@svc-gateway/contract/field-path';
import type { OrderBook } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { S2C } from '@svc-gateway/contract/generated/Qot_GetOrderBook_pb';
import type { ResponseMessage } from '../backend.js';

/** A book, answered or pushed, without the orders behind its levels; itself where it has none. */
export function withoutOrders(response: ResponseMessage): ResponseMessage {
  const { s2c } = response as ResponseMessage & { readonly s2c?: S2C };
  if (s2c === undefined || ![...s2c.orderBookAskList, ...s2c.orderBookBidList].some(({ detailList }) => detailList.length > 0))
    return response;
  const bare = (levels: readonly OrderBook[]) => levels.map((level) => withFields(level, { detailList: [] }));
  const { orderBookAskList, orderBookBidList } = s2c;
  return withFields(response, {
    s2c: withFields(s2c, { orderBookAskList: bare(orderBookAskList), orderBookBidList: bare(orderBookBidList) }),
  });
}
