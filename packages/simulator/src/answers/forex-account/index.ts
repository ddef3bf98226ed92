export {
  getForexAccountQuoteContext,
  getForexAccounts,
  getForexAssets,
  getForexRiskControl,
  getForexSymbolConfigs,
  previewForexMargin,
} from './forex-accounts.js';
