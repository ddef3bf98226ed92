export { getStockFilter } from './get-stock-filter.js';
export { getCodeChange, getRehab } from './listing-history.js';
export { getIpoCalendar, getIpoList } from './offerings.js';
export { getOwnerPlate, getPlateSecurity, listPlates } from './plates.js';
export { bondScreen, etfScreen, fundScreen, futureScreen } from './screens.js';
export { searchQuote } from './search-quote.js';
export { stockScreen } from './stock-screen.js';
export { getSuspend, getTradingDays } from './trading-days.js';
export { warrantScreen } from './warrant-screen.js';
