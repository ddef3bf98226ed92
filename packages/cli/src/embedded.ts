import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from '@svc-gateway/access';
import { systemClock } from '@svc-gateway/contract/clock';
import { StartProblem, startDaemon } from '@svc-gateway/daemon/daemon';
import { Demo } from '@svc-gateway/daemon/demo';
import type { Environment } from '@svc-gateway/daemon/environment';
import { stderrLog } from '@svc-gateway/daemon/log';
import { flagOf, settingNames } from '@svc-gateway/daemon/settings-table';
import { planStartup } from '@svc-gateway/daemon/startup';
import { configFolder, homeFolder, homeProblem, stateFolder } from '@svc-gateway/storage';
import type { EmbeddedGateway } from './mcp.js';

/** Every listener but REST has a switch that turns it off. */
const otherListenersOff = settingNames.filter((name) => /^no[A-Z]/.test(name)).map(flagOf);
const FLAGS = ['--demo', '--bind', '127.0.0.1', '--rest-port', '0', '--log-level', 'warn', ...otherListenersOff];
const FOLDER = 'embedded';

/**
 * Starts a daemon with the simulated brokerage in this process, as `svcd --demo` would: orders in simulated accounts,
 * a key and a certificate of its own, any free port. Everything it keeps lies in folders `embedded` below the usual ones,
 * so that it never meets a daemon of the same user. The error says what to correct.
 */
export async function startEmbedded(env: Readonly<Record<string, string | undefined>>): Promise<Result<EmbeddedGateway, string>> {
  const environment = environmentOf(env);
  if (!environment.ok) return environment;
  const startup = planStartup(FLAGS, environment.value);
  if (startup.kind !== 'run') return err(startup.text.trim());
  const { settings, warnings } = startup;
  const { logger, linesLost } = stderrLog(settings.logLevel);
  for (const warning of warnings) logger.warn({}, warning);
  const demo = new Demo(startup, systemClock);
  process.umask(0o077);
  try {
    const daemon = await startDaemon({
      settings,
      logger,
      logLinesLost: linesLost,
      // Whoever runs it ends it as it would by Ctrl-C.
      requestShutdown: () => process.kill(process.pid, 'SIGTERM'),
      prepare: () => demo.prepare(),
    });
    const ca = settings.restTlsCert === null ? undefined : readFileSync(settings.restTlsCert, 'utf8');
    return ok({ target: { url: new URL(daemon.restUrl), apiKey: demo.material?.apiKey, ca }, stop: () => daemon.stop() });
  } catch (thrown) {
    if (thrown instanceof StartProblem) return err(thrown.message);
    throw thrown;
  }
}

/** This process's environment, without the settings that are meant for the user's own daemon. */
function environmentOf(env: Readonly<Record<string, string | undefined>>): Result<Environment, string> {
  const [config, state] = [configFolder({ ...env }), stateFolder({ ...env })];
  if (config === undefined || state === undefined) {
    return err(`${homeProblem()}: correct it, or set SVC_CONFIG_DIR and SVC_STATE_DIR`);
  }
  const kept = Object.entries(env).filter(([name]) => !name.startsWith('SVC_'));
  return ok({
    variables: { ...Object.fromEntries(kept), SVC_CONFIG_DIR: join(config, FOLDER), SVC_STATE_DIR: join(state, FOLDER) },
    home: homeFolder(),
    cwd: process.cwd(),
    platform: process.platform,
  });
}
