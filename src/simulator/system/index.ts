export { getGlobalState } from './get-global-state.js';
export { getQuoteCapability } from './get-quote-capability.js';
export { getQuoteRights } from './get-quote-rights.js';
export { getRiskFreeRate } from './get-risk-free-rate.js';
export { getSpreadTable } from './get-spread-table.js';
export { getTokenState } from './get-token-state.js';
export { getUserInfo, USER_ID } from './get-user-info.js';
export { verification } from './verification.js';
export { SERVER_BUILD, SERVER_VERSION, SIMULATED } from './version.js';
