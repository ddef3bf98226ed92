import { clone, create } from '@bufbuild/protobuf';
import { Absences, type ListedOrder, type OrderGates } from '@svc-gateway/access';
import type { Clock } from '@svc-gateway/contract/clock';
import { atLeastZero, type Decimal } from '@svc-gateway/contract/decimal';
import {
  ModifyOrderOp,
  type Order,
  OrderSchema,
  TrdFilterConditionsSchema,
  type TrdHeader,
  TrdHeaderSchema,
} from '@svc-gateway/contract/generated/Trd_Common_pb';
import { C2SSchema as OrderListC2S } from '@svc-gateway/contract/generated/Trd_GetOrderList_pb';
import { C2SSchema as ModifyC2S } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import type { Response as OrderUpdate } from '@svc-gateway/contract/generated/Trd_UpdateOrder_pb';
import { account, trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { type Backend, BackendFailure, type CallContext, type PushEvent, type ResponseMessage } from '../backend.js';
import { finalStatuses } from '../final-statuses.js';
import { payloadOf, RET_SUCCEED } from '../responses.js';
import { readDated } from './dated-reads.js';
import { isCancelling, LOST_MS, mayTrade, nameOfOrder, namesOf, openStatuses } from './order-lookup.js';
import { isTrailing } from './order-pricing.js';
import { type Held, magnitude, type PositionKey, type SentLeg, UnsettledTrades } from './unsettled-trades.js';

/** Lists that lack an order show that it is over where they are so far apart: longer than any list has been behind. */
export const LISTS_APART_MS = 5_000;
/** After a start, so long orders of an earlier process may be missing from lists: twice as long as lists are behind. */
const START_MS = 2 * LISTS_APART_MS;
/** Placed orders that are remembered, of all accounts. */
const PLACED_MAX = 10_000;
/** No list shows a change so late. */
const CHANGE_SHOWN_MS = 60_000;
const ORDER_PUSH = 2208;

/** Names of an order; 0 or empty where a name is not known. */
export interface OrderName {
  readonly orderID: bigint;
  readonly orderIDEx: string;
}

/** An order that this daemon has placed. */
export interface PlacedOrder extends OrderName {
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

const changedFields = ['qty', 'price', 'auxPrice'] as const;

/** Terms of an order as a change leaves them. */
export type ChangedTerms = Pick<Order, (typeof changedFields)[number]>;

/** A change that this daemon has sent. */
interface SentChange {
  readonly terms: ChangedTerms;
  readonly sentAt: number;
  isAcknowledged: boolean;
}

/** The orders that a write puts to work, for want of its answer. */
export interface PutToWork {
  /** Recognises them in pushes. */
  readonly isOneOf: (order: Order) => boolean;
  /** The order that it changes; undefined where it places new ones. */
  readonly changed?: Order;
  /** Quantity of {@link changed} after the change; its own where that says none. */
  readonly changedQty?: number | undefined;
}

/** A halt that cancels orders. */
export interface CancellingHalt {
  isInForce(): boolean;
  /** Whether it leaves an order as it is. */
  stays(order: Order): boolean;
}

/** A write that puts orders to work, or changes one, and is not answered yet. */
interface UnderWay extends PutToWork {
  readonly header: TrdHeader;
  halt: CancellingHalt | undefined;
  /** When it is given up, of `Clock.monotonic`. */
  until: number;
}

/** Whether a halt cancels the orders of a write once they are known. */
function isHalted({ halt, changed }: UnderWay): boolean {
  return halt?.isInForce() === true && (changed === undefined || !halt.stays(changed));
}

/** A write that puts orders to work, while it is under way. */
export interface SentOrders {
  /** Settles the write: with the orders that the brokerage named, or as unknown. */
  ended(isAnswered: boolean, names: readonly OrderName[]): void;
}

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
  readonly #deps: Deps;
  readonly #startedAt: number;
  /** By account and name, the oldest first; empty where lists are never behind. */
  readonly #placed = new Map<string, CountedOrder>();
  /** By account and name, the changes that an order may have and lists may not show, the oldest first. */
  readonly #changes = new Map<string, readonly SentChange[]>();
  readonly #underWay = new Set<UnderWay>();
  readonly #absences = new Absences<string>();
  /** Orders whose trades lists of positions may not show yet. */
  readonly trades: UnsettledTrades;
  /** When the list of an account and market was last asked for afresh. */
  readonly #refreshedAt = new Map<string, number>();

  constructor(deps: Deps) {
    this.#deps = deps;
    this.#startedAt = deps.clock.monotonic();
    this.trades = new UnsettledTrades(deps.clock, this.apartMs);
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
    const { clock } = this.#deps;
    if (!this.#startsAt(clock.monotonic())) return undefined;
    const leftMs = this.#startedAt + START_MS - clock.monotonic();
    const seconds = Math.ceil(leftMs / 1000);
    const message = `${what}: the daemon has just started, and orders sent before that may not be listed yet; ask again in ${seconds} s`;
    return new Rejection('backend.not_ready', message, { retryAfterSeconds: seconds });
  }

  /** Whether orders of an earlier process may be missing from lists that are asked for at this moment. */
  #startsAt(askedAt: number): boolean {
    return !this.#deps.backend.listsCurrent && askedAt < this.#startedAt + START_MS;
  }

  /** How far apart two lists are that lack an order which is over; 0 where lists are never behind. */
  get apartMs(): number {
    return this.#deps.backend.listsCurrent ? 0 : LISTS_APART_MS;
  }

  /**
   * A write is about to be sent that puts orders to work or changes one; it counts as under way until it is answered, and for a while where the answer
   * is lost.
   *
   * @param legs trades that it adds; none where it changes an order.
   * @param isClaimed as for {@link trading}.
   */
  sending(header: TrdHeader, legs: readonly SentLeg[], isClaimed: boolean, orders: PutToWork): SentOrders {
    const sent: UnderWay = { ...orders, header, halt: undefined, until: Number.POSITIVE_INFINITY };
    if (this.#deps.backend.listsCurrent) return { ended: () => undefined };
    this.#giveUpLost();
    this.#underWay.add(sent);
    const { changed, changedQty } = orders;
    const change = (names: readonly OrderName[] = []) => {
      if (changed === undefined) return;
      const qty = magnitude(changedQty ?? changed.qty);
      this.trades.changing(header.accID, changed, qty);
      // Some brokerages replace an order that is changed by a new one.
      const known = namesOf(changed);
      for (const { orderID, orderIDEx } of names.filter((name) => !namesOf(name).some((each) => known.includes(each))))
        this.trades.changing(header.accID, Object.assign(clone(OrderSchema, changed), { orderID, orderIDEx, fillQty: 0 }), qty);
    };
    change();
    const trading = this.trading(header.accID, legs, isClaimed);
    return {
      ended: (isAnswered, names) => {
        trading.ended(isAnswered ? names : undefined);
        change(names);
        if (isAnswered) this.#underWay.delete(sent);
        else sent.until = this.#deps.clock.monotonic() + LOST_MS;
        if (isHalted(sent)) for (const name of names) void this.#cancel(sent, name);
      },
    };
  }

  /**
   * Orders are about to be sent that may trade before any list shows them. To be ended with the names of those that were accepted; undefined where
   * nobody knows.
   *
   * @param isClaimed what they close is claimed already.
   */
  trading(accId: bigint, legs: readonly SentLeg[], isClaimed: boolean): { ended(names: readonly OrderName[] | undefined): void } {
    if (this.#deps.backend.listsCurrent || legs.length === 0) return { ended: () => undefined };
    const sent = this.trades.sending(accId, legs, isClaimed);
    return {
      ended: (names) => {
        const [name, another] = names ?? [];
        if (names === undefined) sent.ended('');
        else if (another === undefined) sent.ended(name && nameOfOrder(name));
        else {
          // The orders of a roll make a trade each.
          sent.ended(undefined);
          for (const [place, leg] of legs.entries()) this.trades.sending(accId, [leg]).ended(nameOfOrder(names[place] ?? another));
        }
      },
    };
  }

  /** The moment of a list that is asked for now, for {@link mayHold}. */
  get now(): number {
    return this.#deps.clock.monotonic();
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

  /** Writes in an account that a halt concerns and that are not answered: while it is in force, their orders are cancelled once an answer or a push names them. */
  haltUnderWay(accId: bigint, halt: CancellingHalt): number {
    this.#giveUpLost();
    const writes = [...this.#underWay].filter(({ header }) => header.accID === accId);
    for (const write of writes) write.halt = halt;
    return writes.filter(isHalted).length;
  }

  #giveUpLost(): void {
    const now = this.#deps.clock.monotonic();
    for (const order of this.#underWay) if (order.until <= now) this.#underWay.delete(order);
  }

  async #cancel({ header }: UnderWay, { orderID, orderIDEx }: OrderName): Promise<void> {
    const { backend, clock } = this.#deps;
    const packetID = { connID: 0n, serialNo: 0 };
    const request = create(ModifyC2S, { packetID, header, orderID, orderIDEx, modifyOrderOp: ModifyOrderOp.ModifyOrderOp_Cancel });
    const context = { requestId: 'halt', deadline: clock.monotonic() + LOST_MS, signal: new AbortController().signal };
    try {
      await backend.call(trade.cancelOrder, request, context);
    } catch (thrown) {
      if (!(thrown instanceof BackendFailure)) throw thrown;
    }
  }

  /** The backend has acknowledged this order. */
  placed(order: PlacedOrder): void {
    if (this.#deps.backend.listsCurrent) return;
    const before = this.placedNamed(order.accId, nameOfOrder(order));
    // A change names the market that its caller writes: what was placed stays what it is.
    const placedAt = this.#deps.clock.monotonic();
    const name = keyOf(order.accId, nameOfOrder(before ?? order));
    this.#placed.set(name, { ...(before ?? order), placedAt });
    this.#absences.forget(name);
    const [oldest] = this.#placed.keys();
    if (this.#placed.size <= PLACED_MAX || oldest === undefined) return;
    this.#placed.delete(oldest);
    this.#absences.forget(oldest);
  }

  /** The order of this text or number that this daemon has placed and that is not known to be over. */
  placedNamed(accId: bigint, name: string): PlacedOrder | undefined {
    const known = this.#placed.get(keyOf(accId, name));
    if (known !== undefined) return known;
    for (const placed of this.placedIn(accId)) if (namesOf(placed).includes(name)) return placed;
    return undefined;
  }

  /** Whether this process has placed an order, so that no earlier one can have changed it. */
  isPlacedHere(accId: bigint, names: readonly string[]): boolean {
    return names.some((name) => this.placedNamed(accId, name)?.terms !== undefined);
  }

  /** A change of an order is about to be sent. `ended` takes whether it was made; undefined where nobody knows. */
  changing(accId: bigint, names: readonly string[], terms: ChangedTerms): { ended(isMade: boolean | undefined): void } {
    if (this.#deps.backend.listsCurrent) return { ended: () => undefined };
    const change: SentChange = { terms, sentAt: this.#deps.clock.monotonic(), isAcknowledged: false };
    const keys = names.map((name) => keyOf(accId, name));
    for (const key of keys) this.#keepChanges(key, [...(this.#changes.get(key) ?? []), change]);
    for (const oldest of this.#changes.keys()) {
      if (this.#changes.size <= PLACED_MAX) break;
      this.#changes.delete(oldest);
    }
    return {
      ended: (isMade) => {
        change.isAcknowledged = isMade === true;
        for (const key of keys) {
          const changes = this.#changes.get(key) ?? [];
          // An acknowledged change replaces whatever was sent before it.
          if (isMade === true) this.#keepChanges(key, changes.slice(Math.max(0, changes.indexOf(change))));
          else if (isMade === false)
            this.#keepChanges(
              key,
              changes.filter((other) => other !== change),
            );
        }
      },
    };
  }

  #keepChanges(key: string, changes: readonly SentChange[]): void {
    this.#changes.delete(key);
    if (changes.length > 0) this.#changes.set(key, changes);
  }

  /**
   * The terms that a listed order may have, each different: first the last change of it that was acknowledged here, or else those of the list. A
   * change counts until a list or a push shows it, once none can still be from before it.
   */
  possibleTerms(accId: bigint, order: Order): readonly [Order, ...Order[]] {
    const changes = this.#changesOf(accId, order);
    if (changes.length === 0) return [order];
    const [acknowledged, others] = [changes.filter((change) => change.isAcknowledged), changes.filter((change) => !change.isAcknowledged)];
    const [first, ...rest] = [...acknowledged.map(asChanged), order, ...others.map(asChanged)];
    return [first ?? order, ...rest];

    function asChanged({ terms }: SentChange): Order {
      const fields = changedFieldsOf(order);
      return Object.assign(clone(OrderSchema, order), Object.fromEntries(fields.map((field) => [field, terms[field]])));
    }
  }

  /** Changes that this daemon has sent of an order and that it does not show; those that it proves to be made are dropped. */
  #changesOf(accId: bigint, order: Order): readonly SentChange[] {
    if (this.#changes.size === 0) return [];
    const names = namesOf(order);
    const known = names.map((name) => this.#changes.get(keyOf(accId, name))).find((changes) => changes !== undefined) ?? [];
    if (known.length === 0) return known;
    const now = this.#deps.clock.monotonic();
    const isShown = ({ terms }: SentChange) => changedFieldsOf(order).every((field) => order[field] === terms[field]);
    const shown = known.findLastIndex((change) => isShown(change) && now - change.sentAt >= LISTS_APART_MS);
    const left = known.slice(shown + 1).filter(({ sentAt }) => now - sentAt < CHANGE_SHOWN_MS);
    if (left.length < known.length) for (const name of names) this.#keepChanges(keyOf(accId, name), left);
    return left.filter((change) => !isShown(change));
  }

  /** Takes note of orders that are over and of changes that are made, by whatever has shown that. */
  applyOrders(accId: bigint, orders: readonly Order[]): void {
    for (const order of orders) {
      if (!this.#deps.backend.listsCurrent) this.trades.see(accId, order);
      this.#changesOf(accId, order);
      if (!finalStatuses.has(order.orderStatus)) continue;
      const names = namesOf(order);
      for (const name of names) {
        this.#placed.delete(keyOf(accId, name));
        this.#absences.forget(keyOf(accId, name));
      }
      this.#deps.gates.freeNamed(accId, names);
    }
  }

  /** Asks for an account's orders afresh; the backend's answer where that does not list them. Limits on open orders learn of it. */
  async refreshed(header: TrdHeader, context: CallContext): Promise<KnownOrders | ResponseMessage> {
    const askedAt = this.#deps.clock.monotonic();
    this.#refreshedAt.set(placeOf(header), askedAt);
    return this.#read(header, context, askedAt, this.apartMs);
  }

  /** As {@link refreshed}, but no more often than two lists have to be apart: servers bound how often a list may be asked for afresh. */
  async known(header: TrdHeader, context: CallContext): Promise<KnownOrders | ResponseMessage> {
    const askedAt = this.#deps.clock.monotonic();
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
    const { backend, gates } = this.#deps;
    const { accID: accId, trdEnv: env, trdMarket: market } = header;
    const settled = gates.openOrdersAt({ accId, env, market });
    // One that lags is asked for ends as well, which it shows later than they happen and never before.
    const filterStatusList = backend.listsCurrent ? [...openStatuses] : [];
    const filterConditions = create(TrdFilterConditionsSchema, {});
    const query = create(OrderListC2S, { header, filterConditions, filterStatusList, refreshCache: apartMs !== undefined });
    const { response, askedAt } = await readDated(backend, account.getOrders, query, context, calledAt);
    if (apartMs !== undefined) this.#refreshedAt.set(placeOf(header), askedAt);
    const orders = response.retType === RET_SUCCEED ? payloadOf(account.getOrders, response)?.orderList : undefined;
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
      const key = keyOf(accId, nameOfOrder(order));
      const isListed = namesOf(order).some((name) => names.has(name));
      if (apartMs === undefined) return !isListed;
      if (isListed) this.#absences.forget(key);
      else if (askedAt > order.placedAt && this.#absences.provenBy(key, askedAt, apartMs)) this.#placed.delete(key);
      return !isListed && this.#placed.has(key);
    });
  }

  #hear(event: PushEvent): void {
    if (event.type !== 'trade' || event.protoId !== ORDER_PUSH) return;
    const order = (event.message as unknown as OrderUpdate).s2c?.order;
    if (order === undefined) return;
    this.applyOrders(event.accId, [order]);
    if (!mayTrade(order) || isCancelling(order) || this.#underWay.size === 0) return;
    const isPlaced = namesOf(order).some((name) => this.placedNamed(event.accId, name) !== undefined);
    this.#giveUpLost();
    const sent = [...this.#underWay].find(
      (write) =>
        write.header.accID === event.accId && isHalted(write) && write.isOneOf(order) && (write.changed !== undefined || !isPlaced),
    );
    if (sent !== undefined) void this.#cancel(sent, order);
  }

  /** Accounts in which orders of this daemon may be open or under way. */
  accounts(): readonly TrdHeader[] {
    const headers = new Map<bigint, TrdHeader>();
    for (const { accId, trdEnv, trdMarket } of this.#placed.values())
      headers.set(accId, create(TrdHeaderSchema, { accID: accId, trdEnv, trdMarket }));
    for (const { header } of this.#underWay) if (!headers.has(header.accID)) headers.set(header.accID, header);
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

/** The brokerage itself moves the trigger of a trailing order. */
function changedFieldsOf({ orderType }: Order): readonly (keyof ChangedTerms)[] {
  return changedFields.filter((field) => field !== 'auxPrice' || !isTrailing(orderType));
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

function keyOf(accId: bigint, name: string): string {
  return `${accId}/${name}`;
}
