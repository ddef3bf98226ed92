export type { Incoming, Match, Matching } from './caller-book.js';
export { type Arrival, Exchange, type ExchangeListener, type Remainder } from './exchange.js';
export type { Side } from './price-levels.js';
