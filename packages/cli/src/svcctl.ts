import { exitStatus } from './exit-status.js';
import { type Insides, runSvcctl } from './program.js';
import { processTerminal } from './terminal.js';

// A reader that has seen enough (svcctl watch … | head) closes the pipe: that is the end, not a failure. A command that
// listens itself has something to bring to an end first. Any other output that takes nothing, as on a full disk, has lost an answer.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') {
    process.stderr.write(
      `svcctl: standard output cannot be written (${error.code}): the answer is lost, and a write may have taken effect\n`,
    );
    process.exit(exitStatus.unanswered);
  }
  if (process.stdout.listenerCount('error') === 1) process.exit(0);
});

// Loaded when they are asked for: the other commands need nothing of a daemon.
const insides: Insides = {
  startEmbedded: async (env) => (await import('./embedded.js')).startEmbedded(env),
  hoursOf: async (symbol) => (await import('./exchange-hours.js')).exchangeHoursOf(symbol),
};

process.exitCode = await runSvcctl(process.argv.slice(2), processTerminal, insides);
