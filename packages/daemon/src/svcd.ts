import { systemClock } from '@svc-gateway/contract/clock';
import { removeDemoRecord } from '@svc-gateway/control/demo-record';
import { promptForCode } from './code-prompt.js';
import { type Daemon, StartProblem, startDaemon } from './daemon.js';
import { Demo } from './demo.js';
import { announceDemo } from './demo-announcement.js';
import { exposedFiles } from './exposed-files.js';
import { type Logger, stderrLog } from './log.js';
import { ServiceManager, systemdNotify } from './service-manager.js';
import { setUp } from './set-up.js';
import { handleSignals, type Signals } from './signals.js';
import { simCommand } from './sim-serve.js';
import { EXIT_MISCONFIGURED, planStartup } from './startup.js';

/** `svcd`: reads the settings, starts the daemon, and ends it on a signal. */
async function main(): Promise<void> {
  const [command, ...simArguments] = process.argv.slice(2);
  if (command === 'sim') {
    await simCommand(simArguments);
    return;
  }
  const running: Running = {};
  const signals = signalsOf(running);
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
  running.logger = logger;
  for (const warning of [...startup.warnings, ...exposedFiles(startup)]) logger.warn({}, warning);

  if (settings.setupOnly) {
    // Ctrl-C breaks it off, and the status says so.
    signals.remove();
    const show = (text: string) => void process.stderr.write(text);
    const userId = await setUp(settings, logger, { input: personTypes() ? process.stdin : undefined, show });
    process.stdout.write(`${JSON.stringify({ event: 'logged_in', account: settings.loginAccount, user_id: String(userId) })}\n`);
    process.exit(0);
  }

  const demo = settings.demo ? new Demo(startup, systemClock) : undefined;
  const manager = new ServiceManager({
    variables: process.env,
    pid: process.pid,
    clock: systemClock,
    notify: systemdNotify,
    onTrouble: (error) => logger.warn({ err: error }, 'systemd could not be told how svcd fares: it needs systemd-notify on the PATH'),
  });
  running.manager = manager;
  if (settings.demo) running.demoStateDir = settings.stateDir;
  const daemon = await startDaemon({
    settings,
    logger,
    logLinesLost: linesLost,
    requestShutdown: signals.requestShutdown,
    prepare: demo && (() => demo.prepare()),
  });
  running.daemon = daemon;
  const { restUrl: rest, publicUrl, grpcUrl: grpc, websocketUrl: websocket, apiAddress: api } = daemon;
  process.stdout.write(
    `${JSON.stringify({ event: 'ready', rest, grpc, websocket, api, ...(publicUrl === rest ? {} : { public: publicUrl }), pid: process.pid })}\n`,
  );
  manager.ready();
  signals.ready();
  if (daemon.login !== undefined && personTypes()) promptForCode(daemon.login, process.stdin, (text) => void process.stderr.write(text));
  if (demo?.material !== undefined) process.stderr.write(await announceDemo(daemon, startup, demo.material));
}

/** Parts started so far: a signal may come at any moment of the start. */
interface Running {
  logger?: Logger;
  manager?: ServiceManager;
  /** The state folder that a demo leaves its record in. */
  demoStateDir?: string;
  daemon?: Daemon;
}

function signalsOf(running: Running): Signals {
  return handleSignals(process, systemClock, {
    shutdown: async (reason) => {
      running.logger?.info({ reason }, 'shutting down');
      running.manager?.stopping();
      if (running.demoStateDir !== undefined) removeDemoRecord(running.demoStateDir, process.pid);
      await running.daemon?.stop();
    },
    reload: async () => {
      running.manager?.reloading();
      await running.daemon?.reload();
      running.manager?.ready();
    },
    onFailure: (message, error) => running.logger?.error({ err: error }, message),
  });
}

function personTypes(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

// Files of the daemon are for its own user, whatever library creates them.
process.umask(0o077);

main().catch((error: unknown) => {
  if (error instanceof StartProblem) {
    process.stderr.write(`svcd: ${error.message}\n`);
    process.exit(EXIT_MISCONFIGURED);
  }
  process.stderr.write(`svcd: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exit(1);
});
