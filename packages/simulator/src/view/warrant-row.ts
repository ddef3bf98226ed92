import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { WarrantStatus } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { BookLevel, Quote } from '../market/market.js';
import type { Warrant } from '../world/instrument.js';
import type { Facts } from './facts.js';
import { percent } from './figures.js';
import { type Listing, secondsOf } from './listings.js';
import { issuerOf, type WarrantFigures, warrantFigures, warrantTypes } from './warrant-figures.js';

type Used = 'world' | 'market' | 'listings';

/** A warrant in a list: its terms at once, its quote and figures when they are asked for. */
export class WarrantRow {
  #quote: Quote | undefined;
  #figures: WarrantFigures | undefined;
  #top: { readonly bid: BookLevel | undefined; readonly ask: BookLevel | undefined } | undefined;

  constructor(
    private readonly facts: Facts<Used>,
    readonly warrant: Warrant,
  ) {}

  get listing(): Listing {
    return this.facts.listings.of(this.warrant);
  }

  get owner(): Listing | undefined {
    return this.facts.listings.named(this.warrant.warrant.underlying);
  }

  get quote(): Quote {
    this.#quote ??= this.facts.market.quote(this.warrant);
    return this.#quote;
  }

  get figures(): WarrantFigures {
    this.#figures ??= warrantFigures(this.warrant, this.facts.market.valuation(this.warrant), decimalToNumber(this.quote.last));
    return this.#figures;
  }

  get top() {
    if (this.#top === undefined) {
      const { bids, asks } = this.facts.market.book(this.warrant, 1);
      this.#top = { bid: bids[0], ask: asks[0] };
    }
    return this.#top;
  }

  /** Qot_Common.WarrantStatus. A contract that has been called today is listed and no longer traded. */
  get status(): WarrantStatus {
    const { callDistance } = this.figures;
    if (this.warrant.listDate > this.facts.world.today(this.warrant)) return WarrantStatus.WarrantStatus_PendingListing;
    const isStopped = callDistance !== undefined && this.facts.market.isCalled(this.warrant);
    return isStopped ? WarrantStatus.WarrantStatus_StopTrade : WarrantStatus.WarrantStatus_Normal;
  }

  get changeRate(): number {
    return percent(this.quote.last - this.quote.previousClose, this.quote.previousClose);
  }

  get amplitude(): number {
    return percent(this.quote.high - this.quote.low, this.quote.previousClose);
  }

  message() {
    const { warrant, listing, owner, quote, figures, top } = this;
    const { type, maturity } = warrant.warrant;
    const end = warrant.lastTradingDay ?? maturity;
    return {
      stock: listing.security,
      type: warrantTypes[type],
      issuer: issuerOf(warrant.warrant),
      maturityTime: maturity,
      maturityTimestamp: secondsOf(listing, maturity),
      listTime: warrant.listDate,
      listTimestamp: listing.listTimestamp ?? 0,
      lastTradeTime: end,
      lastTradeTimestamp: secondsOf(listing, end),
      conversionRatio: figures.conversionRatio,
      lotSize: warrant.lotSize,
      strikePrice: figures.strike,
      lastClosePrice: decimalToNumber(quote.previousClose),
      name: warrant.name,
      curPrice: decimalToNumber(quote.last),
      priceChangeVal: decimalToNumber(quote.last - quote.previousClose),
      changeRate: this.changeRate,
      status: this.status,
      bidPrice: decimalToNumber(top.bid?.price ?? 0n),
      askPrice: decimalToNumber(top.ask?.price ?? 0n),
      bidVol: top.bid?.volume ?? 0n,
      askVol: top.ask?.volume ?? 0n,
      volume: quote.volume,
      turnover: decimalToNumber(quote.turnover),
      score: figures.score,
      premium: figures.premium,
      breakEvenPoint: figures.breakEven,
      leverage: figures.leverage,
      ipop: figures.inMoney,
      conversionPrice: figures.conversionPrice,
      streetRate: figures.streetRate,
      streetVol: figures.streetVolume,
      amplitude: this.amplitude,
      issueSize: warrant.sharesIssued,
      highPrice: decimalToNumber(quote.high),
      lowPrice: decimalToNumber(quote.low),
      effectiveLeverage: figures.effectiveLeverage,
      owner: owner?.security,
      recoveryPrice: figures.callPrice,
      priceRecoveryRatio: figures.callDistance,
      impliedVolatility: figures.impliedVolatility,
      delta: figures.delta,
      upperStrikePrice: figures.upper,
      lowerStrikePrice: figures.upper === undefined ? undefined : figures.strike,
      inLinePriceStatus: figures.inside,
    };
  }
}
