import type { metadata as declared } from '../../../contract/operations/index.js';
import type { AnswersTo } from '../table.js';
import { getCodeChange } from './get-code-change.js';
import { getIpoCalendar } from './get-ipo-calendar.js';
import { getIpoList } from './get-ipo-list.js';
import { getOwnerPlate } from './get-owner-plate.js';
import { getPlateSecurity } from './get-plate-security.js';
import { getRehab } from './get-rehab.js';
import { getSuspend } from './get-suspend.js';
import { getTradingDays } from './get-trading-days.js';
import { listPlates } from './list-plates.js';
import { searchQuote } from './search-quote.js';

export const metadata = {
  getCodeChange,
  getIpoCalendar,
  getIpoList,
  getOwnerPlate,
  getPlateSecurity,
  getRehab,
  getSuspend,
  getTradingDays,
  listPlates,
  searchQuote,
} satisfies AnswersTo<typeof declared>;
