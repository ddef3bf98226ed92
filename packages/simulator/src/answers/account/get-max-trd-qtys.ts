import { create } from '@bufbuild/protobuf';
import { type Decimal, decimalToNumber } from '@svc-gateway/contract/decimal';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Trd_GetMaxTrdQtys_pb';
import { inMoney } from '@svc-gateway/contract/money';
import { quoted } from '@svc-gateway/contract/shown';
import type { Account } from '../../brokerage/account.js';
import { addressed } from '../../brokerage/header.js';
import { feeReserve } from '../../brokerage/holds.js';
import type { Brokerage } from '../../brokerage/index.js';
import { canShort, initialMargin, unitValue } from '../../brokerage/margin.js';
import { frozenCash, mainLeg, type OrderRecord, remainingOf, reservedMargin } from '../../brokerage/order.js';
import { checkPrice, marketPrice } from '../../brokerage/price.js';
import { resolve } from '../../brokerage/resolve.js';
import { orderTypes, type TradeSide } from '../../brokerage/terms.js';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { adjustmentOf } from '../../view/order-fields.js';
import type { Instrument } from '../../world/index.js';

/** Trd_GetMaxTrdQtys: how much of a code the account could trade at a price, in whole lots. */
export const getMaxTrdQtys: Answer<'world' | 'market' | 'brokerage', C2S, S2C> = ({ brokerage, world, market }, request) => {
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
  if (orderTypes.wordOf(request.orderType) === undefined) return new Refusal(orderTypes.unknown(request.orderType));
  const found = resolve(world, to.account, to.market, request.code, request.secMarket);
  if (found instanceof Refusal) return found;
  const price = checkPrice(found.instrument, 'price', request.price, adjustmentOf(request));
  if (price instanceof Refusal) return price;
  const open = openOrder(brokerage, to.account, request);
  if (open instanceof Refusal) return open;
  const { account } = to;
  const maxTrdQtys =
    account.trades === 'futures'
      ? ofFuture(brokerage, account, found.instrument, price)
      : ofSecurity(brokerage, account, found.instrument, price, marketPrice(market, found.instrument, false), open);
  return brokerage.records.journal.whenDurable(create(S2CSchema, { header: to.header, maxTrdQtys }));
};

function ofSecurity(
  { records, valuer }: Brokerage,
  account: Account,
  instrument: Instrument,
  price: Decimal,
  bid: Decimal,
  open: OrderRecord | undefined,
) {
  const { symbol, currency } = instrument;
  const { ledger } = records;
  const cash = ledger.cash(account, currency) - ledger.frozen(account, currency) + (open === undefined ? 0n : frozenCash(open));
  const own = (...sides: TradeSide[]): bigint => (open !== undefined && sides.includes(mainLeg(open).side) ? remainingOf(open) : 0n);
  const sellable = ledger.sellable(account.id, symbol) + own('sell');
  const value = unitValue(instrument, price);
  const maximum = { maxCashBuy: Number(affordable(instrument, price, value, cash)), maxPositionSell: Number(sellable) };
  if (account.type === 'cash') return maximum;
  const free = valuer.free(account, currency) + (open === undefined ? 0n : reservedMargin(open));
  const held = ledger.position(account.id, symbol)?.quantity ?? 0n;
  // A sale fills at the market where that is above its limit.
  const dearest = bid > price ? bid : price;
  const shortMargin = valuer.shortMargin(instrument, unitValue(instrument, dearest));
  const shortable = canShort(instrument) && held <= 0n;
  return {
    ...maximum,
    maxCashAndMarginBuy: Number(held < 0n ? 0n : affordable(instrument, price, initialMargin(instrument, 'long', value), free)),
    maxSellShort: shortable ? Number(affordable(instrument, dearest, shortMargin, free)) : 0,
    maxBuyBack: Number(ledger.coverable(account.id, symbol) + own('buy', 'buy_back')),
  };
}

function ofFuture({ records }: Brokerage, account: Account, instrument: Instrument, price: Decimal) {
  const value = unitValue(instrument, price);
  const held = records.ledger.position(account.id, instrument.symbol)?.quantity ?? 0n;
  return {
    maxCashBuy: 0,
    maxPositionSell: Number(held > 0n ? held : 0n),
    longRequiredIM: decimalToNumber(inMoney(initialMargin(instrument, 'long', value), instrument.currency)),
    shortRequiredIM: decimalToNumber(inMoney(initialMargin(instrument, 'short', value), instrument.currency)),
  };
}

/** The most whole lots whose units, at `perUnit` each, and fees fit into `amount`. */
function affordable(instrument: Instrument, price: Decimal, perUnit: Decimal, amount: Decimal): bigint {
  const lot = BigInt(instrument.lotSize);
  const fits = (lots: bigint): boolean => perUnit * lots * lot + feeReserve(instrument, true, price, lots * lot, undefined) <= amount;
  let low = 0n;
  let high = amount > 0n ? amount / (perUnit * lot) + 1n : 1n;
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low * lot;
}

/** The order that is to be modified, whose own hold counts as free. */
function openOrder(brokerage: Brokerage, account: Account, { orderID, orderIDEx }: C2S): OrderRecord | undefined | Refusal {
  if (orderID === 0n && orderIDEx === '') return undefined;
  const order = orderIDEx === '' ? brokerage.order(orderID) : brokerage.orderByIdEx(orderIDEx);
  return order?.accId === account.id
    ? order
    : new Refusal(`account ${account.id} has no order ${orderIDEx === '' ? orderID : quoted(orderIDEx)}`, 'broker.unknown_order');
}
