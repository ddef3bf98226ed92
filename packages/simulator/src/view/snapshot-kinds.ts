import { create } from '@bufbuild/protobuf';
import { DECIMAL_ONE, decimalToNumber, divide } from '@svc-gateway/contract/decimal';
import { AssetClass } from '@svc-gateway/contract/generated/Qot_Common_pb';
import {
  type EquitySnapshotExData,
  EquitySnapshotExDataSchema,
  type FutureSnapshotExData,
  FutureSnapshotExDataSchema,
  type IndexSnapshotExData,
  IndexSnapshotExDataSchema,
  type PlateSnapshotExData,
  PlateSnapshotExDataSchema,
  type Snapshot,
  type TrustSnapshotExData,
  TrustSnapshotExDataSchema,
} from '@svc-gateway/contract/generated/Qot_GetSecuritySnapshot_pb';
import { requireDay } from '@svc-gateway/contract/time';
import type { Quote } from '../market/market.js';
import { isContinuous } from '../world/futures.js';
import type { Instrument, PlateIndex, SecurityKind } from '../world/instrument.js';
import { lastTrade } from './contract-terms.js';
import type { Facts } from './facts.js';
import { multiple, percent } from './figures.js';
import { openInterest } from './fundamentals.js';
import type { Listing } from './listings.js';
import { figuresOf, optionSnapshotData } from './option-figures.js';
import { warrantFigures, warrantSnapshotData } from './warrant-figures.js';

/** Adds to a snapshot what only its kind of instrument has. Currency pairs have nothing of the sort. */
export function addKindData(
  facts: Facts<'world' | 'companies' | 'market' | 'listings'>,
  listing: Listing,
  quote: Quote,
  message: Snapshot,
): void {
  adders[listing.instrument.kind]?.(message, listing, quote, facts);
}

type Adder = (message: Snapshot, listing: Listing, quote: Quote, facts: Facts<'world' | 'companies' | 'market' | 'listings'>) => void;

const adders: Readonly<Record<SecurityKind, Adder | undefined>> = {
  equity(message, { instrument }, quote, facts) {
    message.equityExData = equityData(facts, instrument, quote);
  },
  etf(message, { instrument }, quote, facts) {
    message.trustExData = fundData(facts, instrument, quote);
  },
  trust(message, { instrument }, quote, facts) {
    message.trustExData = trustData(facts, instrument, quote);
  },
  index(message, { instrument }, quote, facts) {
    message.indexExData = indexData(facts, instrument, quote);
  },
  future(message, listing, quote) {
    message.futureExData = futureData(listing, quote);
  },
  option(message, listing, { last }, facts) {
    const { instrument } = listing;
    if (instrument.kind !== 'option') return;
    const owner = facts.listings.named(instrument.option.underlying)?.security;
    message.optionExData = optionSnapshotData(listing, instrument, owner, figuresOf(facts, instrument, decimalToNumber(last)));
  },
  warrant(message, listing, { last }, facts) {
    const { instrument } = listing;
    if (instrument.kind !== 'warrant') return;
    const figures = warrantFigures(instrument, facts.market.valuation(instrument), decimalToNumber(last));
    const owner = facts.listings.named(instrument.warrant.underlying)?.security;
    message.warrantExData = warrantSnapshotData(listing, instrument, owner, figures);
  },
  bond: undefined,
  // Its members take long to look at: see `plateData`.
  plate: undefined,
  forex: undefined,
};

/** Company fields of a share's snapshot, at the quote's price. */
export function equityData({ companies }: Facts<'companies'>, instrument: Instrument, { last, tradingDay }: Quote): EquitySnapshotExData {
  const figures = companies.figures(instrument, tradingDay);
  const data = create(EquitySnapshotExDataSchema);
  data.issuedShares = figures.issuedShares;
  data.issuedMarketVal = decimalToNumber(last * figures.issuedShares);
  data.netAsset = decimalToNumber(figures.netAssets);
  data.netProfit = decimalToNumber(figures.netIncome);
  data.earningsPershare = decimalToNumber(figures.earningsPerShare);
  data.outstandingShares = figures.outstandingShares;
  data.outstandingMarketVal = decimalToNumber(last * figures.outstandingShares);
  data.netAssetPershare = decimalToNumber(figures.netAssetsPerShare);
  data.eyRate = percent(figures.earningsPerShare, last);
  data.peRate = multiple(last, figures.earningsPerShare);
  data.pbRate = multiple(last, figures.netAssetsPerShare);
  data.peTTMRate = multiple(last, figures.earningsPerShareTtm);
  data.dividendTTM = decimalToNumber(figures.dividendTtm);
  data.dividendRatioTTM = percent(figures.dividendTtm, last);
  data.dividendLFY = decimalToNumber(figures.dividendOfYear);
  data.dividendLFYRatio = percent(figures.dividendOfYear, last);
  return data;
}

const MILLIONTHS = 1_000_000n;

function fundData({ companies }: Facts<'companies'>, instrument: Instrument, { last, tradingDay }: Quote): TrustSnapshotExData {
  const fund = companies.fund(instrument);
  const aboveNetAssets = (DECIMAL_ONE * BigInt(Math.round((1 + fund.premium) * Number(MILLIONTHS)))) / MILLIONTHS;
  const netAssetValue = divide(last, aboveNetAssets);
  const data = create(TrustSnapshotExDataSchema);
  data.dividendYield = percent(companies.dividendTtm(instrument, tradingDay), last);
  data.aum = decimalToNumber(netAssetValue * instrument.sharesIssued);
  data.outstandingUnits = instrument.sharesIssued;
  data.netAssetValue = decimalToNumber(netAssetValue);
  data.premium = percent(last - netAssetValue, netAssetValue);
  data.assetClass = fund.assetClass;
  return data;
}

/** A trust keeps accounts: what its units stand for is its net assets. */
function trustData({ companies }: Facts<'companies'>, instrument: Instrument, { last, tradingDay }: Quote): TrustSnapshotExData {
  const { netAssets, netAssetsPerShare, issuedShares, dividendTtm } = companies.figures(instrument, tradingDay);
  return create(TrustSnapshotExDataSchema, {
    dividendYield: percent(dividendTtm, last),
    aum: decimalToNumber(netAssets),
    outstandingUnits: issuedShares,
    netAssetValue: decimalToNumber(netAssetsPerShare),
    premium: percent(last - netAssetsPerShare, netAssetsPerShare),
    // The protocol has no class for property.
    assetClass: AssetClass.AssetClass_Unknow,
  });
}

/** How many of a plate's members stand above, at and below the close before, ready to pause. */
export function* plateData({ companies, market }: Facts<'companies' | 'market'>, plate: PlateIndex): Generator<void, PlateSnapshotExData> {
  const data = create(PlateSnapshotExDataSchema, { raiseCount: 0, fallCount: 0, equalCount: 0 });
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
function indexData(facts: Facts<'world'>, instrument: Instrument, quote: Quote): IndexSnapshotExData {
  const members = facts.world.listed({ market: instrument.market, kind: 'equity' }).length;
  const change = Number(quote.last - quote.previousClose) / Number(quote.previousClose);
  const rising = 0.5 + 0.5 * (change / (BROAD_MOVE + Math.abs(change)));
  const equalCount = Math.round(members * 0.04);
  const raiseCount = Math.round((members - equalCount) * rising);
  return create(IndexSnapshotExDataSchema, { raiseCount, equalCount, fallCount: members - equalCount - raiseCount });
}

function futureData(listing: Listing, quote: Quote): FutureSnapshotExData {
  const { contracts, change } = openInterest(listing.instrument, quote.tradingDay);
  const { lastTradeTime, lastTradeTimestamp } = lastTrade(listing);
  const data = create(FutureSnapshotExDataSchema, {
    lastSettlePrice: decimalToNumber(quote.previousClose),
    position: contracts,
    positionChange: change,
    lastTradeTime,
    isMainContract: isContinuous(listing.instrument),
  });
  if (lastTradeTimestamp !== undefined) data.lastTradeTimestamp = lastTradeTimestamp;
  return data;
}
