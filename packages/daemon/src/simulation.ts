import { existsSync } from 'node:fs';
import { err, ok, type Result } from '@svc-gateway/access';
import { AnswerThread, createSimBackend } from '@svc-gateway/backends/sim';
import { type Clock, replayClock, steadyClock } from '@svc-gateway/contract/clock';
import { packageFolder } from '@svc-gateway/control/version';
import type { Backend } from '@svc-gateway/gateway';
import {
  createSimulationWithData,
  openSimulation,
  type RunningSimulation,
  type SimulationOptions,
} from '@svc-gateway/simulator/simulation';
import type { Store } from '@svc-gateway/storage';
import type { Logger } from './log.js';
import { openRecordedDay, warnOfUnknown } from './recording.js';
import type { Settings } from './settings-table.js';

export interface SimulationDeps {
  readonly settings: Pick<Settings, 'simSeed' | 'simClock' | 'simInstruments' | 'simData' | 'simTradePassword' | 'historyKlQuotaMax'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface OpenedSimulation {
  /** Not started; closes the simulation when it stops. */
  readonly backend: Backend;
  readonly simulation: RunningSimulation;
  /** The simulated world goes by this one. */
  readonly clock: Clock;
}

/** Opens the simulated brokerage on its store. The error is a whole sentence. */
export async function openSimulatedBrokerage({
  settings,
  store,
  clock,
  logger,
}: SimulationDeps): Promise<Result<OpenedSimulation, string>> {
  const { simClock, simData } = settings;
  const simulationClock = simClock.mode === 'replay' ? replayClock(simClock.start, simClock.speed, clock) : steadyClock(clock);
  const played = simData === null ? ok(undefined) : await openRecordedDay(simData, simClock, logger);
  if (!played.ok) return played;
  const recordedDay = played.value;
  const options: SimulationOptions = {
    clock: simulationClock,
    seed: settings.simSeed,
    store,
    calendarMode: simClock.mode === 'open' ? 'open' : 'calendar',
    generatedInstruments: settings.simInstruments,
    tradePassword: settings.simTradePassword,
    ...(settings.historyKlQuotaMax === null ? {} : { historyKlQuotaMax: settings.historyKlQuotaMax }),
    ...(recordedDay === undefined ? {} : { recorded: recordedDay.symbols }),
  };
  const warn = (message: string) => logger.warn({ target: 'simulation' }, message);
  const simulation = simData === null ? await openSimulation(options) : await createSimulationWithData(options, simData, warn);
  if ('problems' in simulation) return err(`--sim-data: ${simulation.problems.join('\n  ')}`);
  if (recordedDay !== undefined) warnOfUnknown(recordedDay, simulation.listings, logger);
  const report = (message: string) => logger.info({ target: 'recording' }, message);
  const day = recordedDay === undefined ? {} : { recordedDay, report };
  const thread = answerThread(simulation, clock, logger);
  return ok({
    backend: createSimBackend({ simulation, clock: simulationClock, logger, thread, ...day }),
    simulation,
    clock: simulationClock,
  });
}

function answerThread(simulation: RunningSimulation, clock: Clock, logger: Logger): AnswerThread | undefined {
  const { recipe } = simulation;
  if (recipe === undefined) return undefined;
  const onFailure = (error: unknown) => logger.error({ target: 'simulation', err: error }, 'the thread of long reads ended');
  return new AnswerThread({ file: workerFile(), recipe, simulation, clock, onFailure });
}

/** A bundle of its own; "npm run dev" keeps up the modules alone. */
function workerFile(): URL {
  const bundle = new URL('dist/svcd-answers.cjs', packageFolder);
  return existsSync(bundle) ? bundle : new URL('packages/daemon/dist/answer-worker.js', packageFolder);
}
