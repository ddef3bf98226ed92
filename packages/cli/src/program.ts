import { packageVersion } from '@svc-gateway/control/version';
import { Command, CommanderError } from 'commander';
import { callCommand } from './call.js';
import { dataCommand, type HoursOf } from './data.js';
import { exitStatus, exitStatusHelp } from './exit-status.js';
import { extensionReadCommands } from './extension-reads.js';
import { genKeyCommand } from './gen-key.js';
import { healthCommand } from './health.js';
import { machineIdCommand } from './machine-id.js';
import { mcpCommand, type StartEmbedded } from './mcp.js';
import { operationsCommand } from './operations.js';
import { haltCommand, reloadCommand, resumeCommand } from './own-daemon.js';
import { setTradePwdCommand } from './set-trade-pwd.js';
import type { Terminal } from './terminal.js';
import { watchCommand } from './watch.js';

/** Parts of the daemon that some commands need. */
export interface Insides {
  /** Starts the gateway of `mcp --embedded`. */
  readonly startEmbedded: StartEmbedded;
  /** Trading hours, against which `data import` checks times. */
  readonly hoursOf: HoursOf;
}

/** Every command of `svcctl`, in the order of its help text. This is the one place where they are mounted. */
const commands: readonly ((terminal: Terminal, insides: Insides) => Command)[] = [
  callCommand,
  watchCommand,
  operationsCommand,
  healthCommand,
  genKeyCommand,
  (terminal, { hoursOf }) => dataCommand(terminal, hoursOf),
  reloadCommand,
  haltCommand,
  resumeCommand,
  machineIdCommand,
  (terminal, { startEmbedded }) => mcpCommand(terminal, startEmbedded),
  (terminal) => setTradePwdCommand(terminal),
  ...extensionReadCommands,
];

/** Runs `svcctl` with these arguments (the program's name not among them). Resolves with the exit status. */
export async function runSvcctl(args: readonly string[], terminal: Terminal, insides: Insides): Promise<number> {
  const program = new Command('svcctl')
    .description('command line for the svcd trading and market-data gateway')
    .version(packageVersion, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print this text')
    .addHelpText('after', exitStatusHelp)
    .configureOutput({ writeOut: terminal.out, writeErr: terminal.explain })
    .exitOverride();
  for (const make of commands) program.addCommand(likeParent(make(terminal, insides), program));
  try {
    await program.parseAsync([...args], { from: 'user' });
    return exitStatus.ok;
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    return statusOf(thrown);
  }
}

/** Applies the parent's settings for printing and exiting to a command and its subcommands. */
function likeParent(command: Command, parent: Command): Command {
  command.copyInheritedSettings(parent);
  for (const below of command.commands) likeParent(below, command);
  return command;
}

/** Exit status of an error of commander's: 0 for help and version, 2 for wrong usage. */
function statusOf({ code, exitCode }: CommanderError): number {
  if (code === 'commander.error' || exitCode === 0) return exitCode;
  return exitStatus.usage;
}
