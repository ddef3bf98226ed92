import { create } from '@bufbuild/protobuf';
import { listAccepted, securityType } from '../../../contract/enums.js';
import {
  FutureStaticExDataSchema,
  SecurityStaticBasicSchema,
  type SecurityStaticInfo,
  SecurityStaticInfoSchema,
} from '../../../contract/generated/Qot_Common_pb.js';
import { type C2S, type S2C, S2CSchema } from '../../../contract/generated/Qot_GetStaticInfo_pb.js';
import { quoteMarketNumbered } from '../../../contract/markets.js';
import { Refusal } from '../../handler.js';
import { lastTrade, lotSize } from '../../view/contract-terms.js';
import type { Answer, Facts } from '../../view/facts.js';
import { type Listing, securityTypes } from '../../view/listings.js';
import { locateAll } from '../../view/locate.js';
import type { Instrument } from '../../world/instrument.js';

const SYMBOLS_MAX = 1000;
/** Qot_Common.QotMarket of futures in Hong Kong, which moved to HK. As a filter it still means them alone. */
const HK_FUTURE = 2;

/** Qot_GetStaticInfo: of the securities named, or else of all of a market, a type or both. 0 is not given. */
export const getStaticInfo: Answer<'world' | 'listings', C2S, S2C> = (facts, request) => {
  const listings = request.securityList.length > 0 ? locateAll(facts, request.securityList, SYMBOLS_MAX) : listAll(facts, request);
  if (listings instanceof Refusal) return listings;
  const payload = create(S2CSchema);
  payload.staticInfoList = listings.map(staticInfo);
  return payload;
};

function listAll(facts: Facts<'world' | 'listings'>, { market: marketNumber, secType }: C2S): readonly Listing[] | Refusal {
  if (marketNumber === 0 && secType === 0) return new Refusal('name symbols, or a market, sec_type or both');
  const market = quoteMarketNumbered(marketNumber);
  if (market === undefined && marketNumber !== 0) {
    return new Refusal(facts.listings.describeUnknown({ market: marketNumber, code: '' }));
  }
  if (secType !== 0 && !securityType.members.some((member) => member.public === secType)) {
    return new Refusal(`unknown sec_type ${secType}; accepted: ${listAccepted(securityType, 'rest')}`);
  }
  const instruments = facts.world.instruments(market === undefined ? {} : { market: market.name });
  const isWanted = ({ kind }: Instrument) =>
    (secType === 0 || securityTypes[kind] === secType) && (marketNumber !== HK_FUTURE || kind === 'future');
  return instruments.filter(isWanted).map((one) => facts.listings.of(one));
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
