import type { KeyObject } from 'node:crypto';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { type Clock, systemClock } from '@svc-gateway/contract/clock';
import { type BrokerageAddresses, BrokerageServer, type OpendAddresses, OpendServer } from '@svc-gateway/sim-server';
import { type DurableStore, ensurePrivateFolder, openLevelStore } from '@svc-gateway/storage';
import { StartProblem } from './daemon.js';
import { processEnvironment } from './environment.js';
import { type Logger, stderrLog } from './log.js';
import { readRsaKeyFile } from './rsa-key-file.js';
import { handleSignals } from './signals.js';
import { planSimServe } from './sim-serve-command.js';
import type { SimServeSettings } from './sim-serve-settings.js';
import { openSimulatedBrokerage } from './simulation.js';
import { EXIT_MISCONFIGURED } from './startup.js';

const HOST = '127.0.0.1';
/** Units of the subscription quota and symbols with history, by level. */
const QUOTAS = [100, 300, 1_000, 2_000];

export interface SimServeOptions {
  readonly settings: SimServeSettings;
  readonly stateDir: string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told of each device code that is sent. */
  readonly onDeviceCode: (sent: { readonly account: string; readonly code: string }) => void;
}

/** A running `svcd sim serve`. */
export interface SimServe {
  readonly addresses: BrokerageAddresses | OpendAddresses;
  stop(): Promise<void>;
}

/** `svcd sim …`: reads the flags, serves, and ends on a signal. */
export async function simCommand(args: readonly string[]): Promise<void> {
  const environment = processEnvironment();
  if (!environment.ok) throw new StartProblem(environment.error);
  const startup = planSimServe(args, environment.value);
  if (startup.kind === 'print') {
    process.stdout.write(startup.text);
    return;
  }
  if (startup.kind === 'refuse') {
    process.stderr.write(startup.text);
    process.exitCode = EXIT_MISCONFIGURED;
    return;
  }
  const { settings, stateDir } = startup;
  const { logger } = stderrLog(settings.logLevel);
  const tell = (event: string, fields: object) => void process.stdout.write(`${JSON.stringify({ event, ...fields })}\n`);
  let served: SimServe | undefined;
  handleSignals(process, systemClock, {
    shutdown: async (reason) => {
      logger.info({ reason }, 'shutting down');
      await served?.stop();
    },
    reload: () => undefined,
    onFailure: (message, error) => logger.error({ err: error }, message),
  });
  served = await startSimServe({ settings, stateDir, clock: systemClock, logger, onDeviceCode: (sent) => tell('device_code', sent) });
  tell('ready', { ...served.addresses, pid: process.pid });
}

/** Opens the state folder, the simulated world and the listeners. What an operator can have got wrong throws {@link StartProblem}. */
export async function startSimServe(options: SimServeOptions): Promise<SimServe> {
  const { settings, stateDir, clock, logger } = options;
  const rsaKey = readKey(settings);
  const store = await openStore(stateDir);
  const quota = QUOTAS[settings.quotaLevel - 1] ?? 0;
  const undo: (() => Promise<void>)[] = [() => store.close()];
  const stop = async () => {
    for (const action of undo.splice(0)) await action();
  };
  try {
    const historyKlQuotaMax = settings.profile === 'opend' ? quota : null;
    const opened = await openSimulatedBrokerage({ settings: { ...settings, historyKlQuotaMax }, store, clock, logger });
    if (!opened.ok) throw new StartProblem(opened.error);
    const { backend, simulation } = opened.value;
    await backend.start();
    undo.unshift(() => backend.stop());
    const parts = {
      backend,
      accounts: simulation.brokerage.accounts,
      exchange: simulation.brokerage.exchange,
      store,
      clock,
      random: randomBytes,
      seed: settings.simSeed,
      host: HOST,
      onDefect: (error: unknown) => logger.error({ err: error }, 'a connection failed'),
    };
    const server =
      settings.profile === 'opend'
        ? new OpendServer({
            ...parts,
            ...settings,
            rsaKey,
            subscriptionQuota: quota,
            tradeLock: simulation.brokerage.lock,
            faultsPort: settings.faults ? settings.faultsPort : undefined,
          })
        : new BrokerageServer({
            ...parts,
            ...settings,
            brokerPorts: settings.brokerPort,
            faultsOverHttp: settings.faults,
            onDeviceCode: options.onDeviceCode,
          });
    undo.unshift(() => server.stop());
    const addresses = await server.start().catch((error: NodeJS.ErrnoException) => {
      throw new StartProblem(`cannot listen on ${HOST}: ${error.message}; choose other ports (0 = any free port)`);
    });
    return { addresses, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function openStore(stateDir: string): Promise<DurableStore> {
  try {
    ensurePrivateFolder(stateDir);
  } catch (error) {
    throw new StartProblem(`cannot write to the state folder ${stateDir}: ${(error as Error).message}`);
  }
  const store = await openLevelStore(join(stateDir, 'database'));
  if (!('kind' in store)) return store;
  if (store.kind !== 'locked') throw new StartProblem(store.message);
  throw new StartProblem(`another svcd uses the state folder ${stateDir}; stop it, or give this one another with --state-dir`);
}

function readKey({ apiRsaKey }: SimServeSettings): KeyObject | undefined {
  const read = readRsaKeyFile('--api-rsa-key', apiRsaKey);
  if (!read.ok) throw new StartProblem(read.error);
  return read.value;
}
