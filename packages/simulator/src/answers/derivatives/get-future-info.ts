import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import {
  type C2S,
  type FutureInfo,
  FutureInfoSchema,
  type S2C,
  S2CSchema,
  TradeTimeSchema,
} from '@svc-gateway/contract/generated/Qot_GetFutureInfo_pb';
import { localDate, parseLocal, zoneOffset } from '@svc-gateway/contract/time';
import { Refusal } from '../../refusal.js';
import { lastTrade } from '../../view/contract-terms.js';
import type { Answer, Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { locateAllTerms } from '../../view/locate.js';
import { type FutureTerms, kinds, tickSize, tradedOn } from '../../world/index.js';
import { contractUnits, exchangePages } from './future-terms.js';

const SYMBOLS_MAX = 200;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

/** Qot_GetFutureInfo: terms of futures. */
export const getFutureInfo: Answer<'clock' | 'world' | 'listings', C2S, S2C> = (facts, { securityList }) => {
  const listings = locateAllTerms(facts, securityList, SYMBOLS_MAX);
  if (listings instanceof Refusal) return listings;
  const payload = create(S2CSchema);
  for (const listing of listings) {
    const { instrument } = listing;
    if (instrument.kind !== 'future') return new Refusal(`${instrument.symbol} is ${kinds[instrument.kind].noun}, no future`);
    payload.futureInfoList.push(futureInfo(facts, listing, instrument.future));
  }
  return payload;
};

function futureInfo(facts: Facts<'clock' | 'world' | 'listings'>, listing: Listing, { product, month }: FutureTerms): FutureInfo {
  const { instrument } = listing;
  const { lastTradeTime, lastTradeTimestamp } = lastTrade(listing);
  const owner = product.underlying === undefined ? undefined : facts.listings.named(product.underlying);
  const { unit, of, quoted } = contractUnits(product);
  const info = create(FutureInfoSchema, {
    name: instrument.name,
    security: listing.security,
    lastTradeTime,
    ownerOther: owner?.instrument.name ?? of,
    exchange: exchangePages[product.exchange]?.name ?? '',
    contractType: owner === undefined ? of : 'Index futures',
    contractSize: product.multiplier,
    contractSizeUnit: unit,
    quoteCurrency: product.currency,
    minVar: decimalToNumber(tickSize(instrument.tickTable, instrument.referencePrice)),
    minVarUnit: quoted,
    quoteUnit: quoted,
    tradeTime: sessionsOf(facts, listing),
    timeZone: zoneText(facts, listing),
    exchangeFormatUrl: exchangePages[product.exchange]?.page ?? '',
  });
  if (lastTradeTimestamp !== undefined) info.lastTradeTimestamp = lastTradeTimestamp;
  if (owner !== undefined) info.owner = owner.security;
  if (month === undefined) info.origin = facts.listings.of(tradedOn(instrument, facts.world.today(instrument))).security;
  return info;
}

/** The sessions of the present trading day, each in minutes from midnight of the day on which it begins. */
function sessionsOf({ clock, world }: Facts<'clock' | 'world'>, { instrument, market }: Listing) {
  const calendar = world.calendar(instrument);
  return calendar.sessions(calendar.tradingDay(clock.now())).map(({ start, end }) => {
    const midnight = parseLocal(localDate(start, market.timeZone), market.timeZone) ?? start;
    return create(TradeTimeSchema, { begin: (start - midnight) / MINUTE_MS, end: (end - midnight) / MINUTE_MS });
  });
}

function zoneText({ clock }: Facts<'clock'>, { market }: Listing): string {
  const hours = zoneOffset(clock.now(), market.timeZone) / HOUR_MS;
  return `UTC${hours < 0 ? '-' : '+'}${Math.abs(hours)}`;
}
