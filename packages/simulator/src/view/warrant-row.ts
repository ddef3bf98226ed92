import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { WarrantStatus } from '@svc-gateway/contract/generated/Qot_Common_pb';
import { type WarrantData, WarrantDataSchema } from '@svc-gateway/contract/generated/Qot_GetWarrant_pb';
import { parseLocal } from '@svc-gateway/contract/time';
import type { BookLevel, Quote } from '../market/market.js';
import type { Warrant } from '../world/instrument.js';
import type { Facts } from './facts.js';
import { percent } from './figures.js';
import type { Listing } from './listings.js';
import { type WarrantFigures, warrantFigures } from './warrant-figures.js';
import { issuerOf, warrantTypes } from './warrant-terms.js';

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

  message(): WarrantData {
    const { warrant, listing, owner, quote, figures, top } = this;
    const { type, maturity } = warrant.warrant;
    const midnight = (day: string) => (parseLocal(day, listing.market.timeZone) ?? 0) / 1000;
    const end = warrant.lastTradingDay ?? maturity;
    const data = create(WarrantDataSchema, {
      stock: listing.security,
      type: warrantTypes[type],
      issuer: issuerOf(warrant.warrant),
      maturityTime: maturity,
      maturityTimestamp: midnight(maturity),
      listTime: warrant.listDate,
      listTimestamp: listing.listTimestamp ?? 0,
      lastTradeTime: end,
      lastTradeTimestamp: midnight(end),
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
    });
    if (owner !== undefined) data.owner = owner.security;
    const { callPrice, callDistance, impliedVolatility, delta, upper, inside } = figures;
    if (callPrice !== undefined) data.recoveryPrice = callPrice;
    if (callDistance !== undefined) data.priceRecoveryRatio = callDistance;
    if (impliedVolatility !== undefined) data.impliedVolatility = impliedVolatility;
    if (delta !== undefined) data.delta = delta;
    if (upper !== undefined) Object.assign(data, { upperStrikePrice: upper, lowerStrikePrice: figures.strike, inLinePriceStatus: inside });
    return data;
  }
}
