import type { TrdHeader } from '../../contract/generated/Trd_Common_pb.js';
import { quoteMarket } from '../../contract/markets.js';
import { Refusal } from '../handler.js';
import { type Account, quoteMarketsOf } from './account.js';
import type { Brokerage } from './index.js';
import { type TradeMarket, tradeEnvironments, tradeMarkets } from './terms.js';

/** The account and the market that a request is about. */
export interface Addressed {
  readonly header: TrdHeader;
  readonly account: Account;
  readonly market: TradeMarket;
}

/** Whom a request's header addresses; a refusal when account, environment and market do not belong together. */
export function addressed(brokerage: Brokerage, header: TrdHeader | undefined): Addressed | Refusal {
  const to = addressedAccount(brokerage, header);
  if (to instanceof Refusal) return to;
  const { account } = to;
  const market = tradeMarkets.wordOf(to.header.trdMarket);
  if (market === undefined) return new Refusal(tradeMarkets.unknown(to.header.trdMarket));
  // Simulated futures have a market for each region, which callers may also name by the one market of all futures.
  if (account.markets.includes(market) || (market === 'FUTURES' && account.trades === 'futures')) return { ...to, market };
  const own = account.markets.map((one) => `${tradeMarkets.numberOf(one)} (${one})`).join(', ');
  return new Refusal(`account ${account.id} may not trade trdMarket ${to.header.trdMarket} (${market}); its markets: ${own}`);
}

/** The account that a header addresses, for requests to which its market is nothing. */
export function addressedAccount(brokerage: Brokerage, header: TrdHeader | undefined): Omit<Addressed, 'market'> | Refusal {
  if (header === undefined) return new Refusal('header is required: trdEnv, accID and trdMarket');
  const environment = tradeEnvironments.wordOf(header.trdEnv);
  if (environment === undefined) return new Refusal(tradeEnvironments.unknown(header.trdEnv));
  const account = brokerage.account(header.accID);
  if (account === undefined) {
    const accepted = brokerage.accounts.filter((one) => one.environment === environment).map((one) => one.id);
    return new Refusal(`unknown accID ${header.accID}; accounts of trdEnv ${header.trdEnv} (${environment}): ${accepted.join(', ')}`);
  }
  if (account.environment !== environment) {
    const own = tradeEnvironments.numberOf(account.environment);
    return new Refusal(
      `account ${account.id} belongs to trdEnv ${own} (${account.environment}), the header says ${header.trdEnv} (${environment})`,
    );
  }
  return { header, account };
}

/** The IANA zone of a trading market's time texts; that of Hong Kong for futures of several exchanges. */
export function timeZoneOf(market: TradeMarket): string {
  const [first] = quoteMarketsOf(market);
  if (first === undefined) throw new Error(`trading market ${market} has no quote market`);
  return quoteMarket(first).timeZone;
}
