import { defined, type FieldEnumerations, inCapitals, same } from './enumeration.js';
import { SortFieldSchema as HoldingSortFieldSchema } from './generated/Qot_GetInstitutionHoldingList_pb.js';
import { SortFieldSchema as InstitutionSortFieldSchema } from './generated/Qot_GetInstitutionList_pb.js';
import { sortDirection } from './list-enums.js';

/** Enumerations of institutions, of the ARK funds and of rating changes. */

/** Markets of institutional holdings. */
export const heldMarket = same('market', { HK: 1, US: 11, SH: 21, SZ: 22, SG: 31, JP: 41, MY: 61 });
/** Markets with rating changes. */
export const ratedMarket = same('market', { US: 11 });

export const institutionSort = defined('sort_field', InstitutionSortFieldSchema, inCapitals);
export const holdingChangeType = same('change_type', { NEW: 1, SOLD_OUT: 2, INCREASE: 3, DECREASE: 4 });
export const holdingChangeSort = same('sort_field', { CHANGE_PCT: 1, CHANGE_SHARES: 2, HOLDING_DATE: 3 });
export const holdingSort = defined('sort_field', HoldingSortFieldSchema, inCapitals);
export const arkHoldingType = same('holding_type', { POSITION: 0, INCREASE: 1, DECREASE: 2, NEW: 3, SOLD_OUT: 4 });
export const arkCycle = same('cycle_type', { '1DAY': 0, '5DAY': 1, '10DAY': 2, '30DAY': 3, '60DAY': 4 });
export const arkHoldingSort = same('sort_field', { SHARES: 0, WEIGHT_CHANGE: 1, SHARES_CHANGE: 2, MARKET_VALUE: 3, WEIGHT: 4 });
export const arkTransactionType = same('holding_type', { INCREASE: 0, DECREASE: 1, NEW: 2, SOLD_OUT: 3 });
export const arkTransactionSort = same('sort_field', { CHANGE_AMOUNT: 1, CHANGE_SHARES: 2 });
const arkDynamic = same('dynamic_type', { CONSECUTIVE_SAME_DIRECTION: 1, RECENT_TRANSACTION: 2, LAST_TRANSACTION: 3, NO_DYNAMIC: 4 });
export const ratingChangeType = same('change_type', { UPGRADE: 1, DOWNGRADE: 2, NEW_RATING: 3 });
const ratingLevel = same('rating', { SELL: 1, HOLD: 2, BUY: 3 });

const directed = { sortDir: sortDirection } as const;

/** By the fields that hold them. */
export const institutionEnumerations: readonly FieldEnumerations[] = [
  { prefix: 'Qot_GetInstitutionList', fields: { market: heldMarket, sortField: institutionSort, ...directed } },
  { prefix: 'Qot_GetInstitutionProfile', fields: { market: heldMarket } },
  { prefix: 'Qot_GetInstitutionDistribution', fields: { market: heldMarket } },
  {
    prefix: 'Qot_GetInstitutionHoldingChange',
    fields: { market: heldMarket, changeType: holdingChangeType, sortField: holdingChangeSort, ...directed },
  },
  {
    prefix: 'Qot_GetInstitutionHoldingList',
    fields: { market: heldMarket, changeType: holdingChangeType, sortField: holdingSort, ...directed },
  },
  {
    prefix: 'Qot_GetArkFundHolding',
    fields: { holdingType: arkHoldingType, cycleType: arkCycle, sortField: arkHoldingSort, ...directed },
  },
  { prefix: 'Qot_GetArkStockDynamic', fields: { dynamicType: arkDynamic } },
  {
    prefix: 'Qot_GetArkActiveTransaction',
    fields: { holdingType: arkTransactionType, cycleType: arkCycle, sortField: arkTransactionSort, ...directed },
  },
  {
    prefix: 'Qot_GetRatingChange',
    fields: { market: ratedMarket, changeType: ratingChangeType, rating: ratingLevel, lastRating: ratingLevel },
  },
];
