export type { Match, Matching } from './caller-book.js';
export type { ComboOrder } from './combo-book.js';
export { type ComboTrade, Exchange, type Remainder } from './exchange.js';
export { netMoney, netPrice, type PricedLeg, unitMultiplier } from './net-price.js';
