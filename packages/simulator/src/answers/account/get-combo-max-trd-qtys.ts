import { create } from '@bufbuild/protobuf';
import { atLeastZero, type Decimal, decimalToNumber, lesser } from '@svc-gateway/contract/decimal';
import { type C2S, C2SSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Trd_GetComboMaxTrdQtys_pb';
import { inMoney } from '@svc-gateway/contract/money';
import { quoted } from '@svc-gateway/contract/shown';
import type { Account } from '../../brokerage/account.js';
import type { ExaminedCombo } from '../../brokerage/check-combo.js';
import { totalFeesOf } from '../../brokerage/fees.js';
import { addressed } from '../../brokerage/header.js';
import { initialMargin, maintenanceMargin, unitValue } from '../../brokerage/margin.js';
import { type OptionHolding, optionMargin } from '../../brokerage/option-margin.js';
import { frozenCash, isBuying, isCombo, type OrderRecord, reservedMargin } from '../../brokerage/order.js';
import { orderTypes } from '../../brokerage/terms.js';
import { Refusal } from '../../refusal.js';
import { comboLegsOf } from '../../view/combo-legs.js';
import type { Answer, Facts } from '../../view/facts.js';
import { given } from '../../view/optional-fields.js';
import type { Instrument } from '../../world/index.js';

type Named = Facts<'world' | 'market' | 'brokerage'>;

/** Trd_GetComboMaxTrdQtys: what an order of several legs would change of an account if all of it filled at its price, in the currency of its legs. */
export const getComboMaxTrdQtys: Answer<'world' | 'market' | 'brokerage', C2S, S2C> = (facts, request) => {
  const { brokerage } = facts;
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
  const type = orderTypes.wordOf(request.orderType);
  if (type === undefined) return new Refusal(orderTypes.unknown(request.orderType));
  const legs = comboLegsOf(request.comboLegs);
  if (legs instanceof Refusal) return legs;
  const order = request.orderIDEx === '' ? undefined : brokerage.orderByIdEx(request.orderIDEx);
  if (request.orderIDEx !== '' && (order?.accId !== to.account.id || !isCombo(order))) {
    return new Refusal(`account ${to.account.id} has no order of several legs ${quoted(request.orderIDEx)}`, 'broker.unknown_order');
  }
  const { account, market: tradeMarket, header } = to;
  const asked = { account, tradeMarket, legs, type, quantity: request.qty, price: given(C2SSchema, request, 'price') };
  const examined = brokerage.combos.examine(asked, order);
  if (examined instanceof Refusal) return examined;
  const maxTrdQtys = effectOf(facts, account, examined, order);
  return brokerage.records.journal.whenDurable(create(S2CSchema, { header, maxTrdQtys }));
};

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
  const n = (amount: Decimal) => decimalToNumber(inMoney(amount, currency));
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
