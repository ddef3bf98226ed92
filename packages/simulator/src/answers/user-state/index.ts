import type { userState as declared } from '@svc-gateway/contract/operations';
import type { AnswersTo } from '../table.js';
import { getOptionEventAlert } from './get-option-event-alert.js';
import { getPriceReminder } from './get-price-reminder.js';
import { getStockNote } from './get-stock-note.js';
import { getUserSecurity } from './get-user-security.js';
import { getUserSecurityGroup } from './get-user-security-group.js';
import { modifyUserSecurity } from './modify-user-security.js';
import { setOptionEventAlert } from './set-option-event-alert.js';
import { setPriceReminder } from './set-price-reminder.js';
import { setStockNote } from './set-stock-note.js';

export const userState = {
  getUserSecurity,
  getUserSecurityGroup,
  modifyUserSecurity,
  getPriceReminder,
  setPriceReminder,
  getOptionEventAlert,
  setOptionEventAlert,
  getStockNote,
  setStockNote,
} satisfies AnswersTo<typeof declared>;
