export { getDividendCalendar } from './get-dividend-calendar.js';
export { getEarningsCalendar } from './get-earnings-calendar.js';
export { getEconomicCalendar } from './get-economic-calendar.js';
