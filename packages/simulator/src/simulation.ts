import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@svc-gateway/contract/clock';
import type { Decimal } from '@svc-gateway/contract/decimal';
import { requireDay } from '@svc-gateway/contract/time';
import type { Store } from '@svc-gateway/storage';
import { type Brokerage, type BrokerageOptions, createBrokerage, openBrokerage } from './brokerage/index.js';
import { Companies, type MarketPrices } from './companies/index.js';
import { Macro } from './macro/index.js';
import {
  type CallerChange,
  type Followed,
  type LoadedHistory,
  loadHistoryFolder,
  pastsOf,
  RecordedMarket,
  SimulatedMarket,
  TradeStatistics,
} from './market/index.js';
import { ColumnSnapshots } from './screen/column-snapshot.js';
import { NameIndex } from './search/index.js';
import { UserState } from './user-state/index.js';
import { Caches } from './view/caches.js';
import type { EveryFact } from './view/facts.js';
import { HistoryQuota } from './view/history-quota.js';
import { Listings } from './view/listings.js';
import { QuoteBoard } from './view/quote-board.js';
import { type CalendarMode, createWorld, type Instrument, type Newcomer, type World } from './world/index.js';

export { forgetAll, whileComputing } from './market/index.js';

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
  /** Symbols whose market is not generated but recorded. Shares and funds that the world does not have join it. */
  readonly recorded?: readonly RecordedSymbol[];
}

/** A symbol with recorded quotes and trades. */
export interface RecordedSymbol {
  readonly symbol: string;
  /** Security facts, if it may be a share or a fund. */
  readonly security?: Omit<Newcomer, 'symbol' | 'price'>;
  /** The close before the recorded day. */
  readonly previousClose: Decimal;
  /** A moment of the recorded day, epoch ms. */
  readonly time: number;
}

/** A simulation and its end. */
export interface RunningSimulation extends EveryFact {
  /** Store that records a write before its answer. */
  readonly store: Store;
  /** Takes in what was recorded; undefined where every symbol is generated. */
  readonly recordedMarket: RecordedMarket | undefined;
  /** Makes a copy of the world in another thread; undefined while a recorded day is played, which no copy follows. */
  readonly recipe: WorldRecipe | undefined;
  /** Callers' trades and orders in the market that a copy lacks; `followed` is brought up to now. */
  callerChanges(followed: Followed): readonly CallerChange[];
  /** Ends matching and timers and waits until everything is on disk. */
  close(): Promise<void>;
}

/** Options that a world is made from, as plain data. */
export interface WorldRecipe {
  readonly seed: string | number;
  readonly calendarMode: CalendarMode;
  readonly generatedInstruments: number;
  /** When the world was made, epoch ms. */
  readonly madeAt: number;
  readonly data: DataFolder | undefined;
}

/** A data folder, and the names, sizes and times of its files when it was read. */
interface DataFolder {
  readonly path: string;
  readonly files: string;
}

/** The facts of the world that are no function of an account or of other rows of the store. */
export type WorldFacts = Omit<EveryFact, 'brokerage' | 'historyQuota' | 'userState'>;

/** A copy of a world that goes by the moments that it is given. */
export interface WorldCopy {
  readonly facts: WorldFacts;
  /** Moves the copy's clock (epoch ms) and takes in what callers did until then, and the symbols on the user's watchlists. */
  follow(moment: number, changes: readonly CallerChange[], watched: readonly string[]): void;
}

/** Reason why a data folder cannot be used: each text names file, line, column and what is accepted. */
export class DataProblems {
  constructor(readonly problems: readonly string[]) {}
}

const GENERATED_INSTRUMENTS = 0;
const TRADE_PASSWORD = '123456';
const HISTORY_KL_QUOTA_MAX = 100;

/** Composes the simulated world, its market and its brokerage. Throws RangeError for a number of generated instruments out of bounds. */
export function createSimulation(options: SimulationOptions): RunningSimulation {
  const market = marketOf(options, worldOf(options), []);
  const madeAt = options.clock.now();
  return compose(options, market, createBrokerage(brokerageOptions(options, market)), madeAt);
}

/** As {@link createSimulation}, on a store that may be years old: what has to be caught up with holds nobody up. */
export async function openSimulation(options: SimulationOptions): Promise<RunningSimulation> {
  return open(options, worldOf(options), []);
}

/**
 * As {@link openSimulation}, with the bars of the folder's `MARKET.CODE.csv` files as those symbols' history.
 *
 * @param warn told of bars that are not used, a sentence for each symbol
 */
export async function createSimulationWithData(
  options: SimulationOptions,
  folder: string,
  warn: (message: string) => void = () => {},
): Promise<RunningSimulation | DataProblems> {
  const priced = worldOf(options);
  const { world } = priced;
  try {
    const data = { path: folder, files: filesOf(folder) };
    const { histories, problems } = await loadData(world, folder);
    if (problems.length > 0) return new DataProblems(problems);
    for (const history of histories) warnOfUnused(history, world.calendar(history.instrument).tradingDay(options.clock.now()), warn);
    return await open(options, priced, histories, data);
  } catch (error) {
    if (isFileError(error)) return new DataProblems([`cannot read the data folder: ${error.message}`]);
    throw error;
  }
}

/** Makes a copy of a world. Throws where its data folder has changed since. */
export async function copyWorld(recipe: WorldRecipe): Promise<WorldCopy> {
  let moment = recipe.madeAt;
  let watchlist: readonly string[] = [];
  const never = () => () => {};
  const clock: Clock = { now: () => moment, monotonic: () => performance.now(), uptime: () => performance.now(), at: never, after: never };
  const priced = worldOf({ ...recipe, clock });
  const { data } = recipe;
  const { histories } = data === undefined ? { histories: [] } : await loadData(priced.world, data.path);
  if (data !== undefined && filesOf(data.path) !== data.files) {
    throw new Error(`the data folder ${data.path} has changed since the start: start the daemon again`);
  }
  const made = marketOf({ ...recipe, clock }, priced, histories);
  const facts = worldFacts({ ...recipe, clock }, made, () => watchlist);
  return {
    facts,
    follow(now, changes, watched) {
      moment = now;
      watchlist = watched;
      made.market.adopt(
        changes.flatMap((change) => {
          const instrument = facts.world.instrument(change.symbol);
          return instrument === undefined ? [] : [{ ...change, instrument }];
        }),
      );
    },
  };
}

function loadData(world: World, folder: string): ReturnType<typeof loadHistoryFolder> {
  return loadHistoryFolder(
    folder,
    (symbol) => world.instrument(symbol),
    (instrument) => world.calendar(instrument),
  );
}

/** Names, sizes and times of the files of a folder. */
function filesOf(folder: string): string {
  const files = readdirSync(folder).sort();
  return JSON.stringify(files.map((file) => [file, statSync(join(folder, file)).size, statSync(join(folder, file)).mtimeMs]));
}

/** Bars of the day of the start and later ones say what the simulation is about to make up itself. */
function warnOfUnused({ instrument, bars }: LoadedHistory, today: string, warn: (message: string) => void): void {
  const first = requireDay(today);
  const unused = bars.filter(({ day }) => day >= first).length;
  if (unused === 0) return;
  warn(
    `${instrument.symbol}: ${unused} of ${bars.length} loaded bars are of ${today} or later and are not used: the simulation makes the prices from the day on which it starts (--sim-clock)`,
  );
}

function isFileError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error;
}

type MadeFrom = Pick<SimulationOptions, 'clock' | 'seed' | 'calendarMode' | 'generatedInstruments' | 'recorded'>;

/** A world whose strikes lie around the prices of a market that is still to be made. */
function worldOf({ clock, calendarMode, seed, generatedInstruments = GENERATED_INSTRUMENTS, recorded = [] }: MadeFrom): PricedWorld {
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
      newcomers: recorded.flatMap(({ symbol, security, previousClose: price }) =>
        security === undefined ? [] : [{ ...security, symbol, price }],
      ),
      closeBefore: (instrument, day) => market?.levelBefore(instrument, day) ?? instrument.referencePrice,
      calledBefore: (warrant, day) => market?.calledBefore(warrant, day),
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

async function open(
  options: SimulationOptions,
  priced: PricedWorld,
  history: readonly LoadedHistory[],
  data?: DataFolder,
): Promise<RunningSimulation> {
  const market = marketOf(options, priced, history);
  const madeAt = options.clock.now();
  return compose(options, market, await openBrokerage(brokerageOptions(options, market)), madeAt, data);
}

interface MarketFacts extends Pick<EveryFact, 'world' | 'companies'> {
  readonly market: SimulatedMarket;
  readonly recordedMarket: RecordedMarket | undefined;
}

function marketOf(options: MadeFrom, { world, prices, priceBy }: PricedWorld, loaded: readonly LoadedHistory[]): MarketFacts {
  const { clock, seed, recorded = [] } = options;
  const calendarOf = (instrument: Instrument) => world.calendar(instrument);
  const today = (instrument: Instrument) => requireDay(calendarOf(instrument).tradingDay(clock.now()));
  const history = [...loaded, ...historyBefore(recorded, loaded, world)];
  const pasts = pastsOf(history, today);
  const companies = new Companies(world, seed, (symbol) => pasts.get(symbol), prices);
  const pairs = world.instruments({ market: 'FX', kind: 'forex' });
  const instruments = recorded.flatMap(({ symbol }) => world.instrument(symbol) ?? []);
  const marketOptions = { clock, seed, calendarOf, companies, pairs, history: pasts };
  const recordedMarket = instruments.length === 0 ? undefined : new RecordedMarket(marketOptions, instruments);
  const market = recordedMarket ?? new SimulatedMarket(marketOptions);
  priceBy(market);
  return { world, companies, market, recordedMarket };
}

/** Recorded symbols come from the close that their first quote names, unless bars of them are loaded. */
function historyBefore(recorded: readonly RecordedSymbol[], loaded: readonly LoadedHistory[], world: World): LoadedHistory[] {
  const known = new Set(loaded.map(({ instrument }) => instrument.symbol));
  return recorded.flatMap(({ symbol, previousClose: close, time }) => {
    const instrument = world.instrument(symbol);
    if (instrument === undefined || known.has(symbol)) return [];
    const calendar = world.calendar(instrument);
    const day = requireDay(calendar.previousTradingDay(calendar.tradingDay(time)));
    return [{ instrument, bars: [{ day, open: close, high: close, low: close, close, volume: BigInt(instrument.lotSize) }] }];
  });
}

function brokerageOptions(
  { clock, seed, store, tradePassword = TRADE_PASSWORD }: SimulationOptions,
  { world, companies, market }: MarketFacts,
): BrokerageOptions {
  return { clock, world, market, store, seed, corporateActions: companies, tradePassword };
}

/** The facts that are made of a world and its market alone. */
function worldFacts(
  { clock, seed }: Pick<SimulationOptions, 'clock' | 'seed'>,
  { world, companies, market }: MarketFacts,
  watched: () => readonly string[],
): WorldFacts {
  const listings = new Listings(world);
  const caches = new Caches(clock);
  return {
    clock,
    world,
    companies,
    market,
    listings,
    quoteBoard: new QuoteBoard(market, companies, world),
    caches,
    columnSnapshots: new ColumnSnapshots({ clock, world, companies, market, listings, caches }),
    names: new NameIndex(world),
    tradeStatistics: new TradeStatistics(market),
    macro: new Macro(seed),
    watched,
  };
}

function compose(
  options: SimulationOptions,
  facts: MarketFacts,
  brokerage: Brokerage,
  madeAt: number,
  data?: DataFolder,
): RunningSimulation {
  const { market, recordedMarket } = facts;
  const { clock, store, seed, calendarMode, generatedInstruments = GENERATED_INSTRUMENTS } = options;
  const historyQuota = new HistoryQuota({ clock, store, max: options.historyKlQuotaMax ?? HISTORY_KL_QUOTA_MAX });
  const userState = new UserState(store);
  return {
    ...worldFacts(options, facts, () => userState.watchlists.all()),
    store,
    recordedMarket,
    brokerage,
    historyQuota,
    userState,
    recipe: recordedMarket === undefined ? { seed, calendarMode, generatedInstruments, madeAt, data } : undefined,
    callerChanges: (followed) => market.callerChanges(followed),
    async close() {
      await Promise.all([brokerage.close(), historyQuota.whenDurable()]);
    },
  };
}
