import type { extension as declared } from '@svc-gateway/contract/operations';
import { Refusal } from '../../refusal.js';
import { type EarningsReport, publicationOf, reportsBetween } from '../../view/earnings.js';
import type { Facts } from '../../view/facts.js';
import { type Listing, secondsOf } from '../../view/listings.js';
import { ofSecurity, ofStock } from '../../view/locate.js';
import { BACKEND_SUCCESS, versioned } from '../../view/requests.js';
import type { Option } from '../../world/instrument.js';
import { isIssuedByCompany, kinds } from '../../world/kinds.js';
import { historicalVolatility, pubTypes, VOLATILITY_DAYS } from '../research/earnings-prices.js';
import { periodEnding, type Subject, subjectFor } from '../research/subject.js';
import type { AnswerTo } from '../table.js';
import { ratio } from './forex.js';

/** svc.related_stocks: the other listings of an issuer that are listed today, home first. What no company issued has none. */
export const relatedStocks: AnswerTo<typeof declared.relatedStocks> = versioned(
  ofSecurity(({ world, companies, listings }, { instrument }) => {
    const classes = isIssuedByCompany(instrument) ? companies.issuer(instrument).classes : [];
    const own = classes.find((one) => one.instrument === instrument);
    const relatedStockInfo = classes
      .filter((one) => one !== own && world.state(one.instrument) === 'listed')
      .map((other) => {
        const receipt = [other, own].find((one) => one?.depositary);
        return {
          stockId: other.instrument.id,
          name: other.instrument.name,
          security: listings.of(other.instrument).security,
          ...(receipt === undefined ? {} : { adrInfo: { adsBase: 1n, adsConvertion: BigInt(receipt.ordinary) } }),
        };
      });
    return { backendRetCode: BACKEND_SUCCESS, relatedStockInfo };
  }),
);

type Used = 'clock' | 'world' | 'companies' | 'market' | 'listings';

/** Publications before the next one that are shown, and the days in which they lie. */
const PAST = { count: 4, days: 3 * 366 };
/** Horizon that holds the next report even of semi-annual reporters. */
const AHEAD_DAYS = 300;
/** Expiries after the publication that are shown. */
const EXPIRIES = 4;
/** Contracts, and shares, are counted whole. */
const WHOLE = 0;

/** svc.earnings_expected_move: the straddles at the money of the first expiries that the next results of a company can move, at the options' last prices. */
export const earningsExpectedMove: AnswerTo<typeof declared.earningsExpectedMove> = versioned(
  ofStock((facts, listing) => {
    const { symbol, kind } = listing.instrument;
    if (!isIssuedByCompany(listing.instrument)) return new Refusal(`${symbol} is ${kinds[kind].noun}: only companies publish results`);
    const subject = subjectFor(facts, listing);
    const { clock, market } = facts;
    const { company, day } = subject;
    const reports = onePerMoment(reportsBetween(company, day - PAST.days, day + AHEAD_DAYS));
    // Once a listing has ended, nothing is to come.
    const next = facts.world.state(listing.instrument) === 'listed' ? reports.findLast(({ time }) => time > clock.now()) : undefined;
    const past = reports.filter(({ time }) => time <= clock.now()).slice(0, PAST.count);
    const quote = market.quote(listing.instrument);
    return {
      backendRetCode: BACKEND_SUCCESS,
      detail: {
        fiscalYear: next?.fiscalYear,
        financialType: next && typeOf(subject, next),
        publicationTimes: [...(next === undefined ? [] : [next]), ...past].map((report) => publicationMessage(subject, report)),
        priceInfo: {
          curPrice: quote.last,
          lastClosePrice: quote.previousClose,
          changeRatio: ratio(quote.last - quote.previousClose, quote.previousClose),
          volume: quote.volume,
          volumePrecision: WHOLE,
        },
        expectedMoves: next === undefined ? [] : movesAfter(facts, listing, next),
      },
    };
  }),
);

function movesAfter(facts: Facts<Used>, listing: Listing, { time }: EarningsReport) {
  const { day, at } = publicationOf(listing.instrument, time);
  const optionHv = volatilityOf(facts, listing);
  return expiriesFrom(facts, listing, day, at === 'before').flatMap((expiry) => {
    const straddle = straddleOf(facts, listing, expiry);
    return straddle === undefined ? [] : [{ ...straddle, optionHv }];
  });
}

/** The shortest period of the reports published together. */
function onePerMoment(reports: readonly EarningsReport[]): readonly EarningsReport[] {
  return reports.filter(({ time }, index) => reports[index - 1]?.time !== time);
}

function publicationMessage(subject: Subject, report: EarningsReport) {
  return {
    fiscalYear: report.fiscalYear,
    financialType: typeOf(subject, report),
    pubTime: BigInt(report.time / 1000),
    pubType: pubTypes[publicationOf(subject.listing.instrument, report.time).at],
  };
}

function typeOf({ company }: Subject, { last, quarters }: EarningsReport): number {
  return periodEnding(company, last, quarters).type;
}

/** The first expiries on which results are known: those of their own day count where they come before trading begins. */
function expiriesFrom({ world }: Facts<'world'>, { instrument }: Listing, day: string, before: boolean): readonly string[] {
  const expiries = new Set(world.optionSeries(instrument).map(({ expiry }) => expiry));
  return [...expiries]
    .filter((expiry) => expiry > day || (before && expiry === day))
    .sort()
    .slice(0, EXPIRIES);
}

function straddleOf({ world, market, listings }: Facts<Used>, listing: Listing, expiry: string) {
  const { last } = market.quote(listing.instrument);
  const pairs = new Map<bigint, Partial<Record<'call' | 'put', Option>>>();
  for (const series of world.optionSeries(listing.instrument).filter((one) => one.expiry === expiry)) {
    for (const option of world.optionChain(listing.instrument, series)) {
      const { strike, right } = option.option;
      pairs.set(strike, { [right]: option, ...pairs.get(strike) });
    }
  }
  const distance = (strike: bigint) => (strike > last ? strike - last : last - strike);
  const strikes = [...pairs].filter(([, { call, put }]) => call !== undefined && put !== undefined).map(([strike]) => strike);
  // The lower of two equally near strikes.
  const strike = strikes.reduce<bigint | undefined>(
    (best, one) => (best === undefined || distance(one) < distance(best) || (distance(one) === distance(best) && one < best) ? one : best),
    undefined,
  );
  const { call, put } = strike === undefined ? {} : (pairs.get(strike) ?? {});
  if (strike === undefined || call === undefined || put === undefined) return undefined;
  const [callQuote, putQuote] = [market.quote(call), market.quote(put)];
  const move = callQuote.last + putQuote.last;
  const implied = (market.valuation(call).volatility + market.valuation(put).volatility) / 2;
  return {
    strikeTime: expiry,
    strikeTimestamp: BigInt(secondsOf(listing, expiry)),
    strikePrice: strike,
    call: listings.of(call).security,
    put: listings.of(put).security,
    callPrice: callQuote.last,
    putPrice: putQuote.last,
    move: move,
    moveRatio: ratio(move, last),
    upperPrice: last + move,
    lowerPrice: last > move ? last - move : 0n,
    optionIv: BigInt(Math.round(implied * 1e5)),
    volume: callQuote.volume + putQuote.volume,
    volumePrecision: WHOLE,
  };
}

/** In 10^-5; undefined while there are too few days. */
function volatilityOf({ market, world }: Facts<'market' | 'world'>, { instrument }: Listing): bigint | undefined {
  // The running day is none yet.
  const to = world.calendar(instrument).sessions(market.quote(instrument).tradingDay)[0]?.start;
  const bars = market.bars(instrument, { unit: 'day' }, { ...(to === undefined ? {} : { to }), limit: VOLATILITY_DAYS });
  const percent = historicalVolatility(bars);
  return percent === undefined ? undefined : BigInt(Math.round(percent * 1000));
}
