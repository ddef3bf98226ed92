import { create } from '@bufbuild/protobuf';
import { type Decimal, decimalToNumber, divide } from '@svc-gateway/contract/decimal';
import { type Position, PositionSchema, PositionSide } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { C2S, S2C } from '@svc-gateway/contract/generated/Trd_GetPositionList_pb';
import { C2SSchema, S2CSchema } from '@svc-gateway/contract/generated/Trd_GetPositionList_pb';
import { quoteMarket } from '@svc-gateway/contract/markets';
import { inMoney } from '@svc-gateway/contract/money';
import type { Account } from '../../brokerage/account.js';
import { filterOf, passes } from '../../brokerage/filter.js';
import { addressed } from '../../brokerage/header.js';
import { unitValue } from '../../brokerage/margin.js';
import { units } from '../../brokerage/order.js';
import { type PositionRecord, tradesOn } from '../../brokerage/position.js';
import { currencies, tradeMarkets } from '../../brokerage/terms.js';
import { Refusal } from '../../refusal.js';
import type { Answer, Facts } from '../../view/facts.js';
import { given } from '../../view/optional-fields.js';
import { type Held, strategyGroups } from './strategy-groups.js';

/** Trd_GetPositionList: what is held, and what was closed today. */
export const getPositions: Answer<'clock' | 'world' | 'market' | 'brokerage', C2S, S2C> = (facts, request) => {
  const { brokerage } = facts;
  const to = addressed(brokerage, request.header);
  if (to instanceof Refusal) return to;
  const filter = filterOf(request.filterConditions, to.market);
  if (filter instanceof Refusal) return filter;
  const min = given(C2SSchema, request, 'filterPLRatioMin');
  const max = given(C2SSchema, request, 'filterPLRatioMax');
  const positionList: Position[] = [];
  const positions = [...brokerage.records.ledger.positions(to.account)];
  const groups = request.optionStrategyView ? strategyGroups(positions.map((position) => heldOf(facts, position))) : undefined;
  for (const position of positions) {
    if (!passes(filter, position)) continue;
    const message = positionMessage(facts, to.account, position);
    if (message === undefined) continue;
    const group = groups?.get(position.id);
    if (group !== undefined) Object.assign(message, { comboID: group.comboId, strategyType: group.strategyType });
    if (min !== undefined && message.plRatio <= min) continue;
    if (max !== undefined && message.plRatio >= max) continue;
    positionList.push(message);
  }
  return brokerage.records.journal.whenDurable(create(S2CSchema, { header: to.header, positionList }));
};

function heldOf({ brokerage }: Facts<'brokerage'>, position: PositionRecord): Held {
  return { position, instrument: brokerage.valuer.value(position).instrument };
}

/**
 * Undefined for a position that was closed before today. What is closed has cost prices and ratios of 0: published clients read them as
 * numbers.
 */
function positionMessage(
  { clock, world, market, brokerage }: Facts<'clock' | 'world' | 'market' | 'brokerage'>,
  account: Account,
  position: PositionRecord,
): Position | undefined {
  const { instrument, price, value, unrealised } = brokerage.valuer.value(position);
  const today = tradesOn(position, world.calendar(instrument).tradingDay(clock.now()));
  if (position.quantity === 0n && today.buyQuantity === 0n && today.sellQuantity === 0n) return undefined;
  const isFuture = account.trades === 'futures';
  const quantity = units(position.quantity);
  const multiplier = unitValue(instrument, units(1n));
  const perUnit = (amount: Decimal): Decimal => divide(divide(amount, quantity), multiplier);
  // Diluted cost counts what was realised on the way as part of the cost.
  const profit = isFuture ? unrealised : value - position.invested;
  const overnight = position.quantity - today.buyQuantity + today.sellQuantity;
  const todayProfit = value - unitValue(instrument, market.quote(instrument).previousClose) * overnight - today.buyValue + today.sellValue;
  const open = position.quantity !== 0n;
  const money = (amount: Decimal) => n(inMoney(amount, instrument.currency));
  const signedCost = position.quantity < 0n ? -position.cost : position.cost;
  return create(PositionSchema, {
    positionID: position.id,
    positionSide: position.quantity < 0n ? PositionSide.PositionSide_Short : PositionSide.PositionSide_Long,
    code: instrument.code,
    name: instrument.name,
    qty: Number(position.quantity),
    canSellQty: Number(brokerage.records.ledger.canSell(account, instrument.symbol)),
    price: n(price),
    val: isFuture ? 0 : money(value),
    plVal: money(profit),
    plRatio: open ? ratioOf(profit, abs(isFuture ? position.cost : position.invested)) : 0,
    secMarket: quoteMarket(instrument.market).secMarket,
    tdPlVal: money(todayProfit),
    ...(isFuture
      ? {}
      : {
          tdTrdVal: money(today.buyValue + today.sellValue),
          tdBuyVal: money(today.buyValue),
          tdBuyQty: Number(today.buyQuantity),
          tdSellVal: money(today.sellValue),
          tdSellQty: Number(today.sellQuantity),
        }),
    unrealizedPL: money(unrealised),
    realizedPL: money(position.realised),
    currency: currencies.numberOf(instrument.currency),
    trdMarket: tradeMarkets.numberOf(position.tradeMarket),
    costPrice: open ? n(perUnit(isFuture ? signedCost : position.invested)) : 0,
    averageCostPrice: open ? n(perUnit(signedCost)) : 0,
    ...(isFuture ? {} : { dilutedCostPrice: open ? n(perUnit(position.invested)) : 0 }),
    averagePlRatio: open ? ratioOf(unrealised, position.cost) : 0,
    accID: account.id,
  });
}

/** part ÷ whole, a fraction: 0.05 is 5 %. 0 where there is nothing to divide by. */
function ratioOf(part: Decimal, whole: Decimal): number {
  return whole === 0n ? 0 : n(divide(part, whole));
}

function abs(value: Decimal): Decimal {
  return value < 0n ? -value : value;
}

function n(value: Decimal): number {
  return decimalToNumber(value);
}
