import { type Access, allowsSymbol, type KeyRecord } from '../../access/index.js';
import { type Order, OrderType } from '../../contract/generated/Trd_Common_pb.js';
import { quoteMarketOfSecMarket } from '../../contract/markets.js';
import { Rejection } from '../../contract/rejection.js';
import { denySymbol } from '../limit-check.js';
import { limitsOf } from '../market-names.js';
import { nameOfOrder } from './order-lookup.js';

export interface ProtectiveOrdersParts {
  readonly access: Access;
  readonly brackets: {
    /** Whether anything of an account is guarded by a bracket, or about to be. */
    guardsIn(accId: bigint): boolean;
    /** Tells of an account's orders which are exits of brackets that go on. */
    exitsIn(accId: bigint): (order: Order) => boolean;
  };
}

/** Stop orders of every kind. */
const stops: ReadonlySet<number> = new Set([
  OrderType.OrderType_Stop,
  OrderType.OrderType_StopLimit,
  OrderType.OrderType_TrailingStop,
  OrderType.OrderType_TrailingStopLimit,
]);

/**
 * Right to take the protection of a position away. A caller can always get out of what it is in, but a halted key does not end exits of brackets, which
 * it may not change either, and a key for other symbols neither exits nor stop orders.
 */
export class ProtectiveOrders {
  readonly #parts: ProtectiveOrdersParts;

  constructor(parts: ProtectiveOrdersParts) {
    this.#parts = parts;
  }

  /** Whether there are orders in an account that a caller may not end. */
  concerns(key: KeyRecord | undefined, accId: bigint): boolean {
    const { access, brackets } = this.#parts;
    if (limitsOf(access, key).some(({ allowedSymbols }) => allowedSymbols !== null)) return true;
    return access.haltOf(key) !== undefined && brackets.guardsIn(accId);
  }

  /** Tells why a caller may not end an order of an account; undefined where it may. */
  refusals(key: KeyRecord | undefined, accId: bigint): (order: Order) => Rejection | undefined {
    const isExit = this.#parts.brackets.exitsIn(accId);
    return (order) => {
      const exits = isExit(order);
      return exits || stops.has(order.orderType) ? this.refuse(key, order, exits, `order ${nameOfOrder(order)}`) : undefined;
    };
  }

  /** Why a caller may not end what guards a position in a security. `exits`: exits of a bracket. */
  refuse(
    key: KeyRecord | undefined,
    { secMarket, code }: Pick<Order, 'secMarket' | 'code'>,
    exits: boolean,
    what: string,
  ): Rejection | undefined {
    const { access } = this.#parts;
    const symbol = `${quoteMarketOfSecMarket(secMarket)?.name ?? secMarket}.${code}`;
    const limits = limitsOf(access, key).find((each) => !allowsSymbol(each, symbol));
    if (limits !== undefined) return denySymbol(limits, symbol);
    const halt = exits ? access.haltOf(key) : undefined;
    return halt && new Rejection(halt.code, `${what} guards a position and is not ended: ${halt.reason}`);
  }

  /** Refusal for an order that no list shows: it may be an exit that is not listed yet. */
  refuseUnlisted(key: KeyRecord | undefined, accId: bigint, id: bigint | string): Rejection | undefined {
    const { access, brackets } = this.#parts;
    if (!brackets.guardsIn(accId)) return undefined;
    const message = `order ${id} is not listed yet and may guard a position: it is not ended`;
    const limits = limitsOf(access, key).find(({ allowedSymbols }) => allowedSymbols !== null);
    if (limits !== undefined) return new Rejection('limit.symbol', message);
    const halt = access.haltOf(key);
    return halt && new Rejection(halt.code, `${message}: ${halt.reason}`);
  }
}
