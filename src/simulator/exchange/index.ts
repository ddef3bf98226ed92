export type { Match, Matching } from './caller-book.js';
export type { ComboOrder } from './combo-book.js';
export { type ComboTrade, Exchange, type Remainder } from './exchange.js';
