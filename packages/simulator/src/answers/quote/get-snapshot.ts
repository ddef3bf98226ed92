import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { type Snapshot, type SnapshotBasicData, SnapshotSchema } from '@svc-gateway/contract/generated/Qot_GetSecuritySnapshot_pb';
import { symbolOf } from '@svc-gateway/contract/markets';
import type { quote as declared } from '@svc-gateway/contract/operations';
import { SYMBOLS_MAX } from '@svc-gateway/contract/shape';
import type { Book, Quote } from '../../market/market.js';
import { inTurns } from '../../pace.js';
import { Refusal } from '../../refusal.js';
import type { Facts } from '../../view/facts.js';
import { averagePrice, percent } from '../../view/figures.js';
import type { Listing } from '../../view/listings.js';
import { type KnownListings, locateAll, locateKnown } from '../../view/locate.js';
import { type Fields, messageOf } from '../../view/messages.js';
import { closeFiveMinutesBefore, prepareUsualVolume, volumeRatio } from '../../view/past-trading.js';
import { HISTORIES_MAX, prepareRecord, prepareYearRange, priceRecord, yearRange } from '../../view/price-range.js';
import { kindData, plateData } from '../../view/snapshot-kinds.js';
import { lotSize } from '../../view/static-info.js';
import type { AnswerTo } from '../table.js';

/** Levels of each side over which the balance of bids and asks is taken. */
const BALANCE_LEVELS = 5;

/** Qot_GetSecuritySnapshot: the quote, the top of the book and what the kind of instrument adds; each as of one moment. */
export const getSnapshot: AnswerTo<typeof declared.getSnapshot> = (facts, { partial, securityList }) => {
  if (partial) {
    const located = locateKnown(facts, securityList, SYMBOLS_MAX);
    return located instanceof Refusal ? located : inTurns(snapshots(facts, located));
  }
  const listings = locateAll(facts, securityList, SYMBOLS_MAX);
  return listings instanceof Refusal ? listings : inTurns(snapshots(facts, { listings, missing: [], reason: '' }));
};

type SnapshotFacts = Facts<'clock' | 'world' | 'companies' | 'market' | 'listings' | 'quoteBoard' | 'caches'>;

function* snapshots(facts: SnapshotFacts, { listings, missing, reason }: KnownListings) {
  const snapshotList: Snapshot[] = [];
  const showsRecords = listings.length <= HISTORIES_MAX;
  for (const listing of listings) {
    if (snapshotList.length > 0) yield;
    const { instrument } = listing;
    const quote = facts.market.quote(instrument);
    yield* prepareYearRange(facts, listing, quote);
    if (showsRecords) yield* prepareRecord(facts, listing, quote);
    yield* prepareUsualVolume(facts, listing, quote);
    const plateExData = instrument.kind === 'plate' ? yield* plateData(facts, instrument) : undefined;
    const now = facts.market.quote(instrument);
    const basic = basicData(facts, listing, now, showsRecords);
    snapshotList.push(messageOf(SnapshotSchema, { basic, ...kindData(facts, listing, now), plateExData }));
  }
  return {
    snapshotList,
    missing: missing.map((security) => symbolOf(security) ?? `${security.market}.${security.code}`),
    missingReason: missing.length === 0 ? undefined : reason,
  };
}

function basicData(facts: SnapshotFacts, listing: Listing, quote: Quote, showsRecord: boolean): Fields<SnapshotBasicData> {
  const { instrument } = listing;
  const board = facts.quoteBoard.read(listing);
  const range = yearRange(facts, listing, quote);
  const before = closeFiveMinutesBefore(facts, listing, quote);
  const record = showsRecord ? priceRecord(facts, listing, quote) : undefined;
  return {
    security: board.security,
    name: board.name,
    type: listing.securityType,
    isSuspend: board.isSuspended,
    listTime: board.listTime,
    listTimestamp: listing.listTimestamp,
    lotSize: lotSize(listing),
    priceSpread: board.priceSpread,
    updateTime: board.updateTime,
    updateTimestamp: board.updateTimestamp,
    highPrice: board.highPrice,
    openPrice: board.openPrice,
    lowPrice: board.lowPrice,
    lastClosePrice: board.lastClosePrice,
    curPrice: board.curPrice,
    volume: board.volume,
    turnover: board.turnover,
    turnoverRate: board.turnoverRate,
    amplitude: board.amplitude,
    avgPrice: decimalToNumber(averagePrice(instrument, quote.turnover, quote.volume, quote.last)),
    highest52WeeksPrice: decimalToNumber(range.high),
    lowest52WeeksPrice: decimalToNumber(range.low),
    highestHistoryPrice: record && decimalToNumber(record.high),
    lowestHistoryPrice: record && decimalToNumber(record.low),
    volumeRatio: volumeRatio(facts, listing, quote),
    closePrice5Minute: before === undefined ? undefined : decimalToNumber(before),
    secStatus: board.secStatus,
    preMarket: board.preMarket,
    afterMarket: board.afterMarket,
    ...topOf(facts.market.book(instrument, BALANCE_LEVELS)),
  };
}

/** A side without orders has a price and a volume of 0: published clients read them as numbers. */
function topOf({ bids, asks }: Book) {
  const [[bid], [ask]] = [bids, asks];
  const bidden = bids.reduce((sum, level) => sum + level.volume, 0n);
  const asked = asks.reduce((sum, level) => sum + level.volume, 0n);
  return {
    bidPrice: decimalToNumber(bid?.price ?? 0n),
    bidVol: bid?.volume ?? 0n,
    askPrice: decimalToNumber(ask?.price ?? 0n),
    askVol: ask?.volume ?? 0n,
    bidAskRatio: bidden + asked > 0n ? percent(bidden - asked, bidden + asked) : undefined,
  };
}
