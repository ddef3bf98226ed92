import { create } from '@bufbuild/protobuf';
import type { Decimal } from '@svc-gateway/contract/decimal';
import {
  type DayStats,
  DayStatsSchema,
  type StockIndicator,
  StockIndicatorSchema,
} from '@svc-gateway/contract/generated/svc/forex_constituents_pb';
import type { Bar, Quote } from '../../market/market.js';
import type { Facts } from '../../view/facts.js';
import { averagePrice } from '../../view/figures.js';
import type { Listing } from '../../view/listings.js';
import { known } from '../../view/optional-fields.js';
import { type ChangeDays, pastCloses } from '../../view/past-closes.js';
import { yearRange } from '../../view/price-range.js';
import { ratio, raw, thousandths } from './scales.js';

type Used = Facts<'clock' | 'world' | 'market' | 'caches'>;

const DAY_MS = 86_400_000;

/** A pair's figures of now: its quote, the best prices of its book, and how the price stands to past ones. */
export function indicatorOf(facts: Used, listing: Listing, quote: Quote): StockIndicator {
  const { instrument } = listing;
  const { last, previousClose, high, low } = quote;
  const { bids, asks } = facts.market.book(instrument, 1);
  const [bid, ask] = [bids[0], asks[0]];
  const spread = bid === undefined || ask === undefined ? undefined : ask.price - bid.price;
  const past = pastCloses(facts, listing);
  const range = yearRange(facts, listing, quote);
  const since = (close: Decimal | undefined) => (close === undefined ? undefined : ratio(last - close, close));
  const over = (days: ChangeDays) => since(past.back[days]);
  return create(StockIndicatorSchema, {
    curPrice: raw(last),
    change: raw(last - previousClose),
    changeRatio: ratio(last - previousClose, previousClose),
    openPrice: raw(quote.open),
    highPrice: raw(high),
    lowPrice: raw(low),
    lastClosePrice: raw(previousClose),
    amplitudeRatio: ratio(high - low, previousClose),
    ...traded(quote),
    ...(quote.volume === 0n ? {} : { averagePrice: raw(averagePrice(instrument, quote.turnover, quote.volume, last)) }),
    yearHighPrice: raw(range.high),
    yearLowPrice: raw(range.low),
    yearHighRatio: ratio(last - range.high, range.high),
    yearLowRatio: ratio(last - range.low, range.low),
    ...known({
      bidPrice: bid?.price,
      askPrice: ask?.price,
      bidVolume: bid?.volume,
      askVolume: ask?.volume,
      spread,
      spreadRatio: spread === undefined || bid === undefined ? undefined : ratio(spread, bid.price),
      changeRatio5d: over(5),
      changeRatio10d: over(10),
      changeRatio20d: over(20),
      changeRatio60d: over(60),
      changeRatio120d: over(120),
      changeRatio250d: over(250),
      changeRatioYear: since(past.lastYear),
    }),
  });
}

/** The hours of the last 24 that have begun within them; nothing where there was no trading, as on Sundays. */
export function dayStats({ clock, market }: Used, { instrument }: Listing): DayStats | undefined {
  const bars = market.bars(instrument, { unit: 'minute', count: 60 }, { from: clock.now() - DAY_MS });
  const [first, newest] = [bars[0], bars.at(-1)];
  if (first === undefined || newest === undefined) return undefined;
  const high = extreme(
    bars,
    (bar) => bar.high,
    (a, b) => a > b,
  );
  const low = extreme(
    bars,
    (bar) => bar.low,
    (a, b) => a < b,
  );
  const change = newest.close - first.open;
  return create(DayStatsSchema, {
    high: raw(high),
    low: raw(low),
    change: raw(change),
    changeRatio: ratio(change, first.open),
    amplitudeRatio: ratio(high - low, first.open),
    ...traded({
      volume: bars.reduce((sum, { volume }) => sum + volume, 0n),
      turnover: bars.reduce((sum, { turnover }) => sum + turnover, 0n),
    }),
  });
}

/** Nobody counts what is dealt in a pair over the counter: then nothing is known of it, which is not 0. */
function traded({ volume, turnover }: Pick<Quote, 'volume' | 'turnover'>) {
  return volume === 0n ? {} : { volume, turnover: thousandths(turnover) };
}

function extreme(bars: readonly Bar[], of: (bar: Bar) => Decimal, beats: (a: Decimal, b: Decimal) => boolean): Decimal {
  return bars.map(of).reduce((best, one) => (beats(one, best) ? one : best));
}
