/** Implied volatility of one underlying on one day, by strike and expiry. */
export interface VolatilitySurface {
  /** Yearly variance now, and what it returns to. */
  readonly current: number;
  readonly longRun: number;
  /** Correlation of the underlying with its volatility: how far the smile leans. */
  readonly lean: number;
  /** How strong the smile is. */
  readonly curl: number;
}

/** Mean reversion of the variance: after a year, e^(−this) of its distance from the long run is left. */
const RETURN_SPEED = 3;
const POWER = 0.5;

/** Expected variance of an at-the-money option to its expiry: variance that returns to its long run (Heston, 1993). */
export function totalVariance({ current, longRun }: VolatilitySurface, years: number): number {
  return longRun * years + ((current - longRun) * -Math.expm1(-RETURN_SPEED * years)) / RETURN_SPEED;
}

/**
 * Volatility of a strike whose forward moneyness is ln(strike ÷ forward): the surface of Gatheral and Jacquier, "Arbitrage-free SVI volatility surfaces"
 * (Quantitative Finance, 2014), equation 4.1 with the power law φ(θ) = η ÷ (θ^γ (1 + θ)^(1 − γ)). It is free of butterfly and calendar arbitrage while total
 * variance rises with time and η(1 + |ρ|) ≤ 2 (their theorem 4.2 and remark 4.4).
 */
export function volatilityAt(surface: VolatilitySurface, logMoneyness: number, years: number): number {
  const { lean, curl } = surface;
  const variance = totalVariance(surface, years);
  const steepness = (curl / (variance ** POWER * (1 + variance) ** (1 - POWER))) * logMoneyness;
  const total = (variance / 2) * (1 + lean * steepness + Math.sqrt((steepness + lean) ** 2 + 1 - lean * lean));
  return Math.sqrt(total / years);
}

/** How indices and single names smile; η(1 + |ρ|) is 1.6 and 1.08. */
export const smiles = {
  index: { lean: -0.6, curl: 1 },
  share: { lean: -0.35, curl: 0.8 },
} as const;
