import { create } from '@bufbuild/protobuf';
import { DECIMAL_ONE, decimalToNumber, divide } from '../../contract/decimal.js';
import {
  type EquitySnapshotExData,
  EquitySnapshotExDataSchema,
  type FutureSnapshotExData,
  FutureSnapshotExDataSchema,
  type IndexSnapshotExData,
  IndexSnapshotExDataSchema,
  type Snapshot,
  type TrustSnapshotExData,
  TrustSnapshotExDataSchema,
} from '../../contract/generated/Qot_GetSecuritySnapshot_pb.js';
import type { Quote } from '../market/market.js';
import type { FutureTerms, Instrument } from '../world/instrument.js';
import { lastTrade } from './contract-terms.js';
import type { Facts } from './facts.js';
import { percent } from './figures.js';
import { equityFacts, fundFacts, openInterest } from './fundamentals.js';
import type { Listing } from './listings.js';

/** Adds to a snapshot what only its kind of instrument has. Currency pairs have nothing of the sort. */
export function addKindData(facts: Facts<'world'>, listing: Listing, quote: Quote, message: Snapshot): void {
  const { instrument } = listing;
  if (instrument.kind === 'equity') message.equityExData = equityData(instrument, quote);
  if (instrument.kind === 'etf') message.trustExData = fundData(instrument, quote);
  if (instrument.kind === 'index') message.indexExData = indexData(facts, instrument, quote);
  if (instrument.future !== undefined) message.futureExData = futureData(listing, instrument.future, quote);
}

function equityData(instrument: Instrument, { last }: Quote): EquitySnapshotExData {
  const facts = equityFacts(instrument);
  const { sharesIssued } = instrument;
  const data = create(EquitySnapshotExDataSchema);
  data.issuedShares = sharesIssued;
  data.issuedMarketVal = decimalToNumber(last * sharesIssued);
  data.netAsset = decimalToNumber(facts.netAssetsPerShare * sharesIssued);
  data.netProfit = decimalToNumber(facts.earningsPerShare * sharesIssued);
  data.earningsPershare = decimalToNumber(facts.earningsPerShare);
  data.outstandingShares = facts.sharesOutstanding;
  data.outstandingMarketVal = decimalToNumber(last * facts.sharesOutstanding);
  data.netAssetPershare = decimalToNumber(facts.netAssetsPerShare);
  data.eyRate = percent(facts.earningsPerShare, last);
  data.peRate = ratio(last, facts.earningsPerShare);
  data.pbRate = ratio(last, facts.netAssetsPerShare);
  data.peTTMRate = data.peRate;
  data.dividendTTM = decimalToNumber(facts.dividendPerShare);
  data.dividendRatioTTM = percent(facts.dividendPerShare, last);
  data.dividendLFY = data.dividendTTM;
  data.dividendLFYRatio = data.dividendRatioTTM;
  return data;
}

const MILLIONTHS = 1_000_000n;

function fundData(instrument: Instrument, { last }: Quote): TrustSnapshotExData {
  const facts = fundFacts(instrument);
  const aboveNetAssets = (DECIMAL_ONE * BigInt(Math.round((1 + facts.premium) * Number(MILLIONTHS)))) / MILLIONTHS;
  const netAssetValue = divide(last, aboveNetAssets);
  const data = create(TrustSnapshotExDataSchema);
  data.dividendYield = facts.dividendYield;
  data.aum = decimalToNumber(netAssetValue * instrument.sharesIssued);
  data.outstandingUnits = instrument.sharesIssued;
  data.netAssetValue = decimalToNumber(netAssetValue);
  data.premium = percent(last - netAssetValue, netAssetValue);
  data.assetClass = facts.assetClass;
  return data;
}

/** A rise of this fraction has about three in four of an index's members rising. */
const BROAD_MOVE = 0.01;

/** How many members rise and fall, from how far the index moved. The members are its market's equities. */
function indexData(facts: Facts<'world'>, instrument: Instrument, quote: Quote): IndexSnapshotExData {
  const members = facts.world.instruments({ market: instrument.market, kind: 'equity' }).length;
  const change = Number(quote.last - quote.previousClose) / Number(quote.previousClose);
  const rising = 0.5 + 0.5 * (change / (BROAD_MOVE + Math.abs(change)));
  const equalCount = Math.round(members * 0.04);
  const raiseCount = Math.round((members - equalCount) * rising);
  return create(IndexSnapshotExDataSchema, { raiseCount, equalCount, fallCount: members - equalCount - raiseCount });
}

function futureData(listing: Listing, terms: FutureTerms, quote: Quote): FutureSnapshotExData {
  const { contracts, change } = openInterest(listing.instrument, quote.tradingDay);
  const { lastTradeTime, lastTradeTimestamp } = lastTrade(terms, listing.market.timeZone);
  const data = create(FutureSnapshotExDataSchema, {
    lastSettlePrice: decimalToNumber(quote.previousClose),
    position: contracts,
    positionChange: change,
    lastTradeTime,
    isMainContract: terms.isMain,
  });
  if (lastTradeTimestamp !== undefined) data.lastTradeTimestamp = lastTradeTimestamp;
  return data;
}

function ratio(price: bigint, perShare: bigint): number {
  return Math.round((Number(price) / Number(perShare)) * 1000) / 1000;
}
