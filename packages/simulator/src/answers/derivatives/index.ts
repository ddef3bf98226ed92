export { getFutureInfo } from './get-future-info.js';
export { getOptionStrategy } from './get-option-strategy.js';
export { getReference } from './get-reference.js';
export { getWarrant } from './get-warrant.js';
export { getOptionChain, getOptionExpirationDate } from './option-chain.js';
export { getOptionQuote, getOptionStrategyAnalysis } from './option-combinations.js';
