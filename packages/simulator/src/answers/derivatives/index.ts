import type { derivatives as declared } from '@svc-gateway/contract/operations';
import type { AnswersTo } from '../table.js';
import { getFutureInfo } from './get-future-info.js';
import { getOptionChain } from './get-option-chain.js';
import { getOptionExpirationDate } from './get-option-expiration-date.js';
import { getOptionQuote } from './get-option-quote.js';
import { getOptionStrategy } from './get-option-strategy.js';
import { getOptionStrategyAnalysis } from './get-option-strategy-analysis.js';
import { getReference } from './get-reference.js';
import { getWarrant } from './get-warrant.js';

export const derivatives = {
  getReference,
  getWarrant,
  getOptionChain,
  getOptionExpirationDate,
  getFutureInfo,
  getOptionQuote,
  getOptionStrategy,
  getOptionStrategyAnalysis,
} satisfies AnswersTo<typeof declared>;
