import { same } from './enumeration.js';

/** Qot_StockScreen.Sort.direction. */
export const screenOrder = same('direction', { ASCENDING: 1, DESCENDING: 2, ABSOLUTE_ASCENDING: 3, ABSOLUTE_DESCENDING: 4 });
/** Qot_WarrantScreen.Sort.direction. */
export const warrantScreenOrder = same('direction', { ASCENDING: 0, DESCENDING: 1 });
/** Qot_WarrantScreen.Choice.contentType. */
export const choiceContent = same('content_type', { NUMBER: 1, TEXT: 2 });
