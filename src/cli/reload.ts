import { Command } from 'commander';
import { askDaemon } from '../control/control-socket.js';
import { stateFolder } from '../storage/index.js';
import { EXIT_FAILED } from './command-line.js';
import type { Terminal } from './terminal.js';

/** `svcctl reload`: has the daemon of a state folder read its keys file again and reopen its audit log. */
export function reloadCommand(terminal: Terminal): Command {
  const command = new Command('reload')
    .description('make the running svcd reload its keys file and reopen its audit log')
    .option('--state-dir <folder>', "state folder of the daemon (default: $SVC_STATE_DIR, else this user's)")
    .addHelpText(
      'after',
      '\nTalks to the daemon over the socket in its state folder; run it as the user of the daemon.\nFrom elsewhere: svcctl call admin_reload, with a key of scope admin.',
    );
  return command.action(async ({ stateDir }: { readonly stateDir?: string }) => {
    const folder = stateDir ?? stateFolder(terminal.env);
    const answer = await askDaemon(folder, 'reload');
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
  });
}
