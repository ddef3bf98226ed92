import type { Decimal } from '@svc-gateway/contract/decimal';
import { type Instrument, kinds } from '../world/index.js';
import { isBuying } from './order.js';
import { rulesOf } from './order-types.js';
import type { OrderType, ReconfirmReason, TradeSide } from './terms.js';

/**
 * Board lots that one order may have in Hong Kong (HKEX, securities market trading mechanism: maximum size of an automatch order).
 * Elsewhere exchanges have no such number.
 */
const BOARD_LOTS_MAX = 3_000n;
/** An order priced nine times, or a ninth, of the nominal price is taken for a slip of the decimal point (HKEX rejects what deviates nine times or more). */
const PRICE_FACTOR = 9n;

/** Terms of an order that the slip check looks at. */
export interface FatFingerTerms {
  readonly instrument: Instrument;
  readonly type: OrderType;
  readonly side: TradeSide;
  readonly quantity: bigint;
  readonly price: Decimal;
}

/** Whether an order looks like a slip: one that its owner has to confirm once more. Both at once are confirmed as the first of them. */
export function reconfirmReason({ instrument, type, side, quantity, price }: FatFingerTerms, last: Decimal): ReconfirmReason | undefined {
  // Worked orders go to the exchange in small parts.
  if (rulesOf(type).worked === undefined && isTooLarge(instrument, quantity)) return 'quantity';
  // Prices of contracts and warrants are small, and move by such factors by themselves.
  if (type !== 'normal' || last === 0n || !kinds[instrument.kind].isShare) return undefined;
  const isFatFinger = isBuying(side) ? price >= last * PRICE_FACTOR : price * PRICE_FACTOR <= last;
  return isFatFinger ? 'price' : undefined;
}

/** Reason of a waiting order, told from its quantity: prices move on. */
export function reasonOfWaiting(instrument: Instrument, quantity: bigint): ReconfirmReason {
  return isTooLarge(instrument, quantity) ? 'quantity' : 'price';
}

function isTooLarge({ kind, market, lotSize }: Instrument, quantity: bigint): boolean {
  return market === 'HK' && kinds[kind].isShare && quantity > BOARD_LOTS_MAX * BigInt(lotSize);
}

/** Messages of orders that wait for confirmation. */
export const reconfirmTexts: Readonly<Record<ReconfirmReason, string>> = {
  quantity: `not sent: more than ${BOARD_LOTS_MAX} board lots; confirm it (reconfirm_op 1), change it or cancel it`,
  price: 'not sent: its price is far beyond the market; confirm it (reconfirm_op 2), change it or cancel it',
};
