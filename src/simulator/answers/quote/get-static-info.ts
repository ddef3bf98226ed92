import { create } from '@bufbuild/protobuf';
import { listAccepted, securityType } from '../../../contract/enums.js';
import { type C2S, type S2C, S2CSchema } from '../../../contract/generated/Qot_GetStaticInfo_pb.js';
import { quoteMarketNumbered } from '../../../contract/markets.js';
import { SYMBOLS_MAX } from '../../../contract/shape.js';
import { Refusal } from '../../refusal.js';
import type { Answer, Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { locateAllTerms } from '../../view/locate.js';
import { staticInfo } from '../../view/static-info.js';
import type { Instrument } from '../../world/instrument.js';
import { kinds } from '../../world/kinds.js';

/** Qot_Common.QotMarket of futures in Hong Kong, which moved to HK. As a filter it still means them alone. */
const HK_FUTURE = 2;

/** Qot_GetStaticInfo: of the securities named, or else of all of a market, a type or both. 0 is not given. */
export const getStaticInfo: Answer<'world' | 'listings', C2S, S2C> = (facts, request) => {
  const listings = request.securityList.length > 0 ? locateAllTerms(facts, request.securityList, SYMBOLS_MAX) : listAll(facts, request);
  if (listings instanceof Refusal) return listings;
  const payload = create(S2CSchema);
  payload.staticInfoList = listings.map((listing) => staticInfo(facts, listing));
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
  const instruments = facts.world.listed(market === undefined ? {} : { market: market.name });
  const isWanted = ({ kind }: Instrument) =>
    (secType === 0 || kinds[kind].securityType === secType) && (marketNumber !== HK_FUTURE || kind === 'future');
  return instruments.filter(isWanted).map((one) => facts.listings.of(one));
}
