export {
  getGlobalState,
  getQuoteCapability,
  getQuoteRights,
  getRiskFreeRate,
  getSpreadTable,
  getTokenState,
  getUserInfo,
  verification,
} from './status.js';
