import { type Decimal, decimalFromNumber, formatDecimal, multiply } from '@svc-gateway/contract/decimal';
import { netMoney, unitMultiplier } from '../exchange/index.js';
import type { Market } from '../market/simulated-market.js';
import { Refusal } from '../refusal.js';
import { type Instrument, tickSize, type World } from '../world/index.js';
import type { Account } from './account.js';
import {
  type CheckedChange,
  type CheckedLeg,
  type CheckedOrder,
  checkRemark,
  nearestLots,
  newTotal,
  type OrderCheck,
  wholeQuantity,
} from './check-order.js';
import { type HoldQuestion, type Holds, neededFor } from './holds.js';
import { type Hold, isBuying, type OrderRecord } from './order.js';
import { nameOf } from './order-types.js';
import type { ComboRequest, LegRequest, ReplaceRequest } from './place-request.js';
import { marketPrice } from './price.js';
import { known, resolve } from './resolve.js';
import type { OrderType, TradeMarket, TradeSide } from './terms.js';

const LEGS_MAX = 4;
const RATIO_MAX = 1_000n;
/** Each of them looks at several books, at every change of one of them. */
const OPEN_COMBOS_MAX = 200;
/** Above any price of the world. */
const PRICE_MAX: Decimal = 10_000_000n * 1_000_000_000n;

/** Terms of an order that is only checked. */
export type ComboQuestion = Pick<ComboRequest, 'account' | 'tradeMarket' | 'legs' | 'type' | 'quantity' | 'price'>;

/** Result of examining a combo order that could be placed. */
export interface ExaminedCombo extends Pick<CheckedOrder, 'legs' | 'price'> {
  /** Still to be filled. */
  readonly units: bigint;
  /** Hold of the order, in the currency of its legs: margin in a margin account, else cash. */
  readonly needed: Decimal;
}

/** Decides whether orders for several securities, and their changes, may be accepted. Changes nothing. */
export class ComboCheck {
  constructor(
    private readonly world: World,
    private readonly market: Market,
    private readonly holds: Holds,
    private readonly single: OrderCheck,
  ) {}

  /** A new order, checked in the order of: legs, type, duration, price, quantity, positions, funds. `open`: such orders of the account that are open. */
  place(request: ComboRequest, open: number): CheckedOrder | Refusal {
    const { account, type, timeInForce } = request;
    if (open >= OPEN_COMBOS_MAX)
      return new Refusal(
        `account ${account.id} has reached its limit of ${OPEN_COMBOS_MAX} open orders with several legs`,
        'broker.open_orders',
      );
    if (request.legs.length < 2) return new Refusal('an order of several legs has two or more', 'broker.legs');
    const found = this.#legs(request);
    if (found instanceof Refusal) return found;
    const { legs, tradeMarket } = found;
    const wrongType = refuseUnlessNormal(type);
    if (wrongType !== undefined) return wrongType;
    const regular = { type, timeInForce, expireTime: request.expireTime, extendedHours: false };
    let expiresAt = Number.POSITIVE_INFINITY;
    for (const { instrument } of legs) {
      const refusal = this.single.checkType(instrument, regular) ?? this.single.checkListed(instrument);
      if (refusal !== undefined) return refusal;
      const ends = this.single.expiry(instrument, regular);
      if (ends instanceof Refusal) return ends;
      expiresAt = Math.min(expiresAt, ends);
    }
    const refusal = checkRemark(request.remark);
    if (refusal !== undefined) return refusal;
    const price = checkNetPrice(legs, request.price);
    if (price instanceof Refusal) return price;
    const quantity = wholeQuantity('qty', request.quantity);
    if (quantity instanceof Refusal) return quantity;
    const holds = this.#hold(account, legs, quantity, quantity, price);
    return holds instanceof Refusal ? holds : { legs, tradeMarket, quantity, price, worstPrice: price, holds, expiresAt };
  }

  /** A change of an open order: its new total and price. */
  replace(account: Account, order: OrderRecord, request: ReplaceRequest): CheckedChange | Refusal {
    const legs = this.legsOf(order);
    const quantity = newTotal(order, request);
    if (quantity instanceof Refusal) return quantity;
    const price = request.price === undefined ? order.price : checkNetPrice(legs, request.price);
    if (price instanceof Refusal) return price;
    const holds = this.#hold(account, legs, quantity, quantity - order.filledQuantity, price, order);
    return holds instanceof Refusal ? holds : { quantity, price, worstPrice: price, holds };
  }

  /** A new order, or a change of one that is open, as it would be if the account could give whatever it holds. */
  examine(request: ComboQuestion, order?: OrderRecord): ExaminedCombo | Refusal {
    const { account, type } = request;
    const found = this.#legs(request);
    if (found instanceof Refusal) return found;
    const { legs } = found;
    const wrongType = refuseUnlessNormal(type);
    if (wrongType !== undefined) return wrongType;
    if (order !== undefined && !sameLegs(legs, order)) return new Refusal(`comboLegs are not those of order ${order.idEx}`, 'broker.legs');
    const price = checkNetPrice(legs, request.price);
    if (price instanceof Refusal) return price;
    const quantity = wholeQuantity('qty', request.quantity);
    if (quantity instanceof Refusal) return quantity;
    const units = quantity - (order?.filledQuantity ?? 0n);
    if (units <= 0n) return new Refusal(`qty ${quantity} is not above the ${order?.filledQuantity} already filled`, 'broker.quantity');
    const questions = this.#questions(account, legs, quantity, units, price, order);
    if (questions instanceof Refusal) return questions;
    const { needed } = neededFor(questions, this.holds.ofAll(questions, units, netValueOf(legs, price)));
    return { legs, units, price, needed };
  }

  /** Hold of an order that reaches the market after its legs' prices have moved, or the reason why the account cannot carry it any more. */
  carry(account: Account, order: OrderRecord): readonly Hold[] | Refusal {
    return this.#hold(account, this.legsOf(order), order.quantity, order.quantity - order.filledQuantity, order.price, order);
  }

  legsOf(order: OrderRecord): readonly CheckedLeg[] {
    return order.legs.map(({ symbol, side, ratio }) => ({ instrument: known(this.world, symbol), side, ratio }));
  }

  #legs({ account, tradeMarket: market, legs }: ComboQuestion): Pick<CheckedOrder, 'legs' | 'tradeMarket'> | Refusal {
    if (legs.length < 1 || legs.length > LEGS_MAX) {
      return new Refusal(`comboLegs has ${legs.length} legs: from 1 to ${LEGS_MAX} are accepted`, 'broker.legs');
    }
    const found: CheckedLeg[] = [];
    const unresolved: Refusal[] = [];
    let tradeMarket: TradeMarket | undefined;
    for (const [i, leg] of legs.entries()) {
      const resolved = resolve(this.world, account, market, leg.code, leg.secMarket);
      if (resolved instanceof Refusal) {
        unresolved.push(resolved.at(`comboLegs[${i}]`));
        continue;
      }
      const ratio = wholeRatio(leg, i);
      if (ratio instanceof Refusal) return ratio;
      const refusal = this.holds.checkNamedPosition(account, resolved.instrument, leg.side, leg.positionId);
      if (refusal !== undefined) return new Refusal(`comboLegs[${i}].${refusal.message}`, refusal.errCode);
      found.push({ instrument: resolved.instrument, side: leg.side, ratio });
      tradeMarket ??= resolved.tradeMarket;
    }
    const [unknown] = unresolved;
    if (unknown !== undefined) return new Refusal(unresolved.map(({ message }) => message).join('; '), unknown.errCode);
    const [first, ...others] = found;
    if (first === undefined || tradeMarket === undefined) throw new Error('an order has legs');
    for (const [i, { instrument }] of found.entries()) {
      const { symbol, currency, calendar } = instrument;
      if (found.findIndex((other) => other.instrument === instrument) !== i)
        return new Refusal(`comboLegs[${i}]: ${symbol} is named twice`, 'broker.legs');
      const agrees = currency === first.instrument.currency && calendar === first.instrument.calendar;
      if (!agrees || !hasOnePrice(instrument, first.instrument)) {
        return new Refusal(
          `comboLegs[${i}]: ${symbol} does not trade in the currency, hours and multiplier of ${first.instrument.symbol}: legs share them, as they have one price; shares may stand beside options on them`,
          'broker.legs',
        );
      }
    }
    if (found.map(({ ratio }) => ratio).reduce(greatestDivisor) !== 1n) {
      return new Refusal(
        `the qtyRatio of the legs (${found.map(({ ratio }) => ratio).join(', ')}) have a common divisor: put it into qty`,
        'broker.legs',
      );
    }
    return { legs: [first, ...others], tradeMarket };
  }

  /** @param units of the order still to be filled, of `quantity`. */
  #hold(
    account: Account,
    legs: readonly CheckedLeg[],
    quantity: bigint,
    units: bigint,
    price: Decimal,
    open?: OrderRecord,
  ): readonly Hold[] | Refusal {
    const questions = this.#questions(account, legs, quantity, units, price, open);
    return questions instanceof Refusal ? questions : this.holds.takeAll(questions, units, netValueOf(legs, price));
  }

  /** Hold question of each leg; a refusal where the account's positions do not allow it. */
  #questions(
    account: Account,
    legs: readonly CheckedLeg[],
    quantity: bigint,
    units: bigint,
    price: Decimal,
    open?: OrderRecord,
  ): readonly HoldQuestion[] | Refusal {
    const step = comboStep(legs);
    if (quantity % step !== 0n) {
      const text = `qty ${quantity} is not a multiple of ${step}, which makes board lots of every leg; nearest: ${nearestLots(quantity, step)}`;
      return new Refusal(text, 'broker.lot_size');
    }
    const worst = this.#worstPrices(legs, price);
    const questions = legs.map(({ instrument, side, ratio }, i): HoldQuestion => {
      const leg = open?.legs[i];
      return {
        account,
        instrument,
        side,
        quantity: units * ratio,
        worstPrice: worst[i] ?? 0n,
        open: open === undefined || leg === undefined ? undefined : { order: open, leg },
      };
    });
    for (const question of questions) {
      const refusal = this.holds.checkPosition(question);
      if (refusal !== undefined) return refusal;
    }
    return questions;
  }

  /** Each leg at the market; what the price allows beyond that goes to the first leg that buys. */
  #worstPrices(legs: readonly CheckedLeg[], price: Decimal): readonly Decimal[] {
    const worst = legs.map(({ instrument, side }) => marketPrice(this.market, instrument, isBuying(side)));
    const buyer = legs.findIndex(({ side }) => isBuying(side));
    const [leg, at] = [legs[buyer], worst[buyer]];
    if (leg === undefined || at === undefined) return worst;
    const money =
      price * unitMultiplier(multipliersOf(legs)) -
      netMoney(
        legs.map(({ instrument: { multiplier }, side, ratio }, i) => ({
          side: isBuying(side) ? 'buy' : 'sell',
          ratio,
          price: worst[i] ?? 0n,
          multiplier,
        })),
      );
    const unit = leg.ratio * leg.instrument.multiplier;
    return money <= 0n ? worst : worst.with(buyer, at + (money + unit - 1n) / unit);
  }
}

/** Money that a unit of an order is worth at its price. */
function netValueOf(legs: readonly CheckedLeg[], price: Decimal): Decimal {
  return multiply(price, unitMultiplier(multipliersOf(legs)));
}

function multipliersOf(legs: readonly CheckedLeg[]): readonly Pick<Instrument, 'multiplier'>[] {
  return legs.map(({ instrument }) => instrument);
}

/** Whether two legs can be told in one price: contracts of one size, or an option and its shares, a share at a time. */
function hasOnePrice(one: Instrument, other: Instrument): boolean {
  if (one.multiplier === other.multiplier) return true;
  return (
    (one.kind === 'option' && one.option.underlying === other.symbol) || (other.kind === 'option' && other.option.underlying === one.symbol)
  );
}

function refuseUnlessNormal(type: OrderType): Refusal | undefined {
  return type === 'normal'
    ? undefined
    : new Refusal(`order type ${nameOf(type)} is not accepted for several legs; accepted: ${nameOf('normal')}`, 'broker.order_type');
}

function sameLegs(legs: readonly CheckedLeg[], order: OrderRecord): boolean {
  const texts = (all: readonly { symbol: string; side: TradeSide; ratio: bigint }[]) =>
    all.map(({ symbol, side, ratio }) => `${symbol} ${side} ${ratio}`).join();
  return texts(legs.map(({ instrument: { symbol }, side, ratio }) => ({ symbol, side, ratio }))) === texts(order.legs);
}

/** The fewest units of an order that are board lots of every leg. */
export function comboStep(legs: readonly Pick<CheckedLeg, 'instrument' | 'ratio'>[]): bigint {
  return legs
    .map(({ instrument, ratio }) => BigInt(instrument.lotSize) / greatestDivisor(BigInt(instrument.lotSize), ratio))
    .reduce((all, one) => (all / greatestDivisor(all, one)) * one, 1n);
}

function greatestDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : greatestDivisor(b, a % b);
}

/** A price of several legs: any sum of prices on the finest of their ticks; also zero and below. */
function checkNetPrice(legs: readonly CheckedLeg[], value: number | undefined): Decimal | Refusal {
  if (value === undefined) return new Refusal(`price is required for order type ${nameOf('normal')}`, 'broker.price');
  const price = decimalFromNumber(value);
  if (price === undefined || price > PRICE_MAX || price < -PRICE_MAX) {
    return new Refusal(`price ${value} must lie between -10000000 and 10000000 and have at most nine decimal places`, 'broker.price');
  }
  const finest = legs.map(({ instrument }) => tickSize(instrument.tickTable, 0n)).reduce((a, b) => greatestDivisor(a, b));
  const above = ((price % finest) + finest) % finest;
  if (above === 0n) return price;
  const nearest = `${formatDecimal(price - above)} and ${formatDecimal(price - above + finest)}`;
  const text = `price ${value} is not a multiple of ${formatDecimal(finest)}, the finest tick of the legs; nearest: ${nearest}`;
  return new Refusal(text, 'broker.tick');
}

function wholeRatio({ ratio }: LegRequest, i: number): bigint | Refusal {
  if (!Number.isInteger(ratio) || ratio < 1 || ratio > Number(RATIO_MAX)) {
    return new Refusal(`comboLegs[${i}].qtyRatio ${ratio} must be a whole number from 1 to ${RATIO_MAX}`, 'broker.legs');
  }
  return BigInt(ratio);
}
