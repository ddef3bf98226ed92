import { Absences } from '@svc-gateway/access';
import type { Clock } from '@svc-gateway/contract/clock';
import { atLeastZero, type Decimal, decimalFromNumber, greater, lesser, multiply } from '@svc-gateway/contract/decimal';
import { type Order, PositionSide } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { quoteMarketNumbered, quoteMarketOfSecMarket } from '@svc-gateway/contract/markets';
import { finalStatuses } from '../final-statuses.js';
import { sideName } from '../trade-names.js';
import { isCombo } from './combo-facts.js';
import { LOST_MS, mayTrade, nameOfOrder } from './order-lookup.js';

/** A trade that an order may make. */
export interface SentLeg {
  /** "HK.00700". */
  readonly symbol: string;
  readonly side: string;
  readonly qty: Decimal;
}

/** One side of what an account holds of a security. */
export interface PositionKey {
  readonly accId: bigint;
  /** "HK.00700". */
  readonly symbol: string;
  readonly side: PositionSide;
}

/** A position by a fresh list of orders, and one of positions that was asked for after it. */
export interface PositionReading {
  /** When the orders were asked for, of `Clock.monotonic`. */
  readonly askedAt: number;
  readonly held: Decimal;
  /** Quantity that the brokerage lets be sold. */
  readonly sellable: Decimal;
  /** Quantity that listed orders still close, except for the order whose change is judged. */
  readonly closing: Decimal;
  /** Quantity of the position that the listed order of a name still closes at most; undefined where it is not listed. */
  leftOf(name: string): Decimal | undefined;
}

/** Part of a position that an order is about to close. */
export interface ClosingClaim {
  /** The order has been accepted under a name, '' where nobody knows of what became of it; undefined where it never came to be. */
  settle(name: string | undefined): void;
}

export interface ClaimTerms {
  readonly qty: Decimal;
  /** Name of the order whose change closes the position; undefined for a new order. */
  readonly changed?: string | undefined;
  /** Trades of listed orders are in the position that is listed after them. */
  readonly isTrusted?: boolean;
}

/** Quantity that an order has traded of one security on one side. */
interface Traded {
  readonly symbol: string;
  readonly side: string;
  all: Decimal;
  /** Quantity that every list of positions shows. */
  shown: Decimal;
}

/** An order that may have traded more than lists of positions show. */
interface TradingOrder {
  readonly accId: bigint;
  name: string;
  /** The most that it may trade: as it was sent, changed or listed. */
  legs: readonly SentLeg[];
  readonly traded: Traded[];
  state: 'under way' | 'lost' | 'working' | 'over';
  /** Its closing part is claimed apart, as long as it has no name. */
  readonly isClaimed: boolean;
  /** When it was last sent, answered, changed or seen to trade, of `Clock.monotonic`. */
  changedAt: number;
}

/** Orders that are followed, of all accounts. */
const ORDERS_MAX = 10_000;

/** Side of the position that an order on this side takes away from; a short sale takes from none. */
export function closes(side: string): PositionSide | undefined {
  if (side === 'SELL') return PositionSide.PositionSide_Long;
  return side === 'BUY' || side === 'BUY_BACK' ? PositionSide.PositionSide_Short : undefined;
}

/** Side of the position that an order on this side may open. */
function opens(side: string): PositionSide | undefined {
  if (side === 'BUY') return PositionSide.PositionSide_Long;
  return side === 'SELL' || side === 'SELL_SHORT' ? PositionSide.PositionSide_Short : undefined;
}

/** Trades that a listed order makes with `units` of its quantity. */
export function tradesOf(order: Order, units: Decimal): SentLeg[] {
  if (!isCombo(order)) return [{ symbol: symbolOf(order), side: sideName(order.trdSide) ?? '', qty: units }];
  return order.comboLegs.map(({ security, side, qtyRatio }) => ({
    symbol: `${quoteMarketNumbered(security?.market ?? 0)?.name}.${security?.code}`,
    side: sideName(side) ?? '',
    qty: multiply(units, magnitude(qtyRatio)),
  }));
}

/** Quantity of a position that trades close. */
export function closedBy(trades: readonly SentLeg[], { symbol, side }: Pick<PositionKey, 'symbol' | 'side'>): Decimal {
  return trades.reduce((sum, trade) => (trade.symbol === symbol && closes(trade.side) === side ? sum + trade.qty : sum), 0n);
}

/** Symbol of a listed order or position. */
export function symbolOf({ code, secMarket }: Pick<Order, 'code' | 'secMarket'>): string {
  return `${quoteMarketOfSecMarket(secMarket)?.name ?? secMarket}.${code}`;
}

/** A quantity without its sign, which the brokerage writes before short positions. What is no exact number is 0. */
export function magnitude(quantity: number): Decimal {
  return decimalFromNumber(Math.abs(quantity)) ?? 0n;
}

/**
 * Orders whose trades lists of positions may not show yet. Lists are behind by less than `apartMs`: what an order does is settled once a list was
 * asked for so long after it. By the least that a position may be until then it is judged whether an order closes it, and by the most whether a
 * stop order guards it.
 */
export class UnsettledTrades {
  readonly #named = new Map<string, TradingOrder>();
  readonly #unnamed = new Set<TradingOrder>();
  readonly #absences = new Absences<TradingOrder>();
  /** The most that lists have shown of a position while trades in it are unsettled, less what has settled since. */
  readonly #most = new Map<string, Decimal>();

  constructor(
    private readonly clock: Clock,
    private readonly apartMs: number,
  ) {}

  /**
   * An order is about to be sent. `ended` takes its name: '' where nobody knows of what became of it; undefined where it never came to be.
   *
   * @param isClaimed what it closes is claimed already.
   */
  sending(accId: bigint, legs: readonly SentLeg[], isClaimed = false): { ended(name: string | undefined): void } {
    this.#forgetLost();
    const order: TradingOrder = { accId, name: '', legs, traded: [], state: 'under way', isClaimed, changedAt: this.clock.monotonic() };
    this.#unnamed.add(order);
    return { ended: (name) => this.#ended(order, name) };
  }

  /** A change of a listed order is about to be sent, or may have been made, that puts it to work or leaves it with this quantity. */
  changing(accId: bigint, listed: Order, qty: Decimal): void {
    const order = this.#noted(accId, listed);
    order.legs = largest(order.legs, tradesOf(listed, qty));
    order.changedAt = this.clock.monotonic();
  }

  /** An order as a list or a push shows it: one that was sent from here, or that works. */
  see(accId: bigint, shown: Order): void {
    if (mayTrade(shown) || this.#named.has(keyOf(accId, nameOfOrder(shown)))) this.#noted(accId, shown);
  }

  /** An order with what is shown of it, followed from here on. */
  #noted(accId: bigint, shown: Order): TradingOrder {
    const known = this.#named.get(keyOf(accId, nameOfOrder(shown)));
    // One that is not answered yet may be this one.
    const isOld = known === undefined && ![...this.#unnamed].some((sent) => sent.accId === accId);
    const order =
      known ??
      this.#follow({
        accId,
        name: nameOfOrder(shown),
        legs: [],
        traded: [],
        state: 'working',
        isClaimed: false,
        changedAt: Number.NEGATIVE_INFINITY,
      });
    order.legs = largest(order.legs, tradesOf(shown, magnitude(shown.qty)));
    for (const { symbol, side, qty } of tradesOf(shown, magnitude(shown.fillQty))) {
      const traded = tradedOf(order, symbol, side);
      // Trades of an order of before do not happen now.
      if (isOld) traded.shown = qty;
      else if (qty > traded.all) order.changedAt = this.clock.monotonic();
      traded.all = greater(traded.all, qty);
    }
    this.#absences.forget(order);
    if (finalStatuses.has(shown.orderStatus) && order.state !== 'over') {
      order.state = 'over';
      order.changedAt = this.clock.monotonic();
    }
    return order;
  }

  /** Claims a part of a position for an order; undefined where there may not be so much left of it. No turn passes between judgement and claim. */
  claim(position: PositionKey, { qty, changed, isTrusted = false }: ClaimTerms, reading: PositionReading): ClosingClaim | undefined {
    if (this.#left(position, reading, isTrusted) < qty) return undefined;
    const { accId, symbol, side } = position;
    const claim = this.sending(accId, [{ symbol, side: side === PositionSide.PositionSide_Long ? 'SELL' : 'BUY', qty }]);
    return {
      settle: (name) => {
        // The order that is changed counts itself.
        const isFollowed = changed !== undefined && this.#named.has(keyOf(accId, changed));
        claim.ended(name && isFollowed ? undefined : name);
      },
    };
  }

  /** Whether an account may hold a position that a list asked for at `askedAt` lacks: an order may have opened it. */
  mayHold({ accId, symbol, side }: PositionKey, askedAt: number): boolean {
    return [...this.#ordersIn(accId)].some(
      (order) =>
        order.legs.some((leg) => leg.symbol === symbol && opens(leg.side) === side) &&
        (this.#mayTrade(order, askedAt) || (order.traded.some(({ all }) => all > 0n) && !this.#isSettled(order, askedAt))),
    );
  }

  /** Quantity of a position that is there at least, and that no order closes. */
  #left(position: PositionKey, { askedAt, held, sellable, closing, leftOf }: PositionReading, isTrusted: boolean): Decimal {
    let traded = 0n;
    let unseen = 0n;
    for (const order of [...this.#ordersIn(position.accId)]) {
      const whole = closedBy(order.legs, position);
      if (whole === 0n || (order.isClaimed && order.name === '')) continue;
      const listed = order.name === '' ? undefined : leftOf(order.name);
      const isSettled = this.#isSettled(order, askedAt);
      if (isSettled) this.#settle(order);
      if (this.#isGone(order, listed !== undefined, askedAt)) {
        this.#forget(order);
        continue;
      }
      const { all, shown } = closed(order, position);
      if (!isTrusted || listed === undefined) traded += all - shown;
      if (order.state === 'over' || (listed !== undefined && isSettled)) continue;
      unseen += atLeastZero(whole - all - (listed ?? 0n));
    }
    const name = nameOf(position);
    const most = greater(this.#most.get(name) ?? held, held);
    if (traded + unseen > 0n) this.#most.set(name, most);
    else this.#most.delete(name);
    const least = lesser(held, most - traded);
    return lesser(least - closing, sellable - (held - least)) - unseen;
  }

  #ended(order: TradingOrder, name: string | undefined): void {
    order.changedAt = this.clock.monotonic();
    if (name === '') {
      order.state = 'lost';
      return;
    }
    this.#unnamed.delete(order);
    if (name === undefined) return;
    const known = this.#named.get(keyOf(order.accId, name));
    if (known === undefined) {
      this.#follow(Object.assign(order, { name, state: 'working' }));
      return;
    }
    // A push has come before the answer.
    known.legs = largest(known.legs, order.legs);
    known.changedAt = order.changedAt;
  }

  #follow(order: TradingOrder): TradingOrder {
    this.#named.set(keyOf(order.accId, order.name), order);
    if (this.#named.size <= ORDERS_MAX) return order;
    const [oldest = order] = this.#named.values();
    this.#forget([...this.#named.values()].find(({ state }) => state === 'over') ?? oldest);
    return order;
  }

  #forgetLost(): void {
    const now = this.clock.monotonic();
    for (const order of this.#unnamed) if (!this.#mayTrade(order, now)) this.#forget(order);
  }

  *#ordersIn(accId: bigint): Iterable<TradingOrder> {
    for (const orders of [this.#named.values(), this.#unnamed]) for (const order of orders) if (order.accId === accId) yield order;
  }

  #isSettled({ state, changedAt }: TradingOrder, askedAt: number): boolean {
    return (state === 'working' || state === 'over') && askedAt - changedAt >= this.apartMs;
  }

  #mayTrade({ state, changedAt }: TradingOrder, askedAt: number): boolean {
    if (state === 'lost') return this.apartMs > 0 && askedAt - changedAt < LOST_MS;
    return state !== 'over';
  }

  #isGone(order: TradingOrder, isListed: boolean, askedAt: number): boolean {
    if (order.state === 'over') return this.#isSettled(order, askedAt);
    if (order.state !== 'working' || isListed) return !this.#mayTrade(order, askedAt);
    // A list of the same moment may have been made before the order was.
    return askedAt > order.changedAt && this.#absences.provenBy(order, askedAt, this.apartMs);
  }

  /** Every list of positions shows what an order has traded. */
  #settle({ accId, traded }: TradingOrder): void {
    for (const each of traded) {
      const side = closes(each.side);
      const name = side === undefined ? '' : nameOf({ accId, symbol: each.symbol, side });
      const most = this.#most.get(name);
      if (most !== undefined) this.#most.set(name, most - (each.all - each.shown));
      each.shown = each.all;
    }
  }

  #forget(order: TradingOrder): void {
    this.#settle(order);
    this.#absences.forget(order);
    this.#unnamed.delete(order);
    this.#named.delete(keyOf(order.accId, order.name));
  }
}

/** Quantity of a position that an order has closed. */
function closed({ traded }: TradingOrder, { symbol, side }: PositionKey): Pick<Traded, 'all' | 'shown'> {
  const those = traded.filter((each) => each.symbol === symbol && closes(each.side) === side);
  const sum = (of: 'all' | 'shown') => those.reduce((total, each) => total + each[of], 0n);
  return { all: sum('all'), shown: sum('shown') };
}

function tradedOf({ traded }: TradingOrder, symbol: string, side: string): Traded {
  const known = traded.find((each) => each.symbol === symbol && each.side === side);
  if (known !== undefined) return known;
  const fresh: Traded = { symbol, side, all: 0n, shown: 0n };
  traded.push(fresh);
  return fresh;
}

/** The larger quantity of each leg. */
function largest(known: readonly SentLeg[], legs: readonly SentLeg[]): readonly SentLeg[] {
  return legs.map((leg) => {
    const other = known.find(({ symbol, side }) => symbol === leg.symbol && side === leg.side);
    return other === undefined ? leg : { ...leg, qty: greater(leg.qty, other.qty) };
  });
}

function nameOf({ accId, symbol, side }: PositionKey): string {
  return `${accId}/${symbol}/${side}`;
}

function keyOf(accId: bigint, name: string): string {
  return `${accId}/${name}`;
}
