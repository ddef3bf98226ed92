import type { calendar as declared } from '@svc-gateway/contract/operations';
import type { AnswersTo } from '../table.js';
import { getDividendCalendar } from './get-dividend-calendar.js';
import { getEarningsCalendar } from './get-earnings-calendar.js';
import { getEconomicCalendar } from './get-economic-calendar.js';

export const calendar = {
  getDividendCalendar,
  getEarningsCalendar,
  getEconomicCalendar,
} satisfies AnswersTo<typeof declared>;
