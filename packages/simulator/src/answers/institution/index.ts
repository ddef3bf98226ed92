export { getArkActiveTransaction, getArkFundHolding, getArkStockDynamic } from './ark-funds.js';
export { getRatingChange } from './get-rating-change.js';
export { getInstitutionHoldingChange, getInstitutionHoldingList } from './institution-holdings.js';
export { getInstitutionDistribution, getInstitutionList, getInstitutionProfile } from './institutions.js';
