export { getTradingDays } from './get-trading-days.js';
