import { clone } from '@bufbuild/protobuf';
import { type TrdHeader, TrdHeaderSchema } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { quoteMarket } from '@svc-gateway/contract/markets';
import { UNKNOWN_ACCOUNT, unknownAccountText } from '@svc-gateway/contract/unknown-account';
import { missing, Refusal } from '../refusal.js';
import { type Account, type AccountBook, namedMarkets, quoteMarketsOf } from './account.js';
import { type TradeMarket, tradeEnvironments, tradeMarkets } from './terms.js';

/** The account and the market that a request is about. */
export interface Addressed {
  /** Header of the answer. */
  readonly header: TrdHeader;
  readonly account: Account;
  readonly market: TradeMarket;
}

/** Whom a request's header addresses; a refusal when account, environment and market do not belong together. */
export function addressed(brokerage: AccountBook, header: TrdHeader | undefined): Addressed | Refusal {
  if (header === undefined) return missing(['header.trdEnv', 'header.accID', 'header.trdMarket']);
  const environment = tradeEnvironments.wordOf(header.trdEnv);
  if (environment === undefined) return new Refusal(tradeEnvironments.unknown(header.trdEnv), 'broker.enumeration');
  const account = brokerage.account(header.accID);
  if (account === undefined) return new Refusal(unknownAccountText(header.accID, environment), UNKNOWN_ACCOUNT);
  if (account.environment !== environment) {
    // Words alone: the numbers of environments differ between the interfaces.
    return new Refusal(`account ${account.id} is for ${account.environment}, the request says ${environment}`, 'broker.account');
  }
  // Unknown (0) leaves it to the account, for requests about whatever market. The answer names the market that it was read in.
  const market = header.trdMarket === 0 ? account.markets[0] : tradeMarkets.wordOf(header.trdMarket);
  if (market === undefined) return new Refusal(tradeMarkets.unknown(header.trdMarket), 'broker.enumeration');
  // Simulated futures have a market for each region, which callers may also name by the one market of all futures.
  if (account.markets.includes(market) || (market === 'FUTURES' && account.trades === 'futures')) {
    if (header.trdMarket !== 0) return { header, account, market };
    const [named = market] = namedMarkets(account);
    const answered = clone(TrdHeaderSchema, header);
    answered.trdMarket = tradeMarkets.numberOf(named);
    return { header: answered, account, market };
  }
  const own = namedMarkets(account)
    .map((one) => `${tradeMarkets.numberOf(one)} (${one})`)
    .join(', ');
  return new Refusal(`account ${account.id} may not trade market ${header.trdMarket} (${market}); its markets: ${own}`, 'broker.market');
}

/** The IANA zone of a trading market's time texts; that of Hong Kong for futures of several exchanges. */
export function timeZoneOf(market: TradeMarket): string {
  const [first] = quoteMarketsOf(market);
  if (first === undefined) throw new Error(`trading market ${market} has no quote market`);
  return quoteMarket(first).timeZone;
}
