import { runSvcctl } from './program.js';
import { processTerminal } from './terminal.js';

// A reader that has seen enough (svcctl watch … | head) closes the pipe: that is the end, not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

process.exitCode = await runSvcctl(process.argv.slice(2), processTerminal);
