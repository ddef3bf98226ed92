import { ManualClock } from '@svc-gateway/contract/clock';
import { type CalendarMode, createWorld, type World } from '@svc-gateway/simulator/world';
import { Companies } from '../../packages/simulator/src/companies/index.js';
import { SimulatedMarket } from '../../packages/simulator/src/market/index.js';

/** A moment, epoch ms, and the world that the market is of; without one, a world on the market's own clock. */
interface MarketOptions {
  readonly time: number;
  readonly seed?: number | string;
  readonly world?: World;
  readonly mode?: CalendarMode;
  /** Seed of the world's own instruments. */
  readonly worldSeed?: number | string;
  readonly generatedInstruments?: number;
}

/** For tests: the simulated market on a clock that stands still. */
export function openMarket({ time, seed = 1, world: given, mode = 'calendar', worldSeed = 'w', generatedInstruments = 0 }: MarketOptions) {
  const clock = new ManualClock(time);
  const world = given ?? createWorld({ clock, calendarMode: mode, generatedInstruments, seed: worldSeed });
  const companies = new Companies(world, seed);
  const pairs = world.instruments({ market: 'FX' });
  const market = new SimulatedMarket({ clock, seed, calendarOf: (one) => world.calendar(one), companies, pairs });
  return { clock, world, companies, market };
}
