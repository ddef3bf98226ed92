import type { system as declared } from '@svc-gateway/contract/operations';
import type { AnswersTo } from '../table.js';
import { getGlobalState } from './get-global-state.js';
import { getQuoteCapability } from './get-quote-capability.js';
import { getQuoteRights } from './get-quote-rights.js';
import { getRiskFreeRate } from './get-risk-free-rate.js';
import { getSpreadTable } from './get-spread-table.js';
import { getTokenState } from './get-token-state.js';
import { getUserInfo } from './get-user-info.js';
import { verification } from './verification.js';

export const system = {
  getGlobalState,
  getUserInfo,
  getQuoteRights,
  getQuoteCapability,
  verification,
  getTokenState,
  getRiskFreeRate,
  getSpreadTable,
} satisfies AnswersTo<typeof declared>;
