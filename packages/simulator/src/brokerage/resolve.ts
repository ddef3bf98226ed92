import { parseSymbol, quoteMarketOfSecMarket } from '@svc-gateway/contract/markets';
import { Refusal } from '../refusal.js';
import { type Instrument, kinds, type World } from '../world/index.js';
import { describeUnknownIn } from '../world/unknown-symbol.js';
import { type Account, isFuturesMarket, namedMarkets, quoteMarketsOf, tradeMarketOf, untraded } from './account.js';
import { type TradeMarket, tradeMarkets } from './terms.js';

/** The protocol's number for a contract whose code, market and kind do not belong together. */
const CONTRACT_INCONSISTENT = 110005;

export interface Tradable {
  readonly instrument: Instrument;
  readonly tradeMarket: TradeMarket;
}

/**
 * The instrument that an order's code means in an account's market.
 *
 * @param market `header.trdMarket`: where the code is looked up.
 * @param secMarket Trd_Common.TrdSecMarket; 0 when the caller left it out.
 */
export function resolve(world: World, account: Account, market: TradeMarket, code: string, secMarket: number): Tradable | Refusal {
  const candidates = quoteMarketsOf(market);
  const named = secMarket === 0 ? undefined : quoteMarketOfSecMarket(secMarket);
  if (secMarket !== 0 && (named === undefined || !candidates.includes(named.name))) {
    return new Refusal(
      `sec_market ${secMarket} does not belong to market ${tradeMarkets.numberOf(market)} (${market}), which has ${candidates.join(', ')}`,
      CONTRACT_INCONSISTENT,
    );
  }
  let other: Instrument | undefined;
  for (const candidate of named === undefined ? candidates : [named.name]) {
    const instrument = world.instrument(`${candidate}.${code}`);
    if (instrument === undefined) continue;
    if ((kinds[instrument.kind].tradedBy === 'futures') !== isFuturesMarket(market)) {
      other ??= instrument;
      continue;
    }
    const tradeMarket = tradeMarketOf(instrument, account.environment);
    if (tradeMarket === undefined) return new Refusal(untraded(instrument), 'broker.market');
    return account.markets.includes(tradeMarket)
      ? { instrument, tradeMarket }
      : new Refusal(
          `account ${account.id} may not trade ${instrument.symbol}: its markets are ${namedMarkets(account).join(', ')}`,
          'broker.market',
        );
  }
  if (other !== undefined) {
    const text = `${other.symbol} is ${kinds[other.kind].noun}: market ${tradeMarkets.numberOf(market)} (${market}) does not trade it`;
    return new Refusal(text, CONTRACT_INCONSISTENT);
  }
  const hint = parseSymbol(code) === undefined ? '' : ' A code has no market prefix: 00700, AAPL.';
  return new Refusal(`${describeUnknownIn(world, (named?.name ?? candidates[0]) || market, code)}${hint}`, 'broker.unknown_code');
}

/** The instrument of a symbol that an order or a position has; the world cannot have lost it. */
export function known(world: World, symbol: string): Instrument {
  const instrument = world.instrument(symbol);
  if (instrument === undefined) throw new Error(`the world does not know ${symbol}`);
  return instrument;
}
