/** Accounts of the simulated brokerage, as text: their 18 digits are beyond what a double holds. */
export const HK_CASH = '281756478396547001';
export const HK_MARGIN = '281756478396547002';
export const US_MARGIN = '281756478396547003';
export const REAL = '281756479345015383';
export const REAL_FUTURES = '281756479345015391';
/** Real ones that the trade password alone does not unlock. */
export const TOKEN_REAL = '281756479345015405';
export const DISABLED_REAL = '281756479345015413';

/** REST's numbers. */
export const SIMULATE = 1;
export const REAL_ENV = 2;
export const HK = 1;
export const US = 2;
export const BUY = 1;
export const SELL = 2;
export const SELL_SHORT = 3;
export const NORMAL = 1;
export const MARKET = 2;
