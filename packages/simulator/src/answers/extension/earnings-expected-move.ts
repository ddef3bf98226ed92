import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { EarningsPubTimeType } from '@svc-gateway/contract/generated/Qot_Common_pb';
import {
  type C2S,
  DetailSchema,
  ExpectedMoveSchema,
  PublicationTimeSchema,
  type S2C,
  S2CSchema,
} from '@svc-gateway/contract/generated/svc/earnings_expected_move_pb';
import { parseLocal } from '@svc-gateway/contract/time';
import { Refusal } from '../../refusal.js';
import { type EarningsReport, publicationOf, reportsBetween } from '../../view/earnings.js';
import { BACKEND_SUCCESS, checkVersion } from '../../view/extension-version.js';
import type { Answer, Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { known } from '../../view/optional-fields.js';
import { locateStock } from '../../view/stock-ids.js';
import type { Option } from '../../world/instrument.js';
import { isIssuedByCompany, kinds } from '../../world/kinds.js';
import { historicalVolatility, VOLATILITY_DAYS } from '../research/historical-volatility.js';
import { periodEnding } from '../research/periods.js';
import { type Subject, subjectFor } from '../research/subject.js';
import { ratio, raw } from './scales.js';

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
export const earningsExpectedMove: Answer<Used, C2S, S2C> = (facts, request) => {
  const refused = checkVersion(request);
  if (refused !== undefined) return refused;
  const listing = locateStock(facts, request);
  if (listing instanceof Refusal) return listing;
  const { symbol, kind } = listing.instrument;
  if (!isIssuedByCompany(listing.instrument)) return new Refusal(`${symbol} is ${kinds[kind].noun}: only companies publish results`);
  return answer(facts, subjectFor(facts, listing));
};

function answer(facts: Facts<Used>, subject: Subject): S2C {
  const { clock, market } = facts;
  const { company, listing, day } = subject;
  const reports = onePerMoment(reportsBetween(company, day - PAST.days, day + AHEAD_DAYS));
  // Once a listing has ended, nothing is to come.
  const next = facts.world.state(listing.instrument) === 'listed' ? reports.findLast(({ time }) => time > clock.now()) : undefined;
  const past = reports.filter(({ time }) => time <= clock.now()).slice(0, PAST.count);
  const quote = market.quote(listing.instrument);
  const detail = create(DetailSchema, {
    ...(next === undefined ? {} : { fiscalYear: next.fiscalYear, financialType: typeOf(subject, next) }),
    publicationTimes: [...(next === undefined ? [] : [next]), ...past].map((report) => publicationMessage(subject, report)),
    priceInfo: {
      curPrice: raw(quote.last),
      lastClosePrice: raw(quote.previousClose),
      changeRatio: ratio(quote.last - quote.previousClose, quote.previousClose),
      volume: quote.volume,
      volumePrecision: WHOLE,
    },
  });
  if (next !== undefined) {
    const { day: on, at } = publicationOf(listing.instrument, next.time);
    const volatility = volatilityOf(facts, listing);
    for (const expiry of expiriesFrom(facts, listing, on, at === 'before')) {
      const move = straddleOf(facts, listing, expiry);
      if (move !== undefined) detail.expectedMoves.push(Object.assign(create(ExpectedMoveSchema, move), known({ optionHv: volatility })));
    }
  }
  return create(S2CSchema, { backendRetCode: BACKEND_SUCCESS, detail });
}

/** The shortest period of the reports published together. */
function onePerMoment(reports: readonly EarningsReport[]): readonly EarningsReport[] {
  return reports.filter(({ time }, index) => reports[index - 1]?.time !== time);
}

const pubTypes = {
  before: EarningsPubTimeType.EarningsPubTimeType_PreMarket,
  during: EarningsPubTimeType.EarningsPubTimeType_DuringMarket,
  after: EarningsPubTimeType.EarningsPubTimeType_AfterMarket,
} as const;

function publicationMessage(subject: Subject, report: EarningsReport) {
  return create(PublicationTimeSchema, {
    fiscalYear: report.fiscalYear,
    financialType: typeOf(subject, report),
    pubTime: BigInt(report.time / 1000),
    pubType: pubTypes[publicationOf(subject.listing.instrument, report.time).at],
  });
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

function straddleOf(
  { world, market, listings }: Facts<Used>,
  listing: Listing,
  expiry: string,
): MessageInitShape<typeof ExpectedMoveSchema> | undefined {
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
    strikeTimestamp: BigInt((parseLocal(expiry, listing.market.timeZone) ?? 0) / 1000),
    strikePrice: raw(strike),
    call: listings.of(call).security,
    put: listings.of(put).security,
    callPrice: raw(callQuote.last),
    putPrice: raw(putQuote.last),
    move: raw(move),
    moveRatio: ratio(move, last),
    upperPrice: raw(last + move),
    lowerPrice: raw(last > move ? last - move : 0n),
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
