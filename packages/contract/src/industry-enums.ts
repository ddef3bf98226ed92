import { type FieldEnumerations, same } from './enumeration.js';

/** Enumerations of industrial chains, their plates and the heat map. */

/** Markets that have plates. */
const numbers = { HK: 1, US: 11, SH: 21, SZ: 22, SG: 31, JP: 41, MY: 61 } as const;
export const chainMarket = same('market', numbers);
export const plateStockMarkets = same('market_list', numbers);
const chainType = same('chain_type', { SERIES: 1, PARALLEL: 2, UP_MID_DOWN: 3 });
export const plateStockSort = same('sort_field', { CODE: 0, CHANGE_RATE: 1, TURNOVER: 2, VOLUME: 3, MARKET_VAL: 4 });
export const heatMapSort = same('sort_field', { CHANGE_RATE: 1, MARKET_VAL: 2, TURNOVER: 3, HOT: 4 });
export const heatMapPlate = same('plate_type', { INDUSTRY: 0, CONCEPT: 1, THEME: 2 });

/** By the fields that hold them. */
export const industryEnumerations: readonly FieldEnumerations[] = [
  { prefix: 'Qot_GetIndustrialChainList', fields: { market: chainMarket, chainType } },
  { prefix: 'Qot_GetIndustrialChainDetail', fields: { chainType } },
  { prefix: 'Qot_GetIndustrialChainByPlate', fields: { chainType } },
  { prefix: 'Qot_GetIndustrialPlateStock', fields: { marketList: plateStockMarkets, sortField: plateStockSort } },
  { prefix: 'Qot_GetHeatMapData', fields: { market: chainMarket, sortField: heatMapSort, plateType: heatMapPlate } },
];
