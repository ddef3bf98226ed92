import type { Clock } from '@svc-gateway/contract/clock';
import { quoted } from '@svc-gateway/contract/shown';
import { addDays, DAY_MS, dayNumber, localDateTime, parseLocal } from '@svc-gateway/contract/time';
import type { Market } from '../market/simulated-market.js';
import { Refusal } from '../refusal.js';
import { type Instrument, kinds, type World } from '../world/index.js';
import type { Account } from './account.js';
import type { HoldQuestion, Holds } from './holds.js';
import { type Hold, isBuying, mainLeg, type OrderRecord, remainingOf } from './order.js';
import { dearest, type PriceTerms, pricesOf, replacedPrices } from './order-prices.js';
import { nameOf, orderTypesOf, rulesOf } from './order-types.js';
import type { PlaceRequest, ReplaceRequest } from './place-request.js';
import { type FatFingerTerms, reconfirmReason } from './reconfirm.js';
import { resolve } from './resolve.js';
import { dayEnd, nextOpening, sessionFor } from './sessions.js';
import { type OrderHours, orderHours, type ReconfirmReason, type TradeMarket, type TradeSide } from './terms.js';

const QUANTITY_MAX = 1_000_000_000n;
const REMARK_BYTES_MAX = 64;
/** "Good till cancelled" is, at most, for 90 calendar days. */
const GTC_DAYS = 90;

/** One leg of an order that may be accepted. */
export interface CheckedLeg {
  readonly instrument: Instrument;
  readonly side: TradeSide;
  /** Units of the leg in one unit of the order. */
  readonly ratio: bigint;
}

/** A change of an open order that may be accepted. */
export interface CheckedChange extends PriceTerms {
  readonly quantity: bigint;
  /** By leg. */
  readonly holds: readonly Hold[];
}

/** A new order that may be accepted. */
export interface CheckedOrder extends CheckedChange {
  readonly legs: readonly [CheckedLeg, ...CheckedLeg[]];
  readonly tradeMarket: TradeMarket;
  /** Epoch ms. */
  readonly expiresAt: number;
}

/** Names of Qot_Common.Session. */
const sessionNames: Readonly<Record<OrderHours, string>> = { regular: 'rth', extended: 'eth', all: 'all', overnight: 'overnight' };
const sessionText = (hours: OrderHours) => `session ${orderHours.numberOf(hours)} (${sessionNames[hours]})`;

/** The parts of a request that say how long an order lives. */
type ExpiryQuestion = Pick<PlaceRequest, 'type' | 'timeInForce' | 'expireTime' | 'extendedHours'>;

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
    const prices = pricesOf(this.market, instrument, request);
    if (prices instanceof Refusal) return prices;
    const quantity = wholeQuantity('qty', request.quantity);
    if (quantity instanceof Refusal) return quantity;
    const hold = this.#checkHold({ account, instrument, side, quantity, worstPrice: dearest(this.market, instrument, side, prices) });
    if (hold instanceof Refusal) return hold;
    return { legs: [{ instrument, side, ratio: 1n }], tradeMarket: found.tradeMarket, ...prices, quantity, holds: [hold], expiresAt };
  }

  /** A change of an open order: its new total and prices. */
  replace(account: Account, instrument: Instrument, order: OrderRecord, request: ReplaceRequest): CheckedChange | Refusal {
    const quantity = newTotal(order, request);
    if (quantity instanceof Refusal) return quantity;
    const prices = replacedPrices(this.market, instrument, order, request);
    if (prices instanceof Refusal) return prices;
    const hold = this.#checkHold(this.#questionOf(account, instrument, { ...order, ...prices, quantity }, order));
    return hold instanceof Refusal ? hold : { ...prices, quantity, holds: [hold] };
  }

  /** Reason why an order looks like a slip and is to be confirmed once more; undefined where it does not. */
  slip(terms: FatFingerTerms): ReconfirmReason | undefined {
    return reconfirmReason(terms, this.market.quote(terms.instrument).last);
  }

  /** The order as it is, enabled again: its end, counted from now, and what it holds. */
  enable(account: Account, instrument: Instrument, order: OrderRecord): { holds: readonly Hold[]; expiresAt: number } | Refusal {
    const hold = this.#checkHold(this.#questionOf(account, instrument, order));
    if (hold instanceof Refusal) return hold;
    const refusal = this.checkListed(instrument);
    if (refusal !== undefined) return refusal;
    const now = this.clock.now();
    const expiresAt =
      order.timeInForce === 'day' || order.expiresAt <= now
        ? this.dayOrderEnd(instrument, order.type, order.extendedHours)
        : order.expiresAt;
    return { holds: [hold], expiresAt: Math.min(expiresAt, this.lastMoment(instrument)) };
  }

  /**
   * New hold of a short sale that reaches a market which has risen since the order was accepted; undefined while the
   * present hold is enough.
   */
  carry(account: Account, instrument: Instrument, order: OrderRecord): readonly Hold[] | Refusal | undefined {
    const { side, marginPerUnit } = mainLeg(order);
    if (isBuying(side) || marginPerUnit === 0n) return undefined;
    const hold = this.holds.take(this.#questionOf(account, instrument, order, order));
    if (hold instanceof Refusal) return hold;
    return hold.marginPerUnit > marginPerUnit ? [hold] : undefined;
  }

  /** Hold of an order whose limit has moved in its account's favour. */
  lowered(account: Account, instrument: Instrument, order: OrderRecord): readonly Hold[] {
    const { cashPerUnit, marginPerUnit } = mainLeg(order);
    const question = this.#questionOf(account, instrument, order, order);
    return [this.holds.lowered(question, { cashPerUnit, marginPerUnit, feeReserve: order.feeReserve })];
  }

  /** Hold question of an order. `open`: as it stands, when it is being changed. */
  #questionOf(account: Account, instrument: Instrument, order: OrderRecord, open?: OrderRecord): HoldQuestion {
    const { side } = mainLeg(order);
    return {
      account,
      instrument,
      side,
      quantity: remainingOf(order),
      worstPrice: dearest(this.market, instrument, side, order),
      open: open && { order: open, leg: mainLeg(open) },
    };
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
    if (request.hours === 'overnight' && this.world.calendarMode === 'calendar')
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

/** A quantity of a request; `name`: its field, for the refusal. */
export function wholeQuantity(name: string, value: number): bigint | Refusal {
  if (!Number.isInteger(value) || value <= 0 || value > Number(QUANTITY_MAX)) {
    return new Refusal(`${name} ${value} must be a whole number from 1 to ${QUANTITY_MAX}`, 'broker.quantity');
  }
  return BigInt(value);
}

/** The new total of a changed order; it stays where none is named. */
export function newTotal(order: OrderRecord, request: ReplaceRequest): bigint | Refusal {
  const quantity = request.quantity === undefined ? order.quantity : wholeQuantity('qty', request.quantity);
  if (quantity instanceof Refusal || quantity > order.filledQuantity) return quantity;
  return new Refusal(
    `qty ${quantity} is the order's new total and must be above the ${order.filledQuantity} already filled; to stop it, cancel it`,
    'broker.quantity',
  );
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
