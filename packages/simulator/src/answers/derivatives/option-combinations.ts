import { isFieldSet } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { type ComboLeg, ComboLegSchema } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { TrdSide } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { derivatives as declared } from '@svc-gateway/contract/operations';
import type { ContractValuation, Quote } from '../../market/market.js';
import { probabilityBelow } from '../../pricing/normal.js';
import { intrinsic } from '../../pricing/option-terms.js';
import { optionValuation } from '../../pricing/option-value.js';
import { analysePayoff, type PayoffAnalysis, type PayoffLeg } from '../../pricing/payoff.js';
import { missing, Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { locate } from '../../view/locate.js';
import { areaType, figuresOf, indexOptionType, rounded, typeOf } from '../../view/option-figures.js';
import { strategyOf } from '../../view/strategy-kinds.js';
import { type Instrument, kinds } from '../../world/index.js';
import type { Option } from '../../world/instrument.js';
import type { AnswerTo } from '../table.js';
import { codeOf, nameOf } from './get-option-strategy.js';

const DAYS_PER_YEAR = 365;
const POINTS = 100;

type Used = 'listings' | 'market' | 'world';

/** Qot_GetOptionQuote: of one leg that option, of several their sum, per unit of the underlying; a sold leg counts against. */
export const getOptionQuote: AnswerTo<typeof declared.getOptionQuote> = (facts, { multiLegs }) => {
  const combination = readLegs(facts, multiLegs);
  if (combination instanceof Refusal) return combination;
  return { optionQuoteList: [combination.legs.length === 1 ? single(facts, combination) : aggregate(facts, combination)] };
};

/** Fields shared by single options and combinations. */
function common(facts: Facts<'market'>, combination: Combination) {
  const price = (of: (quote: Quote) => bigint) => rounded(summed(combination, ({ quote }) => decimalToNumber(of(quote))));
  const [last, before] = [price((quote) => quote.last), price((quote) => quote.previousClose)];
  const { breakEvens, probability } = analyse(combination);
  const [first] = combination.options;
  const spot = first?.valuation.outlook.spot ?? 0;
  const mark = summed(combination, markOf);
  const delta = summed(combination, (leg) => greekOf(leg, 'delta'));
  return {
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
    chgRate: before === 0 ? undefined : rounded((POINTS * (last - before)) / Math.abs(before)),
    leverageRatio: last === 0 ? undefined : rounded(spot / last),
    effectiveGearing: last === 0 ? undefined : rounded((delta * spot) / last),
    mid: midOf(facts, combination),
  };
}

/** The mean of bid and ask; absent while a leg has not both. */
function midOf(facts: Facts<'market'>, combination: Combination): number | undefined {
  return summedTops(facts, combination, (_, bid, ask) => (bid === undefined || ask === undefined ? undefined : (bid + ask) / 2));
}

/** Price at which the combination could be sold (1) or bought (-1) at the top of each leg's book; absent while a leg has no price. */
function topOf(facts: Facts<'market'>, combination: Combination, side: 1 | -1): number | undefined {
  return summedTops(facts, combination, ({ sign }, bid, ask) => (sign === side ? bid : ask));
}

/** Sum over legs of a price at the top of their books; absent while one has none. */
function summedTops(
  { market }: Facts<'market'>,
  combination: Combination,
  priceOf: (leg: Leg, bid: number | undefined, ask: number | undefined) => number | undefined,
): number | undefined {
  const prices = new Map<Leg, number>();
  for (const leg of combination.legs) {
    const { bids, asks } = market.book(leg.listing.instrument, 1);
    const [bid, ask] = [bids[0], asks[0]].map((level) => level && decimalToNumber(level.price));
    const price = priceOf(leg, bid, ask);
    if (price === undefined) return undefined;
    prices.set(leg, price);
  }
  return rounded(summed(combination, (leg) => prices.get(leg) ?? 0));
}

function single(facts: Facts<Used>, combination: Combination) {
  const [leg] = combination.options;
  if (leg === undefined) return common(facts, combination);
  const { option, quote } = leg;
  const { right, expiry, strike: decimal } = option.option;
  const price = decimalToNumber(quote.last);
  const strike = decimalToNumber(decimal);
  const figures = figuresOf(facts, option, price);
  const inside = intrinsic(right, figures.spot, strike);
  return {
    ...common(facts, combination),
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
    netOpenInterest: figures.netOpenInterest,
    contractValue: figures.contractValue,
    equalUnderlying: figures.underlyingLots,
    indexOptionType: indexOptionType(option),
  };
}

function aggregate(facts: Facts<Used>, combination: Combination) {
  const quote = common(facts, combination);
  const inside = summed(combination, ({ option, valuation, quote }) =>
    option === undefined || valuation === undefined
      ? decimalToNumber(quote.last)
      : intrinsic(option.option.right, valuation.outlook.spot, decimalToNumber(option.option.strike)),
  );
  return { ...quote, intrinsicValue: rounded(inside), timeValue: rounded(quote.price - inside) };
}

/** Qot_GetOptionStrategyAnalysis: what one combination may bring up to its first expiry, in money; prices and Greeks per unit of the underlying. */
export const getOptionStrategyAnalysis: AnswerTo<typeof declared.getOptionStrategyAnalysis> = (facts, { multiLegs }) => {
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
  return {
    code: codeOf(legs),
    name: nameOf(combination.underlying, type, legs),
    optionStrategy: type,
    maxProfit: bounded(maxProfit),
    maxLoss: bounded(maxLoss),
    breakevenPoints: breakEvens.map(rounded),
    probOfProfit: rounded(POINTS * probability),
    delta: rounded(summed(combination, (leg) => greekOf(leg, 'delta'))),
    theta: rounded(summed(combination, (leg) => greekOf(leg, 'theta')) / DAYS_PER_YEAR),
    bid1: topOf(facts, combination, 1),
    ask1: topOf(facts, combination, -1),
  };
};

function bounded(money: number): number {
  return Number.isFinite(money) ? rounded(money) : UNBOUNDED;
}

/** Stands for an unbounded profit or loss. */
const UNBOUNDED = 9_999_999;

/** Sum over legs of something that each has per unit of the underlying; per unit of the first option's contract. */
function summed({ legs, multiplier }: Combination, of: (leg: Leg) => number): number {
  return legs.reduce((sum, leg) => sum + leg.units * of(leg), 0) / multiplier;
}

/** Value of a leg per unit: an option's theoretical value, a share's last price. */
function markOf({ valuation, quote }: Leg): number {
  return valuation?.value ?? decimalToNumber(quote.last);
}

/** A derivative of the leg's value; a share has the delta 1 and no other. */
function greekOf({ valuation }: Leg, name: keyof Pick<ContractValuation, 'delta' | 'gamma' | 'vega' | 'theta' | 'rho'>): number {
  return valuation?.[name] ?? (name === 'delta' ? 1 : 0);
}

/** Payoff of one combination held to its first expiry, in money. Later legs are valued at today's volatility. */
function analyse(combination: Combination): PayoffAnalysis {
  const { legs, options } = combination;
  const first = options.reduce((a, b) => (b.valuation.outlook.years < a.valuation.outlook.years ? b : a));
  const { outlook } = first.valuation;
  const payoffs = legs.map((leg): PayoffLeg => ({ units: leg.units, valueAt: valueAfter(leg, outlook.years) }));
  const cost = legs.reduce((sum, leg) => sum + leg.units * markOf(leg), 0);
  const strikes = options.map(({ option }) => decimalToNumber(option.option.strike));
  const below = (price: number) => (price <= 0 ? 0 : probabilityBelow(price, outlook.forward, outlook.years, outlook.volatility(price)));
  const isStraight = options.every(({ option }) => option.option.expiry === first.option.option.expiry);
  return analysePayoff(payoffs, cost, [...strikes, outlook.spot], below, isStraight);
}

function valueAfter({ option, valuation }: Leg, passed: number): PayoffLeg['valueAt'] {
  if (option === undefined || valuation === undefined) return (spot) => spot;
  const { right, style, strike: decimal } = option.option;
  const strike = decimalToNumber(decimal);
  const { outlook, volatility } = valuation;
  const years = outlook.years - passed;
  if (years <= 0) return (spot) => intrinsic(right, spot, strike);
  const dividends = outlook.dividends.flatMap(({ years: until, cash }) => (until > passed ? [{ years: until - passed, cash }] : []));
  const { rate, yield: paid } = outlook;
  // A price of zero has no logarithm.
  const valued = (spot: number) => optionValuation({ right, style, spot, strike, years, rate, yield: paid, dividends, volatility });
  return (spot) => valued(Math.max(spot, 1e-6)).value;
}

const LEGS_MAX = 10;
const RATIO_MAX = 10_000;

/** One leg of a combination: an option, or the underlying itself. */
interface Leg {
  readonly listing: Listing;
  readonly option: Option | undefined;
  /** 1 bought, -1 sold. */
  readonly sign: 1 | -1;
  readonly ratio: number;
  /** Units of the underlying that a combination has of it; negative when sold. */
  readonly units: number;
  readonly quote: Quote;
  /** Options only. */
  readonly valuation: ContractValuation | undefined;
}

/** Legs on one underlying. */
interface Combination {
  readonly legs: readonly Leg[];
  readonly options: readonly (Leg & { readonly option: Option; readonly valuation: ContractValuation })[];
  readonly underlying: Instrument;
  /** Units of the underlying in one contract: prices of the combination are per unit. */
  readonly multiplier: number;
}

const signs: Readonly<Partial<Record<TrdSide, 1 | -1>>> = {
  [TrdSide.TrdSide_Buy]: 1,
  [TrdSide.TrdSide_BuyBack]: 1,
  [TrdSide.TrdSide_Sell]: -1,
  [TrdSide.TrdSide_SellShort]: -1,
};

/** Parses a request's legs, or says why they are no combination of options. */
function readLegs(facts: Facts<'listings' | 'market' | 'world'>, asked: readonly ComboLeg[]): Combination | Refusal {
  if (asked.length === 0) return missing(['multi_legs'], 'at least one leg');
  if (asked.length > LEGS_MAX)
    return new Refusal(`multi_legs: ${asked.length} legs are too many; at most ${LEGS_MAX} are accepted`, 'broker.value');
  const legs: Leg[] = [];
  for (const [index, leg] of asked.entries()) {
    const read = readLeg(facts, leg, `multi_legs[${index}]`);
    if (read instanceof Refusal) return read;
    legs.push(read);
  }
  const options = legs.filter((leg): leg is Combination['options'][number] => leg.option !== undefined);
  const [first] = options;
  if (first === undefined) return new Refusal('multi_legs: none of the legs is an option');
  const symbol = first.option.option.underlying;
  for (const [index, { option, listing }] of legs.entries()) {
    const on = option?.option.underlying ?? listing.instrument.symbol;
    if (on !== symbol)
      return new Refusal(`multi_legs[${index}]: ${listing.instrument.symbol} is not on ${symbol}, which the other legs are on`);
  }
  const underlying = facts.world.instrument(symbol);
  if (underlying === undefined) return new Refusal(`unknown symbol ${symbol}`, 'broker.unknown_code');
  return { legs, options, underlying, multiplier: decimalToNumber(first.option.multiplier) };
}

function readLeg(facts: Facts<'listings' | 'market'>, leg: ComboLeg, path: string): Leg | Refusal {
  const listing = locate(facts, leg.security);
  if (listing instanceof Refusal) return listing.at(path);
  const { instrument } = listing;
  const sign = isFieldSet(leg, ComboLegSchema.field.side) && leg.side !== 0 ? signs[leg.side as TrdSide] : 1;
  if (sign === undefined)
    return new Refusal(`${path}.side: found ${leg.side}, accepted: 1 (buy), 2 (sell), 3 (sell short), 4 (buy back)`, 'broker.value');
  const ratio = isFieldSet(leg, ComboLegSchema.field.qtyRatio) && leg.qtyRatio !== 0 ? leg.qtyRatio : 1;
  if (!(ratio > 0 && ratio <= RATIO_MAX))
    return new Refusal(`${path}.qty_ratio: ${ratio} is out of range, accepted: above 0, at most ${RATIO_MAX}`, 'broker.value');
  const option = instrument.kind === 'option' ? instrument : undefined;
  if (option === undefined && !kinds[instrument.kind].isShare)
    return new Refusal(`${path}: ${instrument.symbol} is neither an option nor a stock that options are on`);
  if (facts.listings.state(listing) === 'over') return new Refusal(`${path}: ${instrument.symbol} is not listed any more`);
  const size = option === undefined ? 1 : decimalToNumber(option.multiplier);
  return {
    listing,
    option,
    sign,
    ratio,
    units: sign * ratio * size,
    quote: facts.market.quote(instrument),
    valuation: option === undefined ? undefined : facts.market.valuation(option),
  };
}
