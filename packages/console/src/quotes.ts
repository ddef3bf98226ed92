import { placesOf } from './format.js';
import { type Fields, fieldsOf, numberOf, rowsOf, textOf } from './json.js';
import type { Point } from './line.js';
import { symbolOf } from './names.js';

/** Quote of a watched symbol. Prices are as the daemon sends them. */
export interface Quote {
  readonly symbol: string;
  name: string;
  last?: number;
  /** The close before today's session. */
  close?: number;
  bid?: number;
  ask?: number;
  /** A whole number's text. */
  volume: string;
  suspended: boolean;
  /** Decimal places of the prices: those of the tick, or of the last price if it has more. */
  places: number;
  marketState?: number;
  bars: readonly Point[];
  /** When the last push came, by this page's clock. */
  heardAt?: number;
  /** Why the daemon does not send it, in its words. */
  refused?: string;
}

const BASIC_QUOTE = 3005;
const ORDER_BOOK = 3013;

/** The quotes of all watched symbols, brought up to date by the frames of the push stream. */
export class Quotes {
  readonly #quotes = new Map<string, Quote>();

  add(symbol: string): Quote {
    const quote = this.#quotes.get(symbol) ?? { symbol, name: '', volume: '', suspended: false, places: 0, bars: [] };
    this.#quotes.set(symbol, quote);
    return quote;
  }

  get(symbol: string): Quote | undefined {
    return this.#quotes.get(symbol);
  }

  remove(symbol: string): void {
    this.#quotes.delete(symbol);
  }

  /** Takes in a frame that came at `at`. Returns the quote that it changed; undefined where it is of something else. */
  take(frame: Fields, at: number): Quote | undefined {
    const quote = this.#quotes.get(textOf(frame.symbol));
    if (quote === undefined) return undefined;
    const body = fieldsOf(frame.body);
    switch (frame.proto_id) {
      case BASIC_QUOTE:
        for (const row of rowsOf(body.basic_qot_list)) takeBasic(quote, row);
        break;
      case ORDER_BOOK:
        takeBook(quote, body);
        break;
      default:
        return undefined;
    }
    quote.heardAt = at;
    delete quote.refused;
    return quote;
  }

  /** Takes in the states of markets, of an answer to `market-state`. */
  takeStates(payload: Fields): void {
    for (const row of rowsOf(payload.market_info_list)) {
      const security = fieldsOf(row.security);
      const quote = this.#quotes.get(symbolOf(numberOf(security.market), textOf(security.code)));
      const state = numberOf(row.market_state);
      if (quote !== undefined && state !== undefined) quote.marketState = state;
    }
  }

  /** Takes in the bars of a symbol, of an answer to `kline`. */
  takeBars(symbol: string, payload: Fields): void {
    const quote = this.#quotes.get(symbol);
    if (quote === undefined) return;
    quote.bars = rowsOf(payload.kl_list).flatMap((bar) => {
      const [time, price] = [numberOf(bar.timestamp), numberOf(bar.close_price)];
      return bar.is_blank === true || time === undefined || price === undefined ? [] : [{ time, price }];
    });
  }
}

/** The prices that a chart shows: the closes of the bars, and the last price as the end of the running one. */
export function courseOf({ bars, last }: Quote): readonly number[] {
  const closes = bars.map(({ price }) => price);
  return last === undefined || closes.length === 0 ? closes : [...closes.slice(0, -1), last];
}

function takeBasic(quote: Quote, row: Fields): void {
  quote.name = textOf(row.name) || quote.name;
  const [last, close] = [numberOf(row.cur_price), numberOf(row.last_close_price)];
  if (last !== undefined) quote.last = last;
  if (close !== undefined) quote.close = close;
  quote.volume = textOf(row.volume);
  quote.suspended = row.is_suspended === true;
  quote.places = Math.max(placesOf(numberOf(row.price_spread)), placesOf(last), placesOf(close));
}

function takeBook(quote: Quote, body: Fields): void {
  quote.name = textOf(body.name) || quote.name;
  const best = (list: string) => numberOf(rowsOf(body[list])[0]?.price);
  const [bid, ask] = [best('order_book_bid_list'), best('order_book_ask_list')];
  // An empty side has no best price: an old one would be a price that nobody offers.
  if (bid === undefined) delete quote.bid;
  else quote.bid = bid;
  if (ask === undefined) delete quote.ask;
  else quote.ask = ask;
}
