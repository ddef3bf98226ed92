import type { KeyObject } from 'node:crypto';
import { err, ok, type Result } from '@svc-gateway/access';
import { opendBackend } from '@svc-gateway/backends/opend';
import { type Login, RemoteBackend } from '@svc-gateway/backends/remote';
import type { Clock } from '@svc-gateway/contract/clock';
import { packageVersion } from '@svc-gateway/control/version';
import type { Backend } from '@svc-gateway/gateway';
import { type Recorder, recordedBackend } from '@svc-gateway/recording';
import type { Store } from '@svc-gateway/storage';
import type { Logger } from './log.js';
import { startRecorder } from './recording.js';
import { openLogin } from './remote-login.js';
import { readRsaKeyFile } from './rsa-key-file.js';
import { upstreamOf } from './setting-types.js';
import type { Settings } from './settings-table.js';
import { openSimulatedBrokerage } from './simulation.js';

export interface BackendDeps {
  readonly settings: Settings;
  readonly store: Store;
  readonly clock: Clock;
  /** Base of the simulation's own clock. */
  readonly simulationClock: Clock;
  readonly logger: Logger;
}

export interface MadeBackend {
  readonly backend: Backend;
  /** Login of a brokerage, where a code can be entered. */
  readonly login: Login | undefined;
  /** undefined where nothing is recorded. Closed after the backend has stopped. */
  readonly recorder: Recorder | undefined;
}

/** A backend that is not recorded yet. */
interface Unrecorded {
  readonly backend: Backend;
  readonly login?: Login;
  /** Its data go by this one. */
  readonly clock: Clock;
}

/** Makes what `--backend` names, without starting it. The error is a whole sentence. */
export async function createBackend(deps: BackendDeps): Promise<Result<MadeBackend, string>> {
  const made = await createUnrecorded(deps);
  if (!made.ok) return made;
  const { backend, clock, login } = made.value;
  const recorder = await startRecorder(deps.settings, clock, deps.logger);
  if (!recorder.ok) return recorder;
  const { recordAccounts } = deps.settings;
  const past = recorder.value === undefined ? backend : recordedBackend(backend, recorder.value, clock, recordAccounts);
  return ok({ backend: past, login, recorder: recorder.value });
}

async function createUnrecorded(deps: BackendDeps): Promise<Result<Unrecorded, string>> {
  if (deps.settings.backend === 'remote') return createRemote(deps);
  const endpoint = upstreamOf(deps.settings.backend);
  return endpoint === undefined ? openSimulatedBrokerage({ ...deps, clock: deps.simulationClock }) : createBridge(deps, endpoint);
}

function createRemote({ settings, clock, logger }: BackendDeps): Result<Unrecorded, string> {
  const login = openLogin(settings, clock, logger);
  if (typeof login === 'string') return err(login);
  const { historyKlQuotaMax } = settings;
  return ok({ login, clock, backend: new RemoteBackend({ login, clock, logger, historyKlQuotaMax: historyKlQuotaMax ?? undefined }) });
}

function createBridge(
  { settings, clock, logger }: BackendDeps,
  endpoint: NonNullable<ReturnType<typeof upstreamOf>>,
): Result<Unrecorded, string> {
  const rsaKey = readUpstreamKey(settings);
  if (!rsaKey.ok) return rsaKey;
  const key = rsaKey.value === undefined ? {} : { rsaKey: rsaKey.value };
  const backend = opendBackend({ endpoint, clock, logger, clientId: `svc-gateway ${packageVersion}`, ...key });
  return ok({ backend, clock });
}

function readUpstreamKey({ upstreamRsaKey }: Settings): Result<KeyObject | undefined, string> {
  return readRsaKeyFile('--upstream-rsa-key', upstreamRsaKey);
}
