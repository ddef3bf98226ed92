/** How sure a fair value is. */
const uncertainties = ['Low', 'Medium', 'High', 'Very High', 'Extreme'] as const;
export type Uncertainty = (typeof uncertainties)[number];

/** Yearly volatility below which an uncertainty holds. */
const volatilityBelow: readonly number[] = [0.2, 0.3, 0.42, 0.6];

/** Price over fair value up to which five, four, three and two stars are given: wider, the less sure the fair value is. */
const bands: Readonly<Record<Uncertainty, readonly [five: number, four: number, three: number, two: number]>> = {
  Low: [0.8, 0.95, 1.05, 1.25],
  Medium: [0.7, 0.9, 1.1, 1.35],
  High: [0.6, 0.85, 1.15, 1.55],
  'Very High': [0.5, 0.8, 1.25, 1.75],
  Extreme: [0.25, 0.7, 1.4, 3],
};

/** From the volatility of the stock, a fraction a year. */
export function uncertaintyOf(volatility: number): Uncertainty {
  const at = volatilityBelow.findIndex((bound) => volatility < bound);
  return uncertainties[at < 0 ? volatilityBelow.length : at] ?? 'Extreme';
}

/** 5 for a price far below the fair value, 1 for one far above. */
export function starsOf(price: number, fairValue: number, uncertainty: Uncertainty): number {
  const at = bands[uncertainty].findIndex((bound) => price / fairValue <= bound);
  return at < 0 ? 1 : 5 - at;
}
