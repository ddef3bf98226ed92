import { create, type Message } from '@bufbuild/protobuf';
import { allowsMarket, type KeyRecord, type Limits } from '@svc-gateway/access';
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
import { memoized } from '@svc-gateway/contract/memo';
import type { Operation } from '@svc-gateway/contract/operation';
import { account } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { shown } from '@svc-gateway/contract/shown';
import type { CallContext, ResponseMessage } from '../backend.js';
import type { GatewayBase } from '../gateway-base.js';
import { denyMarket, denySymbol, firstDenied } from '../limit-check.js';
import { allowsTraded, limitsOf, tradedMarketNames } from '../market-names.js';
import { tradingMarketOf } from '../named-markets.js';
import type { Permissions } from '../permissions.js';
import { resourcesOf } from '../request-resources.js';
import { failure, payloadOf, RET_SUCCEED } from '../responses.js';
import { securitiesOf, telling } from '../visibility.js';
import { type AccountOrders, asListed } from './account-orders.js';
import { isRiskReducing, marketsOfCancelAll } from './cancel-scope.js';
import { ofStandingTerms, termsOfOrder } from './order.js';
import { isStop, type ProtectiveOrders } from './protective-orders.js';
import { addressByAccount, followingSpan, HISTORY_DAYS, historySpan } from './reads.js';
import type { Write } from './sent-writes.js';

export interface OrderPermitsDeps extends GatewayBase {
  readonly orders: AccountOrders;
  readonly protective: ProtectiveOrders;
  readonly permissions: Permissions;
}

/**
 * Holds requests that name orders by their ids against the lists of markets and, where they only read, of symbols. What
 * counts is the order that is meant, and not the market that the request writes beside it.
 */
export class OrderPermits {
  constructor(private readonly deps: OrderPermitsDeps) {}

  /**
   * undefined where the request may pass, at once where nothing has to be looked up. A response is the backend's refusal
   * to say which account or which orders these are: then nothing else is asked of it.
   */
  check(asked: Write): undefined | Promise<Rejection | ResponseMessage | undefined> {
    const { operation, request, identity, call } = asked;
    if (!operation.envOfAccount) return this.#checkOrders(asked);
    const { backend, permissions } = this.deps;
    return addressByAccount(backend, operation, request, call).then(
      (refused) => refused ?? permissions.environment(operation, identity.key, request) ?? this.#checkOrders(asked),
    );
  }

  #checkOrders({ operation, request, identity: { key }, call }: Write): undefined | Promise<Rejection | ResponseMessage | undefined> {
    if (!namesOrders(operation)) return undefined;
    const { access, protective } = this.deps;
    const reads = operation.effect === 'read';
    const limits = limitsOf(access, key).filter(
      ({ allowedMarkets, allowedSymbols }) => allowedMarkets !== null || (reads && allowedSymbols !== null),
    );
    const { header } = request as Message & { header?: TrdHeader };
    const mayEndGuards = isRiskReducing(operation, request) && protective.concerns(key);
    if (limits.length === 0 && !mayEndGuards) return undefined;
    const { orders, tradedCodes } = resourcesOf(operation, request);
    if (orders.length === 0 || marketsOfCancelAll(operation, request) !== undefined) return undefined;
    // 0 and the empty text stand for an id that is not given.
    const ids = orders.filter((id) => id !== 0n && id !== '');
    const checked = this.#check(operation, limits, header, ids, tradedCodes.length > 0, call);
    return mayEndGuards ? checked.then((denied) => denied ?? this.#checkGuards(key, header, ids, call)) : checked;
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
      const known = await this.deps.orders.refreshed(header, context);
      if (!('retType' in known)) orders = [...orders, ...ids.flatMap((id) => known.named(String(id)) ?? [])];
    }
    // Only of a stop order it makes a difference what the account holds.
    const closing = orders.some(isStop) ? await this.deps.protective.closing(key, header, context) : () => true;
    const refusal = this.deps.protective.refusals(key, accId, closing);
    for (const order of orders) {
      const refused = refusal(order);
      if (refused !== undefined) return ofStandingTerms(refused, termsOfOrder(order, header?.trdMarket ?? 0));
    }
    const unlisted = ids.find(isUnlisted);
    if (unlisted !== undefined) {
      const early = this.deps.orders.refuseEarly(`order ${shown(String(unlisted))} is not listed and may guard a position`);
      if (early !== undefined) return early;
    }
    return unlisted === undefined ? undefined : this.deps.protective.refuseUnlisted(key, accId, unlisted);
  }

  /** An order that no list may show yet, as this daemon placed it. */
  #placed(accId: bigint, id: bigint | string): readonly Order[] {
    const placed = this.deps.orders.placedNamed(accId, String(id));
    const order = placed && asListed(placed);
    return order === undefined ? [] : [order];
  }

  async #check(
    operation: Operation,
    limits: readonly Limits[],
    header: TrdHeader | undefined,
    ids: readonly (bigint | string)[],
    namesCodes: boolean,
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
      const fresh = await this.deps.orders.refreshed(header, context);
      if ('retType' in fresh) return failure(operation, fresh.retMsg, fresh.errCode);
      orders.push(...ids.filter((id) => !isKnown(id)).flatMap((id) => fresh.named(String(id)) ?? []));
    }
    const allKnown = ids.length > 0 && ids.every(isKnown);
    for (const each of limits) {
      for (const order of orders) {
        const denied = checkOrder(each, order, trading, reads);
        if (denied !== undefined) return ofStandingTerms(telling(denied, securitiesOf(order, trading)), termsOfOrder(order, trading));
      }
      if (allKnown || namesCodes) continue;
      // An unknown order is checked by the market in the header alone. A read of it could be of any market.
      const unknown = ids.find((id) => !isKnown(id));
      if (reads && unknown !== undefined) return denyUnknown(each, unknown);
      const early =
        unknown === undefined ? undefined : this.deps.orders.refuseEarly(`the market of order ${shown(String(unknown))} is not known`);
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
      this.deps.backend.call(account.getOrders, create(OrderListC2S, { ...base, filterConditions }), context),
    );
    if (!reads || !Array.isArray(current)) return current;
    const found = [...current];
    const now = this.deps.clock.now();
    // Later days too, where a clock that was set back left orders.
    for (const span of [historySpan(now), followingSpan(now)]) {
      const missing = ids.filter((id) => !found.some((order) => isOf(order, id)));
      const past = await this.#list(missing, (conditions) => {
        const filterConditions = { ...conditions, ...span };
        return this.deps.backend.call(account.getHistoryOrders, create(HistoryC2S, { ...base, filterConditions }), context);
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

/** Whether requests of an operation can name orders. */
const namesOrders = memoized(({ messages, classes }: Operation) =>
  [...fieldsWithin(messages.C2SSchema)].some((field) => classOf(field, classes) === 'order'),
);

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
