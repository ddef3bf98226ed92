import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '../../../contract/decimal.js';
import { listAccepted, securityType } from '../../../contract/enums.js';
import {
  FutureStaticExDataSchema,
  OptionStaticExDataSchema,
  OptionType,
  SecurityStaticBasicSchema,
  type SecurityStaticInfo,
  SecurityStaticInfoSchema,
  WarrantStaticExDataSchema,
  WarrantType,
} from '../../../contract/generated/Qot_Common_pb.js';
import { type C2S, type S2C, S2CSchema } from '../../../contract/generated/Qot_GetStaticInfo_pb.js';
import { quoteMarketNumbered } from '../../../contract/markets.js';
import { SYMBOLS_MAX } from '../../../contract/shape.js';
import { parseLocal } from '../../../contract/time.js';
import { Refusal } from '../../refusal.js';
import { lastTrade, lotSize } from '../../view/contract-terms.js';
import type { Answer, Facts } from '../../view/facts.js';
import type { Listing } from '../../view/listings.js';
import { locateAllTerms } from '../../view/locate.js';
import { isContinuous } from '../../world/futures.js';
import type { Instrument, SecurityKind, WarrantTerms } from '../../world/instrument.js';
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

/** What does not change of an instrument from one trade to the next: its terms. */
export function staticInfo(facts: Facts<'world' | 'listings'>, listing: Listing): SecurityStaticInfo {
  const { instrument } = listing;
  const info = create(SecurityStaticInfoSchema);
  info.basic = create(SecurityStaticBasicSchema, {
    security: listing.security,
    id: instrument.id,
    lotSize: lotSize(listing),
    secType: listing.securityType,
    name: instrument.name,
    listTime: instrument.listDate,
    listTimestamp: listing.listTimestamp,
    delisting: facts.world.state(instrument) === 'over',
    exchType: instrument.exchange,
  });
  termAdders[instrument.kind]?.(info, listing, facts);
  return info;
}

type TermAdder = (info: SecurityStaticInfo, listing: Listing, facts: Facts<'world' | 'listings'>) => void;

/** What only instruments of a kind have. */
const termAdders: Readonly<Record<SecurityKind, TermAdder | undefined>> = {
  future(info, listing) {
    const { lastTradeTime, lastTradeTimestamp } = lastTrade(listing);
    info.futureExData = create(FutureStaticExDataSchema, { lastTradeTime, isMainContract: isContinuous(listing.instrument) });
    if (lastTradeTimestamp !== undefined) info.futureExData.lastTradeTimestamp = lastTradeTimestamp;
  },
  option(info, { instrument, market }, facts) {
    if (instrument.kind !== 'option') return;
    const { underlying, expiry, strike, right } = instrument.option;
    const owner = facts.listings.named(underlying)?.security;
    if (owner === undefined) return;
    info.optionExData = create(OptionStaticExDataSchema, {
      type: right === 'call' ? OptionType.OptionType_Call : OptionType.OptionType_Put,
      owner,
      strikeTime: expiry,
      strikeTimestamp: (parseLocal(expiry, market.timeZone) ?? 0) / 1000,
      strikePrice: decimalToNumber(strike),
      suspend: false,
      market: market.name,
    });
  },
  warrant(info, { instrument }, facts) {
    if (instrument.kind !== 'warrant') return;
    const owner = facts.listings.named(instrument.warrant.underlying)?.security;
    if (owner !== undefined) info.warrantExData = create(WarrantStaticExDataSchema, { type: warrantTypes[instrument.warrant.type], owner });
  },
  equity: undefined,
  trust: undefined,
  etf: undefined,
  index: undefined,
  plate: undefined,
  bond: undefined,
  forex: undefined,
};

const warrantTypes = {
  call: WarrantType.WarrantType_Buy,
  put: WarrantType.WarrantType_Sell,
  bull: WarrantType.WarrantType_Bull,
  bear: WarrantType.WarrantType_Bear,
  inline: WarrantType.WarrantType_InLine,
} as const satisfies Record<WarrantTerms['type'], WarrantType>;
