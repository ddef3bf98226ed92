import { create } from '@bufbuild/protobuf';
import { Absences, type ListedOrder, type OrderGates } from '@svc-gateway/access';
import type { Clock } from '@svc-gateway/contract/clock';
import { atLeastZero, type Decimal } from '@svc-gateway/contract/decimal';
import {
  type Order,
  OrderSchema,
  TrdFilterConditionsSchema,
  type TrdHeader,
  TrdHeaderSchema,
} from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as OrderListC2S } from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import { account } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Backend, CallContext, PushEvent, ResponseMessage } from '../backend.js';
import { successOf } from '../responses.js';
import { SentChanges } from './changes.js';
import {
  finalStatuses,
  LISTS_APART_MS,
  mayTrade,
  nameOfOrder,
  namesOf,
  type OrderName,
  openStatuses,
  orderKey,
  pushedOrder,
} from './order.js';
import { readDated } from './reads.js';
import { UnansweredWrites } from './unanswered-writes.js';
import { type Held, type PositionKey, UnsettledTrades } from './unsettled-trades.js';

/** After a start, so long orders of an earlier process may be missing from lists: twice as long as lists are behind. */
const START_MS = 2 * LISTS_APART_MS;
/** Placed orders that are remembered, of all accounts. */
const PLACED_MAX = 10_000;

/** An order that this daemon has placed. */
export interface PlacedOrder extends Readonly<OrderName> {
  readonly accId: bigint;
  /** Trd_Common.TrdEnv. */
  readonly trdEnv: number;
  /** Trd_Common.TrdMarket. */
  readonly trdMarket: number;
  /** Left out where that is not known any more, and of an order of several legs. */
  readonly terms?: PlacedTerms;
}

/** An order that counts as open. */
interface CountedOrder extends PlacedOrder {
  /** When it was acknowledged last, of `Clock.monotonic`: lists that were asked for before may lack it. */
  readonly placedAt: number;
}

/** Terms of an order as it was placed. */
export type PlacedTerms = Pick<Order, 'code' | 'secMarket' | 'orderType' | 'trdSide'>;

/** The orders of an account, by a list and by what this daemon has placed there. */
export interface KnownOrders {
  /** When the list was asked for, of `Clock.monotonic`. */
  readonly askedAt: number;
  /** Listed orders that may still trade. */
  readonly open: readonly Order[];
  /** Orders that this daemon has placed, that are not listed as open, and of which nothing says that they are over. */
  readonly unlisted: readonly PlacedOrder[];
  /** The listed order of this name, whatever its status. */
  named(name: string): Order | undefined;
}

type Deps = { readonly backend: Backend; readonly gates: OrderGates; readonly clock: Clock };

/**
 * Orders of an account that may still trade. A backend's list may be seconds behind: an order that this daemon has placed counts as open until a
 * final status is pushed or listed, or two lists, asked for afresh and {@link LISTS_APART_MS} apart, lack it.
 */
export class AccountOrders {
  readonly #startedAt: number;
  /** By account and name, the oldest first; empty where lists are never behind. */
  readonly #placed = new Map<string, CountedOrder>();
  readonly changes: SentChanges;
  readonly unanswered: UnansweredWrites;
  readonly #absences = new Absences<string>();
  /** Orders whose trades lists of positions may not show yet. */
  readonly trades: UnsettledTrades;
  /** When the list of an account and market was last asked for afresh. */
  readonly #refreshedAt = new Map<string, number>();

  constructor(private readonly deps: Deps) {
    this.#startedAt = deps.clock.monotonic();
    this.trades = new UnsettledTrades(deps.clock, this.apartMs);
    this.changes = new SentChanges(deps.backend, deps.clock);
    this.unanswered = new UnansweredWrites(deps.backend, deps.clock, this.trades);
    if (deps.backend.listsCurrent) return;
    for (const { accId, env, market, orderId } of deps.gates.openOrders()) {
      this.placed({ accId, trdEnv: env, trdMarket: market, orderID: 0n, orderIDEx: orderId });
    }
    deps.backend.onPush((event) => this.#hear(event));
  }

  /**
   * Refuses what relies on nothing else being open, for a while after the start: orders that an earlier process has sent may be on no list yet, and
   * nobody knows of them here. undefined where lists are never behind, and later.
   */
  refuseEarly(what: string): Rejection | undefined {
    const { clock } = this.deps;
    if (!this.#startsAt(clock.monotonic())) return undefined;
    const leftMs = this.#startedAt + START_MS - clock.monotonic();
    const seconds = Math.ceil(leftMs / 1000);
    const message = `${what}: the daemon has just started, and orders sent before that may not be listed yet; ask again in ${seconds} s`;
    return new Rejection('backend.not_ready', message, { retryAfterSeconds: seconds });
  }

  /** Whether orders of an earlier process may be missing from lists that are asked for at this moment. */
  #startsAt(askedAt: number): boolean {
    return !this.deps.backend.listsCurrent && askedAt < this.#startedAt + START_MS;
  }

  /** How far apart two lists are that lack an order which is over; 0 where lists are never behind. */
  get apartMs(): number {
    return this.deps.backend.listsCurrent ? 0 : LISTS_APART_MS;
  }

  /** The moment of a list that is asked for now, for {@link mayHold}. */
  get now(): number {
    return this.deps.clock.monotonic();
  }

  /**
   * Whether an account may hold a position that a list asked for at `askedAt` lacks: an order may have opened it, or, shortly after the start, one of
   * an earlier process.
   */
  mayHold(position: PositionKey, askedAt: number): boolean {
    return this.#startsAt(askedAt) || this.trades.mayHold(position, askedAt);
  }

  /** Quantity of a position that is there at least, by a list: what orders have closed since counts. */
  leastHeld(position: PositionKey, list: Held): Decimal {
    return atLeastZero(this.trades.leastHeld(position, list));
  }

  /** The backend has acknowledged this order. */
  placed(order: PlacedOrder): void {
    if (this.deps.backend.listsCurrent) return;
    const before = this.placedNamed(order.accId, nameOfOrder(order));
    // A change names the market that its caller writes: what was placed stays what it is.
    const placedAt = this.deps.clock.monotonic();
    const name = orderKey(order.accId, nameOfOrder(before ?? order));
    this.#placed.set(name, { ...(before ?? order), placedAt });
    this.#absences.forget(name);
    const [oldest] = this.#placed.keys();
    if (this.#placed.size <= PLACED_MAX || oldest === undefined) return;
    this.#placed.delete(oldest);
    this.#absences.forget(oldest);
  }

  /** The order of this text or number that this daemon has placed and that is not known to be over. */
  placedNamed(accId: bigint, name: string): PlacedOrder | undefined {
    const known = this.#placed.get(orderKey(accId, name));
    if (known !== undefined) return known;
    for (const placed of this.placedIn(accId)) if (namesOf(placed).includes(name)) return placed;
    return undefined;
  }

  /** Whether this process has placed an order, so that no earlier one can have changed it. */
  isPlacedHere(accId: bigint, names: readonly string[]): boolean {
    return names.some((name) => this.placedNamed(accId, name)?.terms !== undefined);
  }

  /** Takes note of orders that are over and of changes that are made, by whatever has shown that. */
  applyOrders(accId: bigint, orders: readonly Order[]): void {
    for (const order of orders) {
      if (!this.deps.backend.listsCurrent) this.trades.see(accId, order);
      this.changes.see(accId, order);
      if (!finalStatuses.has(order.orderStatus)) continue;
      const names = namesOf(order);
      for (const name of names) {
        this.#placed.delete(orderKey(accId, name));
        this.#absences.forget(orderKey(accId, name));
      }
      this.deps.gates.freeNamed(accId, names);
    }
  }

  /** Asks for an account's orders afresh; the backend's answer where that does not list them. Limits on open orders learn of it. */
  async refreshed(header: TrdHeader, context: CallContext): Promise<KnownOrders | ResponseMessage> {
    const askedAt = this.deps.clock.monotonic();
    this.#refreshedAt.set(placeOf(header), askedAt);
    return this.#read(header, context, askedAt, this.apartMs);
  }

  /** As {@link refreshed}, but no more often than two lists have to be apart: servers bound how often a list may be asked for afresh. */
  async known(header: TrdHeader, context: CallContext): Promise<KnownOrders | ResponseMessage> {
    const askedAt = this.deps.clock.monotonic();
    const refreshedAt = this.#refreshedAt.get(placeOf(header));
    if (refreshedAt === undefined || askedAt - refreshedAt >= this.apartMs) return this.refreshed(header, context);
    return this.#read(header, context, askedAt, undefined);
  }

  async #read(
    header: TrdHeader,
    context: CallContext,
    calledAt: number,
    apartMs: number | undefined,
  ): Promise<KnownOrders | ResponseMessage> {
    const { backend, gates } = this.deps;
    const { accID: accId, trdEnv: env, trdMarket: market } = header;
    const settled = gates.openOrdersAt({ accId, env, market });
    // One that lags is asked for ends as well, which it shows later than they happen and never before.
    const filterStatusList = backend.listsCurrent ? [...openStatuses] : [];
    const filterConditions = create(TrdFilterConditionsSchema, {});
    const query = create(OrderListC2S, { header, filterConditions, filterStatusList, refreshCache: apartMs !== undefined });
    const { response, askedAt } = await readDated(backend, account.getOrders, query, context, calledAt);
    if (apartMs !== undefined) this.#refreshedAt.set(placeOf(header), askedAt);
    const orders = successOf(account.getOrders, response)?.orderList;
    if (orders === undefined) return response;
    this.applyOrders(accId, orders);
    // A list may have 10,000 orders: their names are built only when needed. One that was asked for before the call lacks what came in between.
    const ended = askedAt < calledAt ? undefined : apartMs;
    if (settled.length > 0) gates.freeEnded(accId, settled, { orders: orders.map(listed), askedAt, apartMs: ended });
    const open = orders.filter(mayTrade);
    const unlisted = this.#lackedBy(accId, open, askedAt, apartMs);
    return { askedAt, open, unlisted, named: (name) => orders.find((order) => namesOf(order).includes(name)) };
  }

  /** The placed orders that a list lacks and that may be open all the same. `apartMs` is undefined where the list was not asked for afresh. */
  #lackedBy(accId: bigint, open: readonly Order[], askedAt: number, apartMs: number | undefined): readonly PlacedOrder[] {
    const placed = [...this.placedIn(accId)];
    const names = new Set(placed.length > 0 ? open.flatMap(namesOf) : []);
    return placed.filter((order) => {
      const key = orderKey(accId, nameOfOrder(order));
      const isListed = namesOf(order).some((name) => names.has(name));
      if (apartMs === undefined) return !isListed;
      if (isListed) this.#absences.forget(key);
      else if (askedAt > order.placedAt && this.#absences.provenBy(key, askedAt, apartMs)) this.#placed.delete(key);
      return !isListed && this.#placed.has(key);
    });
  }

  #hear(event: PushEvent): void {
    const order = pushedOrder(event);
    if (event.type !== 'trade' || order === undefined) return;
    this.applyOrders(event.accId, [order]);
    this.unanswered.hear(event.accId, order, () => namesOf(order).some((name) => this.placedNamed(event.accId, name) !== undefined));
  }

  /** Accounts in which orders of this daemon may be open or under way. */
  accounts(): readonly TrdHeader[] {
    const headers = new Map<bigint, TrdHeader>();
    for (const { accId, trdEnv, trdMarket } of this.#placed.values())
      headers.set(accId, create(TrdHeaderSchema, { accID: accId, trdEnv, trdMarket }));
    for (const header of this.unanswered.headers()) if (!headers.has(header.accID)) headers.set(header.accID, header);
    return [...headers.values()];
  }

  /** Orders that this daemon has placed in an account and of which nothing says that they are over. */
  *placedIn(accId: bigint): Iterable<CountedOrder> {
    for (const placed of this.#placed.values()) if (placed.accId === accId) yield placed;
  }
}

/** A placed order as a list would have it; undefined where it is not known what was placed. */
export function asListed({ orderID, orderIDEx, trdMarket, terms }: PlacedOrder): Order | undefined {
  return terms && create(OrderSchema, { orderID, orderIDEx, trdMarket, ...terms });
}

function listed(order: Order): ListedOrder {
  return { names: namesOf(order), state: stateOf(order) };
}

function placeOf({ accID, trdMarket }: TrdHeader): string {
  return `${accID}/${trdMarket}`;
}

function stateOf(order: Order): ListedOrder['state'] {
  if (finalStatuses.has(order.orderStatus)) return 'over';
  return mayTrade(order) ? 'open' : 'out of the market';
}
