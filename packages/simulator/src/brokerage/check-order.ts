import type { Clock } from '@svc-gateway/contract/clock';
import { type Decimal, decimalFromNumber, formatDecimal, multiply } from '@svc-gateway/contract/decimal';
import { quoted } from '@svc-gateway/contract/shown';
import { addDays, dayNumber, localDateTime, parseLocal } from '@svc-gateway/contract/time';
import type { Market } from '../market/market.js';
import { Refusal } from '../refusal.js';
import { type Instrument, kinds, roundToTick, type World } from '../world/index.js';
import { OpenCalendar } from '../world/open-calendar.js';
import type { Account } from './account.js';
import type { HoldQuestion, Holds } from './holds.js';
import { type Hold, isBuying, mainLeg, type OrderRecord, remainingOf, type Trigger } from './order.js';
import { orderTypesOf, rulesOf } from './order-types.js';
import type { PlaceRequest, ReplaceRequest } from './place-request.js';
import { checkPrice, marketPrice, protection } from './price.js';
import { type FatFingerTerms, reconfirmReason } from './reconfirm.js';
import { resolve, type Tradable } from './resolve.js';
import { dayEnd, nextOpening, sessionFor } from './sessions.js';
import { type OrderHours, orderHours, orderTypes, type ReconfirmReason, type TradeSide } from './terms.js';

const QUANTITY_MAX = 1_000_000_000n;
const REMARK_BYTES_MAX = 64;
const DAY_MS = 86_400_000;
/** "Good till cancelled" is, at most, for 90 calendar days. */
const GTC_DAYS = 90;

/** A new order that may be accepted. */
export interface CheckedOrder extends Tradable, PriceTerms {
  readonly quantity: bigint;
  readonly hold: Hold;
  /** Epoch ms. */
  readonly expiresAt: number;
}

/** A change of an open order that may be accepted. */
export interface CheckedChange extends PriceTerms {
  readonly quantity: bigint;
  readonly hold: Hold;
}

/** Prices of an order: limit and trigger. */
export interface PriceTerms {
  /** 0 without a limit. */
  readonly price: Decimal;
  readonly worstPrice: Decimal;
  readonly trigger?: Trigger | undefined;
}

/** The parts of a request that say how long an order lives. */
/** The hours of night as refusals name them. */
/** Names of Qot_Common.Session. */
const sessionNames: Readonly<Record<OrderHours, string>> = { regular: 'rth', extended: 'eth', all: 'all', overnight: 'overnight' };
const sessionText = (hours: OrderHours) => `session ${orderHours.numberOf(hours)} (${sessionNames[hours]})`;

type ExpiryQuestion = Pick<PlaceRequest, 'type' | 'timeInForce' | 'expireTime' | 'extendedHours'>;

/** The prices of a request, and the parts of the order that decide which are needed. */
type PriceQuestion = Pick<PlaceRequest, 'side' | 'type' | 'price' | 'adjustment' | 'auxPrice' | 'trail' | 'spread'>;

/** Decides whether orders and their changes may be accepted. Changes nothing. */
export class OrderCheck {
  constructor(
    private readonly clock: Clock,
    private readonly world: World,
    private readonly market: Market,
    private readonly holds: Holds,
  ) {}

  /** A new order, checked in the order of: code, type, duration, price, quantity, position, funds. */
  place(request: PlaceRequest): CheckedOrder | Refusal {
    const { account, side } = request;
    const found = resolve(this.world, account, request.tradeMarket, request.code, request.secMarket);
    if (found instanceof Refusal) return found;
    const { instrument } = found;
    const refusal =
      this.checkType(instrument, request) ??
      checkRemark(request.remark) ??
      this.checkListed(instrument) ??
      this.holds.checkNamedPosition(account, instrument, side, request.positionId);
    if (refusal !== undefined) return refusal;
    const expiresAt = this.expiry(instrument, request);
    if (expiresAt instanceof Refusal) return expiresAt;
    const prices = this.prices(instrument, request);
    if (prices instanceof Refusal) return prices;
    const quantity = wholeQuantity('qty', request.quantity);
    if (quantity instanceof Refusal) return quantity;
    const hold = this.#checkHold({ account, instrument, side, quantity, worstPrice: this.#dearest(instrument, side, prices) });
    if (hold instanceof Refusal) return hold;
    const { tradeMarket } = found;
    const { price, worstPrice, trigger } = prices;
    // Named one by one: to copy objects into one costs more than all the checks.
    return { instrument, tradeMarket, price, worstPrice, trigger, quantity, hold, expiresAt };
  }

  /** A change of an open order: its new total and prices. */
  replace(account: Account, instrument: Instrument, order: OrderRecord, request: ReplaceRequest): CheckedChange | Refusal {
    const quantity = request.quantity === undefined ? order.quantity : wholeQuantity('qty', request.quantity);
    if (quantity instanceof Refusal) return quantity;
    if (quantity <= order.filledQuantity) {
      return new Refusal(
        `qty ${quantity} is the order's new total and must be above the ${order.filledQuantity} already filled; to stop it, cancel it`,
        'broker.quantity',
      );
    }
    const prices = this.#replacedPrices(instrument, order, request);
    if (prices instanceof Refusal) return prices;
    const { side } = mainLeg(order);
    const hold = this.#checkHold({
      account,
      instrument,
      side,
      quantity: quantity - order.filledQuantity,
      worstPrice: this.#dearest(instrument, side, prices),
      open: { order, leg: mainLeg(order) },
    });
    return hold instanceof Refusal ? hold : { ...prices, quantity, hold };
  }

  /** Reason why an order looks like a slip and is to be confirmed once more; undefined where it does not. */
  slip(terms: FatFingerTerms): ReconfirmReason | undefined {
    return reconfirmReason(terms, this.market.quote(terms.instrument).last);
  }

  /** The order as it is, enabled again: its end, counted from now, and what it holds. */
  enable(account: Account, instrument: Instrument, order: OrderRecord): { hold: Hold; expiresAt: number } | Refusal {
    const { quantity } = order;
    const { side } = mainLeg(order);
    const hold = this.#checkHold({ account, instrument, side, quantity, worstPrice: this.#dearest(instrument, side, order) });
    if (hold instanceof Refusal) return hold;
    const refusal = this.checkListed(instrument);
    if (refusal !== undefined) return refusal;
    const now = this.clock.now();
    const expiresAt =
      order.timeInForce === 'day' || order.expiresAt <= now
        ? this.dayOrderEnd(instrument, order.type, order.extendedHours)
        : order.expiresAt;
    return { hold, expiresAt: Math.min(expiresAt, this.lastMoment(instrument)) };
  }

  /**
   * New hold of a short sale that reaches a market which has risen since the order was accepted; undefined while the
   * present hold is enough.
   */
  carry(account: Account, instrument: Instrument, order: OrderRecord): Hold | Refusal | undefined {
    const { side, marginPerUnit } = mainLeg(order);
    if (isBuying(side) || marginPerUnit === 0n) return undefined;
    const worstPrice = this.#dearest(instrument, side, order);
    const hold = this.holds.take({
      account,
      instrument,
      side,
      quantity: remainingOf(order),
      worstPrice,
      open: { order, leg: mainLeg(order) },
    });
    return hold instanceof Refusal || hold.marginPerUnit > marginPerUnit ? hold : undefined;
  }

  /** Hold of an order whose limit has moved in its account's favour. */
  lowered(account: Account, instrument: Instrument, order: OrderRecord): Hold {
    const leg = mainLeg(order);
    const { side, cashPerUnit, marginPerUnit } = leg;
    const worstPrice = this.#dearest(instrument, side, order);
    const question = { account, instrument, side, quantity: remainingOf(order), worstPrice, open: { order, leg } };
    return this.holds.lowered(question, { cashPerUnit, marginPerUnit, feeReserve: order.feeReserve });
  }

  /** The price at which an order asks most of its account. A sale fills at the market, or where it triggers, when that is above its limit. */
  #dearest(instrument: Instrument, side: TradeSide, { worstPrice, trigger }: PriceTerms): Decimal {
    if (isBuying(side)) return worstPrice;
    const waitsFor = trigger?.reached === false ? trigger.price : 0n;
    return [marketPrice(this.market, instrument, false), waitsFor].reduce((most, price) => (price > most ? price : most), worstPrice);
  }

  /** Limit, worst price and trigger of an order, from what its type needs. */
  prices(instrument: Instrument, request: PriceQuestion): PriceTerms | Refusal {
    const rules = rulesOf(request.type);
    const buying = isBuying(request.side);
    let price = 0n;
    if (rules.limited) {
      if (request.price === undefined || request.price === 0)
        return new Refusal(`price is required for order type ${nameOf(request.type)}`, 'broker.price');
      const checked = checkPrice(instrument, 'price', request.price, request.adjustment);
      if (checked instanceof Refusal) return checked;
      price = checked;
    }
    if (rules.trigger !== undefined) return this.#triggeredPrices(instrument, request, price);
    if (price > 0n) return { price, worstPrice: price };
    const from = rules.auction ? this.market.quote(instrument).last : marketPrice(this.market, instrument, buying);
    return { price, worstPrice: protection(instrument, buying, from) };
  }

  #triggeredPrices(instrument: Instrument, request: PriceQuestion, price: Decimal): PriceTerms | Refusal {
    const rules = rulesOf(request.type);
    const buying = isBuying(request.side);
    if (rules.trigger === 'trailing') return this.#trailingPrices(instrument, request);
    if (request.auxPrice === undefined || request.auxPrice === 0)
      return new Refusal(`auxPrice, the trigger price, is required for order type ${nameOf(request.type)}`, 'broker.trigger');
    const aux = checkPrice(instrument, 'auxPrice', request.auxPrice, request.adjustment);
    if (aux instanceof Refusal) return aux;
    const when = (rules.trigger === 'stop') === buying ? 'rises_to' : 'falls_to';
    return { price, worstPrice: price > 0n ? price : protection(instrument, buying, aux), trigger: { price: aux, when, reached: false } };
  }

  #trailingPrices(instrument: Instrument, request: PriceQuestion): PriceTerms | Refusal {
    const buying = isBuying(request.side);
    const value = request.trail === undefined ? undefined : decimalFromNumber(request.trail.value);
    if (request.trail === undefined || value === undefined || value <= 0n) {
      return new Refusal(
        `trailType 1 (ratio), in percent, or 2 (amount) and trailValue above 0 are required for order type ${nameOf(request.type)}`,
        'broker.trigger',
      );
    }
    const trail = { type: request.trail.type, value };
    const price = trailingTrigger(instrument, buying, this.market.quote(instrument).last, trail);
    if (price <= 0n) return new Refusal(`trailValue ${request.trail.value} leaves no price to trigger at`, 'broker.trigger');
    const trigger: Trigger = { price, when: buying ? 'rises_to' : 'falls_to', reached: false, trail };
    if (request.type === 'trailing_stop') return { price: 0n, worstPrice: protection(instrument, buying, price), trigger };
    const spread = request.spread === undefined ? undefined : decimalFromNumber(request.spread);
    if (spread === undefined || spread < 0n)
      return new Refusal('trailSpread, the distance of the limit from the trigger price, is required and not below 0', 'broker.trigger');
    const worstPrice = trailingLimit(instrument, buying, price, spread);
    if (worstPrice <= 0n) return new Refusal(`trailSpread ${request.spread} leaves no limit price`, 'broker.trigger');
    return { price: 0n, worstPrice, trigger: { ...trigger, spread } };
  }

  #replacedPrices(instrument: Instrument, order: OrderRecord, request: ReplaceRequest): PriceTerms | Refusal {
    const named = [request.price, request.auxPrice, request.trail, request.spread].some((value) => value !== undefined);
    const kept: PriceTerms = {
      price: order.price,
      worstPrice: order.worstPrice,
      ...(order.trigger === undefined ? {} : { trigger: order.trigger }),
    };
    if (!named) return kept;
    if (order.trigger?.reached) {
      // Only the limit still matters, where the order has one.
      const isLimited = rulesOf(order.type).limited || order.type === 'trailing_stop_limit';
      if (!isLimited || request.price === undefined || request.price === 0) return kept;
      const price = checkPrice(instrument, 'price', request.price, request.adjustment);
      return price instanceof Refusal ? price : { ...kept, price, worstPrice: price };
    }
    const number = (value: Decimal | undefined): number | undefined => (value === undefined ? undefined : Number(formatDecimal(value)));
    const { trigger } = order;
    if (trigger?.trail !== undefined && keepsTrail(trigger, request)) return kept;
    return this.prices(instrument, {
      side: mainLeg(order).side,
      type: order.type,
      price: request.price || number(order.price),
      adjustment: request.adjustment,
      auxPrice: request.auxPrice || number(trigger?.price),
      trail: request.trail ?? (trigger?.trail && { type: trigger.trail.type, value: Number(formatDecimal(trigger.trail.value)) }),
      spread: request.spread ?? number(trigger?.spread),
    });
  }

  #checkHold(question: HoldQuestion): Hold | Refusal {
    const { instrument, quantity, open } = question;
    const lot = BigInt(instrument.lotSize);
    const total = quantity + (open?.leg.filledQuantity ?? 0n);
    if (total % lot !== 0n && !this.holds.closesAll(question)) {
      const text = `qty ${total} is not a multiple of the lot size ${lot} of ${instrument.symbol}; nearest: ${nearestLots(total, lot)}`;
      return new Refusal(text, 'broker.lot_size');
    }
    return this.holds.checkPosition(question) ?? this.holds.take(question);
  }

  /** Reason why an instrument does not take orders of this type and duration now; undefined where it does. */
  checkType(instrument: Instrument, request: Pick<PlaceRequest, 'type' | 'timeInForce' | 'extendedHours' | 'hours'>): Refusal | undefined {
    const { type, timeInForce } = request;
    const accepted = orderTypesOf(instrument);
    if (!accepted.includes(type)) {
      return new Refusal(
        `order type ${nameOf(type)} is not accepted for ${instrument.symbol}; accepted: ${accepted.map(nameOf).join(', ')}`,
        'broker.order_type',
      );
    }
    const rules = rulesOf(type);
    const waits = (rules.remainder === 'rest' && !rules.auction) || (timeInForce === 'gtd' && rules.worked !== undefined);
    if ((timeInForce === 'gtc' || timeInForce === 'gtd') && !waits && rules.trigger === undefined) {
      const accepted = `0 (day)${type === 'market' ? ', 2 (ioc)' : rules.worked === undefined ? '' : ', 3 (gtd)'}`;
      return new Refusal(`order type ${nameOf(type)} is for the day only; accepted timeInForce: ${accepted}`, 'broker.time_in_force');
    }
    if (timeInForce === 'ioc' && type !== 'normal' && type !== 'market')
      return new Refusal('timeInForce 2 (ioc) is for order types 1 (normal) and 2 (market)', 'broker.time_in_force');
    if (request.extendedHours && (instrument.calendar !== 'US' || !kinds[instrument.kind].isShare || !rules.limited || rules.worked)) {
      const asked = request.hours === undefined ? 'fillOutsideRTH' : sessionText(request.hours);
      return new Refusal(`${asked} is for limit orders of US stocks`, 'broker.session');
    }
    if (request.hours === 'overnight' && !(this.world.calendar(instrument) instanceof OpenCalendar))
      return new Refusal(`${sessionText(request.hours)}: ${instrument.symbol} is not traded overnight`, 'broker.session');
    const now = this.clock.now();
    if ((type === 'market' || timeInForce === 'ioc') && !this.#isOpen(instrument, request.extendedHours)) {
      const calendar = this.world.calendar(instrument);
      const opens = localDateTime(sessionFor(calendar, now, request.extendedHours).start, calendar.timeZone);
      return new Refusal(
        `the market of ${instrument.symbol} is closed until ${opens} (${calendar.timeZone}); a limit order would wait until then`,
        'broker.session',
      );
    }
    return undefined;
  }

  /** Reason why an instrument is not traded today; undefined where it is. */
  checkListed(instrument: Instrument): Refusal | undefined {
    const { symbol, listDate, lastTradingDay } = instrument;
    const state = this.world.state(instrument);
    if (state === 'coming') return new Refusal(`${symbol} is not traded before ${listDate}`, 'broker.not_listed');
    if (instrument.kind === 'warrant' && this.market.isCalled(instrument))
      return new Refusal(`${symbol} has been called: it is traded no more`, 'broker.not_listed');
    const isOver = state === 'over' || this.clock.now() >= this.lastMoment(instrument);
    return isOver ? new Refusal(`${symbol} was last traded on ${lastTradingDay}`, 'broker.not_listed') : undefined;
  }

  /** The end of an instrument's last day of trading, epoch ms; no order outlives it. */
  lastMoment(instrument: Instrument): number {
    if (instrument.lastTradingDay === undefined) return Infinity;
    return this.world.calendar(instrument).sessions(instrument.lastTradingDay).at(-1)?.end ?? Infinity;
  }

  /** When an order ends, epoch ms. */
  expiry(instrument: Instrument, request: ExpiryQuestion): number | Refusal {
    const asked = this.#askedExpiry(instrument, request);
    return asked instanceof Refusal ? asked : Math.min(asked, this.lastMoment(instrument));
  }

  #askedExpiry(instrument: Instrument, request: ExpiryQuestion): number | Refusal {
    const now = this.clock.now();
    switch (request.timeInForce) {
      case 'gtc':
        return now + GTC_DAYS * DAY_MS;
      case 'gtd': {
        const { timeZone } = this.world.calendar(instrument);
        const text = request.expireTime ?? '';
        // A bare day means until its end, which is not 24 hours later where the clocks change.
        const end =
          text.length === 10 && dayNumber(text) !== undefined ? parseLocal(addDays(text, 1), timeZone) : parseLocal(text, timeZone);
        if (end === undefined || end <= now || end > now + GTC_DAYS * DAY_MS) {
          return new Refusal(
            `expireTime ${quoted(text)} must be "YYYY-MM-DD" or "YYYY-MM-DD HH:MM:SS" (${timeZone}), in the next ${GTC_DAYS} days`,
            'broker.time_in_force',
          );
        }
        return rulesOf(request.type).worked === undefined ? end : this.#workedUntil(instrument, request, end);
      }
      default:
        return this.dayOrderEnd(instrument, request.type, request.extendedHours);
    }
  }

  /** The end of an order that is worked until `end`, epoch ms: within the day, as the volume of later days is not known. */
  #workedUntil(instrument: Instrument, request: ExpiryQuestion, end: number): number | Refusal {
    const close = this.dayOrderEnd(instrument, request.type, false);
    if (end <= close) return end;
    const { timeZone } = this.world.calendar(instrument);
    // A bare day means until its close.
    const dateOf = (time: number) => localDateTime(time, timeZone).slice(0, 10);
    if (request.expireTime?.length === 10 && request.expireTime === dateOf(close - 1)) return close;
    const text = `expireTime ${quoted(request.expireTime ?? '')} is after the end of the trading day, ${localDateTime(close, timeZone)} (${timeZone})`;
    return new Refusal(`${text}: order type ${nameOf(request.type)} is worked within one day`, 'broker.time_in_force');
  }

  /** When a day order ends that is placed now, epoch ms. */
  dayOrderEnd(instrument: Instrument, type: OrderRecord['type'], extendedHours: boolean): number {
    const calendar = this.world.calendar(instrument);
    const now = this.clock.now();
    return rulesOf(type).auction ? nextOpening(calendar, now).closesAt : dayEnd(calendar, now, extendedHours);
  }

  #isOpen(instrument: Instrument, extendedHours: boolean): boolean {
    const session = this.world.calendar(instrument).sessionAt(this.clock.now());
    return session !== undefined && (session.kind === 'regular' || extendedHours);
  }
}

/** Whether a change leaves the trail as it is: then it goes on from the best price so far, and does not begin anew. */
function keepsTrail({ trail, spread }: Trigger, request: ReplaceRequest): boolean {
  const isSame = (given: number | undefined, own: Decimal | undefined) => given === undefined || decimalFromNumber(given) === (own ?? 0n);
  const sameTrail = request.trail === undefined || (request.trail.type === trail?.type && isSame(request.trail.value, trail.value));
  return sameTrail && isSame(request.spread, spread);
}

/** Where a trailing order triggers when the market's best price for it has been `extreme`. */
export function trailingTrigger(instrument: Instrument, buying: boolean, extreme: Decimal, trail: NonNullable<Trigger['trail']>): Decimal {
  const distance = trail.type === 'amount' ? trail.value : multiply(extreme, trail.value) / 100n;
  return buying
    ? roundToTick(instrument.tickTable, extreme + distance, 'up')
    : extreme > distance
      ? roundToTick(instrument.tickTable, extreme - distance, 'down')
      : 0n;
}

/** The limit that a trailing stop limit order gets when it triggers at `price`. */
export function trailingLimit(instrument: Instrument, buying: boolean, price: Decimal, spread: Decimal): Decimal {
  return buying
    ? roundToTick(instrument.tickTable, price + spread, 'up')
    : price > spread
      ? roundToTick(instrument.tickTable, price - spread, 'down')
      : 0n;
}

/** A quantity of a request; `name`: its field, for the refusal. */
export function wholeQuantity(name: string, value: number): bigint | Refusal {
  if (!Number.isInteger(value) || value <= 0 || value > Number(QUANTITY_MAX)) {
    return new Refusal(`${name} ${value} must be a whole number from 1 to ${QUANTITY_MAX}`, 'broker.quantity');
  }
  return BigInt(value);
}

/** The multiples of a lot next to a quantity, in words: "100 and 200". */
export function nearestLots(quantity: bigint, lot: bigint): string {
  const down = quantity - (quantity % lot);
  return down > 0n ? `${down} and ${down + lot}` : String(lot);
}

/** Reason why a remark is not accepted. */
export function checkRemark(remark: string): Refusal | undefined {
  const bytes = Buffer.byteLength(remark, 'utf8');
  return bytes > REMARK_BYTES_MAX
    ? new Refusal(`remark has ${bytes} bytes; at most ${REMARK_BYTES_MAX} are accepted`, 'broker.remark')
    : undefined;
}

export function nameOf(type: OrderRecord['type']): string {
  return `${orderTypes.numberOf(type)} (${type})`;
}
