import { allowsSymbol, type KeyRecord } from '@svc-gateway/access';
import { type Order, OrderType, PositionSide, type TrdHeader, TrdSide } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { Rejection } from '@svc-gateway/contract/rejection';
import { shown } from '@svc-gateway/contract/shown';
import type { Backend, CallContext } from '../backend.js';
import { BackendTimeout } from '../backend-failures.js';
import type { GatewayBase } from '../gateway-base.js';
import { denySymbol } from '../limit-check.js';
import { limitsOf, type Traded } from '../market-names.js';
import { securitiesOf, telling } from '../visibility.js';
import type { AccountOrders } from './account-orders.js';
import { nameOfOrder, symbolOfOrder } from './order.js';
import { readPositions } from './reads.js';

export interface ProtectiveOrdersDeps extends GatewayBase {
  readonly orders: AccountOrders;
  readonly brackets: {
    /** Whether anything of an account is guarded by a bracket, or about to be. */
    hasProtectiveOrders(accId: bigint): boolean;
    /** Tells of an account's orders which are exits of brackets that go on. */
    isProtectiveOrder(accId: bigint): (order: Order) => boolean;
  };
}

/** Stop orders of every kind. */
const stops: ReadonlySet<number> = new Set([
  OrderType.OrderType_Stop,
  OrderType.OrderType_StopLimit,
  OrderType.OrderType_TrailingStop,
  OrderType.OrderType_TrailingStopLimit,
]);

export function isStop({ orderType }: Pick<Order, 'orderType'>): boolean {
  return stops.has(orderType);
}

const everything = (): boolean => true;

/** Timeout of the list of positions, which a cancel waits for. */
const ANSWER_MS = 5_000;

/**
 * Tells of an account's orders which would close a position that is there or that an order sent from here may have opened; every one might, where the
 * brokerage does not list the positions.
 */
export async function closingOrders(
  backend: Backend,
  orders: AccountOrders,
  header: TrdHeader | undefined,
  context: CallContext,
): Promise<(order: Order) => boolean> {
  if (header === undefined) return everything;
  const { requestId, deadline, signal, owner } = context;
  const bounded = { requestId, deadline, signal, owner, answerMs: ANSWER_MS };
  // An order that has ended opens nothing any more.
  if (!backend.listsCurrent) await answeredInTime(orders.known(header, bounded));
  const listed = await answeredInTime(readPositions(backend, header, bounded, { now: orders.now }));
  if (listed === undefined || typeof listed === 'string') return everything;
  const { askedAt, positions } = listed;
  return ({ code, secMarket, trdSide }) => {
    const closed = trdSide === TrdSide.TrdSide_Sell ? PositionSide.PositionSide_Long : PositionSide.PositionSide_Short;
    const isListed = positions.some(
      (one) => one.code === code && (secMarket === 0 || one.secMarket === secMarket) && one.positionSide === closed && one.qty !== 0,
    );
    return isListed || orders.mayHold({ accId: header.accID, symbol: symbolOfOrder({ code, secMarket }), side: closed }, askedAt);
  };
}

/** The answer to a read; undefined where it comes too late. */
function answeredInTime<T>(reading: Promise<T>): Promise<T | undefined> {
  return reading.catch((thrown: unknown) => {
    if (!(thrown instanceof BackendTimeout)) throw thrown;
    return undefined;
  });
}

/**
 * Right to take the protection of a position away. A caller can always get out of what it is in, but a halted key ends neither exits of brackets nor
 * stop orders that would close a position, which it may not change either, and a key for other symbols neither exits nor stop orders.
 */
export class ProtectiveOrders {
  constructor(private readonly deps: ProtectiveOrdersDeps) {}

  /** Whether there may be orders in an account that a caller may not end. */
  concerns(key: KeyRecord | undefined): boolean {
    const { access } = this.deps;
    return limitsOf(access, key).some(({ allowedSymbols }) => allowedSymbols !== null) || access.gates.haltOf(key) !== undefined;
  }

  /** Tells which orders would close a position, as far as that makes a difference for a caller. */
  async closing(key: KeyRecord | undefined, header: TrdHeader | undefined, context: CallContext): Promise<(order: Order) => boolean> {
    const { access, backend, orders } = this.deps;
    return access.gates.haltOf(key) === undefined ? everything : closingOrders(backend, orders, header, context);
  }

  /** Tells why a caller may not end an order of an account; undefined where it may. `closes`: by {@link closing}. */
  refusals(key: KeyRecord | undefined, accId: bigint, closes: (order: Order) => boolean): (order: Order) => Rejection | undefined {
    const isExit = this.deps.brackets.isProtectiveOrder(accId);
    return (order) => {
      const exits = isExit(order);
      return exits || isStop(order) ? this.refuse(key, order, exits || closes(order), `order ${shown(nameOfOrder(order))}`) : undefined;
    };
  }

  /** Reason why a caller may not end an order. `guards`: it guards a position. */
  refuse(key: KeyRecord | undefined, order: Traded, guards: boolean, what: string): Rejection | undefined {
    const { access } = this.deps;
    const symbol = symbolOfOrder(order);
    const limits = limitsOf(access, key).find((each) => !allowsSymbol(each, symbol));
    if (limits !== undefined) return telling(denySymbol(limits, symbol), securitiesOf(order, 0));
    const halt = guards ? access.gates.haltOf(key) : undefined;
    const rejection = halt && new Rejection(halt.code, `${what} guards a position and is not ended: ${halt.reason}`);
    return rejection && telling(rejection, securitiesOf(order, 0));
  }

  /** Refusal for an order that no list shows: where lists may be behind, or exits are on their way, it may guard a position. */
  refuseUnlisted(key: KeyRecord | undefined, accId: bigint, id: bigint | string): Rejection | undefined {
    const { access, brackets, backend } = this.deps;
    if (backend.listsCurrent && !brackets.hasProtectiveOrders(accId)) return undefined;
    const message = `order ${shown(String(id))} is not listed yet and may guard a position: it is not ended`;
    const limits = limitsOf(access, key).find(({ allowedSymbols }) => allowedSymbols !== null);
    if (limits !== undefined) return telling(new Rejection('limit.symbol', message), []);
    const halt = access.gates.haltOf(key);
    return halt && telling(new Rejection(halt.code, `${message}: ${halt.reason}`), []);
  }
}
