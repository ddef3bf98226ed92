import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { err, ok, type Result } from '../access/index.js';
import { OpendBackend } from '../backends/opend/index.js';
import { createSimBackend } from '../backends/sim/index.js';
import { type Clock, replayClock, steadyClock } from '../contract/clock.js';
import type { Logger } from '../daemon/log.js';
import { upstreamOf } from '../daemon/setting-types.js';
import type { Settings } from '../daemon/settings-table.js';
import type { Backend } from '../gateway/index.js';
import { createSimulationWithData, openSimulation, type SimulationOptions } from '../simulator/simulation.js';
import type { Store } from '../storage/index.js';
import { packageVersion } from '../version.js';
import { readRsaKey } from '../wire/index.js';

export interface BackendParts {
  readonly settings: Settings;
  readonly store: Store;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Makes what `--backend` names, without starting it. The error is a whole sentence. */
export async function createBackend(parts: BackendParts): Promise<Result<Backend, string>> {
  const endpoint = upstreamOf(parts.settings.backend);
  return endpoint === undefined ? createSimulation(parts) : createBridge(parts, endpoint);
}

function createBridge(
  { settings, clock, logger }: BackendParts,
  endpoint: NonNullable<ReturnType<typeof upstreamOf>>,
): Result<Backend, string> {
  const rsaKey = readUpstreamKey(settings);
  if (!rsaKey.ok) return rsaKey;
  const key = rsaKey.value === undefined ? {} : { rsaKey: rsaKey.value };
  return ok(new OpendBackend({ endpoint, clock, logger, clientId: `svc-gateway ${packageVersion}`, ...key }));
}

function readUpstreamKey({ upstreamRsaKey: path }: Settings): Result<KeyObject | undefined, string> {
  if (path === null) return ok(undefined);
  let pem: string;
  try {
    pem = readFileSync(path, 'utf8');
  } catch (error) {
    return err(`--upstream-rsa-key ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const read = readRsaKey(pem);
  return read.ok ? ok(read.key) : err(`--upstream-rsa-key ${path}: ${read.message}`);
}

async function createSimulation({ settings, store, clock, logger }: BackendParts): Promise<Result<Backend, string>> {
  const { simClock, simData } = settings;
  const simulationClock = simClock.mode === 'replay' ? replayClock(simClock.start, simClock.speed, clock) : steadyClock(clock);
  const options: SimulationOptions = {
    clock: simulationClock,
    seed: settings.simSeed,
    store,
    calendarMode: simClock.mode === 'open' ? 'open' : 'calendar',
    generatedInstruments: settings.simInstruments,
    tradePassword: settings.simTradePassword,
    ...(settings.historyKlQuotaMax === null ? {} : { historyKlQuotaMax: settings.historyKlQuotaMax }),
  };
  const simulation = simData === null ? await openSimulation(options) : await createSimulationWithData(options, simData);
  if ('problems' in simulation) return err(`--sim-data: ${simulation.problems.join('\n  ')}`);
  return ok(createSimBackend({ simulation, clock: simulationClock, logger }));
}
