import type { forexAccount as declared } from '@svc-gateway/contract/operations';
import type { AnswersTo } from '../table.js';
import { getForexAccountQuoteContext } from './get-forex-account-quote-context.js';
import { getForexAccounts } from './get-forex-accounts.js';
import { getForexAssets } from './get-forex-assets.js';
import { getForexRiskControl } from './get-forex-risk-control.js';
import { getForexSymbolConfigs } from './get-forex-symbol-configs.js';
import { previewForexMargin } from './preview-forex-margin.js';

export const forexAccount = {
  getForexAccounts,
  getForexRiskControl,
  getForexSymbolConfigs,
  getForexAccountQuoteContext,
  getForexAssets,
  previewForexMargin,
} satisfies AnswersTo<typeof declared>;
