import { create } from '@bufbuild/protobuf';
import { decimalToNumber } from '@svc-gateway/contract/decimal';
import {
  type Snapshot,
  type SnapshotBasicData,
  SnapshotBasicDataSchema,
  SnapshotSchema,
} from '@svc-gateway/contract/generated/Qot_GetSecuritySnapshot_pb';
import { type C2S, type S2C, S2CSchema } from '@svc-gateway/contract/generated/svc/snapshot_pb';
import { symbolOf } from '@svc-gateway/contract/markets';
import { SYMBOLS_MAX } from '@svc-gateway/contract/shape';
import type { Book, PriceBounds, Quote } from '../../market/market.js';
import { inTurns } from '../../pace.js';
import { Refusal } from '../../refusal.js';
import { lotSize } from '../../view/contract-terms.js';
import type { Answer, Facts } from '../../view/facts.js';
import { averagePrice, percent } from '../../view/figures.js';
import type { Listing } from '../../view/listings.js';
import { locateAll, locateKnown } from '../../view/locate.js';
import { prepareYearRange, yearRange } from '../../view/price-range.js';
import { HISTORIES_MAX, prepareRecord, priceRecord } from '../../view/price-record.js';
import { closeFiveMinutesBefore, prepareUsualVolume, volumeRatio } from '../../view/recent-trading.js';
import { addKindData, plateData } from '../../view/snapshot-kinds.js';

/** Levels of each side over which the balance of bids and asks is taken. */
const BALANCE_LEVELS = 5;

/** Qot_GetSecuritySnapshot: the quote, the top of the book and what the kind of instrument adds; each as of one moment. */
export const getSnapshot: Answer<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'quoteBoard' | 'caches', C2S, S2C> = (
  facts,
  request,
) => {
  if (request.partial) return known(facts, request);
  const listings = locateAll(facts, request.securityList, SYMBOLS_MAX);
  return listings instanceof Refusal ? listings : snapshots(facts, listings);
};

type SnapshotFacts = Facts<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'quoteBoard' | 'caches'>;

/** Snapshots of the known among the securities that a request names; the others are named in the answer. */
async function known(facts: SnapshotFacts, { securityList }: C2S): Promise<S2C | Refusal> {
  const located = locateKnown(facts, securityList, SYMBOLS_MAX);
  if (located instanceof Refusal) return located;
  const payload = await snapshots(facts, located.listings);
  payload.missing = located.missing.map((security) => symbolOf(security) ?? `${security.market}.${security.code}`);
  if (payload.missing.length > 0) payload.missingReason = located.reason;
  return payload;
}

function snapshots(facts: SnapshotFacts, listings: readonly Listing[]): S2C | Promise<S2C> {
  return inTurns(all(facts, listings, listings.length <= HISTORIES_MAX));
}

function* all(facts: SnapshotFacts, listings: readonly Listing[], showsRecords: boolean): Generator<void, S2C> {
  const payload = create(S2CSchema);
  for (const listing of listings) {
    if (payload.snapshotList.length > 0) yield;
    const { instrument } = listing;
    const quote = facts.market.quote(instrument);
    yield* prepareYearRange(facts, listing, quote);
    if (showsRecords) yield* prepareRecord(facts, listing, quote);
    yield* prepareUsualVolume(facts, listing, quote);
    const members = instrument.kind === 'plate' ? yield* plateData(facts, instrument) : undefined;
    const message = snapshot(facts, listing, showsRecords);
    if (members !== undefined) message.plateExData = members;
    payload.snapshotList.push(message);
  }
  return payload;
}

function snapshot(facts: SnapshotFacts, listing: Listing, showsRecord: boolean): Snapshot {
  const quote = facts.market.quote(listing.instrument);
  const message = create(SnapshotSchema);
  message.basic = basicData(facts, listing, quote);
  if (showsRecord) addRecord(message.basic, priceRecord(facts, listing, quote));
  addKindData(facts, listing, quote, message);
  return message;
}

function addRecord(data: SnapshotBasicData, record: PriceBounds | undefined): void {
  if (record === undefined) return;
  data.highestHistoryPrice = decimalToNumber(record.high);
  data.lowestHistoryPrice = decimalToNumber(record.low);
}

function basicData(
  facts: Facts<'clock' | 'world' | 'companies' | 'market' | 'quoteBoard' | 'caches'>,
  listing: Listing,
  quote: Quote,
): SnapshotBasicData {
  const { instrument } = listing;
  const board = facts.quoteBoard.read(listing);
  const range = yearRange(facts, listing, quote);
  const data = create(SnapshotBasicDataSchema);
  data.security = board.security;
  data.name = board.name;
  data.type = listing.securityType;
  data.isSuspend = board.isSuspended;
  data.listTime = board.listTime;
  const { listTimestamp } = listing;
  if (listTimestamp !== undefined) data.listTimestamp = listTimestamp;
  data.lotSize = lotSize(listing);
  data.priceSpread = board.priceSpread;
  data.updateTime = board.updateTime;
  data.updateTimestamp = board.updateTimestamp;
  data.highPrice = board.highPrice;
  data.openPrice = board.openPrice;
  data.lowPrice = board.lowPrice;
  data.lastClosePrice = board.lastClosePrice;
  data.curPrice = board.curPrice;
  data.volume = board.volume;
  data.turnover = board.turnover;
  data.turnoverRate = board.turnoverRate;
  data.amplitude = board.amplitude;
  data.avgPrice = decimalToNumber(averagePrice(instrument, quote.turnover, quote.volume, quote.last));
  data.highest52WeeksPrice = decimalToNumber(range.high);
  data.lowest52WeeksPrice = decimalToNumber(range.low);
  const ratio = volumeRatio(facts, listing, quote);
  if (ratio !== undefined) data.volumeRatio = ratio;
  const before = closeFiveMinutesBefore(facts, listing, quote);
  if (before !== undefined) data.closePrice5Minute = decimalToNumber(before);
  data.secStatus = board.secStatus;
  if (board.preMarket !== undefined) data.preMarket = board.preMarket;
  if (board.afterMarket !== undefined) data.afterMarket = board.afterMarket;
  addBookTop(data, facts.market.book(instrument, BALANCE_LEVELS));
  return data;
}

/** A side without orders has a price and a volume of 0: published clients read them as numbers. */
function addBookTop(data: SnapshotBasicData, { bids, asks }: Book): void {
  const [bid] = bids;
  const [ask] = asks;
  data.bidPrice = decimalToNumber(bid?.price ?? 0n);
  data.bidVol = bid?.volume ?? 0n;
  data.askPrice = decimalToNumber(ask?.price ?? 0n);
  data.askVol = ask?.volume ?? 0n;
  const bidden = bids.reduce((sum, level) => sum + level.volume, 0n);
  const asked = asks.reduce((sum, level) => sum + level.volume, 0n);
  if (bidden + asked > 0n) data.bidAskRatio = percent(bidden - asked, bidden + asked);
}
