import { create } from '@bufbuild/protobuf';
import { DECIMAL_ONE, decimalToNumber } from '../../../contract/decimal.js';
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
import { parseLocal } from '../../../contract/time.js';
import { Refusal } from '../../handler.js';
import type { Listing } from '../../view/listings.js';
import { locateAllTerms } from '../../view/locate.js';
import type { QuoteHandler, QuoteSimulation } from '../../view/quote-simulation.js';
import { isContinuous } from '../../world/futures.js';
import type { Instrument, SecurityKind, WarrantTerms } from '../../world/instrument.js';
import { kinds } from '../../world/kinds.js';

const SYMBOLS_MAX = 1000;
/** Qot_Common.QotMarket of futures in Hong Kong, which moved to HK. As a filter it still means them alone. */
const HK_FUTURE = 2;

/** Qot_GetStaticInfo: of the securities named, or else of all of a market, a type or both. 0 is not given. */
export const getStaticInfo: QuoteHandler<C2S, S2C> = (simulation, request) => {
  const listings =
    request.securityList.length > 0 ? locateAllTerms(simulation, request.securityList, SYMBOLS_MAX) : listAll(simulation, request);
  if (listings instanceof Refusal) return listings;
  const payload = create(S2CSchema);
  payload.staticInfoList = listings.map((listing) => staticInfo(simulation, listing));
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
  const instruments = simulation.world.listed(market === undefined ? {} : { market: market.name });
  const isWanted = ({ kind }: Instrument) =>
    (secType === 0 || kinds[kind].securityType === secType) && (marketNumber !== HK_FUTURE || kind === 'future');
  return instruments.filter(isWanted).map((one) => simulation.listings.of(one));
}

function staticInfo(simulation: QuoteSimulation, listing: Listing): SecurityStaticInfo {
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
    delisting: simulation.world.state(instrument) === 'over',
    exchType: instrument.exchange,
  });
  termAdders[instrument.kind]?.(info, listing, simulation);
  return info;
}

type TermAdder = (info: SecurityStaticInfo, listing: Listing, simulation: QuoteSimulation) => void;

/** What only instruments of a kind have. */
const termAdders: Readonly<Record<SecurityKind, TermAdder | undefined>> = {
  future(info, listing) {
    const { lastTradeTime, lastTradeTimestamp } = lastTrade(listing);
    info.futureExData = create(FutureStaticExDataSchema, { lastTradeTime, isMainContract: isContinuous(listing.instrument) });
    if (lastTradeTimestamp !== undefined) info.futureExData.lastTradeTimestamp = lastTradeTimestamp;
  },
  option(info, { instrument, market }, simulation) {
    if (instrument.kind !== 'option') return;
    const { underlying, expiry, strike, right } = instrument.option;
    const owner = simulation.listings.named(underlying)?.security;
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
  warrant(info, { instrument }, simulation) {
    if (instrument.kind !== 'warrant') return;
    const owner = simulation.listings.named(instrument.warrant.underlying)?.security;
    if (owner !== undefined) info.warrantExData = create(WarrantStaticExDataSchema, { type: warrantTypes[instrument.warrant.type], owner });
  },
  equity: undefined,
  etf: undefined,
  index: undefined,
  forex: undefined,
};

const warrantTypes = {
  call: WarrantType.WarrantType_Buy,
  put: WarrantType.WarrantType_Sell,
  bull: WarrantType.WarrantType_Bull,
  bear: WarrantType.WarrantType_Bear,
  inline: WarrantType.WarrantType_InLine,
} as const satisfies Record<WarrantTerms['type'], WarrantType>;

/** The protocol's lot size: of a contract its multiplier, as a whole number. */
export function lotSize({ instrument }: Listing): number {
  return instrument.lotSize * Math.max(1, Number(instrument.multiplier / DECIMAL_ONE));
}

/** When a future stops trading; the continuous contract never does, and has an empty text and no timestamp. */
export function lastTrade({ instrument, market }: Listing): { lastTradeTime: string; lastTradeTimestamp: number | undefined } {
  const lastTradeTime = instrument.lastTradingDay ?? '';
  const midnight = parseLocal(lastTradeTime, market.timeZone);
  return { lastTradeTime, lastTradeTimestamp: midnight === undefined ? undefined : midnight / 1000 };
}
