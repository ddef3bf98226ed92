import type { metadata as declared } from '@svc-gateway/contract/operations';
import type { AnswersTo } from '../table.js';
import { getCodeChange } from './get-code-change.js';
import { getIpoCalendar } from './get-ipo-calendar.js';
import { getIpoList } from './get-ipo-list.js';
import { getOwnerPlate } from './get-owner-plate.js';
import { getPlateSecurity } from './get-plate-security.js';
import { getRehab } from './get-rehab.js';
import { getStockFilter } from './get-stock-filter.js';
import { getSuspend } from './get-suspend.js';
import { getTradingDays } from './get-trading-days.js';
import { listPlates } from './list-plates.js';
import { bondScreen, etfScreen, fundScreen, futureScreen } from './screens.js';
import { searchQuote } from './search-quote.js';
import { stockScreen } from './stock-screen.js';
import { warrantScreen } from './warrant-screen.js';

export const metadata = {
  getCodeChange,
  getIpoCalendar,
  getIpoList,
  getOwnerPlate,
  getPlateSecurity,
  getRehab,
  getStockFilter,
  getSuspend,
  getTradingDays,
  listPlates,
  searchQuote,
  etfScreen,
  fundScreen,
  futureScreen,
  bondScreen,
  stockScreen,
  warrantScreen,
} satisfies AnswersTo<typeof declared>;
