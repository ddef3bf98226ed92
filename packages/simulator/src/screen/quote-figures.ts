import { decimalToNumber } from '@svc-gateway/contract/decimal';
import { localDayNumber, parseLocal, requireDay } from '@svc-gateway/contract/time';
import type { Book, Quote } from '../market/market.js';
import { averagePrice, percent, turnoverRate } from '../view/figures.js';
import { recentChange, volumeRatio as usualVolumeRatio } from '../view/past-trading.js';
import { yearRange } from '../view/price-range.js';
import type { Figure, Row, ScreenFacts } from './column-snapshot.js';

/** Figures of the quote itself: reading one costs next to nothing. */
const QUICK = 4_000;
/** Speed of figures that need a look at the book. */
const BOOK_SPEED = 100;
/** Speed of figures that need bars nobody may have asked for yet. */
const BARS_SPEED = 1;
/** Levels of each side over which the balance of bids and asks is taken, as in the snapshot. */
const BALANCE_LEVELS = 5;

function ofQuote(key: string, of: (quote: Quote, row: Row) => number): Figure {
  return { key, lasts: 'moment', speed: QUICK, of: (_, row) => of(row.quote, row) };
}

export const price = ofQuote('price', ({ last }) => decimalToNumber(last));
export const openPrice = ofQuote('open', ({ open }) => decimalToNumber(open));
export const highPrice = ofQuote('high', ({ high }) => decimalToNumber(high));
export const lowPrice = ofQuote('low', ({ low }) => decimalToNumber(low));
export const previousClose = ofQuote('previous close', (quote) => decimalToNumber(quote.previousClose));
export const change = ofQuote('change', (quote) => decimalToNumber(quote.last - quote.previousClose));
/** Percent. */
export const changeRate = ofQuote('change rate', (quote) => percent(quote.last - quote.previousClose, quote.previousClose));
/** Percent. */
export const amplitude = ofQuote('amplitude', ({ high, low, previousClose: before }) => percent(high - low, before));
/** Volume of the day so far, in shares or contracts. */
export const volume = ofQuote('volume', (quote) => Number(quote.volume));
/** Turnover of the day so far, in money. */
export const turnover = ofQuote('turnover', (quote) => decimalToNumber(quote.turnover));
/** Volume-weighted, of the day so far. */
export const averageOfDay = ofQuote('average price', ({ turnover: sum, volume: count, last }, { listing }) =>
  decimalToNumber(averagePrice(listing.instrument, sum, count, last)),
);
export const lotPrice = ofQuote('lot price', ({ last }, { listing: { instrument } }) => decimalToNumber(last * BigInt(instrument.lotSize)));

/** Percent of the shares that are traded. */
export const turnoverRateOfDay: Figure = {
  key: 'turnover rate',
  lasts: 'moment',
  speed: 50,
  of: ({ companies }, { listing, quote }) => turnoverRate(companies, listing.instrument, quote.tradingDay, quote.volume),
};

/** Trades before or after regular hours, in the United States; NaN elsewhere and without trades. */
export function extended(
  hours: 'preMarket' | 'afterMarket',
  name: 'price' | 'change' | 'changeRate' | 'amplitude' | 'volume' | 'turnover',
) {
  return ofQuote(`${hours} ${name}`, (quote) => {
    const trades = quote[hours];
    if (trades === undefined) return Number.NaN;
    // After the close, the change is from it.
    const from = hours === 'preMarket' ? quote.previousClose : quote.last;
    switch (name) {
      case 'price':
        return decimalToNumber(trades.last);
      case 'change':
        return decimalToNumber(trades.last - from);
      case 'changeRate':
        return percent(trades.last - from, from);
      case 'amplitude':
        return percent(trades.high - trades.low, from);
      case 'volume':
        return Number(trades.volume);
      default:
        return decimalToNumber(trades.turnover);
    }
  });
}

function ofBook(key: string, of: (book: Book) => number): Figure {
  return {
    key,
    lasts: 'moment',
    speed: BOOK_SPEED,
    of: ({ market }, { listing }) => of(market.book(listing.instrument, BALANCE_LEVELS)),
  };
}

function best(side: 'bids' | 'asks', field: 'price' | 'volume') {
  return (book: Book) => {
    const level = book[side][0];
    if (level === undefined) return Number.NaN;
    return field === 'price' ? decimalToNumber(level.price) : Number(level.volume);
  };
}

export const bidPrice = ofBook('bid price', best('bids', 'price'));
export const askPrice = ofBook('ask price', best('asks', 'price'));
export const bidVolume = ofBook('bid volume', best('bids', 'volume'));
export const askVolume = ofBook('ask volume', best('asks', 'volume'));
/** (bid − asked) ÷ (bid + asked) of the best five levels, percent. */
export const bidAskRatio = ofBook('bid-ask ratio', ({ bids, asks }) => {
  const bidden = bids.reduce((sum, level) => sum + level.volume, 0n);
  const asked = asks.reduce((sum, level) => sum + level.volume, 0n);
  return bidden + asked === 0n ? Number.NaN : percent(bidden - asked, bidden + asked);
});

/** Where a price stands in the range of the 52 weeks up to now: (price − bound) ÷ bound, percent. */
export function toYearRange(which: 'last' | 'high' | 'low', bound: 'high' | 'low'): Figure {
  return {
    key: `${which} to 52-week ${bound}`,
    lasts: 'moment',
    speed: BARS_SPEED,
    of: (facts, { listing, quote }) => {
      const range = yearRange(facts, listing, quote);
      return percent(quote[which] - range[bound], range[bound]);
    },
  };
}

/** Change against the price five minutes before, percent; as rankings have it. */
export const changeOverFiveMinutes: Figure = {
  key: 'change over 5 minutes',
  lasts: 'moment',
  speed: 10,
  of: (facts, { listing, quote }) => recentChange(facts, listing, quote) ?? Number.NaN,
};

/** Change against the last close of the year before, adjusted for what went off since, percent. */
export const changeThisYear: Figure = {
  key: 'change this year',
  lasts: 'moment',
  speed: BARS_SPEED,
  of: (facts, { listing, quote }) => {
    const close = adjustedCloseBefore(facts, listing, `${quote.tradingDay.slice(0, 4)}-01-01`);
    return close === undefined ? Number.NaN : percent(quote.last - close, close);
  },
};

/** The last regular close before a day, adjusted to today's shares; undefined before the instrument's first day. */
function adjustedCloseBefore(facts: ScreenFacts, { instrument, market }: Row['listing'], day: string): bigint | undefined {
  const to = parseLocal(day, market.timeZone);
  const [bar] = to === undefined ? [] : facts.market.bars(instrument, { unit: 'day' }, { to, limit: 1 }, 'forward');
  return bar?.close;
}

/** Days from the first one of trading to today. */
export const listedDays: Figure = {
  key: 'listed days',
  lasts: 'day',
  speed: QUICK,
  of: ({ clock }, { listing: { instrument, market } }) => localDayNumber(clock.now(), market.timeZone) - requireDay(instrument.listDate),
};

/** See {@link usualVolumeRatio}; NaN where there is none. */
export const volumeRatio: Figure = {
  key: 'volume ratio',
  lasts: 'moment',
  speed: BARS_SPEED,
  of: (facts, { listing, quote }) => usualVolumeRatio(facts, listing, quote) ?? Number.NaN,
};
