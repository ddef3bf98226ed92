import { Command } from 'commander';
import { askOwnDaemon, FROM_HERE, withStateDir } from './own-daemon.js';
import type { Terminal } from './terminal.js';

/** `svcctl reload`: has the daemon of a state folder read its keys file again and reopen its audit log. */
export function reloadCommand(terminal: Terminal): Command {
  const command = withStateDir(new Command('reload'))
    .description('make the running svcd reload its keys file and reopen its audit log')
    .addHelpText('after', `${FROM_HERE}\nFrom elsewhere: svcctl call admin_reload, with a key of scope admin.`);
  return command.action(({ stateDir }: { readonly stateDir?: string }) => askOwnDaemon(command, terminal, stateDir, 'reload'));
}
