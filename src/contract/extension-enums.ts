import { type FieldEnumerations, same } from './enumeration.js';
import { reportType } from './research-enums.js';

/** Enumerations of the extension reads and of news. */

/** Which pairs: those with a currency, or of a kind. */
export const forexList = same('list_id', {
  ALL: 1,
  MAJORS: 2,
  CROSSES: 3,
  ASIA: 4,
  USD: 5,
  EUR: 6,
  GBP: 7,
  JPY: 8,
  HKD: 9,
  CNH: 10,
  AUD: 11,
  COMMODITY: 12,
});
export const constituentOrder = same('sort_type', { ASC: 1, DESC: 2 });
const publication = same('pub_type', { PRE_MARKET: 1, AFTER_MARKET: 2, DURING_MARKET: 3 });

/** By the fields that hold them. */
export const extensionEnumerations: readonly FieldEnumerations[] = [
  { prefix: 'svc.earnings_expected_move', fields: { financial_type: reportType, pub_type: publication } },
  { prefix: 'svc.forex_constituents', fields: { list_id: forexList, sort_type: constituentOrder } },
];
