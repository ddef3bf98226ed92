import { type Decimal, decimalFromNumber, formatDecimal, multiply } from '@svc-gateway/contract/decimal';
import type { Market } from '../market/simulated-market.js';
import { Refusal } from '../refusal.js';
import { type Instrument, roundToTick } from '../world/index.js';
import { isBuying, mainLeg, type OrderRecord, type Trigger } from './order.js';
import { nameOf, rulesOf } from './order-types.js';
import type { PlaceRequest, ReplaceRequest } from './place-request.js';
import { checkPrice, marketPrice, protection } from './price.js';
import type { TradeSide } from './terms.js';

/** Prices of an order: limit and trigger. */
export interface PriceTerms {
  /** 0 without a limit. */
  readonly price: Decimal;
  readonly worstPrice: Decimal;
  readonly trigger?: Trigger | undefined;
}

/** The prices of a request, and the parts of the order that decide which are needed. */
type PriceQuestion = Pick<PlaceRequest, 'side' | 'type' | 'price' | 'adjustment' | 'auxPrice' | 'trail' | 'spread'>;

/** Limit, worst price and trigger of an order, from what its type needs. */
export function pricesOf(market: Market, instrument: Instrument, request: PriceQuestion): PriceTerms | Refusal {
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
  if (rules.trigger !== undefined) return triggeredPrices(market, instrument, request, price);
  if (price > 0n) return { price, worstPrice: price };
  const from = rules.auction ? market.quote(instrument).last : marketPrice(market, instrument, buying);
  return { price, worstPrice: protection(instrument, buying, from) };
}

function triggeredPrices(market: Market, instrument: Instrument, request: PriceQuestion, price: Decimal): PriceTerms | Refusal {
  const rules = rulesOf(request.type);
  const buying = isBuying(request.side);
  if (rules.trigger === 'trailing') return trailingPrices(market, instrument, request);
  if (request.auxPrice === undefined || request.auxPrice === 0)
    return new Refusal(`auxPrice, the trigger price, is required for order type ${nameOf(request.type)}`, 'broker.trigger');
  const aux = checkPrice(instrument, 'auxPrice', request.auxPrice, request.adjustment);
  if (aux instanceof Refusal) return aux;
  const when = (rules.trigger === 'stop') === buying ? 'rises_to' : 'falls_to';
  return { price, worstPrice: price > 0n ? price : protection(instrument, buying, aux), trigger: { price: aux, when, reached: false } };
}

function trailingPrices(market: Market, instrument: Instrument, request: PriceQuestion): PriceTerms | Refusal {
  const buying = isBuying(request.side);
  const value = request.trail === undefined ? undefined : decimalFromNumber(request.trail.value);
  if (request.trail === undefined || value === undefined || value <= 0n) {
    return new Refusal(
      `trailType 1 (ratio), in percent, or 2 (amount) and trailValue above 0 are required for order type ${nameOf(request.type)}`,
      'broker.trigger',
    );
  }
  const trail = { type: request.trail.type, value };
  const price = trailingTrigger(instrument, buying, market.quote(instrument).last, trail);
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

/** Prices of an open order after a change; those that the change does not name stay. */
export function replacedPrices(market: Market, instrument: Instrument, order: OrderRecord, request: ReplaceRequest): PriceTerms | Refusal {
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
  return pricesOf(market, instrument, {
    side: mainLeg(order).side,
    type: order.type,
    price: request.price || number(order.price),
    adjustment: request.adjustment,
    auxPrice: request.auxPrice || number(trigger?.price),
    trail: request.trail ?? (trigger?.trail && { type: trigger.trail.type, value: Number(formatDecimal(trigger.trail.value)) }),
    spread: request.spread ?? number(trigger?.spread),
  });
}

/** The price at which an order asks most of its account. A sale fills at the market, or where it triggers, when that is above its limit. */
export function dearest(market: Market, instrument: Instrument, side: TradeSide, { worstPrice, trigger }: PriceTerms): Decimal {
  if (isBuying(side)) return worstPrice;
  const waitsFor = trigger?.reached === false ? trigger.price : 0n;
  return [marketPrice(market, instrument, false), waitsFor].reduce((most, price) => (price > most ? price : most), worstPrice);
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
