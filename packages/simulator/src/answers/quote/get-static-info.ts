import { listAccepted, securityType } from '@svc-gateway/contract/enums';
import type { C2S } from '@svc-gateway/contract/generated/Qot_GetStaticInfo_pb';
import { type QuoteMarket, quoteMarketNumbered } from '@svc-gateway/contract/markets';
import type { quote as declared } from '@svc-gateway/contract/operations';
import { SYMBOLS_MAX } from '@svc-gateway/contract/shape';
import { missing, Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import { locateAllTerms } from '../../view/locate.js';
import { staticInfo } from '../../view/static-info.js';
import type { Instrument } from '../../world/instrument.js';
import { kinds } from '../../world/kinds.js';
import type { AnswerTo } from '../table.js';

/** Qot_Common.QotMarket of futures in Hong Kong, which moved to HK. As a filter it still means them alone. */
const HK_FUTURE = 2;
/** The simulation lists warrants in Hong Kong alone. */
const WARRANT_MARKET = 'HK';

type Used = 'world' | 'listings';

/** Qot_GetStaticInfo: of the securities named, or else of all of a market, a type or both. 0 is not given. */
export const getStaticInfo: AnswerTo<typeof declared.getStaticInfo> = (facts, request) => {
  if (request.securityList.length === 0) {
    const filter = filterOf(facts, request);
    return filter instanceof Refusal ? filter : listed(facts, filter);
  }
  const listings = locateAllTerms(facts, request.securityList, SYMBOLS_MAX);
  if (listings instanceof Refusal) return listings;
  return { staticInfoList: listings.map((listing) => staticInfo(facts, listing)) };
};

function listed(facts: Facts<Used>, { market, secType, isFuturesAlone }: Filter) {
  const { world, listings } = facts;
  const isWanted = ({ kind }: Instrument) =>
    (secType === 0 || kinds[kind].securityType === secType) && (!isFuturesAlone || kind === 'future');
  const instruments = world.listed(market === undefined ? {} : { market }).filter(isWanted);
  const hasWarrants = (market ?? WARRANT_MARKET) === WARRANT_MARKET && secType === kinds.warrant.securityType;
  const warrants = hasWarrants && !isFuturesAlone ? world.warrants() : [];
  return { staticInfoList: [...instruments, ...warrants].map((one) => staticInfo(facts, listings.of(one))) };
}

interface Filter {
  /** Every market without one. */
  readonly market: QuoteMarket | undefined;
  /** Qot_Common.SecurityType; 0 = all but warrants and options, which are many. */
  readonly secType: number;
  readonly isFuturesAlone: boolean;
}

function filterOf(facts: Facts<Used>, { market: marketNumber, secType }: C2S): Filter | Refusal {
  if (marketNumber === 0 && secType === 0) return missing(['securityList'], 'one of securityList, market, secType is required');
  const market = quoteMarketNumbered(marketNumber);
  if (market === undefined && marketNumber !== 0) {
    return facts.listings.unknown({ market: marketNumber, code: '' });
  }
  if (secType !== 0 && !securityType.members.some((member) => member.public === secType)) {
    return new Refusal(`unknown sec_type ${secType}; accepted: ${listAccepted(securityType, 'rest')}`, 'broker.value');
  }
  return { market: market?.name, secType, isFuturesAlone: marketNumber === HK_FUTURE };
}
