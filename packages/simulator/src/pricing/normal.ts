const SQRT_2PI = Math.sqrt(2 * Math.PI);

/** Density of the standard normal distribution. */
export function density(x: number): number {
  return Math.exp(-0.5 * x * x) / SQRT_2PI;
}

/**
 * The cumulative standard normal distribution, to 15 digits: Hart's algorithm 5666 as given by West, "Better approximations to cumulative
 * normal functions" (Wilmott Magazine, 2005).
 */
export function cumulative(x: number): number {
  const distance = Math.abs(x);
  const tail = distance > 37 ? 0 : tailOf(distance);
  return x > 0 ? 1 - tail : tail;
}

function tailOf(x: number): number {
  const exponential = Math.exp(-0.5 * x * x);
  if (x >= 7.07106781186547) {
    const fraction = x + 1 / (x + 2 / (x + 3 / (x + 4 / (x + 0.65))));
    return exponential / fraction / 2.506628274631;
  }
  let above = 3.52624965998911e-2 * x + 0.700383064443688;
  above = above * x + 6.37396220353165;
  above = above * x + 33.912866078383;
  above = above * x + 112.079291497871;
  above = above * x + 221.213596169931;
  above = above * x + 220.206867912376;
  let below = 8.83883476483184e-2 * x + 1.75566716318264;
  below = below * x + 16.064177579207;
  below = below * x + 86.7807322029461;
  below = below * x + 296.564248779674;
  below = below * x + 637.333633378831;
  below = below * x + 793.826512519948;
  below = below * x + 440.413735824752;
  return (exponential * above) / below;
}

/** Probability that something that costs `forward` for later then costs less than `price`: lognormal, with the volatility of that strike. */
export function probabilityBelow(price: number, forward: number, years: number, volatility: number): number {
  if (price <= 0) return 0;
  if (years <= 0) return price > forward ? 1 : 0;
  const deviation = volatility * Math.sqrt(years);
  return cumulative(Math.log(price / forward) / deviation + deviation / 2);
}
