import { create } from '@bufbuild/protobuf';
import { type Decimal, decimalToNumber } from '@svc-gateway/contract/decimal';
import {
  type C2S,
  type PositionMargin,
  PositionMarginSchema,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/svc/margin_info_pb';
import { PositionSide } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { quoteMarket } from '@svc-gateway/contract/markets';
import { inMoney } from '@svc-gateway/contract/money';
import { currenciesOf } from '../../brokerage/account.js';
import { inMarket } from '../../brokerage/filter.js';
import { addressed } from '../../brokerage/header.js';
import { initialMargin, maintenanceMargin, marginCallMargin } from '../../brokerage/margin.js';
import { percentOf } from '../../brokerage/messages.js';
import { currencies, tradeMarkets } from '../../brokerage/terms.js';
import { freeMargin, type PositionValue, type Valuation, type Valuer } from '../../brokerage/valuation.js';
import { Refusal } from '../../refusal.js';
import type { Answer } from '../../view/facts.js';
import { known } from '../../view/optional-fields.js';

/** svc.margin_info: an account's margin, and the margin of its positions. */
export const getMarginInfo: Answer<'brokerage', C2S, S2C> = ({ brokerage }, request) => {
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
  const { account, header, market } = to;
  const currency = request.currency === 0 ? account.base : currencies.wordOf(request.currency);
  const own = currenciesOf(account);
  if (currency === undefined) return new Refusal(currencies.unknown(request.currency));
  if (!own.includes(currency))
    return new Refusal(`account ${account.id} has no ${currency}; its currencies: ${own.join(', ')}`, 'broker.value');
  const lends = account.type === 'margin';
  const value = brokerage.valuer.valuation(account, currency);
  const none = { ...value, initialMargin: 0n, marginCallMargin: 0n, maintenanceMargin: 0n, reservedMargin: 0n };
  const margin = lends ? value : none;
  const free = lends ? freeMargin(value) : value.cash - value.frozenCash;
  const positions = [...brokerage.records.ledger.positions(account)].filter(
    (position) => position.quantity !== 0n && (request.header?.trdMarket === 0 || inMarket(position.tradeMarket, market)),
  );
  const n = (amount: Decimal) => decimalToNumber(inMoney(amount, currency));
  const answer = create(S2CSchema, {
    header,
    currency: currencies.numberOf(currency),
    isMarginAccount: lends,
    netAssets: n(value.netAssets),
    initialMargin: n(margin.initialMargin),
    marginCallMargin: n(margin.marginCallMargin),
    maintenanceMargin: n(margin.maintenanceMargin),
    reservedMargin: n(margin.reservedMargin),
    availableMargin: n(free),
    excessLiquidity: n(value.netAssets - margin.maintenanceMargin),
    ...known({ riskRatio: value.netAssets > 0n ? percentOf(margin.maintenanceMargin, value.netAssets) : undefined }),
    marginStatus: statusOf(margin),
    positionList: lends ? positions.map((position) => marginOf(brokerage.valuer, brokerage.valuer.value(position))) : [],
  });
  return brokerage.records.journal.whenDurable(answer);
};

function marginOf(valuer: Valuer, { instrument, position, value }: PositionValue): PositionMargin {
  const direction = value < 0n ? 'short' : 'long';
  const size = value < 0n ? -value : value;
  const each = (terms: typeof initialMargin): Decimal => {
    if (direction === 'long' || instrument.kind !== 'option') return terms(instrument, direction, size);
    // The terms of a sold option are all the same, and follow its underlying.
    return valuer.shortMargin(instrument, size) * -position.quantity;
  };
  const [initial, call, maintenance] = [each(initialMargin), each(marginCallMargin), each(maintenanceMargin)];
  const n = (amount: Decimal) => decimalToNumber(inMoney(amount, instrument.currency));
  return create(PositionMarginSchema, {
    trdMarket: tradeMarkets.numberOf(position.tradeMarket),
    secMarket: quoteMarket(instrument.market).secMarket,
    code: instrument.code,
    name: instrument.name,
    positionSide: direction === 'short' ? PositionSide.PositionSide_Short : PositionSide.PositionSide_Long,
    qty: Number(position.quantity),
    marketValue: n(value),
    currency: currencies.numberOf(instrument.currency),
    initialRatio: percentOf(initial, size) ?? 0,
    marginCallRatio: percentOf(call, size) ?? 0,
    maintenanceRatio: percentOf(maintenance, size) ?? 0,
    initialMargin: n(initial),
    marginCallMargin: n(call),
    maintenanceMargin: n(maintenance),
  });
}

/** How far the net assets still reach: see `margin_status`. */
function statusOf({ netAssets, initialMargin: initial, marginCallMargin: call, maintenanceMargin: least }: Valuation): number {
  if (netAssets >= initial) return 1;
  if (netAssets >= call) return 2;
  return netAssets >= least ? 3 : 4;
}
