import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetOptionStrategyAnalysis_pb';
import { Refusal } from '../../refusal.js';
import type { Answer, Facts } from '../../view/facts.js';
import { rounded } from '../../view/option-figures.js';
import { strategyOf } from '../../view/strategy-kinds.js';
import { analyse, greekOf, summed, UNBOUNDED } from './combination.js';
import { type Combination, type Leg, readLegs } from './legs.js';
import { codeOf, nameOf } from './strategy-names.js';

const DAYS_PER_YEAR = 365;
const POINTS = 100;

/** Qot_GetOptionStrategyAnalysis: what one combination may bring up to its first expiry, in money; prices and Greeks per unit of the underlying. */
export const getOptionStrategyAnalysis: Answer<'listings' | 'market' | 'world', C2S, S2C> = (facts, { multiLegs }) => {
  const combination = readLegs(facts, multiLegs);
  if (combination instanceof Refusal) return combination;
  const legs = combination.legs.map(({ option, sign, ratio, units, listing }) => ({
    option: option?.option,
    code: listing.instrument.code,
    sign,
    ratio,
    units,
  }));
  const type = strategyOf(legs);
  const { maxProfit, maxLoss, breakEvens, probability } = analyse(combination);
  const payload = create(S2CSchema, {
    code: codeOf(legs),
    name: nameOf(combination.underlying, type, legs),
    optionStrategy: type,
    maxProfit: bounded(maxProfit),
    maxLoss: bounded(maxLoss),
    breakevenPoints: breakEvens.map(rounded),
    probOfProfit: rounded(POINTS * probability),
    delta: rounded(summed(combination, (leg) => greekOf(leg, 'delta'))),
    theta: rounded(summed(combination, (leg) => greekOf(leg, 'theta')) / DAYS_PER_YEAR),
  });
  const [bid, ask] = [topOf(facts, combination, 1), topOf(facts, combination, -1)];
  if (bid !== undefined) payload.bid1 = bid;
  if (ask !== undefined) payload.ask1 = ask;
  return payload;
};

function bounded(money: number): number {
  return Number.isFinite(money) ? rounded(money) : UNBOUNDED;
}

/** Price at which the combination could be sold (1) or bought (-1) at the top of each leg's book; absent while a leg has no price. */
function topOf({ market }: Facts<'market'>, combination: Combination, side: 1 | -1): number | undefined {
  const tops = new Map<Leg, number>();
  for (const leg of combination.legs) {
    const { bids, asks } = market.book(leg.listing.instrument, 1);
    const top = leg.sign === side ? bids[0] : asks[0];
    if (top === undefined) return undefined;
    tops.set(leg, decimalToNumber(top.price));
  }
  return rounded(summed(combination, (leg) => tops.get(leg) ?? 0));
}
