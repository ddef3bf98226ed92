import { atLeastZero, type Decimal, lesser } from '@svc-gateway/contract/decimal';
import * as ComboMaxQtys from '@svc-gateway/contract/generated/Trd_GetComboMaxTrdQtys_pb';
import * as MaxQtys from '@svc-gateway/contract/generated/Trd_GetMaxTrdQtys_pb';
import { quoted } from '@svc-gateway/contract/shown';
import type { Account } from '../../brokerage/account.js';
import type { ExaminedCombo } from '../../brokerage/check-combo.js';
import { totalFeesOf } from '../../brokerage/fees.js';
import { addressed } from '../../brokerage/header.js';
import { feeReserve } from '../../brokerage/holds.js';
import type { Brokerage } from '../../brokerage/index.js';
import { canShort, initialMargin, maintenanceMargin, unitValue } from '../../brokerage/margin.js';
import { type OptionHolding, optionMargin } from '../../brokerage/option-margin.js';
import { frozenCash, isBuying, isCombo, mainLeg, type OrderRecord, remainingOf, reservedMargin } from '../../brokerage/order.js';
import { checkPrice, marketPrice } from '../../brokerage/price.js';
import { resolve } from '../../brokerage/resolve.js';
import { orderTypes, type TradeSide } from '../../brokerage/terms.js';
import { Refusal } from '../../refusal.js';
import type { Answer, Facts } from '../../view/facts.js';
import { given, messageOf } from '../../view/messages.js';
import { adjustmentOf, comboLegsOf, orderNamed } from '../../view/order-fields.js';
import type { Instrument } from '../../world/index.js';
import { ofAccount, shownIn } from './amounts.js';

/** Trd_GetMaxTrdQtys: how much of a code the account could trade at a price, in whole lots. */
export const getMaxTrdQtys: Answer<'world' | 'market' | 'brokerage', MaxQtys.C2S, MaxQtys.S2C> = (
  { brokerage, world, market },
  request,
) => {
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
  if (orderTypes.wordOf(request.orderType) === undefined) return new Refusal(orderTypes.unknown(request.orderType), 'broker.enumeration');
  const found = resolve(world, to.account, to.market, request.code, request.secMarket);
  if (found instanceof Refusal) return found;
  const price = checkPrice(found.instrument, 'price', request.price, adjustmentOf(request));
  if (price instanceof Refusal) return price;
  const { orderID, orderIDEx } = request;
  // The hold of an order that is to be modified counts as free.
  const open = orderID === 0n && orderIDEx === '' ? undefined : orderNamed(brokerage, to.account, { orderID, orderIDEx });
  if (open instanceof Refusal) return open;
  const { account } = to;
  const maxTrdQtys =
    account.trades === 'futures'
      ? ofFuture(brokerage, account, found.instrument, price)
      : ofSecurity(brokerage, account, found.instrument, price, marketPrice(market, found.instrument, false), open);
  return brokerage.records.journal.whenDurable(messageOf(MaxQtys.S2CSchema, { header: to.header, maxTrdQtys }));
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
  const n = shownIn(instrument.currency);
  const value = unitValue(instrument, price);
  const held = records.ledger.position(account.id, instrument.symbol)?.quantity ?? 0n;
  return {
    maxCashBuy: 0,
    maxPositionSell: Number(held > 0n ? held : 0n),
    longRequiredIM: n(initialMargin(instrument, 'long', value)),
    shortRequiredIM: n(initialMargin(instrument, 'short', value)),
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

type Named = Facts<'world' | 'market' | 'brokerage'>;

/** Trd_GetComboMaxTrdQtys: what an order of several legs would change of an account if all of it filled at its price, in the currency of its legs. */
export const getComboMaxTrdQtys: Answer<'world' | 'market' | 'brokerage', ComboMaxQtys.C2S, ComboMaxQtys.S2C> = ofAccount(
  (facts, to, request) => {
    const { brokerage } = facts;
    const type = orderTypes.wordOf(request.orderType);
    if (type === undefined) return new Refusal(orderTypes.unknown(request.orderType), 'broker.enumeration');
    const legs = comboLegsOf(request.comboLegs);
    if (legs instanceof Refusal) return legs;
    const order = request.orderIDEx === '' ? undefined : brokerage.orderByIdEx(request.orderIDEx);
    if (request.orderIDEx !== '' && (order?.accId !== to.account.id || !isCombo(order))) {
      return new Refusal(`account ${to.account.id} has no order of several legs ${quoted(request.orderIDEx)}`, 'broker.unknown_order');
    }
    const { account, market: tradeMarket, header } = to;
    const asked = { account, tradeMarket, legs, type, quantity: request.qty, price: given(request, 'price') };
    const examined = brokerage.combos.examine(asked, order);
    if (examined instanceof Refusal) return examined;
    const maxTrdQtys = effectOf(facts, account, examined, order);
    return brokerage.records.journal.whenDurable(messageOf(ComboMaxQtys.S2CSchema, { header, maxTrdQtys }));
  },
);

function effectOf(facts: Named, account: Account, { legs, units, price, needed }: ExaminedCombo, order?: OrderRecord) {
  const { market, brokerage } = facts;
  const [first] = legs;
  if (first === undefined) throw new Error('an order has legs');
  const { currency } = first.instrument;
  const margined = account.type === 'margin';
  const paid = unitValue(first.instrument, price) * units;
  const traded = new Map<string, bigint>();
  let [value, initial, maintenance, fees] = [0n, 0n, 0n, 0n];
  for (const { instrument, side, ratio } of legs) {
    const held = brokerage.records.ledger.position(account.id, instrument.symbol)?.quantity ?? 0n;
    const bought = units * ratio * (isBuying(side) ? 1n : -1n);
    const each = unitValue(instrument, market.quote(instrument).last);
    value += each * bought;
    traded.set(instrument.symbol, bought);
    if (margined) {
      initial += marginOf(initialMargin, instrument, each, held + bought) - marginOf(initialMargin, instrument, each, held);
      maintenance += marginOf(maintenanceMargin, instrument, each, held + bought) - marginOf(maintenanceMargin, instrument, each, held);
    }
    fees += totalFeesOf(instrument, isBuying(side), each * units * ratio, units * ratio);
  }
  if (margined) {
    // Sold options ask for what their underlying's whole position leaves uncovered.
    const options = soldOptions(facts, account, legs, traded) - soldOptions(facts, account, legs, new Map());
    initial += options;
    maintenance += options;
  }
  const { valuer } = brokerage;
  const own = order === undefined ? 0n : margined ? reservedMargin(order) : frozenCash(order);
  const free = valuer.free(account, currency);
  const { withdrawable, frozenCash: frozen } = valuer.valuation(account, currency);
  const nlv = value - paid - fees;
  // Futures are not paid for; what a sale brings can leave once it has settled.
  const spent = account.trades === 'futures' ? fees : paid + fees;
  const leaving = (cash: Decimal, power: Decimal): Decimal => atLeastZero(lesser(cash, power));
  const before = leaving(withdrawable - frozen, free);
  const after = leaving(withdrawable - frozen - atLeastZero(spent), margined ? free + nlv - initial : free - atLeastZero(spent));
  const n = shownIn(currency);
  return {
    nlvChange: n(nlv),
    initialMarginChange: n(initial),
    maintenanceMarginChange: n(maintenance),
    optionBuyPower: n(atLeastZero(free + own)),
    maxWithDrawChange: n(after - before),
    buyPowerDecrease: n(needed - own),
  };
}

/** Margin of sold options on the legs' underlyings, holdings and new trades together. */
function soldOptions(
  { world, market, brokerage }: Named,
  account: Account,
  legs: ExaminedCombo['legs'],
  traded: ReadonlyMap<string, bigint>,
): Decimal {
  const { ledger } = brokerage.records;
  const held = new Map([...ledger.positions(account)].map(({ symbol, quantity }) => [symbol, quantity]));
  for (const [symbol, quantity] of traded) held.set(symbol, (held.get(symbol) ?? 0n) + quantity);
  const underlyings = new Set(
    legs.map(({ instrument }) => (instrument.kind === 'option' ? instrument.option.underlying : instrument.symbol)),
  );
  let sum = 0n;
  for (const symbol of underlyings) {
    const instrument = world.instrument(symbol);
    if (instrument === undefined) continue;
    const holdings = [...held].flatMap(([one, quantity]): OptionHolding[] => {
      const option = world.instrument(one);
      return quantity !== 0n && option?.kind === 'option' && option.option.underlying === symbol ? [{ option, quantity }] : [];
    });
    if (!holdings.some(({ quantity }) => quantity < 0n)) continue;
    sum += optionMargin(holdings, { instrument, price: market.quote(instrument).last, held: held.get(symbol) ?? 0n });
  }
  return sum;
}

/** Margin of one position; sold options depend on other holdings, see {@link soldOptions}. */
function marginOf(terms: typeof initialMargin, instrument: Instrument, each: Decimal, quantity: bigint): Decimal {
  if (instrument.kind === 'option' && quantity < 0n) return 0n;
  return quantity < 0n ? terms(instrument, 'short', -each * quantity) : terms(instrument, 'long', each * quantity);
}
