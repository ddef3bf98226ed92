import { create } from '@bufbuild/protobuf';
import { type Decimal, decimalToNumber } from '@svc-gateway/contract/decimal';
import {
  type BasicQot,
  BasicQotSchema,
  FutureBasicQotExDataSchema,
  type PreAfterMarketData,
  PreAfterMarketDataSchema,
  SecurityStatus,
} from '@svc-gateway/contract/generated/Qot_Common_pb';
import { localDateTime } from '@svc-gateway/contract/time';
import type { Companies } from '../companies/index.js';
import type { ExtendedTrades, Quote } from '../market/market.js';
import type { Market } from '../market/simulated-market.js';
import type { World } from '../world/index.js';
import { type Instrument, isDerived } from '../world/instrument.js';
import { kinds } from '../world/kinds.js';
import { tickSize } from '../world/ticks.js';
import { percent, turnoverRate } from './figures.js';
import { openInterest } from './fundamentals.js';
import type { Listing } from './listings.js';
import { optionFigures, optionQuoteData } from './option-figures.js';
import { warrantFigures, warrantQuoteData } from './warrant-figures.js';

interface Posted {
  readonly quote: Quote;
  readonly status: SecurityStatus;
  readonly message: BasicQot;
}

/**
 * The current quote of each symbol as a message, kept until its figures change: while they do not, every read returns
 * the same object, so that whoever encodes it need not do so twice. The messages are shared: nothing may write to them.
 */
export class QuoteBoard {
  readonly #market: Market;
  readonly #companies: Companies;
  readonly #world: World;
  // Listings of contracts come and go.
  readonly #posted = new WeakMap<Listing, Posted>();

  constructor(market: Market, companies: Companies, world: World) {
    this.#market = market;
    this.#companies = companies;
    this.#world = world;
  }

  /** The quote as of now. */
  read(listing: Listing): BasicQot {
    const quote = this.#market.quote(listing.instrument);
    const posted = this.#posted.get(listing);
    // An option's value changes without a trade.
    const isSame = posted?.quote === quote || (posted !== undefined && !isDerived(listing.instrument) && saysTheSame(posted.quote, quote));
    const status = this.#statusOf(listing);
    if (posted !== undefined && isSame && posted.status === status) return posted.message;
    const message = this.#made(listing, quote, status);
    this.#posted.set(listing, { quote, status, message });
    return message;
  }

  /** A quote of an earlier moment. */
  of(listing: Listing, quote: Quote): BasicQot {
    const posted = this.#posted.get(listing);
    return posted?.quote === quote ? posted.message : this.#made(listing, quote, this.#statusOf(listing));
  }

  /** The quote of what has expired or been delisted stays that of its last day: its status says so. */
  #statusOf({ instrument }: Listing): SecurityStatus {
    if (this.#world.state(instrument) !== 'over') return SecurityStatus.SecurityStatus_Normal;
    const isContract = isDerived(instrument) || kinds[instrument.kind].tradedBy === 'futures';
    return isContract ? SecurityStatus.SecurityStatus_Expired : SecurityStatus.SecurityStatus_Delisted;
  }

  #made(listing: Listing, quote: Quote, status: SecurityStatus): BasicQot {
    const message = basicQuote(this.#companies, listing, quote);
    message.secStatus = status;
    this.#addDerived(message, listing.instrument, quote);
    return message;
  }

  #addDerived(message: BasicQot, instrument: Instrument, { last, tradingDay }: Quote): void {
    if (!isDerived(instrument)) return;
    const valuation = this.#market.valuation(instrument);
    const price = decimalToNumber(last);
    if (instrument.kind === 'warrant') message.warrantExData = warrantQuoteData(warrantFigures(instrument, valuation, price));
    else {
      const underlying = this.#world.instrument(instrument.option.underlying);
      message.optionExData = optionQuoteData(instrument, optionFigures(instrument, valuation, price, tradingDay, underlying));
    }
  }
}

function saysTheSame(a: Quote, b: Quote): boolean {
  return (
    a.time === b.time &&
    a.volume === b.volume &&
    a.last === b.last &&
    a.turnover === b.turnover &&
    a.high === b.high &&
    a.low === b.low &&
    a.open === b.open &&
    a.previousClose === b.previousClose &&
    a.tradingDay === b.tradingDay &&
    sameTrades(a.preMarket, b.preMarket) &&
    sameTrades(a.afterMarket, b.afterMarket)
  );
}

function sameTrades(a: ExtendedTrades | undefined, b: ExtendedTrades | undefined): boolean {
  // Volume rises with every trade.
  return a?.volume === b?.volume;
}

function basicQuote(companies: Companies, listing: Listing, quote: Quote): BasicQot {
  const { instrument, market } = listing;
  // Assigned one by one: `create` with an initialiser goes through reflection, and this runs at every tick that is read.
  const message = create(BasicQotSchema);
  message.security = listing.security;
  message.name = instrument.name;
  message.isSuspended = false;
  message.listTime = instrument.listDate;
  const { listTimestamp } = listing;
  if (listTimestamp !== undefined) message.listTimestamp = listTimestamp;
  message.priceSpread = decimalToNumber(tickSize(instrument.tickTable, quote.last));
  message.updateTime = localDateTime(quote.time, market.timeZone);
  message.updateTimestamp = quote.time / 1000;
  message.highPrice = decimalToNumber(quote.high);
  message.openPrice = decimalToNumber(quote.open);
  message.lowPrice = decimalToNumber(quote.low);
  message.curPrice = decimalToNumber(quote.last);
  message.lastClosePrice = decimalToNumber(quote.previousClose);
  message.volume = quote.volume;
  message.turnover = decimalToNumber(quote.turnover);
  message.turnoverRate = turnoverRate(companies, instrument, quote.tradingDay, quote.volume);
  message.amplitude = percent(quote.high - quote.low, quote.previousClose);
  message.darkStatus = 0;
  if (quote.preMarket !== undefined) message.preMarket = extendedData(quote.preMarket, quote.previousClose);
  // After the close, the change is from it.
  if (quote.afterMarket !== undefined) message.afterMarket = extendedData(quote.afterMarket, quote.last);
  if (kinds[instrument.kind].tradedBy === 'futures') {
    const interest = openInterest(instrument, quote.tradingDay);
    const terms = create(FutureBasicQotExDataSchema, {
      lastSettlePrice: message.lastClosePrice,
      position: interest.contracts,
      positionChange: interest.change,
    });
    if (interest.daysToExpiry !== undefined) terms.expiryDateDistance = interest.daysToExpiry;
    message.futureExData = terms;
  }
  return message;
}

function extendedData({ last, high, low, volume, turnover }: ExtendedTrades, close: Decimal): PreAfterMarketData {
  return create(PreAfterMarketDataSchema, {
    price: decimalToNumber(last),
    highPrice: decimalToNumber(high),
    lowPrice: decimalToNumber(low),
    volume,
    turnover: decimalToNumber(turnover),
    changeVal: decimalToNumber(last - close),
    changeRate: percent(last - close, close),
    amplitude: percent(high - low, close),
  });
}
