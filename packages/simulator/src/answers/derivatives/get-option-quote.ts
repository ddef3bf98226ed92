import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { type C2S, type OptionQuote, OptionQuoteSchema, type S2C, S2CSchema } from '@svc-gateway/contract/generated/Qot_GetOptionQuote_pb';
import type { Quote } from '../../market/market.js';
import { intrinsic } from '../../pricing/option-terms.js';
import { Refusal } from '../../refusal.js';
import type { Answer, Facts } from '../../view/facts.js';
import { areaType, figuresOf, rounded, typeOf } from '../../view/option-figures.js';
import { indexOptionType } from '../../view/option-terms.js';
import { analyse, greekOf, markOf, summed } from './combination.js';
import { type Combination, type Leg, readLegs } from './legs.js';

const DAYS_PER_YEAR = 365;
const POINTS = 100;

type Used = 'listings' | 'market' | 'world';

/** Qot_GetOptionQuote: of one leg that option, of several their sum, per unit of the underlying; a sold leg counts against. */
export const getOptionQuote: Answer<Used, C2S, S2C> = (facts, { multiLegs }) => {
  const combination = readLegs(facts, multiLegs);
  if (combination instanceof Refusal) return combination;
  const payload = create(S2CSchema);
  payload.optionQuoteList = [combination.legs.length === 1 ? single(facts, combination) : aggregate(facts, combination)];
  return payload;
};

/** Fields shared by single options and combinations. */
function common(facts: Facts<'market'>, combination: Combination): OptionQuote {
  const price = (of: (quote: Quote) => bigint) => rounded(summed(combination, ({ quote }) => decimalToNumber(of(quote))));
  const [last, before] = [price((quote) => quote.last), price((quote) => quote.previousClose)];
  const { breakEvens, probability } = analyse(combination);
  const [first] = combination.options;
  const spot = first?.valuation.outlook.spot ?? 0;
  const mark = summed(combination, markOf);
  const delta = summed(combination, (leg) => greekOf(leg, 'delta'));
  const message = create(OptionQuoteSchema, {
    price: last,
    chg: rounded(last - before),
    open: price((quote) => quote.open),
    preClose: before,
    delta: rounded(delta),
    gamma: rounded(summed(combination, (leg) => greekOf(leg, 'gamma'))),
    vega: rounded(summed(combination, (leg) => greekOf(leg, 'vega')) / POINTS),
    theta: rounded(summed(combination, (leg) => greekOf(leg, 'theta')) / DAYS_PER_YEAR),
    rho: rounded(summed(combination, (leg) => greekOf(leg, 'rho')) / POINTS),
    contractMultiplier: combination.multiplier,
    breakevenPoint: breakEvens.map(rounded),
    distToBreakeven: breakEvens.map((price) => rounded(POINTS * (price / spot - 1))),
    probOfProfit: rounded(POINTS * probability),
    markPrice: rounded(mark),
  });
  if (before !== 0) message.chgRate = rounded((POINTS * (last - before)) / Math.abs(before));
  if (last !== 0) Object.assign(message, { leverageRatio: rounded(spot / last), effectiveGearing: rounded((delta * spot) / last) });
  const mid = midOf(facts, combination);
  if (mid !== undefined) message.mid = mid;
  return message;
}

/** The mean of bid and ask; absent while a leg has not both. */
function midOf(facts: Facts<'market'>, combination: Combination): number | undefined {
  const mids = new Map<Leg, number>();
  for (const leg of combination.legs) {
    const { bids, asks } = facts.market.book(leg.listing.instrument, 1);
    const [bid, ask] = [bids[0], asks[0]];
    if (bid === undefined || ask === undefined) return undefined;
    mids.set(leg, (decimalToNumber(bid.price) + decimalToNumber(ask.price)) / 2);
  }
  return rounded(summed(combination, (leg) => mids.get(leg) ?? 0));
}

function single(facts: Facts<Used>, combination: Combination): OptionQuote {
  const message = common(facts, combination);
  const [leg] = combination.options;
  if (leg === undefined) return message;
  const { option, quote } = leg;
  const { right, expiry, strike: decimal } = option.option;
  const price = decimalToNumber(quote.last);
  const strike = decimalToNumber(decimal);
  const figures = figuresOf(facts, option, price);
  const inside = intrinsic(right, figures.spot, strike);
  const index = indexOptionType(option);
  Object.assign(message, {
    vol: quote.volume,
    turnover: decimalToNumber(quote.turnover),
    high: decimalToNumber(quote.high),
    low: decimalToNumber(quote.low),
    openInterest: figures.openInterest,
    premium: figures.premium,
    IV: figures.impliedVolatility,
    optionType: typeOf(option),
    expireTime: expiry,
    strike,
    contractSize: combination.multiplier,
    exerciseType: areaType(option),
    daysToExpiry: figures.daysToExpiry,
    intrinsicValue: rounded(inside),
    timeValue: rounded(price - inside),
    // The seller's return on the collateral: the shares or the strike.
    sellerRoi: rounded((POINTS * price) / (right === 'call' ? figures.spot : strike)),
    ...(figures.netOpenInterest === undefined ? {} : { netOpenInterest: figures.netOpenInterest }),
    ...(figures.contractValue === undefined ? {} : { contractValue: figures.contractValue }),
    ...(figures.underlyingLots === undefined ? {} : { equalUnderlying: figures.underlyingLots }),
    ...(index === undefined ? {} : { indexOptionType: index }),
  });
  return message;
}

function aggregate(facts: Facts<Used>, combination: Combination): OptionQuote {
  const message = common(facts, combination);
  const inside = summed(combination, ({ option, valuation, quote }) =>
    option === undefined || valuation === undefined
      ? decimalToNumber(quote.last)
      : intrinsic(option.option.right, valuation.outlook.spot, decimalToNumber(option.option.strike)),
  );
  Object.assign(message, { intrinsicValue: rounded(inside), timeValue: rounded(message.price - inside) });
  return message;
}
