import { create, type Message } from '@bufbuild/protobuf';
import type { Decimal } from '@svc-gateway/contract/decimal';
import { type Order, PositionSide, TrdFilterConditionsSchema } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as HistoryC2S } from '@svc-gateway/contract/generated/Trd_GetHistoryOrderList_pb';
import { C2SSchema as OrderListC2S } from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import { C2SSchema as PositionsC2S } from '@svc-gateway/contract/generated/Trd_GetPositionList_pb';
import type { Operation, PayloadOf } from '@svc-gateway/contract/operation';
import { account } from '@svc-gateway/contract/operations';
import { BackendFailure, BackendTimeout } from '../backend-failures.js';
import { magnitude, type OrderName, symbolOfOrder } from '../orders/order.js';
import { followingSpan, historySpan } from '../orders/reads.js';
import { successOf } from '../responses.js';
import { type Bracket, exitBuys, headerOf } from './bracket.js';
import { type BracketsDeps, CALL_MS, contextOf } from './deps.js';

/** Time that a server has to answer a read, at first: a stop-loss may wait for it, so that it is given up soon and made again. */
const ANSWER_MS = 5_000;

export type HistoryFilter = Partial<OrderNames> & { readonly codeList?: string[] };

/** A read that came to no answer says nothing. */
export function unanswered(thrown: unknown): undefined {
  if (!(thrown instanceof BackendFailure)) throw thrown;
}

/** Reads that brackets make of the brokerage. Each is undefined where the brokerage refuses it in words of its own. */
export class BracketReads {
  /** By account: time to answer the next read, where the last one was not answered. A server that is always slow is understood in the end. */
  readonly #answerMs = new Map<bigint, number>();

  constructor(private readonly deps: Pick<BracketsDeps, 'backend' | 'backendClock' | 'clock' | 'orders'>) {}

  /** The payload of one read for a bracket. */
  async call<O extends Operation>(operation: O, request: Message, { id, accId }: Bracket): Promise<PayloadOf<O> | undefined> {
    const answerMs = this.#answerMs.get(accId) ?? ANSWER_MS;
    try {
      const answer = await this.deps.backend.call(operation, request, { ...contextOf(this.deps, id), answerMs });
      this.#answerMs.delete(accId);
      return successOf(operation, answer) as PayloadOf<O> | undefined;
    } catch (thrown) {
      if (thrown instanceof BackendTimeout) this.#answerMs.set(accId, Math.min(2 * answerMs, CALL_MS));
      throw thrown;
    }
  }

  /** Orders of a bracket's account and market today; `fresh` for a list that the brokerage makes anew. */
  async orders(bracket: Bracket, of: Partial<OrderNames>, fresh: boolean): Promise<readonly Order[] | undefined> {
    const filterConditions = create(TrdFilterConditionsSchema, of);
    const query = create(OrderListC2S, { header: headerOf(bracket), filterConditions, refreshCache: fresh });
    return (await this.call(account.getOrders, query, bracket))?.orderList;
  }

  /** Orders under other days; under later ones too, where a clock that was set back left them. */
  async history(bracket: Bracket, of: HistoryFilter): Promise<Order[]> {
    const header = headerOf(bracket);
    const now = this.deps.clock.now();
    const found: Order[] = [];
    for (const span of [historySpan(now), followingSpan(now)]) {
      const query = create(HistoryC2S, { header, filterConditions: create(TrdFilterConditionsSchema, { ...of, ...span }) });
      found.push(...((await this.call(account.getHistoryOrders, query, bracket))?.orderList ?? []));
      if (of.codeList === undefined && isEmpty(unlisted(of, found))) break;
    }
    return found;
  }

  /** Quantity of the position that a bracket's exits close: what a list shows, less what orders of this daemon may have closed since. */
  async held(bracket: Bracket, fresh: boolean): Promise<Decimal | undefined> {
    const { orders } = this.deps;
    const askedAt = orders.now;
    const query = create(PositionsC2S, {
      header: headerOf(bracket),
      filterConditions: create(TrdFilterConditionsSchema, { codeList: [bracket.code] }),
      refreshCache: fresh,
    });
    const positions = (await this.call(account.getPositions, query, bracket))?.positionList;
    if (positions === undefined) return undefined;
    const side = exitBuys(bracket) ? PositionSide.PositionSide_Short : PositionSide.PositionSide_Long;
    let held = 0n;
    for (const { code, secMarket, positionSide, qty } of positions) {
      if (code === bracket.code && secMarket === bracket.secMarket && positionSide === side) held += magnitude(qty);
    }
    const symbol = symbolOfOrder(bracket);
    return orders.leastHeld({ accId: bracket.accId, symbol, side }, { askedAt, held });
  }
}

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
