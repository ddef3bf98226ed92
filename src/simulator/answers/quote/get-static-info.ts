import { create } from '@bufbuild/protobuf';
import { DECIMAL_ONE } from '../../../contract/decimal.js';
import { listAccepted, securityType } from '../../../contract/enums.js';
import {
  FutureStaticExDataSchema,
  SecurityStaticBasicSchema,
  type SecurityStaticInfo,
  SecurityStaticInfoSchema,
} from '../../../contract/generated/Qot_Common_pb.js';
import { type C2S, type S2C, S2CSchema } from '../../../contract/generated/Qot_GetStaticInfo_pb.js';
import { quoteMarketNumbered } from '../../../contract/markets.js';
import { parseLocal } from '../../../contract/time.js';
import { Refusal } from '../../handler.js';
import { type Listing, securityTypes } from '../../view/listings.js';
import { locateAll } from '../../view/locate.js';
import type { QuoteHandler, QuoteSimulation } from '../../view/quote-simulation.js';
import type { FutureTerms, Instrument } from '../../world/instrument.js';

const SYMBOLS_MAX = 1000;
/** Qot_Common.QotMarket of futures in Hong Kong, which moved to HK. As a filter it still means them alone. */
const HK_FUTURE = 2;

/** Qot_GetStaticInfo: of the securities named, or else of all of a market, a type or both. 0 is not given. */
export const getStaticInfo: QuoteHandler<C2S, S2C> = (simulation, request) => {
  const listings =
    request.securityList.length > 0 ? locateAll(simulation, request.securityList, SYMBOLS_MAX) : listAll(simulation, request);
  if (listings instanceof Refusal) return listings;
  const payload = create(S2CSchema);
  payload.staticInfoList = listings.map(staticInfo);
  return payload;
};

function listAll(simulation: QuoteSimulation, { market: marketNumber, secType }: C2S): readonly Listing[] | Refusal {
  if (marketNumber === 0 && secType === 0) return new Refusal('name symbols, or a market, sec_type or both');
  const market = quoteMarketNumbered(marketNumber);
  if (market === undefined && marketNumber !== 0) {
    return new Refusal(simulation.listings.describeUnknown({ market: marketNumber, code: '' }));
  }
  if (secType !== 0 && !securityType.members.some((member) => member.public === secType)) {
    return new Refusal(`unknown sec_type ${secType}; accepted: ${listAccepted(securityType, 'rest')}`);
  }
  const instruments = simulation.world.instruments(market === undefined ? {} : { market: market.name });
  const isWanted = ({ kind }: Instrument) =>
    (secType === 0 || securityTypes[kind] === secType) && (marketNumber !== HK_FUTURE || kind === 'future');
  return instruments.filter(isWanted).map((one) => simulation.listings.of(one));
}

function staticInfo(listing: Listing): SecurityStaticInfo {
  const { instrument, market } = listing;
  const info = create(SecurityStaticInfoSchema);
  info.basic = create(SecurityStaticBasicSchema, {
    security: listing.security,
    id: instrument.id,
    lotSize: lotSize(listing),
    secType: listing.securityType,
    name: instrument.name,
    listTime: instrument.listDate,
    listTimestamp: listing.listTimestamp,
    delisting: false,
    exchType: instrument.exchange,
  });
  if (instrument.future !== undefined) {
    const { lastTradeTime, lastTradeTimestamp } = lastTrade(instrument.future, market.timeZone);
    const terms = create(FutureStaticExDataSchema, { lastTradeTime, isMainContract: instrument.future.isMain });
    if (lastTradeTimestamp !== undefined) terms.lastTradeTimestamp = lastTradeTimestamp;
    info.futureExData = terms;
  }
  return info;
}

/** The protocol's lot size: of a future its contract multiplier, as a whole number. */
export function lotSize({ instrument }: Listing): number {
  if (instrument.future === undefined) return instrument.lotSize;
  const whole = Number(instrument.future.multiplier / DECIMAL_ONE);
  return Math.max(1, whole);
}

/** When a future stops trading; the continuous contract never does, and has an empty text and no timestamp. */
export function lastTrade(terms: FutureTerms, timeZone: string): { lastTradeTime: string; lastTradeTimestamp: number | undefined } {
  const midnight = terms.lastTradeDate === '' ? undefined : parseLocal(terms.lastTradeDate, timeZone);
  return { lastTradeTime: terms.lastTradeDate, lastTradeTimestamp: midnight === undefined ? undefined : midnight / 1000 };
}
