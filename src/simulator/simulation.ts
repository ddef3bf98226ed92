import type { Clock } from '../contract/clock.js';
import { requireDay } from '../contract/time.js';
import type { Store } from '../storage/index.js';
import { createBrokerage } from './brokerage/index.js';
import { companiesOf, type MarketPrices } from './companies/index.js';
import { CapitalFlows, createMarket, type LoadedHistory, loadHistoryFolder, pastsOf, type SimulatedMarket } from './market/index.js';
import type { EveryFact } from './view/facts.js';
import { HistoryQuota } from './view/history-quota.js';
import { Listings } from './view/listings.js';
import { QuoteBoard } from './view/quote-board.js';
import { type CalendarMode, createWorld, type Instrument, type World } from './world/index.js';

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
  /**
   * Most symbols whose K-line history may be read within 30 days. Default 100: what the specification falls back to
   * while nobody has said anything else.
   */
  readonly historyKlQuotaMax?: number;
}

/** A simulation and its end. */
export interface RunningSimulation extends EveryFact {
  /** Where a write is recorded before it is answered. */
  readonly store: Store;
  /** Ends matching and timers and waits until everything is on disk. */
  close(): Promise<void>;
}

/** Why a data folder cannot be used: each text names file, line, column and what is accepted. */
export class DataProblems {
  constructor(readonly problems: readonly string[]) {}
}

const GENERATED_INSTRUMENTS = 0;
const TRADE_PASSWORD = '123456';
const HISTORY_KL_QUOTA_MAX = 100;

/** Composes the simulated world, its market and its brokerage. Throws RangeError for a number of generated instruments out of bounds. */
export function createSimulation(options: SimulationOptions): RunningSimulation {
  return compose(options, worldOf(options), []);
}

/** As {@link createSimulation}, with the bars of the folder's `MARKET.CODE.csv` files as those symbols' history. */
export async function createSimulationWithData(options: SimulationOptions, folder: string): Promise<RunningSimulation | DataProblems> {
  const priced = worldOf(options);
  const { world } = priced;
  try {
    const { histories, problems } = await loadHistoryFolder(
      folder,
      (symbol) => world.instrument(symbol),
      (instrument) => world.calendar(instrument),
    );
    return problems.length > 0 ? new DataProblems(problems) : compose(options, priced, histories);
  } catch (error) {
    if (isFileError(error)) return new DataProblems([`cannot read the data folder: ${error.message}`]);
    throw error;
  }
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

/** A world whose strikes lie around the prices of a market that is still to be made. */
function worldOf({ clock, calendarMode, seed, generatedInstruments = GENERATED_INSTRUMENTS }: SimulationOptions): PricedWorld {
  let market: SimulatedMarket | undefined;
  const prices: MarketPrices = {
    closeBefore: (instrument, day) => market?.closeBefore(instrument, day) ?? instrument.referencePrice,
    dayMove: (instrument, day) => market?.dayMove(instrument, day),
  };
  return {
    prices,
    world: createWorld({
      clock,
      calendarMode,
      generatedInstruments,
      seed,
      closeBefore: prices.closeBefore,
    }),
    priceBy(made) {
      market = made;
    },
  };
}

interface PricedWorld {
  readonly world: World;
  /** The market's, once it is made. */
  readonly prices: MarketPrices;
  /** Called once, before anybody asks for strikes or figures. */
  priceBy(market: SimulatedMarket): void;
}

function compose(
  options: SimulationOptions,
  { world, prices, priceBy }: PricedWorld,
  history: readonly LoadedHistory[],
): RunningSimulation {
  const { clock, seed, store, tradePassword = TRADE_PASSWORD } = options;
  const calendarOf = (instrument: Instrument) => world.calendar(instrument);
  const today = (instrument: Instrument) => requireDay(calendarOf(instrument).tradingDay(clock.now()));
  const pasts = pastsOf(history, today);
  const companies = companiesOf(world, seed, (symbol) => pasts.get(symbol)?.loadedPrices, prices);
  const market = createMarket({
    clock,
    seed,
    calendarOf,
    companies,
    pairs: world.instruments({ market: 'FX', kind: 'forex' }),
    history: pasts,
  });
  priceBy(market);
  const brokerage = createBrokerage({ clock, world, market, store, seed, corporateActions: companies, tradePassword });
  const historyQuota = new HistoryQuota({ clock, store, max: options.historyKlQuotaMax ?? HISTORY_KL_QUOTA_MAX });
  return {
    store,
    clock,
    world,
    companies,
    market,
    brokerage,
    listings: new Listings(world),
    quoteBoard: new QuoteBoard(market, companies),
    capitalFlows: new CapitalFlows(market),
    historyQuota,
    async close() {
      await Promise.all([brokerage.close(), historyQuota.whenDurable()]);
    },
  };
}
