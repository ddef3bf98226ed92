import { err, ok, type Result } from '../access/index.js';
import { type Clock, replayClock, steadyClock } from '../contract/clock.js';
import type { SimulationClock } from '../daemon/setting-types.js';
import { createSimulationWithData, openSimulation, type RunningSimulation, type SimulationOptions } from '../simulator/simulation.js';
import type { Store } from '../storage/index.js';

/** What the settings say of the simulated world. */
export interface SimulationSettings {
  readonly simSeed: number;
  readonly simClock: SimulationClock;
  readonly simInstruments: number;
  readonly simData: string | null;
  readonly simTradePassword: string;
  readonly historyKlQuotaMax: number | null;
}

/** A simulation, and the clock by which its world goes. */
export interface OpenedSimulation {
  readonly simulation: RunningSimulation;
  readonly clock: Clock;
}

/** Opens the simulated world on its store. The error is a whole sentence. */
export async function openSimulatedWorld(
  settings: SimulationSettings,
  store: Store,
  daemonClock: Clock,
): Promise<Result<OpenedSimulation, string>> {
  const { simClock, simData } = settings;
  const clock = simClock.mode === 'replay' ? replayClock(simClock.start, simClock.speed, daemonClock) : steadyClock(daemonClock);
  const options: SimulationOptions = {
    clock,
    seed: settings.simSeed,
    store,
    calendarMode: simClock.mode === 'open' ? 'open' : 'calendar',
    generatedInstruments: settings.simInstruments,
    tradePassword: settings.simTradePassword,
    ...(settings.historyKlQuotaMax === null ? {} : { historyKlQuotaMax: settings.historyKlQuotaMax }),
  };
  const simulation = simData === null ? await openSimulation(options) : await createSimulationWithData(options, simData);
  return 'problems' in simulation ? err(`--sim-data: ${simulation.problems.join('\n  ')}`) : ok({ simulation, clock });
}
