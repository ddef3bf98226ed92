import { DECIMAL_ONE, type Decimal, decimalToNumber, divide } from '@svc-gateway/contract/decimal';
import { OptionStrategyType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { PositionSide } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Trd_GetPositionList_pb';
import { quoteMarket } from '@svc-gateway/contract/markets';
import type { Account } from '../../brokerage/account.js';
import { filterOf, passes } from '../../brokerage/filter.js';
import { unitValue } from '../../brokerage/margin.js';
import { units } from '../../brokerage/order.js';
import { type PositionRecord, tradesOn } from '../../brokerage/position.js';
import { currencies, tradeMarkets } from '../../brokerage/terms.js';
import { Refusal } from '../../refusal.js';
import type { Answer, Facts } from '../../view/facts.js';
import { given, messageOf } from '../../view/messages.js';
import { strategyOf } from '../../view/strategy-kinds.js';
import type { Instrument } from '../../world/index.js';
import { ofAccount, shownIn } from './amounts.js';

/** Trd_GetPositionList: what is held, and what was closed today. */
export const getPositions: Answer<'clock' | 'world' | 'market' | 'brokerage', C2S, S2C> = ofAccount((facts, to, request) => {
  const { brokerage } = facts;
  const filter = filterOf(request.filterConditions, to.market);
  if (filter instanceof Refusal) return filter;
  const min = given(request, 'filterPLRatioMin');
  const max = given(request, 'filterPLRatioMax');
  const positions = [...brokerage.records.ledger.positions(to.account)];
  const groups = request.optionStrategyView
    ? strategyGroups(positions.map((position) => ({ position, instrument: brokerage.valuer.value(position).instrument })))
    : undefined;
  const positionList = positions
    .filter((position) => passes(filter, position))
    .flatMap((position) => {
      const fields = positionFields(facts, to.account, position);
      const group = groups?.get(position.id);
      return fields === undefined ? [] : [{ ...fields, comboID: group?.comboId, strategyType: group?.strategyType }];
    })
    .filter(({ plRatio }) => (min === undefined || plRatio > min) && (max === undefined || plRatio < max));
  return brokerage.records.journal.whenDurable(messageOf(S2CSchema, { header: to.header, positionList }));
});

/**
 * Undefined for a position that was closed before today. What is closed has cost prices and ratios of 0: published clients read them as
 * numbers.
 */
function positionFields(
  { clock, world, market, brokerage }: Facts<'clock' | 'world' | 'market' | 'brokerage'>,
  account: Account,
  position: PositionRecord,
) {
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
  const money = shownIn(instrument.currency);
  const signedCost = position.quantity < 0n ? -position.cost : position.cost;
  return {
    positionID: position.id,
    positionSide: position.quantity < 0n ? PositionSide.PositionSide_Short : PositionSide.PositionSide_Long,
    code: instrument.code,
    name: instrument.name,
    qty: Number(position.quantity),
    canSellQty: Number(brokerage.records.ledger.canSell(account, instrument.symbol)),
    price: decimalToNumber(price),
    val: isFuture ? 0 : money(value),
    plVal: money(profit),
    plRatio: open ? ratioOf(profit, abs(isFuture ? position.cost : position.invested)) : 0,
    secMarket: quoteMarket(instrument.market).secMarket,
    tdPlVal: money(todayProfit),
    ...(!isFuture && {
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
    costPrice: open ? decimalToNumber(perUnit(isFuture ? signedCost : position.invested)) : 0,
    averageCostPrice: open ? decimalToNumber(perUnit(signedCost)) : 0,
    dilutedCostPrice: isFuture ? undefined : open ? decimalToNumber(perUnit(position.invested)) : 0,
    averagePlRatio: open ? ratioOf(unrealised, position.cost) : 0,
    accID: account.id,
  };
}

/** part ÷ whole, a fraction: 0.05 is 5 %. 0 where there is nothing to divide by. */
function ratioOf(part: Decimal, whole: Decimal): number {
  return whole === 0n ? 0 : decimalToNumber(divide(part, whole));
}

function abs(value: Decimal): Decimal {
  return value < 0n ? -value : value;
}

/** A position and its security. */
interface Held {
  readonly position: PositionRecord;
  readonly instrument: Instrument;
}

/** The strategy that a position is a leg of. */
interface StrategyGroup {
  /** The position id of its first leg. */
  readonly comboId: bigint;
  readonly strategyType: OptionStrategyType;
}

/** Positions on one underlying of which sets of three and four legs are looked at; of more, pairs only. */
const POSITIONS_MAX = 24;

/**
 * Strategies that whole positions make up, by position id: those of most legs first, then in the order of their position ids, so that every
 * position belongs to one at most. A position that makes up none with others is in no group.
 */
function strategyGroups(held: readonly Held[]): ReadonlyMap<bigint, StrategyGroup> {
  const groups = new Map<bigint, StrategyGroup>();
  for (const legs of byUnderlying(held).values()) {
    for (const count of legs.length > POSITIONS_MAX ? [2] : [4, 3, 2]) {
      for (const set of setsOf(legs, count)) {
        const [first] = set;
        if (first === undefined || set.some(({ position }) => groups.has(position.id))) continue;
        const strategyType = strategyOf(legsOf(set));
        if (strategyType === OptionStrategyType.OptionStrategyType_Customize) continue;
        for (const { position } of set) groups.set(position.id, { comboId: first.position.id, strategyType });
      }
    }
  }
  return groups;
}

/** Open positions in options, and in what they are on, by the symbol of that. */
function byUnderlying(held: readonly Held[]): ReadonlyMap<string, readonly Held[]> {
  const open = held.filter(({ position }) => position.quantity !== 0n).sort((a, b) => (a.position.id < b.position.id ? -1 : 1));
  const found = new Map<string, Held[]>();
  for (const one of open) {
    if (one.instrument.kind !== 'option') continue;
    const { underlying } = one.instrument.option;
    found.set(underlying, [...(found.get(underlying) ?? []), one]);
  }
  for (const one of open) found.get(one.instrument.symbol)?.push(one);
  return found;
}

/** Every set of `count` members, in the order of the list. */
function* setsOf<T>(list: readonly T[], count: number): Generator<readonly T[]> {
  if (count === 0) yield [];
  else for (const [i, one] of list.entries()) for (const rest of setsOf(list.slice(i + 1), count - 1)) yield [one, ...rest];
}

function legsOf(set: readonly Held[]): Parameters<typeof strategyOf>[0] {
  const unit = set.map(({ position }) => magnitude(position.quantity)).reduce(commonDivisor);
  return set.map(({ position: { quantity }, instrument }) => ({
    option: instrument.kind === 'option' ? instrument.option : undefined,
    sign: quantity > 0n ? 1 : -1,
    ratio: Number(magnitude(quantity) / unit),
    units: Number((quantity * instrument.multiplier) / DECIMAL_ONE),
  }));
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value;
}

function commonDivisor(a: bigint, b: bigint): bigint {
  return b === 0n ? a : commonDivisor(b, a % b);
}
