import { type Decimal, decimalFromNumber } from '@svc-gateway/contract/decimal';
import type { C2S } from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import type { Currency } from '@svc-gateway/contract/markets';
import { Refusal } from '../refusal.js';
import type { World } from '../world/index.js';
import type { AccountBook } from './account.js';
import { type FeeItem, feesOf } from './fees.js';
import { addressed } from './header.js';
import { unitValue } from './margin.js';
import { isBuying, units } from './order.js';
import { resolve } from './resolve.js';
import { tradeSides } from './terms.js';

/** Fees of an order that fills completely at `price`, by the schedules of real fills. */
export function estimateFees(
  { brokerage, world }: { readonly brokerage: AccountBook; readonly world: World },
  request: C2S,
  price: Decimal,
): { readonly currency: Currency; readonly items: readonly FeeItem[] } | Refusal {
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
  const side = tradeSides.wordOf(request.trdSide);
  if (side === undefined) return new Refusal(tradeSides.unknown(request.trdSide), 'broker.enumeration');
  const found = resolve(world, to.account, to.market, request.code, request.secMarket);
  if (found instanceof Refusal) return found;
  const { instrument } = found;
  const qty = decimalFromNumber(request.qty) ?? 0n;
  if (qty <= 0n || qty % units(1n) !== 0n) return new Refusal(`qty ${request.qty} must be a whole number above 0`, 'broker.quantity');
  const quantity = qty / units(1n);
  return { currency: instrument.currency, items: feesOf(instrument, isBuying(side), unitValue(instrument, price) * quantity, quantity) };
}
