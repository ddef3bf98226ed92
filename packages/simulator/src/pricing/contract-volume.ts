/** Part of what an underlying's options trade a day that an option at the money and about to expire has. */
const FRONT_SHARE = 0.01;
/** Years after which an option trades half as much. */
const HALF_YEARS = 0.1;
const MOST_AWAY = 1.3;
/** Least width of the strikes that trade: a day's move. */
const BREADTH_LEAST = 0.01;
const LEAST = 1;
/** Days' worth of trading that stay open, once a contract has been listed for long. */
const OPEN_DAYS = 9;
const FILLS_DAYS = 30;

/**
 * Contracts of an option that trade on a typical day, out of those of all options on the underlying: most at the money and near the expiry.
 * @param deviation of the underlying up to the expiry: σ√T
 */
export function optionVolume(total: number, logMoneyness: number, deviation: number, years: number): number {
  const away = logMoneyness / (MOST_AWAY * deviation + BREADTH_LEAST);
  return Math.max(LEAST, (total * FRONT_SHARE * Math.exp(-away * away)) / (1 + years / HALF_YEARS));
}

/** Open interest at this daily volume. */
export function openContracts(volume: number, daysListed: number): number {
  return Math.round(volume * OPEN_DAYS * -Math.expm1(-Math.max(0, daysListed) / FILLS_DAYS));
}
