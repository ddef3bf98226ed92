import { askDaemon, type ControlArgument, type ControlCommand } from '@svc-gateway/control/control-socket';
import { homeProblem, stateFolder } from '@svc-gateway/storage';
import { Command } from 'commander';
import { EXIT_FAILED, EXIT_USAGE } from './command-line.js';
import type { Terminal } from './terminal.js';

/** Help text about reaching the user's own daemon. */
const FROM_HERE = '\nTalks to the daemon over the socket in its state folder; run it as the user of the daemon.';

/** Adds the option that selects a daemon of this machine. */
function withStateDir(command: Command): Command {
  return command.option('--state-dir <folder>', "state folder of the daemon (default: $SVC_STATE_DIR, else this user's)");
}

/** Sends a request to the daemon of a state folder, prints its answer, and ends with a status that tells whether it succeeded. */
async function askOwnDaemon(
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

/** `svcctl reload`: makes the daemon of a state folder read its keys file again and reopen its audit log. */
export function reloadCommand(terminal: Terminal): Command {
  const command = withStateDir(new Command('reload'))
    .description('make the running svcd reload its keys file and reopen its audit log')
    .addHelpText('after', `${FROM_HERE}\nFrom elsewhere: svcctl call admin_reload, with a key of scope admin.`);
  return command.action(({ stateDir }: { readonly stateDir?: string }) => askOwnDaemon(command, terminal, stateDir, 'reload'));
}

interface HaltOptions {
  readonly stateDir?: string;
  readonly key?: string;
  readonly cancelAll?: true;
  readonly reason?: string;
}

/** `svcctl halt`: refuses everything that adds risk, at once and also after a restart. */
export function haltCommand(terminal: Terminal): Command {
  const command = withStateDir(new Command('halt'))
    .description('refuse everything that adds risk, for every caller or one key, until svcctl resume')
    .option('--cancel-all', 'also cancel every open order of all accounts, or of those that the key may trade in')
    .option('--key <id>', 'halt this key alone')
    .option('--reason <text>', 'shown wherever the halt is')
    .addHelpText(
      'after',
      `\nCancels pass, and so do orders that only reduce a position.${FROM_HERE}\nFrom elsewhere: svcctl call admin_halt, with a key of scope admin.`,
    );
  return command.action(async ({ stateDir, key, cancelAll, reason }: HaltOptions) => {
    const argument = {
      ...(key === undefined ? {} : { key }),
      ...(cancelAll === undefined ? {} : { cancel_all: cancelAll }),
      ...(reason === undefined ? {} : { reason }),
    };
    await askOwnDaemon(command, terminal, stateDir, 'halt', argument);
  });
}

/** `svcctl resume`: ends the halt of every caller, or that of one key. */
export function resumeCommand(terminal: Terminal): Command {
  const command = withStateDir(new Command('resume'))
    .description('end the halt of every caller, or that of one key')
    .option('--key <id>', 'end the halt of this key; others stay')
    .addHelpText('after', `${FROM_HERE}\nFrom elsewhere: svcctl call admin_resume, with a key of scope admin.`);
  return command.action(async ({ stateDir, key }: HaltOptions) => {
    await askOwnDaemon(command, terminal, stateDir, 'resume', key === undefined ? {} : { key });
  });
}
