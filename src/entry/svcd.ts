import { systemClock } from '../contract/clock.js';
import { removeDemoRecord } from '../control/demo-record.js';
import { prepareDemo } from '../daemon/demo.js';
import { announceDemo } from '../daemon/demo-announcement.js';
import { exposedFiles } from '../daemon/exposed-files.js';
import { stderrLog } from '../daemon/log.js';
import { handleSignals } from '../daemon/signals.js';
import { EXIT_MISCONFIGURED, planStartup } from '../daemon/startup.js';
import { type Daemon, StartProblem, startDaemon } from './daemon.js';

/** `svcd`: reads the settings, starts the daemon, and ends it on a signal. */
async function main(): Promise<void> {
  const startup = planStartup(process.argv.slice(2));
  if (startup.kind === 'print') {
    process.stdout.write(startup.text);
    return;
  }
  if (startup.kind === 'refuse') {
    process.stderr.write(startup.text);
    process.exitCode = EXIT_MISCONFIGURED;
    return;
  }
  const { settings } = startup;
  const { logger, linesLost } = stderrLog(settings.logLevel);
  for (const warning of [...startup.warnings, ...exposedFiles(startup)]) logger.warn({}, warning);

  const demo = settings.demo ? await prepareDemo(startup, systemClock) : undefined;
  if (demo?.ok === false) throw new StartProblem(demo.error);

  let daemon: Daemon | undefined;
  const signals = handleSignals(process, systemClock, {
    shutdown: async (reason) => {
      logger.info({ reason }, 'shutting down');
      if (settings.demo) removeDemoRecord(settings.stateDir, process.pid);
      await daemon?.stop();
    },
    reload: () => void daemon?.reload(),
    onFailure: (message, error) => logger.error({ err: error }, message),
  });
  daemon = await startDaemon({ settings, logger, logLinesLost: linesLost, requestShutdown: signals.requestShutdown });
  const { restUrl: rest, grpcUrl: grpc, websocketUrl: websocket, apiAddress: api } = daemon;
  process.stdout.write(`${JSON.stringify({ event: 'ready', rest, grpc, websocket, api, pid: process.pid })}\n`);
  if (demo?.ok) process.stderr.write(await announceDemo(daemon, startup, demo.value));
}

// What the daemon keeps is for its own user, whatever library creates the file.
process.umask(0o077);

main().catch((error: unknown) => {
  if (error instanceof StartProblem) {
    process.stderr.write(`svcd: ${error.message}\n`);
    process.exit(EXIT_MISCONFIGURED);
  }
  process.stderr.write(`svcd: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
});
