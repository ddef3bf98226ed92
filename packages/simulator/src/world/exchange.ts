/** Qot_Common.ExchType, as far as the world lists it. */
export const Exchange = {
  /** Forex has none. */
  unknown: 0,
  hkMainBoard: 1,
  hkex: 3,
  nyse: 4,
  nasdaq: 5,
  pink: 6,
  amex: 7,
  nymex: 9,
  comex: 10,
  cbot: 11,
  cme: 12,
  cboe: 13,
  shanghai: 14,
  shenzhen: 15,
  star: 16,
  singapore: 17,
  osaka: 18,
  bursaMalaysia: 20,
  tokyo: 21,
} as const;
