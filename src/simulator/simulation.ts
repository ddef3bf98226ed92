import type { Clock } from '../contract/clock.js';
import type { Store } from '../storage/index.js';
import { createBrokerage } from './brokerage/index.js';
import type { Simulation } from './handler.js';
import { loadBars } from './load-bars.js';
import { CapitalFlows, createMarket } from './market/index.js';
import { HistoryQuota } from './quote/history-quota.js';
import { Listings } from './quote/listings.js';
import { QuoteBoard } from './quote/quote-board.js';
import { type CalendarMode, createWorld } from './world/index.js';

export interface SimulationOptions {
  readonly clock: Clock;
  /** The same seed and clock give the same world. */
  readonly seed: string | number;
  /** Keeps accounts, orders and quotas. Stays open when the simulation is closed. */
  readonly store: Store;
  readonly calendarMode: CalendarMode;
  /** How many made-up equities to add to the real ones. Default 0. */
  readonly generatedInstruments?: number;
  /** Unlocks the real accounts. Default "123456". */
  readonly tradePassword?: string;
  /** A folder of `MARKET.CODE.csv` files whose bars are those symbols' history. */
  readonly dataFolder?: string;
  /**
   * Most symbols whose K-line history may be read within 30 days. Default 100: what the specification falls back to
   * while nobody has said anything else.
   */
  readonly historyKlQuotaMax?: number;
}

/** A simulation and its end. */
export interface OpenSimulation extends Simulation {
  /** Ends matching and timers and waits until everything is on disk. */
  close(): Promise<void>;
}

const GENERATED_INSTRUMENTS = 0;
const TRADE_PASSWORD = '123456';
const HISTORY_KL_QUOTA_MAX = 100;

/**
 * Composes the simulated world, its market and its brokerage, once. Throws RangeError for a number of generated
 * instruments out of bounds, and DataFolderError for a data folder that cannot be used.
 */
export function createSimulation(options: SimulationOptions): OpenSimulation {
  const { clock, seed, store, calendarMode, tradePassword = TRADE_PASSWORD, dataFolder } = options;
  const world = createWorld({ calendarMode, generatedInstruments: options.generatedInstruments ?? GENERATED_INSTRUMENTS, seed });
  const history = dataFolder === undefined ? [] : loadBars(dataFolder, world);
  const market = createMarket({ clock, seed, calendarOf: (instrument) => world.calendar(instrument), history });
  const brokerage = createBrokerage({ clock, world, market, store, seed, tradePassword });
  return {
    clock,
    world,
    market,
    brokerage,
    listings: new Listings(world),
    quoteBoard: new QuoteBoard(market),
    capitalFlows: new CapitalFlows(market),
    historyQuota: new HistoryQuota({ clock, store, max: options.historyKlQuotaMax ?? HISTORY_KL_QUOTA_MAX }),
    close: () => brokerage.close(),
  };
}
