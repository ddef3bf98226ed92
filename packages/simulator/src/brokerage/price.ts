import { DECIMAL_ONE, type Decimal, decimalFromNumber, formatDecimal, multiply } from '@svc-gateway/contract/decimal';
import type { Market } from '../market/simulated-market.js';
import { Refusal } from '../refusal.js';
import { type Instrument, isOnTick, roundToTick, tickSize } from '../world/index.js';

/** Above any price of the world; keeps values within a double's exact range. */
const PRICE_MAX = 10_000_000n * DECIMAL_ONE;
/** How far from the market an order without a limit may trade, in percent. */
const PROTECTION_PERCENT = 5n;

/** How a caller wants a price between two ticks dealt with: `limit` > 0 up, < 0 down, by at most that part of the price. */
export interface PriceAdjustment {
  readonly limit: number;
}

/**
 * The exact price of an order field: on a tick of the instrument, or moved to one within the adjustment.
 *
 * @param name the field, for the refusal.
 */
export function checkPrice(
  instrument: Instrument,
  name: string,
  value: number,
  adjustment: PriceAdjustment | undefined,
): Decimal | Refusal {
  const price = decimalFromNumber(value);
  if (price === undefined || price <= 0n || price > PRICE_MAX) {
    return new Refusal(
      `${name} ${value} must be above 0, at most ${formatDecimal(PRICE_MAX)}, and have at most nine decimal places`,
      'broker.price',
    );
  }
  if (isOnTick(instrument.tickTable, price)) return price;
  const tick = formatDecimal(tickSize(instrument.tickTable, price));
  const down = roundToTick(instrument.tickTable, price, 'down');
  const up = roundToTick(instrument.tickTable, price, 'up');
  if (adjustment === undefined || adjustment.limit === 0) {
    const neighbours = down > 0n ? `${formatDecimal(down)} and ${formatDecimal(up)}` : formatDecimal(up);
    return new Refusal(
      `${name} ${formatDecimal(price)} is not on the tick ${tick} of ${instrument.symbol}; nearest: ${neighbours}`,
      'broker.tick',
    );
  }
  const bound = decimalFromNumber(Math.abs(adjustment.limit));
  if (bound === undefined)
    return new Refusal(`adjustSideAndLimit ${adjustment.limit} must be a number of at most nine decimal places`, 'broker.price');
  const adjusted = adjustment.limit > 0 ? up : down;
  const moved = adjusted > price ? adjusted - price : price - adjusted;
  if (adjusted <= 0n || moved > multiply(price, bound)) {
    return new Refusal(
      `${name} ${formatDecimal(price)} cannot be adjusted to ${formatDecimal(adjusted)} within ${adjustment.limit}: the tick of ${instrument.symbol} is ${tick}`,
      'broker.tick',
    );
  }
  return adjusted;
}

/** The worst price that an order without a limit may trade at, 5 % beyond `from`, on a tick. */
export function protection(instrument: Instrument, buying: boolean, from: Decimal): Decimal {
  if (buying) return roundToTick(instrument.tickTable, (from * (100n + PROTECTION_PERCENT)) / 100n, 'up');
  const price = roundToTick(instrument.tickTable, (from * (100n - PROTECTION_PERCENT)) / 100n, 'down');
  return price > 0n ? price : tickSize(instrument.tickTable, 0n);
}

/** Where a market order would begin to trade: the best price of the other side, or else the last. */
export function marketPrice(market: Market, instrument: Instrument, buying: boolean): Decimal {
  const { bids, asks } = market.book(instrument, 1);
  return (buying ? asks : bids)[0]?.price ?? market.quote(instrument).last;
}
