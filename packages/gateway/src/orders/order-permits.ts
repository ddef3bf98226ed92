import { create, type Message } from '@bufbuild/protobuf';
import { type Access, allowsMarket, type KeyRecord, type Limits } from '@svc-gateway/access';
import type { Clock } from '@svc-gateway/contract/clock';
import { classOf, fieldsWithin } from '@svc-gateway/contract/field-classes';
import {
  type Order,
  type TrdFilterConditions,
  TrdFilterConditionsSchema,
  type TrdHeader,
} from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as HistoryC2S } from '@svc-gateway/contract/generated/Trd_GetHistoryOrderList_pb';
import { C2SSchema as OrderListC2S } from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import { quoteMarketOfSecMarket } from '@svc-gateway/contract/markets';
import type { Operation } from '@svc-gateway/contract/operation';
import { account } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { shown } from '@svc-gateway/contract/shown';
import type { Backend, CallContext, ResponseMessage } from '../backend.js';
import { denyMarket, denySymbol, firstDenied } from '../limit-check.js';
import { allowsTraded, limitsOf, tradedMarketNames } from '../market-names.js';
import { tradingMarketOf } from '../named-markets.js';
import { failure, payloadOf, RET_SUCCEED } from '../responses.js';
import { securitiesOf, telling } from '../sight.js';
import { type Subjects, subjectsOf } from '../subjects.js';
import { type AccountOrders, asListed } from './account-orders.js';
import { isRiskReducing, marketsOfCancelAll } from './cancel-scope.js';
import { followingSpan, HISTORY_DAYS, historySpan } from './order-history.js';
import { isStop, type ProtectiveOrders } from './protective-orders.js';
import { ofStandingTerms, termsOfOrder } from './standing-terms.js';

/**
 * Holds requests that name orders by their ids against the lists of markets and, where they only read, of symbols. What
 * counts is the order that is meant, and not the market that the request writes beside it.
 */
export class OrderPermits {
  constructor(
    private readonly backend: Backend,
    private readonly access: Access,
    private readonly clock: Clock,
    private readonly orders: AccountOrders,
    private readonly protective: ProtectiveOrders,
  ) {}

  /**
   * undefined where the request may pass, at once where nothing has to be looked up. A response is the backend's refusal
   * to say which orders these are: then nothing else is asked of it.
   */
  check(
    operation: Operation,
    key: KeyRecord | undefined,
    request: Message,
    context: CallContext,
  ): undefined | Promise<Rejection | ResponseMessage | undefined> {
    if (!couldNameOrders(operation)) return undefined;
    const reads = operation.effect === 'read';
    const limits = limitsOf(this.access, key).filter(
      ({ allowedMarkets, allowedSymbols }) => allowedMarkets !== null || (reads && allowedSymbols !== null),
    );
    const { header } = request as Message & { header?: TrdHeader };
    const mayEndGuards = isRiskReducing(operation, request) && this.protective.concerns(key);
    if (limits.length === 0 && !mayEndGuards) return undefined;
    const subjects = subjectsOf(operation, request);
    // 0 and the empty text stand for an id that is not given.
    const ids = subjects.orders.filter((id) => id !== 0n && id !== '');
    if (subjects.orders.length === 0 || marketsOfCancelAll(operation, request) !== undefined) return undefined;
    const checked = this.#check(operation, limits, request as Message & { header?: TrdHeader }, ids, subjects, context);
    return mayEndGuards ? checked.then((denied) => denied ?? this.#checkGuards(key, header, ids, context)) : checked;
  }

  /** Refuses to end an order that guards a position the caller may not trade. A list may be behind: an order it lacks is looked for afresh. */
  async #checkGuards(
    key: KeyRecord | undefined,
    header: TrdHeader | undefined,
    ids: readonly (bigint | string)[],
    context: CallContext,
  ): Promise<Rejection | undefined> {
    const accId = header?.accID ?? 0n;
    let orders = ids.flatMap((id) => this.#placed(accId, id));
    const listed = await this.#find(
      header,
      ids.filter((id) => !orders.some((order) => isOf(order, id))),
      false,
      context,
    );
    if (Array.isArray(listed)) orders = [...orders, ...listed];
    const isUnlisted = (id: bigint | string) => !orders.some((order) => isOf(order, id));
    if (header !== undefined && ids.some(isUnlisted)) {
      const known = await this.orders.refreshed(header, context);
      if (!('retType' in known)) orders = [...orders, ...ids.flatMap((id) => known.named(String(id)) ?? [])];
    }
    // Only of a stop order it makes a difference what the account holds.
    const closing = orders.some(isStop) ? await this.protective.closing(key, header, context) : () => true;
    const refusal = this.protective.refusals(key, accId, closing);
    for (const order of orders) {
      const refused = refusal(order);
      if (refused !== undefined) return ofStandingTerms(refused, termsOfOrder(order, header?.trdMarket ?? 0));
    }
    const unlisted = ids.find(isUnlisted);
    if (unlisted !== undefined) {
      const early = this.orders.refuseEarly(`order ${shown(String(unlisted))} is not listed and may guard a position`);
      if (early !== undefined) return early;
    }
    return unlisted === undefined ? undefined : this.protective.refuseUnlisted(key, accId, unlisted);
  }

  /** An order that no list may show yet, as this daemon placed it. */
  #placed(accId: bigint, id: bigint | string): readonly Order[] {
    const placed = this.orders.placedNamed(accId, String(id));
    const order = placed && asListed(placed);
    return order === undefined ? [] : [order];
  }

  async #check(
    operation: Operation,
    limits: readonly Limits[],
    { header }: { readonly header?: TrdHeader },
    ids: readonly (bigint | string)[],
    { tradedCodes }: Subjects,
    context: CallContext,
  ): Promise<Rejection | ResponseMessage | undefined> {
    const reads = operation.effect === 'read';
    const placed = reads ? [] : ids.flatMap((id) => this.#placed(header?.accID ?? 0n, id));
    const listed = await this.#find(
      header,
      ids.filter((id) => !placed.some((order) => isOf(order, id))),
      reads,
      context,
    );
    if (!Array.isArray(listed)) return failure(operation, listed.retMsg, listed.errCode);
    const orders = [...placed, ...listed];
    const trading = header?.trdMarket ?? 0;
    const isKnown = (id: bigint | string) => orders.some((order) => isOf(order, id));
    // A list may be behind: the market that the request writes counts for no order that a fresh list shows.
    if (!reads && limits.length > 0 && header !== undefined && !ids.every(isKnown)) {
      const fresh = await this.orders.refreshed(header, context);
      if ('retType' in fresh) return failure(operation, fresh.retMsg, fresh.errCode);
      orders.push(...ids.filter((id) => !isKnown(id)).flatMap((id) => fresh.named(String(id)) ?? []));
    }
    const allKnown = ids.length > 0 && ids.every(isKnown);
    for (const each of limits) {
      for (const order of orders) {
        const denied = checkOrder(each, order, trading, reads);
        if (denied !== undefined) return ofStandingTerms(telling(denied, securitiesOf(order, trading)), termsOfOrder(order, trading));
      }
      if (allKnown || tradedCodes.length > 0) continue;
      // An unknown order is checked by the market in the header alone. A read of it could be of any market.
      const unknown = ids.find((id) => !isKnown(id));
      if (reads && unknown !== undefined) return denyUnknown(each, unknown);
      const early =
        unknown === undefined ? undefined : this.orders.refuseEarly(`the market of order ${shown(String(unknown))} is not known`);
      if (early !== undefined) return early;
      const denied = firstDenied(each, [tradingMarketOf(trading)]);
      if (denied !== undefined) return denied;
    }
    return undefined;
  }

  /** Finds the listed orders, or returns the backend's refusal. Reads may name orders that ended long ago. */
  async #find(
    header: TrdHeader | undefined,
    ids: readonly (bigint | string)[],
    reads: boolean,
    context: CallContext,
  ): Promise<Order[] | ResponseMessage> {
    const base = header === undefined ? {} : { header };
    const current = await this.#list(ids, (filterConditions) =>
      this.backend.call(account.getOrders, create(OrderListC2S, { ...base, filterConditions }), context),
    );
    if (!reads || !Array.isArray(current)) return current;
    const found = [...current];
    const now = this.clock.now();
    // Later days too, where a clock that was set back left orders.
    for (const span of [historySpan(now), followingSpan(now)]) {
      const missing = ids.filter((id) => !found.some((order) => isOf(order, id)));
      const past = await this.#list(missing, (conditions) => {
        const filterConditions = { ...conditions, ...span };
        return this.backend.call(account.getHistoryOrders, create(HistoryC2S, { ...base, filterConditions }), context);
      });
      if (!Array.isArray(past)) return past;
      found.push(...past);
    }
    return found;
  }

  async #list(
    ids: readonly (bigint | string)[],
    ask: (conditions: TrdFilterConditions) => ResponseMessage | Promise<ResponseMessage>,
  ): Promise<Order[] | ResponseMessage> {
    const numbers = ids.filter((id) => typeof id === 'bigint');
    const texts = ids.filter((id) => typeof id === 'string');
    const found: Order[] = [];
    for (const conditions of [{ idList: numbers }, { orderIDExList: texts }]) {
      if (Object.values(conditions).flat().length === 0) continue;
      const response = await ask(create(TrdFilterConditionsSchema, conditions));
      if (response.retType !== RET_SUCCEED) return response;
      found.push(...(payloadOf(account.getOrders, response)?.orderList ?? []));
    }
    return found;
  }
}

const nameOrders = new WeakMap<Operation, boolean>();

function couldNameOrders(operation: Operation): boolean {
  let known = nameOrders.get(operation);
  if (known === undefined) {
    const { messages, classes } = operation;
    known = [...fieldsWithin(messages.C2SSchema)].some((field) => classOf(field, classes) === 'order');
    nameOrders.set(operation, known);
  }
  return known;
}

function isOf({ orderID, orderIDEx }: Order, id: bigint | string): boolean {
  return orderID === id || orderIDEx === id;
}

function checkOrder(limits: Limits, order: Order, trading: number, reads: boolean): Rejection | undefined {
  const { trdMarket, secMarket, code } = order;
  const market = quoteMarketOfSecMarket(secMarket);
  const names = tradedMarketNames(trdMarket || trading, market);
  if (!allowsMarket(limits, names)) return denyMarket(limits, names.join('/'));
  const symbol = `${market?.name ?? secMarket}.${code}`;
  // Writes here only reduce risk and are checked by market alone: a caller can always get out.
  return reads && !allowsTraded(limits, order, trading) ? denySymbol(limits, symbol) : undefined;
}

function denyUnknown({ allowedMarkets }: Limits, id: bigint | string): Rejection {
  const message = `order ${shown(String(id))} is not among those of the last ${HISTORY_DAYS} days: its market and symbol are not known, and this key is limited`;
  return new Rejection(allowedMarkets === null ? 'limit.symbol' : 'limit.market', message);
}
