import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { callableValuation } from './callable-contract.js';
import { inlineValuation } from './inline-warrant.js';
import { cumulative, probabilityBelow } from './normal.js';
import { intrinsic, type OptionInputs, presentValue } from './option-terms.js';
import { optionValuation } from './option-value.js';
import { analysePayoff } from './payoff.js';
import { smiles, totalVariance, type VolatilitySurface, volatilityAt } from './volatility-surface.js';

const between = (min: number, max: number) => fc.double({ min, max, noNaN: true });
const dividends = fc
  .array(fc.record({ years: between(0.02, 1.9), cash: between(0.1, 4) }), { maxLength: 4 })
  .map((list) => [...list].sort((a, b) => a.years - b.years));

/** Options on something around 100, over two years at the most. */
const options: fc.Arbitrary<OptionInputs> = fc
  .record({
    right: fc.constantFrom('call' as const, 'put' as const),
    style: fc.constantFrom('american' as const, 'european' as const),
    spot: between(60, 150),
    strike: between(60, 150),
    years: between(0.02, 2),
    rate: between(0.005, 0.06),
    paid: between(0, 0.04),
    volatility: between(0.08, 0.9),
    dividends,
  })
  .map(({ paid, ...option }) => {
    const cash = option.dividends.filter(({ years }) => years < option.years - 1e-3);
    // An underlying pays a yield or single dividends, never both; only options on the latter may be exercised early.
    return option.style === 'european' ? { ...option, yield: paid, dividends: [] } : { ...option, yield: 0, dividends: cash };
  });

const VOLATILITY_LEAST = 0.001;
const VOLATILITY_MOST = 20;
const HALVINGS = 100;

/** The volatility at which an option is worth `price`; undefined where none makes it so: below what exercise pays, or with no time left. By bisection: value rises with volatility. */
function impliedVolatility(price: number, option: Omit<OptionInputs, 'volatility'>): number | undefined {
  const at = (volatility: number) => optionValuation({ ...option, volatility }).value;
  if (option.years <= 0 || !(price > at(VOLATILITY_LEAST)) || price >= at(VOLATILITY_MOST)) return undefined;
  let [low, high] = [VOLATILITY_LEAST, VOLATILITY_MOST];
  for (let step = 0; step < HALVINGS && high - low > 1e-12; step++) {
    const middle = (low + high) / 2;
    if (at(middle) < price) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

describe('the normal distribution', () => {
  it('is what tables say', () => {
    for (const [x, p] of [
      [0, 0.5],
      [1, 0.841344746068543],
      [-1.96, 0.02499789514822],
      [3, 0.99865010196837],
      [-8, 6.220960574271785e-16],
    ] as const)
      expect(cumulative(x)).toBeCloseTo(p, 14);
  });
});

/** A tree of Cox, Ross and Rubinstein (1979), in which an option can be exercised at every step: an independent view. */
function treePrice(
  { right, style, spot, strike, years, rate, yield: paid, dividends: cash, volatility }: OptionInputs,
  steps: number,
): number {
  const step = years / steps;
  const up = Math.exp(volatility * Math.sqrt(step));
  const grown = Math.exp((rate - paid) * step);
  const chance = (grown - 1 / up) / (up - 1 / up);
  const discount = Math.exp(-rate * step);
  const held = spot - presentValue(cash, rate);
  const worth = (level: number, node: number) => {
    const now = level * step;
    const coming = cash.reduce((sum, { years: ex, cash: paidOut }) => (ex > now ? sum + paidOut * Math.exp(-rate * (ex - now)) : sum), 0);
    return held * up ** (2 * node - level) + coming;
  };
  let values = Array.from({ length: steps + 1 }, (_, node) => intrinsic(right, worth(steps, node), strike));
  for (let level = steps - 1; level >= 0; level--) {
    values = Array.from({ length: level + 1 }, (_, node) => {
      const later = discount * (chance * (values[node + 1] ?? 0) + (1 - chance) * (values[node] ?? 0));
      return style === 'american' ? Math.max(later, intrinsic(right, worth(level, node), strike)) : later;
    });
  }
  return values[0] ?? 0;
}

describe('an option', () => {
  it('is worth what a binomial tree makes it, early exercise included', () => {
    fc.assert(
      fc.property(options, (option) => {
        const tree = (treePrice(option, 200) + treePrice(option, 201)) / 2;
        // The approximations of early exercise are a little off; a European value is exact.
        const tolerance = 0.06 + (option.style === 'european' ? 0 : 0.018 * option.spot * Math.min(1, option.years));
        expect(Math.abs(optionValuation(option).value - tree)).toBeLessThan(tolerance);
      }),
      { numRuns: 40, endOnFailure: true },
    );
  });

  it('keeps put-call parity: exactly where it is European, within its bounds where it is American', () => {
    fc.assert(
      fc.property(options, (option) => {
        const { spot, strike, rate, years, yield: paid, dividends: cash } = option;
        const difference = optionValuation({ ...option, right: 'call' }).value - optionValuation({ ...option, right: 'put' }).value;
        const forward = spot * Math.exp(-paid * years) - presentValue(cash, rate) - strike * Math.exp(-rate * years);
        if (option.style === 'european') expect(difference).toBeCloseTo(forward, 9);
        else {
          // S − PV(D) − K ≤ C − P ≤ S − K·e^(−rT) (Hull, "Properties of stock options").
          expect(difference).toBeGreaterThanOrEqual(spot - presentValue(cash, rate) - strike - 1e-9);
          expect(difference).toBeLessThanOrEqual(spot - strike * Math.exp(-rate * years) + 1e-9);
        }
      }),
    );
  });

  it('has the Greeks that its value differentiates to', () => {
    fc.assert(
      fc.property(options, (option) => {
        const found = optionValuation(option);
        const at = (change: Partial<OptionInputs>) => optionValuation({ ...option, ...change }).value;
        expect(found.value).toBe(at({}));
        const slope = (step: number, change: (by: number) => Partial<OptionInputs>) => (at(change(step)) - at(change(-step))) / (2 * step);
        const { spot, years, rate, volatility } = option;
        const later = (by: number) => ({
          years: years - by,
          dividends: option.dividends.map((one) => ({ ...one, years: one.years - by })),
        });
        const near = (value: number, numerical: number, scale: number) =>
          expect(Math.abs(value - numerical)).toBeLessThan(scale * (1 + Math.abs(numerical)));
        // Where another day of exercise takes over, the value has a kink.
        const smooth = (step: number, change: (by: number) => Partial<OptionInputs>) => {
          const [left, right] = [(at({}) - at(change(-step))) / step, (at(change(step)) - at({})) / step];
          return Math.abs(left - right) < 0.002 * (1 + Math.abs(left));
        };
        const steps = [
          ['delta', 1e-3, (by: number) => ({ spot: spot + by })],
          ['vega', 1e-5, (by: number) => ({ volatility: volatility + by })],
          ['theta', 1e-6, later],
          ['rho', 1e-6, (by: number) => ({ rate: rate + by })],
        ] as const;
        for (const [name, step, change] of steps) if (smooth(step, change)) near(found[name], slope(step, change), 1e-3);
        const gamma =
          (optionValuation({ ...option, spot: spot + 1e-3 }).delta - optionValuation({ ...option, spot: spot - 1e-3 }).delta) / 2e-3;
        if (Math.abs(gamma) < 1) near(found.gamma, gamma, 1e-3);
      }),
    );
  });

  it('has the volatility that its value implies', () => {
    fc.assert(
      fc.property(options, (option) => {
        const { volatility, ...rest } = option;
        const price = optionValuation(option).value;
        // Where a value does not feel its volatility, none is implied.
        fc.pre(optionValuation(option).vega > 0.01);
        expect(impliedVolatility(price, rest)).toBeCloseTo(volatility, 6);
      }),
    );
    const { volatility: _, ...option } = {
      right: 'call',
      style: 'european',
      spot: 100,
      strike: 50,
      years: 1,
      rate: 0.03,
      yield: 0,
      dividends: [],
      volatility: 0.2,
    } as const;
    expect(impliedVolatility(40, option)).toBeUndefined();
    expect(impliedVolatility(120, option)).toBeUndefined();
    expect(impliedVolatility(60, { ...option, years: 0 })).toBeUndefined();
  });

  it('is its intrinsic value when it expires', () => {
    fc.assert(
      fc.property(options, (option) => {
        expect(optionValuation({ ...option, years: 0 }).value).toBe(intrinsic(option.right, option.spot, option.strike));
      }),
    );
  });
});

const surfaces: fc.Arbitrary<VolatilitySurface> = fc
  .record({ current: between(0.01, 0.6), longRun: between(0.01, 0.6), smile: fc.constantFrom(...Object.values(smiles)) })
  .map(({ smile, ...levels }) => ({ ...levels, ...smile }));

describe('the volatility surface', () => {
  const spot = 100;
  const priced = (
    surface: VolatilitySurface,
    style: OptionInputs['style'],
    right: OptionInputs['right'],
    strike: number,
    years: number,
    rate: number,
  ) => {
    const forward = spot * Math.exp(rate * years);
    const volatility = volatilityAt(surface, Math.log(strike / forward), years);
    return optionValuation({ right, style, spot, strike, years, rate, yield: 0, dividends: [], volatility }).value;
  };

  it('leaves no arbitrage across strikes: values are monotone and convex, by no more than a strike costs', () => {
    fc.assert(
      fc.property(
        surfaces,
        between(0.01, 2),
        between(40, 200),
        between(0.5, 10),
        between(0, 0.06),
        fc.constantFrom('call' as const, 'put' as const),
        (surface, years, strike, step, rate, right) => {
          const [low, middle, high] = [strike, strike + step, strike + 2 * step].map((each) =>
            priced(surface, 'european', right, each, years, rate),
          ) as [number, number, number];
          const sign = right === 'call' ? -1 : 1;
          expect(sign * (middle - low)).toBeGreaterThanOrEqual(-1e-9);
          expect(sign * (middle - low)).toBeLessThanOrEqual(step * Math.exp(-rate * years) + 1e-9);
          expect(low - 2 * middle + high).toBeGreaterThanOrEqual(-1e-9);
        },
      ),
    );
  });

  it('leaves none across expiries: at the same forward moneyness variance rises', () => {
    fc.assert(
      fc.property(surfaces, between(0.01, 2), between(0.001, 1), between(-0.8, 0.8), (surface, years, more, moneyness) => {
        const variance = (time: number) => volatilityAt(surface, moneyness, time) ** 2 * time;
        expect(variance(years + more)).toBeGreaterThanOrEqual(variance(years) - 1e-12);
        expect(totalVariance(surface, years + more)).toBeGreaterThan(totalVariance(surface, years));
      }),
    );
  });

  it('leaves none to American holders who wait: a later expiry is worth no less', () => {
    fc.assert(
      fc.property(
        surfaces,
        between(0.02, 1),
        between(0.02, 1),
        between(70, 140),
        between(0, 0.05),
        fc.constantFrom('call' as const, 'put' as const),
        (surface, years, more, strike, rate, right) => {
          const [early, late] = [
            priced(surface, 'american', right, strike, years, rate),
            priced(surface, 'american', right, strike, years + more, rate),
          ];
          // The approximation of early exercise is good to a cent or so.
          expect(late).toBeGreaterThanOrEqual(early - 0.02);
        },
      ),
    );
  });
});

describe('an inline warrant', () => {
  const warrants = fc.record({
    spot: between(80, 120),
    lower: between(85, 98),
    upper: between(102, 115),
    years: between(0.05, 1),
    rate: between(0.01, 0.05),
    yield: between(0, 0.04),
    volatility: between(0.1, 0.5),
  });

  it('is worth between nothing and one, and has the Greeks that its value differentiates to', () => {
    fc.assert(
      fc.property(warrants, ({ volatility, ...terms }) => {
        const at = (change: Partial<typeof terms & { volatility: number }>) => {
          const { volatility: flat = volatility, ...rest } = change;
          return inlineValuation({ ...terms, ...rest, volatilities: [flat, flat] }).value;
        };
        const found = inlineValuation({ ...terms, volatilities: [volatility, volatility] });
        expect(found.value).toBeGreaterThanOrEqual(0);
        expect(found.value).toBeLessThanOrEqual(1);
        const { spot, years, rate } = terms;
        const slope = (step: number, change: (by: number) => Parameters<typeof at>[0]) =>
          (at(change(step)) - at(change(-step))) / (2 * step);
        expect(found.delta).toBeCloseTo(
          slope(1e-4, (by) => ({ spot: spot + by })),
          5,
        );
        expect(found.vega).toBeCloseTo(
          slope(1e-5, (by) => ({ volatility: volatility + by })),
          4,
        );
        expect(found.theta).toBeCloseTo(
          slope(1e-6, (by) => ({ years: years - by })),
          3,
        );
        expect(found.rho).toBeCloseTo(
          slope(1e-6, (by) => ({ rate: rate + by })),
          4,
        );
      }),
    );
  });
});

describe('a callable contract', () => {
  it('is worth the difference to its strike and what the money costs', () => {
    expect(callableValuation({ type: 'bull', spot: 110, strike: 100, years: 0.5, funding: 0.04 }).value).toBeCloseTo(12, 9);
    expect(callableValuation({ type: 'bear', spot: 90, strike: 100, years: 0, funding: 0.04 }).value).toBe(10);
  });
});

describe('the analysis of a payoff', () => {
  const below = (price: number) => probabilityBelow(price, 100, 0.25, 0.2);
  const call = (units: number, strike: number) => ({ units, valueAt: (spot: number) => Math.max(0, spot - strike) });

  it('bounds a vertical spread and leaves a bought call open', () => {
    const spread = analysePayoff([call(100, 100), call(-100, 110)], 300, [100, 110, 100], below, true);
    expect([spread.maxProfit, spread.maxLoss]).toEqual([700, 300]);
    expect(spread.breakEvens).toHaveLength(1);
    expect(spread.breakEvens[0]).toBeCloseTo(103, 6);
    expect(spread.probability).toBeCloseTo(1 - below(103), 9);
    const bought = analysePayoff([call(100, 100)], 400, [100], below, true);
    expect([bought.maxProfit, bought.maxLoss]).toEqual([Infinity, 400]);
    const sold = analysePayoff([call(-100, 100)], -400, [100], below, true);
    expect([sold.maxProfit, sold.maxLoss]).toEqual([400, Infinity]);
    expect(sold.probability + bought.probability).toBeCloseTo(1, 9);
  });

  it('finds both ends of a butterfly', () => {
    const { breakEvens, probability, maxProfit, maxLoss } = analysePayoff(
      [call(1, 90), call(-2, 100), call(1, 110)],
      3,
      [90, 100, 110],
      below,
      true,
    );
    expect(breakEvens.map((price) => Math.round(price * 1e6) / 1e6)).toEqual([93, 107]);
    expect([maxProfit, maxLoss]).toEqual([7, 3]);
    expect(probability).toBeCloseTo(below(107) - below(93), 9);
  });
});
