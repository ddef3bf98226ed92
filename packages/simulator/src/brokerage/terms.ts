/**
 * The words of the brokerage and their numbers in the public protocol (`Trd_Common`). Inside, only the words are used.
 */

import type { Currency } from '@svc-gateway/contract/markets';

/** A two-way table between words and protocol numbers. */
class Terms<T extends string> {
  readonly #byNumber = new Map<number, T>();

  constructor(
    private readonly what: string,
    private readonly numbers: Readonly<Record<T, number>>,
  ) {
    for (const [word, number] of Object.entries(numbers) as [T, number][]) this.#byNumber.set(number, word);
  }

  numberOf(word: T): number {
    return this.numbers[word];
  }

  isWord(text: string): text is T {
    return Object.hasOwn(this.numbers, text);
  }

  /** The word of a protocol number; undefined for a number that the brokerage does not know. */
  wordOf(number: number): T | undefined {
    return this.#byNumber.get(number);
  }

  /** "trdSide 9 is unknown: 1 buy, 2 sell, …". */
  unknown(number: number): string {
    const accepted = [...this.#byNumber].map(([accepted, word]) => `${accepted} ${word}`).join(', ');
    return `${this.what} ${number} is not accepted; accepted: ${accepted}`;
  }
}

export type TradeEnvironment = 'simulate' | 'real';
export const tradeEnvironments = new Terms<TradeEnvironment>('trdEnv', { simulate: 0, real: 1 });

export type TradeSide = 'buy' | 'sell' | 'sell_short' | 'buy_back';
export const tradeSides = new Terms<TradeSide>('trdSide', { buy: 1, sell: 2, sell_short: 3, buy_back: 4 });

export type OrderType =
  | 'normal'
  | 'market'
  | 'absolute_limit'
  | 'auction'
  | 'auction_limit'
  | 'special_limit'
  | 'special_limit_all'
  | 'stop'
  | 'stop_limit'
  | 'market_if_touched'
  | 'limit_if_touched'
  | 'trailing_stop'
  | 'trailing_stop_limit'
  | 'twap_market'
  | 'twap_limit'
  | 'vwap_market'
  | 'vwap_limit';
export const orderTypes = new Terms<OrderType>('orderType', {
  normal: 1,
  market: 2,
  absolute_limit: 5,
  auction: 6,
  auction_limit: 7,
  special_limit: 8,
  special_limit_all: 9,
  stop: 10,
  stop_limit: 11,
  market_if_touched: 12,
  limit_if_touched: 13,
  trailing_stop: 14,
  trailing_stop_limit: 15,
  twap_market: 16,
  twap_limit: 17,
  vwap_market: 18,
  vwap_limit: 19,
});

export type OrderStatus =
  | 'unsubmitted'
  | 'waiting_submit'
  | 'submitting'
  | 'submit_failed'
  | 'timed_out'
  | 'submitted'
  | 'filled_part'
  | 'filled_all'
  | 'cancelling_part'
  | 'cancelling_all'
  | 'cancelled_part'
  | 'cancelled_all'
  | 'failed'
  | 'disabled'
  | 'deleted'
  | 'fill_cancelled'
  | 'unknown';
export const orderStatuses = new Terms<OrderStatus>('orderStatus', {
  unsubmitted: 0,
  waiting_submit: 1,
  submitting: 2,
  submit_failed: 3,
  timed_out: 4,
  submitted: 5,
  filled_part: 10,
  filled_all: 11,
  cancelling_part: 12,
  cancelling_all: 13,
  cancelled_part: 14,
  cancelled_all: 15,
  failed: 21,
  disabled: 22,
  deleted: 23,
  fill_cancelled: 24,
  unknown: -1,
});

export type TimeInForce = 'day' | 'gtc' | 'ioc' | 'gtd';
export const timesInForce = new Terms<TimeInForce>('timeInForce', { day: 0, gtc: 1, ioc: 2, gtd: 3 });

/** Hours of an order that its caller has named. */
export type OrderHours = 'regular' | 'extended' | 'all' | 'overnight';
export const orderHours = new Terms<OrderHours>('session', { regular: 1, extended: 2, all: 3, overnight: 4 });

export type TrailType = 'ratio' | 'amount';
export const trailTypes = new Terms<TrailType>('trailType', { ratio: 1, amount: 2 });

/** Reason why an order must be confirmed by its owner before it is sent. */
export type ReconfirmReason = 'quantity' | 'price';
/** Trd_Common.ReconfirmOrderReason of earlier versions of the protocol. */
export const reconfirmReasons = new Terms<ReconfirmReason>('reconfirmReason', { quantity: 1, price: 2 });

export type ModifyOperation = 'normal' | 'cancel' | 'disable' | 'enable' | 'delete';
export const modifyOperations = new Terms<ModifyOperation>('modifyOrderOp', { normal: 1, cancel: 2, disable: 3, enable: 4, delete: 5 });

/** Sections of the trading market that accounts are authorised for. */
export type TradeMarket =
  | 'HK'
  | 'US'
  | 'CN'
  | 'HKCC'
  | 'FUTURES'
  | 'SG'
  | 'JP'
  | 'MY'
  | 'FUTURES_SIMULATE_HK'
  | 'FUTURES_SIMULATE_US'
  | 'FUTURES_SIMULATE_SG'
  | 'FUTURES_SIMULATE_JP';
export const tradeMarkets = new Terms<TradeMarket>('trdMarket', {
  HK: 1,
  US: 2,
  CN: 3,
  HKCC: 4,
  FUTURES: 5,
  SG: 6,
  FUTURES_SIMULATE_HK: 10,
  FUTURES_SIMULATE_US: 11,
  FUTURES_SIMULATE_SG: 12,
  FUTURES_SIMULATE_JP: 13,
  JP: 15,
  MY: 111,
});

export const currencies = new Terms<Currency>('currency', { HKD: 1, USD: 2, CNH: 3, JPY: 4, SGD: 5, AUD: 6, CAD: 7, MYR: 8 });
