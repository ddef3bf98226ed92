import { quoteMarketNumbered, quoteMarketOfSecMarket } from '@svc-gateway/contract/markets';

/** The words for the numbers of answers and pushes, as REST writes them. A number that is not listed is shown as it is. */

const currencies = ['', 'HKD', 'USD', 'CNH', 'JPY', 'SGD', 'AUD', 'CAD', 'MYR', 'NZD'];
const tradingMarkets: Names = { 1: 'HK', 2: 'US', 3: 'CN', 4: 'HKCC', 5: 'Futures', 6: 'SG', 8: 'AU', 15: 'JP', 111: 'MY', 112: 'CA' };
const sides: Names = { 1: 'Buy', 2: 'Sell', 3: 'Sell short', 4: 'Buy back' };
const accountTypes: Names = { 1: 'cash', 2: 'margin' };
const orderTypes: Names = {
  1: 'Limit',
  2: 'Market',
  5: 'Absolute limit',
  6: 'Auction',
  7: 'Auction limit',
  8: 'Special limit',
  10: 'Stop',
  11: 'Stop limit',
  12: 'Market if touched',
  13: 'Limit if touched',
  14: 'Trailing stop',
  15: 'Trailing stop limit',
  16: 'TWAP',
  17: 'TWAP limit',
  18: 'VWAP',
  19: 'VWAP limit',
};
const statuses: Names = {
  [-1]: 'Unknown',
  0: 'Not submitted',
  1: 'Waiting',
  2: 'Submitting',
  3: 'Submit failed',
  4: 'Timed out: outcome unknown',
  5: 'Working',
  10: 'Partly filled',
  11: 'Filled',
  12: 'Cancelling, partly filled',
  13: 'Cancelling',
  14: 'Cancelled, partly filled',
  15: 'Cancelled',
  21: 'Rejected',
  22: 'Disabled',
  23: 'Deleted',
  24: 'Fill taken back',
};
/** In these an order is in the market no more, or never was; in all others, unknown ones among them, it may still trade. */
const ENDED = new Set([3, 11, 14, 15, 21, 22, 23, 24]);
const marketStates: Names = {
  0: 'No trading',
  1: 'Auction',
  2: 'Waiting to open',
  3: 'Open',
  4: 'Midday break',
  5: 'Open',
  6: 'Closed',
  8: 'Pre-market',
  9: 'Pre-market ended',
  10: 'After hours',
  11: 'After hours ended',
  13: 'Night session',
  14: 'Night session ended',
  15: 'Open',
  16: 'Break',
  17: 'Closed',
  18: 'Waiting to open',
  19: 'Closing auction',
  23: 'Open',
  24: 'Break',
  25: 'Open',
  26: 'Closed',
  27: 'After hours soon',
  28: 'After hours',
  29: 'After hours ended',
  30: 'Closing auction',
  31: 'Closed',
  32: 'Open',
  33: 'Overnight',
  34: 'Overnight ended',
  35: 'Trade at last',
  36: 'Closing auction',
  37: 'Overnight',
};
/** In these, prices are expected to move: a quote without news for long is worth a look. */
const TRADING = new Set([1, 3, 5, 8, 10, 13, 15, 19, 23, 25, 28, 30, 32, 33, 35, 36, 37]);
const bracketStates: Names = { 1: 'Placing', 2: 'Open', 3: 'Closed', 4: 'Cancelled', 5: 'Unclear' };
const bracketExits: Names = { 1: 'take-profit', 2: 'stop-loss' };

type Names = Readonly<Record<number, string>>;

export const currencyName = (number: number | undefined): string =>
  number === undefined ? '' : (currencies[number] ?? `currency ${number}`);
export const tradingMarketName = (number: number | undefined): string => named(tradingMarkets, number, 'market');
export const sideName = (number: number | undefined): string => named(sides, number, 'side');
export const accountTypeName = (number: number | undefined): string => named(accountTypes, number, 'type');
export const orderTypeName = (number: number | undefined): string => named(orderTypes, number, 'type');
export const statusName = (number: number | undefined): string => named(statuses, number, 'status');
export const marketStateName = (number: number | undefined): string => named(marketStates, number, 'state');
export const bracketStateName = (number: number | undefined): string => named(bracketStates, number, 'state');
export const bracketExitName = (number: number | undefined): string => named(bracketExits, number, 'exit');

/** Whether an order may still trade. */
export function isOpen(status: number | undefined): boolean {
  return status === undefined || !ENDED.has(status);
}

/** Whether prices move in this state of a market; true where it is not known. */
export function isTrading(state: number | undefined): boolean {
  return state === undefined || TRADING.has(state);
}

/** "HK.00700", of a quote market's number. */
export function symbolOf(market: number | undefined, code: string): string {
  return `${quoteMarketNumbered(market ?? 0)?.name ?? market ?? '?'}.${code}`;
}

/** "HK.00700", of an order's or a position's market of the security; without one, of its trading market. */
export function tradedSymbol(secMarket: number | undefined, tradingMarket: number | undefined, code: string): string {
  return `${quoteMarketOfSecMarket(secMarket ?? 0)?.name ?? tradingMarketName(tradingMarket)}.${code}`;
}

function named(names: Names, number: number | undefined, what: string): string {
  return number === undefined ? '' : (names[number] ?? `${what} ${number}`);
}
