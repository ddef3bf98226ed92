import type { metadata as declared } from '../../../contract/operations/index.js';
import type { AnswersTo } from '../table.js';
import { getTradingDays } from './get-trading-days.js';

export const metadata = {
  getTradingDays,
} satisfies AnswersTo<typeof declared>;
