import type { Bracket, OrderName } from './bracket.js';

/** Names in a request for orders. */
export interface OrderNames {
  readonly orderIDExList: string[];
  readonly idList: bigint[];
}

/** The names of a bracket's orders that are not over: texts, and the number of an entry that was acknowledged without one. */
export function namesOf({ entryOver, entryIdEx, entryId, exit }: Bracket): OrderNames {
  const byNumber = !entryOver && entryIdEx === '' && entryId !== 0n;
  const texts = [entryOver ? '' : entryIdEx, exit?.idEx ?? ''];
  return { orderIDExList: texts.filter((text) => text !== ''), idList: byNumber ? [entryId] : [] };
}

/** Names without a listed order. */
export function unlisted({ orderIDExList = [], idList = [] }: Partial<OrderNames>, orders: readonly OrderName[]): OrderNames {
  return {
    orderIDExList: orderIDExList.filter((text) => !orders.some(({ orderIDEx }) => orderIDEx === text)),
    idList: idList.filter((id) => !orders.some(({ orderID }) => orderID === id)),
  };
}

export function isEmpty({ orderIDExList, idList }: OrderNames): boolean {
  return orderIDExList.length === 0 && idList.length === 0;
}
