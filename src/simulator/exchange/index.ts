export type { Match, Matching } from './caller-book.js';
export { Exchange, type Remainder } from './exchange.js';
