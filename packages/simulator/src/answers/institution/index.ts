import type { institution as declared } from '@svc-gateway/contract/operations';
import type { AnswersTo } from '../table.js';
import { getArkActiveTransaction } from './get-ark-active-transaction.js';
import { getArkFundHolding } from './get-ark-fund-holding.js';
import { getArkStockDynamic } from './get-ark-stock-dynamic.js';
import { getInstitutionDistribution } from './get-institution-distribution.js';
import { getInstitutionHoldingChange } from './get-institution-holding-change.js';
import { getInstitutionHoldingList } from './get-institution-holding-list.js';
import { getInstitutionList } from './get-institution-list.js';
import { getInstitutionProfile } from './get-institution-profile.js';
import { getRatingChange } from './get-rating-change.js';

export const institution = {
  getInstitutionList,
  getInstitutionProfile,
  getInstitutionDistribution,
  getInstitutionHoldingChange,
  getInstitutionHoldingList,
  getArkFundHolding,
  getArkStockDynamic,
  getArkActiveTransaction,
  getRatingChange,
} satisfies AnswersTo<typeof declared>;
