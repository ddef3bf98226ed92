import { type Decimal, decimalFromNumber } from '@svc-gateway/contract/decimal';
import type { BasicQot, OrderBook, Ticker } from '@svc-gateway/contract/generated/Qot_Common_pb';
import type { S2C as BasicQotS2C } from '@svc-gateway/contract/generated/Qot_UpdateBasicQot_pb';
import type { S2C as OrderBookS2C } from '@svc-gateway/contract/generated/Qot_UpdateOrderBook_pb';
import type { S2C as TickerS2C } from '@svc-gateway/contract/generated/Qot_UpdateTicker_pb';
import { parseLocal } from '@svc-gateway/contract/time';
import { payloadOf } from '@svc-gateway/gateway/push';
import type { RecordedEvent } from '@svc-gateway/recording';
import type { Book, BookLevel, ExtendedTrades, Quote, Tick, TickDirection } from '@svc-gateway/simulator/market/market';
import type { RecordedUpdate } from '@svc-gateway/simulator/market/recorded-market';
import type { Listing } from '@svc-gateway/simulator/view/listings';

/** Push protocols that a market is built from. */
export const ProtoId = { quote: 3005, ticker: 3011, orderBook: 3013 } as const;

/** Qot_Common.TickerDirection. */
const directions: Readonly<Record<number, TickDirection>> = { 1: 1, 2: -1, 3: 0 };

/** The market update in a recorded push; undefined where there is none, or none that is complete. */
export function updateOf(
  { source, message, time }: RecordedEvent,
  listing: Listing,
  tradingDayOf: (time: number) => string,
): RecordedUpdate | undefined {
  if (source.kind !== 'quote') return undefined;
  const payload = payloadOf(message);
  if (payload === undefined) return undefined;
  switch (source.protoId) {
    case ProtoId.quote: {
      const [basic] = (payload as BasicQotS2C).basicQotList;
      const quote = basic === undefined ? undefined : quoteOf(basic, listing, time, tradingDayOf);
      return quote && { kind: 'quote', quote };
    }
    case ProtoId.orderBook: {
      const book = bookOf(payload as OrderBookS2C, time);
      return book && { kind: 'book', book };
    }
    case ProtoId.ticker:
      return { kind: 'ticks', ticks: (payload as TickerS2C).tickerList.flatMap((ticker) => tickOf(ticker, listing) ?? []) };
    default:
      return undefined;
  }
}

/** Epoch ms of a time as the exchange's clocks show it, or of seconds since the epoch where they are given. */
function timeOf(text: string, seconds: number, { market }: Listing): number | undefined {
  return seconds > 0 ? Math.round(seconds * 1000) : parseLocal(text, market.timeZone);
}

function quoteOf(basic: BasicQot, listing: Listing, received: number, tradingDayOf: (time: number) => string): Quote | undefined {
  const [last, open, high, low, previousClose, turnover] = decimals([
    basic.curPrice,
    basic.openPrice,
    basic.highPrice,
    basic.lowPrice,
    basic.lastClosePrice,
    roundedTurnover(basic.turnover),
  ]);
  if (last === undefined || open === undefined || high === undefined || low === undefined) return undefined;
  if (previousClose === undefined || turnover === undefined) return undefined;
  const time = timeOf(basic.updateTime, basic.updateTimestamp, listing) ?? received;
  const [preMarket, afterMarket] = [basic.preMarket, basic.afterMarket].map(extendedOf);
  return {
    time,
    tradingDay: tradingDayOf(time),
    last,
    open,
    high,
    low,
    previousClose,
    volume: basic.volume,
    turnover,
    ...(preMarket === undefined ? {} : { preMarket }),
    ...(afterMarket === undefined ? {} : { afterMarket }),
  };
}

function extendedOf(trades: BasicQot['preMarket']): ExtendedTrades | undefined {
  if (trades === undefined) return undefined;
  const [last, high, low, turnover] = decimals([trades.price, trades.highPrice, trades.lowPrice, roundedTurnover(trades.turnover)]);
  if (last === undefined || high === undefined || low === undefined || turnover === undefined) return undefined;
  return { last, high, low, volume: trades.volume, turnover };
}

function bookOf({ orderBookAskList, orderBookBidList, orderBookType }: OrderBookS2C, time: number): Book | undefined {
  // Odd lots have a book of their own.
  if (orderBookType !== 0) return undefined;
  return { time, bids: levelsOf(orderBookBidList), asks: levelsOf(orderBookAskList) };
}

/** Levels without a price or a volume are how some exchanges pad a book. */
function levelsOf(levels: readonly OrderBook[]): BookLevel[] {
  return levels.flatMap(({ price, volume, orederCount: orderCount }) => {
    const exact = decimalFromNumber(price);
    return exact === undefined || exact <= 0n || volume <= 0n ? [] : [{ price: exact, volume, orderCount }];
  });
}

function tickOf(ticker: Ticker, listing: Listing): Tick | undefined {
  const [price, turnover] = decimals([ticker.price, roundedTurnover(ticker.turnover)]);
  const time = timeOf(ticker.time, ticker.timestamp, listing);
  if (price === undefined || turnover === undefined || time === undefined) return undefined;
  return { sequence: ticker.sequence, time, price, volume: ticker.volume, turnover, direction: directions[ticker.dir] ?? 0 };
}

function decimals(values: readonly number[]): (Decimal | undefined)[] {
  return values.map(decimalFromNumber);
}

/** Turnovers are sums that a server made in binary floating point: what they have beyond a thousandth is its error. */
function roundedTurnover(turnover: number): number {
  return Math.round(turnover * 1000) / 1000;
}
