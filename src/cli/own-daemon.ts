import type { Command } from 'commander';
import { askDaemon, type ControlArgument, type ControlCommand } from '../control/control-socket.js';
import { homeProblem, stateFolder } from '../storage/index.js';
import { EXIT_FAILED, EXIT_USAGE } from './command-line.js';
import type { Terminal } from './terminal.js';

/** What the help of commands for the user's own daemon says of how they reach it. */
export const FROM_HERE = '\nTalks to the daemon over the socket in its state folder; run it as the user of the daemon.';

/** Adds the option that says which daemon of this machine is meant. */
export function withStateDir(command: Command): Command {
  return command.option('--state-dir <folder>', "state folder of the daemon (default: $SVC_STATE_DIR, else this user's)");
}

/** Asks the daemon of a state folder, prints what it says, and ends with a status that says whether it did it. */
export async function askOwnDaemon(
  command: Command,
  terminal: Terminal,
  stateDir: string | undefined,
  what: ControlCommand,
  argument?: ControlArgument,
): Promise<void> {
  const folder = stateDir ?? stateFolder(terminal.env);
  if (folder === undefined) {
    return command.error(`error: ${homeProblem()}: correct it, or give --state-dir or SVC_STATE_DIR`, { exitCode: EXIT_USAGE });
  }
  const answer = await askDaemon(folder, what, argument);
  if (!('kind' in answer)) {
    if (!answer.ok) return command.error(`error: ${answer.message}`, { exitCode: EXIT_FAILED });
    terminal.explain(`${answer.message}\n`);
    return;
  }
  const problem =
    answer.kind === 'failed'
      ? `the daemon of ${folder} could not be asked: ${answer.reason}`
      : `no svcd runs with the state folder ${folder}; name another with --state-dir or SVC_STATE_DIR`;
  return command.error(`error: ${problem}`, { exitCode: EXIT_FAILED });
}
