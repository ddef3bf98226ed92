import { Absences } from '@svc-gateway/access';
import type { Clock } from '@svc-gateway/contract/clock';
import { atLeastZero, type Decimal, greater, lesser, multiply } from '@svc-gateway/contract/decimal';
import { type Order, PositionSide } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { quoteMarketNumbered } from '@svc-gateway/contract/markets';
import { sideName } from '../trade-names.js';
import { finalStatuses, isCombo, LOST_MS, magnitude, mayTrade, namesOf, orderKey, symbolOfOrder } from './order.js';

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

/** A trade that lists of positions may not show yet. */
interface Trade extends SentLeg {
  /** When it was heard of, of `Clock.monotonic`. */
  readonly at: number;
}

/** An order that may have traded more than lists of positions show. */
interface TradingOrder {
  readonly accId: bigint;
  /** Its text and its number, as far as they are known. */
  readonly names: Set<string>;
  /** The most that it may trade: as it was sent, changed or listed. */
  legs: readonly SentLeg[];
  /** Quantity that it has traded, of each leg. */
  filled: readonly SentLeg[];
  /** The last of its trades. */
  trades: readonly Trade[];
  state: 'under way' | 'lost' | 'working' | 'over';
  /** Its closing part is claimed apart, as long as it has no name. */
  readonly isClaimed: boolean;
  /** When it was last sent, answered, changed or seen to trade, of `Clock.monotonic`. */
  changedAt: number;
}

/** Quantity of a position by a list that was asked for at `askedAt`, of `Clock.monotonic`. */
export interface Held {
  readonly askedAt: number;
  readonly held: Decimal;
}

/** An order that has not changed for so long has traded before, whatever is heard of it first now: far more than clocks differ. */
const OLD_MS = 5 * 60_000;
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
  if (!isCombo(order)) return [{ symbol: symbolOfOrder(order), side: sideName(order.trdSide) ?? '', qty: units }];
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

/**
 * Orders whose trades lists of positions may not show yet. Lists are behind by less than `apartMs`: a trade is settled for lists that were asked for
 * so long after it was heard of. By the least that a position may be until then it is judged whether an order closes it, and by the most whether a
 * stop order guards it.
 */
export class UnsettledTrades {
  readonly #orders = new Set<TradingOrder>();
  /** By account and each of their names. */
  readonly #named = new Map<string, TradingOrder>();
  readonly #absences = new Absences<TradingOrder>();
  /** Positions as lists of the last {@link LOST_MS} have shown them, the one that was read last at the end. */
  readonly #held = new Map<string, readonly Held[]>();

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
    this.#forgetOld();
    const order = newOrder({ accId, legs, isClaimed, state: 'under way', changedAt: this.clock.monotonic() });
    this.#orders.add(order);
    return { ended: (name) => this.#ended(order, name) };
  }

  /** A change of a listed order is about to be sent, or may have been made, that puts it to work or leaves it with this quantity. */
  changing(accId: bigint, listed: Order, qty: Decimal): void {
    const order = this.#noted(accId, listed);
    order.legs = largest(order.legs, tradesOf(listed, qty));
    order.changedAt = this.clock.monotonic();
  }

  /** An order as a list or a push shows it. */
  see(accId: bigint, shown: Order): void {
    if (mayTrade(shown) || (shown.fillQty !== 0 && !this.#isOld(shown)) || this.#known(accId, shown) !== undefined)
      this.#noted(accId, shown);
  }

  #known(accId: bigint, shown: Order): TradingOrder | undefined {
    return namesOf(shown)
      .map((name) => this.#named.get(orderKey(accId, name)))
      .find((order) => order !== undefined);
  }

  /** Whether an order has last changed so long ago that every list of positions shows what it had traded. */
  #isOld({ createTimestamp, updateTimestamp }: Order): boolean {
    const seconds = updateTimestamp || createTimestamp;
    return seconds > 0 && this.clock.now() - seconds * 1000 > OLD_MS;
  }

  /** An order with what is shown of it, followed from here on. */
  #noted(accId: bigint, shown: Order): TradingOrder {
    const known = this.#known(accId, shown);
    const order = known ?? this.#follow(newOrder({ accId, state: 'working', changedAt: Number.NEGATIVE_INFINITY }));
    this.#name(order, namesOf(shown));
    order.legs = largest(order.legs, tradesOf(shown, magnitude(shown.qty)));
    // Trades of an order from before it was heard of first may be of this moment.
    this.#filled(order, tradesOf(shown, magnitude(shown.fillQty)), known === undefined && this.#isOld(shown));
    this.#absences.forget(order);
    if (finalStatuses.has(shown.orderStatus) && order.state !== 'over') {
      order.state = 'over';
      order.changedAt = this.clock.monotonic();
    }
    return order;
  }

  /** @param isSettled whether lists of positions show it already. */
  #filled(order: TradingOrder, filled: readonly SentLeg[], isSettled: boolean): void {
    const at = this.clock.monotonic();
    const fresh = filled.flatMap((leg): Trade[] => {
      const qty = leg.qty - quantityOf(order.filled, leg);
      return qty > 0n ? [{ ...leg, qty, at }] : [];
    });
    if (fresh.length === 0) return;
    order.filled = largest(order.filled, filled);
    if (isSettled) return;
    order.changedAt = at;
    order.trades = [...order.trades.filter((trade) => at - trade.at < LOST_MS), ...fresh];
  }

  /** Claims a part of a position for an order; undefined where there may not be so much left of it. No turn passes between judgement and claim. */
  claim(position: PositionKey, { qty, changed, isTrusted = false }: ClaimTerms, reading: PositionReading): ClosingClaim | undefined {
    if (this.#left(position, reading, isTrusted) < qty) return undefined;
    const { accId, symbol, side } = position;
    const claim = this.sending(accId, [{ symbol, side: side === PositionSide.PositionSide_Long ? 'SELL' : 'BUY', qty }]);
    return {
      settle: (name) => {
        // The order that is changed counts itself.
        const isFollowed = changed !== undefined && this.#named.has(orderKey(accId, changed));
        claim.ended(name && isFollowed ? undefined : name);
      },
    };
  }

  /** Whether an account may hold a position that a list asked for at `askedAt` lacks: an order may have opened it. */
  mayHold({ accId, symbol, side }: PositionKey, askedAt: number): boolean {
    const opensIt = (leg: SentLeg) => leg.symbol === symbol && opens(leg.side) === side;
    return this.#ordersIn(accId).some(
      (order) =>
        (order.legs.some(opensIt) && this.#mayTrade(order, askedAt)) ||
        order.trades.some((trade) => opensIt(trade) && this.#isUnsettled(trade, askedAt)),
    );
  }

  /** Quantity of a position that is there at least: what a list shows, less what orders have closed that it may not show. */
  leastHeld(position: PositionKey, list: Held, counts: (order: TradingOrder) => boolean = () => true): Decimal {
    const unsettled = this.#ordersIn(position.accId)
      .filter(counts)
      .flatMap(({ trades }) => trades.filter((trade) => this.#isUnsettled(trade, list.askedAt) && closedBy([trade], position) > 0n));
    const since = Math.min(...unsettled.map(({ at }) => at)) - this.apartMs;
    return lesser(list.held, this.#mostHeld(position, list, since) - closedBy(unsettled, position));
  }

  /** Quantity of a position that is there at least, and that no order closes. */
  #left(position: PositionKey, { askedAt, held, sellable, closing, leftOf }: PositionReading, isTrusted: boolean): Decimal {
    let unseen = 0n;
    /** Orders whose trades the position may not show. */
    const trading = new Set<TradingOrder>();
    for (const order of this.#ordersIn(position.accId)) {
      const whole = closedBy(order.legs, position);
      if (whole === 0n || (order.isClaimed && order.names.size === 0)) continue;
      const listed = [...order.names].map(leftOf).find((left) => left !== undefined);
      if (this.#isGone(order, listed !== undefined, askedAt)) {
        this.#forget(order);
        continue;
      }
      if (!isTrusted || listed === undefined) trading.add(order);
      if (order.state === 'over' || (listed !== undefined && this.#isSettled(order, askedAt))) continue;
      unseen += atLeastZero(whole - closedBy(order.filled, position) - (listed ?? 0n));
    }
    const least = this.leastHeld(position, { askedAt, held }, (order) => trading.has(order));
    return lesser(least - closing, sellable - (held - least)) - unseen;
  }

  /** The most that lists which were asked for from `since` on have shown of a position, this one among them; it is remembered for the next. */
  #mostHeld(position: PositionKey, reading: Held, since: number): Decimal {
    const now = this.clock.monotonic();
    const name = nameOf(position);
    const readings = [...(this.#held.get(name) ?? []).filter(({ askedAt }) => now - askedAt < LOST_MS), reading];
    this.#held.delete(name);
    this.#held.set(name, readings);
    for (const [oldest, those] of this.#held) {
      if (those.some(({ askedAt }) => now - askedAt < LOST_MS)) break;
      this.#held.delete(oldest);
    }
    return readings.reduce((most, { askedAt, held }) => (askedAt >= since ? greater(most, held) : most), reading.held);
  }

  #ended(order: TradingOrder, name: string | undefined): void {
    order.changedAt = this.clock.monotonic();
    if (name === '') {
      order.state = 'lost';
      return;
    }
    this.#orders.delete(order);
    if (name === undefined) return;
    const known = this.#named.get(orderKey(order.accId, name));
    if (known === undefined) {
      order.state = 'working';
      this.#name(this.#follow(order), [name]);
      return;
    }
    // A push has come before the answer.
    known.legs = largest(known.legs, order.legs);
    known.changedAt = order.changedAt;
  }

  #follow(order: TradingOrder): TradingOrder {
    this.#orders.add(order);
    if (this.#orders.size <= ORDERS_MAX) return order;
    const [oldest = order] = this.#orders;
    this.#forget([...this.#orders].find(({ state }) => state === 'over') ?? oldest);
    return order;
  }

  #name(order: TradingOrder, names: readonly string[]): void {
    for (const name of names) {
      order.names.add(name);
      this.#named.set(orderKey(order.accId, name), order);
    }
  }

  /** Forgets lost orders that never came, and those whose end is so old that nothing of it is heard as new any more. */
  #forgetOld(): void {
    const now = this.clock.monotonic();
    for (const order of this.#orders) {
      const { state, changedAt } = order;
      if (state === 'lost' ? !this.#mayTrade(order, now) : state === 'over' && now - changedAt > 2 * OLD_MS) this.#forget(order);
    }
  }

  #ordersIn(accId: bigint): TradingOrder[] {
    return [...this.#orders].filter((order) => order.accId === accId);
  }

  #isUnsettled({ at }: Trade, askedAt: number): boolean {
    return askedAt - at < this.apartMs;
  }

  #isSettled({ state, changedAt }: TradingOrder, askedAt: number): boolean {
    return (state === 'working' || state === 'over') && askedAt - changedAt >= this.apartMs;
  }

  #mayTrade({ state, changedAt }: TradingOrder, askedAt: number): boolean {
    if (state === 'lost') return this.apartMs > 0 && askedAt - changedAt < LOST_MS;
    return state !== 'over';
  }

  /** Whether an order that is not over does not count any more: it was lost long ago, or lists lack it. */
  #isGone(order: TradingOrder, isListed: boolean, askedAt: number): boolean {
    if (order.state === 'over') return false;
    if (order.state !== 'working' || isListed) return !this.#mayTrade(order, askedAt);
    // A list of the same moment may have been made before the order was.
    return askedAt > order.changedAt && this.#absences.provenBy(order, askedAt, this.apartMs);
  }

  #forget(order: TradingOrder): void {
    this.#absences.forget(order);
    this.#orders.delete(order);
    for (const name of order.names) this.#named.delete(orderKey(order.accId, name));
  }
}

function newOrder(given: Pick<TradingOrder, 'accId' | 'state' | 'changedAt'> & Partial<TradingOrder>): TradingOrder {
  return { names: new Set(), legs: [], filled: [], trades: [], isClaimed: false, ...given };
}

/** Quantity of a leg among these. */
function quantityOf(legs: readonly SentLeg[], { symbol, side }: SentLeg): Decimal {
  return legs.find((leg) => leg.symbol === symbol && leg.side === side)?.qty ?? 0n;
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
