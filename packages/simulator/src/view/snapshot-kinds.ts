import { DECIMAL_ONE, decimalToNumber, divide } from '@svc-gateway/contract/decimal';
import { AssetClass } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { Snapshot } from '@svc-gateway/contract/generated/Qot_GetSecuritySnapshot_pb';
import { requireDay } from '@svc-gateway/contract/time';
import type { Quote } from '../market/market.js';
import { isContinuous } from '../world/futures.js';
import type { Instrument, PlateIndex } from '../world/instrument.js';
import type { Facts } from './facts.js';
import { multiple, percent } from './figures.js';
import { openInterest } from './fundamentals.js';
import type { Listing } from './listings.js';
import type { Fields } from './messages.js';
import { figuresOf, optionSnapshotData } from './option-figures.js';
import { lastTrade } from './static-info.js';
import { warrantFigures, warrantSnapshotData } from './warrant-figures.js';

type Needed = Facts<'world' | 'companies' | 'market' | 'listings'>;

/** Fields of a snapshot that only its kind of instrument has. Those of plates take long, and are {@link plateData}. */
export function kindData(facts: Needed, listing: Listing, quote: Quote): Fields<Snapshot> {
  const { instrument } = listing;
  const price = decimalToNumber(quote.last);
  const ownerOf = (symbol: string) => facts.listings.named(symbol)?.security;
  switch (instrument.kind) {
    case 'equity':
      return { equityExData: equityData(facts, instrument, quote) };
    case 'etf':
      return { trustExData: fundData(facts, instrument, quote) };
    case 'trust':
      return { trustExData: trustData(facts, instrument, quote) };
    case 'index':
      return { indexExData: indexData(facts, instrument, quote) };
    case 'future':
      return { futureExData: futureData(listing, quote) };
    case 'option': {
      const figures = figuresOf(facts, instrument, price);
      return { optionExData: optionSnapshotData(listing, instrument, ownerOf(instrument.option.underlying), figures) };
    }
    case 'warrant': {
      const figures = warrantFigures(instrument, facts.market.valuation(instrument), price);
      return { warrantExData: warrantSnapshotData(listing, instrument, ownerOf(instrument.warrant.underlying), figures) };
    }
    default:
      return {};
  }
}

/** Company fields of a share's snapshot, at the quote's price. */
export function equityData({ companies }: Facts<'companies'>, instrument: Instrument, { last, tradingDay }: Quote) {
  const figures = companies.figures(instrument, tradingDay);
  return {
    issuedShares: figures.issuedShares,
    issuedMarketVal: decimalToNumber(last * figures.issuedShares),
    netAsset: decimalToNumber(figures.netAssets),
    netProfit: decimalToNumber(figures.netIncome),
    earningsPershare: decimalToNumber(figures.earningsPerShare),
    outstandingShares: figures.outstandingShares,
    outstandingMarketVal: decimalToNumber(last * figures.outstandingShares),
    netAssetPershare: decimalToNumber(figures.netAssetsPerShare),
    eyRate: percent(figures.earningsPerShare, last),
    peRate: multiple(last, figures.earningsPerShare),
    pbRate: multiple(last, figures.netAssetsPerShare),
    peTTMRate: multiple(last, figures.earningsPerShareTtm),
    dividendTTM: decimalToNumber(figures.dividendTtm),
    dividendRatioTTM: percent(figures.dividendTtm, last),
    dividendLFY: decimalToNumber(figures.dividendOfYear),
    dividendLFYRatio: percent(figures.dividendOfYear, last),
  };
}

const MILLIONTHS = 1_000_000n;

function fundData({ companies }: Facts<'companies'>, instrument: Instrument, { last, tradingDay }: Quote) {
  const fund = companies.fund(instrument);
  const aboveNetAssets = (DECIMAL_ONE * BigInt(Math.round((1 + fund.premium) * Number(MILLIONTHS)))) / MILLIONTHS;
  const netAssetValue = divide(last, aboveNetAssets);
  return {
    dividendYield: percent(companies.dividendTtm(instrument, tradingDay), last),
    aum: decimalToNumber(netAssetValue * instrument.sharesIssued),
    outstandingUnits: instrument.sharesIssued,
    netAssetValue: decimalToNumber(netAssetValue),
    premium: percent(last - netAssetValue, netAssetValue),
    assetClass: fund.assetClass,
  };
}

/** A trust keeps accounts: what its units stand for is its net assets. */
function trustData({ companies }: Facts<'companies'>, instrument: Instrument, { last, tradingDay }: Quote) {
  const { netAssets, netAssetsPerShare, issuedShares, dividendTtm } = companies.figures(instrument, tradingDay);
  return {
    dividendYield: percent(dividendTtm, last),
    aum: decimalToNumber(netAssets),
    outstandingUnits: issuedShares,
    netAssetValue: decimalToNumber(netAssetsPerShare),
    premium: percent(last - netAssetsPerShare, netAssetsPerShare),
    // The protocol has no class for property.
    assetClass: AssetClass.AssetClass_Unknow,
  };
}

/** How many of a plate's members stand above, at and below the close before, ready to pause. */
export function* plateData({ companies, market }: Facts<'companies' | 'market'>, plate: PlateIndex) {
  const data = { raiseCount: 0, fallCount: 0, equalCount: 0 };
  for (const member of companies.plate(plate.plate).members(requireDay(market.quote(plate).tradingDay))) {
    const { last, previousClose } = market.quote(member);
    if (last > previousClose) data.raiseCount += 1;
    else if (last < previousClose) data.fallCount += 1;
    else data.equalCount += 1;
    yield;
  }
  return data;
}

/** A rise of this fraction has about three in four of an index's members rising. */
const BROAD_MOVE = 0.01;

/** How many members rise and fall, from how far the index moved. The members are its market's equities. */
function indexData(facts: Facts<'world'>, instrument: Instrument, quote: Quote) {
  const members = facts.world.listed({ market: instrument.market, kind: 'equity' }).length;
  const change = Number(quote.last - quote.previousClose) / Number(quote.previousClose);
  const rising = 0.5 + 0.5 * (change / (BROAD_MOVE + Math.abs(change)));
  const equalCount = Math.round(members * 0.04);
  const raiseCount = Math.round((members - equalCount) * rising);
  return { raiseCount, equalCount, fallCount: members - equalCount - raiseCount };
}

function futureData(listing: Listing, quote: Quote) {
  const { contracts, change } = openInterest(listing.instrument, quote.tradingDay);
  return {
    lastSettlePrice: decimalToNumber(quote.previousClose),
    position: contracts,
    positionChange: change,
    ...lastTrade(listing),
    isMainContract: isContinuous(listing.instrument),
  };
}
