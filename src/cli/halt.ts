import { Command } from 'commander';
import { askOwnDaemon, FROM_HERE, withStateDir } from './own-daemon.js';
import type { Terminal } from './terminal.js';

interface HaltOptions {
  readonly stateDir?: string;
  readonly key?: string;
  readonly cancelAll?: true;
  readonly reason?: string;
}

/** `svcctl halt`: nothing that adds risk passes any more, at once and also after a restart. */
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
