import { create } from '@bufbuild/protobuf';
import type { Access, DayProfit, KeyRecord, OrderFacts, OrderPlace, Wanted } from '@svc-gateway/access';
import { atLeastZero, type Decimal, decimalFromNumber, greater } from '@svc-gateway/contract/decimal';
import { currency as currencies } from '@svc-gateway/contract/enums';
import { type Order, type Position, type TrdHeader, TrdHeaderSchema } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { quoteMarketOfSecMarket } from '@svc-gateway/contract/markets';
import type { Rejection } from '@svc-gateway/contract/rejection';
import type { Backend, CallContext } from '../backend.js';
import type { Valued } from '../valuation/single-orders.js';
import type { AccountOrders } from './account-orders.js';
import { magnitude, mayTrade, nameOfOrder, symbolOfOrder } from './order.js';
import { closingOrders, isStop } from './protective-orders.js';
import { readPositions } from './reads.js';
import { type ClosingClaim, closedBy, closes, type PositionKey, type PositionReading, tradesOf } from './unsettled-trades.js';

/** Facts that say everything the gates want. */
export interface Complete {
  readonly facts: OrderFacts;
  /** Refusal in place of the gates' where they cannot be asked yet. */
  readonly early?: Rejection;
  /** Present where the order passes because it closes a part of a position: to be settled when it is answered. */
  readonly claim?: ClosingClaim;
}

/** Position that an order closes: `qty` of it, by its symbol ("HK.HSI2612") and its own side ("SELL"). */
export interface Closing {
  readonly accId: bigint;
  readonly symbol: string;
  readonly side: string;
  readonly qty: Decimal;
}

/**
 * Account facts for the gates: open orders, today's loss, and whether the order only closes a position. Asked only where a limit
 * or a halt makes a difference.
 */
export class AccountContext {
  constructor(
    private readonly backend: Backend,
    private readonly access: Access,
    private readonly orders: AccountOrders,
    /** Tells of an account's orders which are exits of brackets that go on. */
    private readonly isProtectiveOrder: (accId: bigint) => (order: Order) => boolean,
  ) {}

  /** The facts with what the gates want; at once where they want nothing. */
  complete(
    key: KeyRecord | undefined,
    known: OrderFacts,
    valued: Valued,
    header: TrdHeader | undefined,
    context: CallContext,
  ): Complete | Promise<Complete> {
    // A protective exit does not count as risk to be reduced.
    if (this.#changesExit(valued)) return this.#complete(key, { ...known, reduces: false }, valued, header, context);
    const { changes } = valued;
    if (changes === undefined || !isStop(changes.order) || this.access.gates.haltOf(key) === undefined)
      return this.#complete(key, known, valued, header, context);
    return closingOrders(this.backend, this.orders, header, context).then((closes) =>
      this.#complete(key, closes(changes.order) ? { ...known, reduces: false } : known, valued, header, context),
    );
  }

  #complete(
    key: KeyRecord | undefined,
    facts: OrderFacts,
    valued: Valued,
    header: TrdHeader | undefined,
    context: CallContext,
  ): Complete | Promise<Complete> {
    const early = this.#refuseEarlyChange(key, facts);
    if (early !== undefined) return { facts, early };
    const wanted = this.access.gates.wants(key, facts);
    return wanted === undefined ? { facts } : this.#find(key, facts, valued, header, wanted, context);
  }

  /** A change of an earlier process may be on no list yet: one that looks smaller than the list may make the order larger. */
  #refuseEarlyChange(key: KeyRecord | undefined, { accId, changes, reduces }: OrderFacts): Rejection | undefined {
    if (changes === undefined || reduces !== true || !this.access.gates.weighsChanges(key)) return undefined;
    if (this.orders.isPlacedHere(accId, changes.names)) return undefined;
    return this.orders.refuseEarly('whether the change makes the order smaller is not known');
  }

  #changesExit({ accId, changes }: Valued): boolean {
    return changes !== undefined && this.isProtectiveOrder(accId)(changes.order);
  }

  async #find(
    key: KeyRecord | undefined,
    known: OrderFacts,
    valued: Valued,
    header: TrdHeader | undefined,
    first: Wanted,
    context: CallContext,
  ): Promise<Complete> {
    let facts = known;
    let claim: ClosingClaim | undefined;
    // Each round answers one want for good: there are three.
    for (let wanted: Wanted | undefined = first; wanted !== undefined; wanted = this.access.gates.wants(key, facts)) {
      if (wanted.openOrders !== undefined) {
        await this.compareOpenOrders(wanted.openOrders, context);
        facts = { ...facts, opensCompared: true };
      } else if (wanted.dayProfit) {
        facts = { ...facts, dayProfit: await this.dayProfit(header, context) };
      } else {
        claim = await this.#claim(valued, header, context);
        const early = claim && this.orders.refuseEarly('how much of the position is still to be closed is not known');
        if (early !== undefined) {
          claim?.settle(undefined);
          return { facts, early };
        }
        facts = { ...facts, reduces: claim !== undefined };
      }
    }
    return claim === undefined ? { facts } : { facts, claim };
  }

  /** Frees the orders that have ended, by the backend's list of orders. What it does not answer frees nothing. */
  async compareOpenOrders(places: readonly OrderPlace[], context: CallContext): Promise<void> {
    for (const { accId, env, market } of places) {
      await this.orders.known(create(TrdHeaderSchema, { trdEnv: env, accID: accId, trdMarket: market }), context);
    }
  }

  /** Today's profit of an account, held and closed positions included, as the backend counts it. */
  async dayProfit(header: TrdHeader | undefined, context: CallContext): Promise<DayProfit> {
    if (header === undefined) return lossUnknown('the request names no account');
    const listed = await readPositions(this.backend, header, context);
    if (typeof listed === 'string') return lossUnknown(listed);
    const profits = new Map<string, Decimal>();
    for (const position of listed.positions) {
      const profit = Object.hasOwn(position, 'tdPlVal') ? decimalFromNumber(position.tdPlVal) : undefined;
      if (profit === undefined) return lossUnknown(`the brokerage does not say what ${position.code} has made today`);
      const currency = currencyOf(position);
      if (currency === undefined) return lossUnknown(`the brokerage does not say in which currency ${position.code} is`);
      profits.set(currency, (profits.get(currency) ?? 0n) + profit);
    }
    return [...profits].map(([currency, profit]) => ({ currency, profit }));
  }

  /** Claims the quantity that an order closes; undefined where it would do more, or this is unknown. */
  async #claim(valued: Valued, header: TrdHeader | undefined, context: CallContext): Promise<ClosingClaim | undefined> {
    const [leg, another] = valued.legs;
    const { accId, opens, changes } = valued;
    const isNew = opens?.count === 1 && opens.orderId === undefined;
    if ((!isNew && changes === undefined) || another !== undefined) return undefined;
    return this.claimClosing({ accId, symbol: leg.symbol, side: leg.side, qty: changes?.left ?? leg.qty }, changes?.order, header, context);
  }

  /**
   * Claims what an order closes of a position, `changed` being the order if it is there already; undefined where there is not so much left of it.
   *
   * @param isTrusted what other orders have filled, as listed, is in the position that is listed after them.
   */
  async claimClosing(
    { accId, symbol, side, qty }: Closing,
    changed: Order | undefined,
    header: TrdHeader | undefined,
    context: CallContext,
    isTrusted = false,
  ): Promise<ClosingClaim | undefined> {
    const closed = closes(side);
    if (closed === undefined || header === undefined) return undefined;
    const position = { accId, symbol, side: closed };
    const reading = await this.#readPosition(position, changed, header, context);
    return reading && this.orders.trades.claim(position, { qty, changed: changed && nameOfOrder(changed), isTrusted }, reading);
  }

  /** A position as the backend lists it; undefined where it does not say. */
  async #readPosition(
    position: PositionKey,
    changed: Order | undefined,
    header: TrdHeader,
    context: CallContext,
  ): Promise<PositionReading | undefined> {
    // Orders first: one that fills in between is taken off twice, and never not at all.
    const orders = await this.orders.refreshed(header, context);
    const listed = await readPositions(this.backend, header, context, { now: this.orders.now });
    if (typeof listed === 'string' || 'retType' in orders) return undefined;
    // A brokerage takes what working orders keep off what can be sold, though not of futures: it counts once, there or here.
    let sellable = 0n;
    let held = 0n;
    for (const one of listed.positions) {
      if (symbolOfOrder(one) !== position.symbol || one.positionSide !== position.side) continue;
      sellable += magnitude(one.canSellQty);
      held += magnitude(one.qty);
    }
    let closing = 0n;
    // A change may have made an order larger than it is listed.
    const leftOf = (order: Order) =>
      this.orders.changes
        .possibleTerms(position.accId, order)
        .map((possible) => leftToClose(possible, position))
        .reduce(greater);
    for (const order of orders.open) {
      if (changed !== undefined && nameOfOrder(order) === nameOfOrder(changed)) sellable += leftToClose(order, position);
      else closing += leftOf(order);
    }
    const leftOfNamed = (name: string): Decimal | undefined => {
      const order = orders.named(name);
      return order && (mayTrade(order) ? leftOf(order) : 0n);
    };
    return { askedAt: Math.min(orders.askedAt, listed.askedAt), held, sellable, closing, leftOf: leftOfNamed };
  }
}

function lossUnknown(reason: string): DayProfit {
  return { code: 'limit.loss_unknown', reason: `loss of today unknown: ${reason}` };
}

/** Quantity of a position that a working order closes, with all of its legs, if the rest of it fills. */
function leftToClose(order: Order, position: PositionKey): Decimal {
  return closedBy(tradesOf(order, atLeastZero(magnitude(order.qty) - magnitude(order.fillQty))), position);
}

function currencyOf(position: Position): string | undefined {
  const named = Object.hasOwn(position, 'currency') ? currencies.members.find((member) => member.public === position.currency) : undefined;
  return named?.name ?? quoteMarketOfSecMarket(position.secMarket)?.currency;
}
