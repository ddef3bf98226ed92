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

/** The words of a table. */
type WordOf<T> = T extends Terms<infer Word> ? Word : never;

export const tradeEnvironments = new Terms('trdEnv', { simulate: 0, real: 1 });
export type TradeEnvironment = WordOf<typeof tradeEnvironments>;

export const tradeSides = new Terms('trdSide', { buy: 1, sell: 2, sell_short: 3, buy_back: 4 });
export type TradeSide = WordOf<typeof tradeSides>;

export const orderTypes = new Terms('orderType', {
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
export type OrderType = WordOf<typeof orderTypes>;

export const orderStatuses = new Terms('orderStatus', {
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
export type OrderStatus = WordOf<typeof orderStatuses>;

export const timesInForce = new Terms('timeInForce', { day: 0, gtc: 1, ioc: 2, gtd: 3 });
export type TimeInForce = WordOf<typeof timesInForce>;

export const orderHours = new Terms('session', { regular: 1, extended: 2, all: 3, overnight: 4 });
/** Hours of an order that its caller has named. */
export type OrderHours = WordOf<typeof orderHours>;

export const trailTypes = new Terms('trailType', { ratio: 1, amount: 2 });
export type TrailType = WordOf<typeof trailTypes>;

/** Trd_Common.ReconfirmOrderReason of earlier versions of the protocol. */
export const reconfirmReasons = new Terms('reconfirmReason', { quantity: 1, price: 2 });
/** Reason why an order must be confirmed by its owner before it is sent. */
export type ReconfirmReason = WordOf<typeof reconfirmReasons>;

export const modifyOperations = new Terms('modifyOrderOp', { normal: 1, cancel: 2, disable: 3, enable: 4, delete: 5 });
export type ModifyOperation = WordOf<typeof modifyOperations>;

export const tradeMarkets = new Terms('trdMarket', {
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
/** Sections of the trading market that accounts are authorised for. */
export type TradeMarket = WordOf<typeof tradeMarkets>;

export const currencies = new Terms<Currency>('currency', { HKD: 1, USD: 2, CNH: 3, JPY: 4, SGD: 5, AUD: 6, CAD: 7, MYR: 8 });
