export { getFutureInfo, getReference } from './contracts.js';
export { getOptionStrategy } from './get-option-strategy.js';
export { getWarrant } from './get-warrant.js';
export { getOptionChain, getOptionExpirationDate } from './option-chain.js';
export { getOptionQuote, getOptionStrategyAnalysis } from './option-combinations.js';
