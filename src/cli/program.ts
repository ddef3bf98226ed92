import { Command, CommanderError } from 'commander';
import { packageVersion } from '../version.js';
import { callCommand } from './call.js';
import { dataCommand, type HoursOf } from './data.js';
import { exitStatus, exitStatusHelp } from './exit-status.js';
import { extensionReadCommands } from './extension-reads.js';
import { genKeyCommand } from './gen-key.js';
import { haltCommand, resumeCommand } from './halt.js';
import { healthCommand } from './health.js';
import { machineIdCommand } from './machine-id.js';
import { mcpCommand, type StartEmbedded } from './mcp.js';
import { operationsCommand } from './operations.js';
import { reloadCommand } from './reload.js';
import { setTradePwdCommand } from './set-trade-pwd.js';
import type { Terminal } from './terminal.js';
import { watchCommand } from './watch.js';

/** What some commands need of the daemon's insides, of which commands know nothing. */
export interface Insides {
  /** What `mcp --embedded` runs. */
  readonly startEmbedded: StartEmbedded;
  /** What `data import` checks times against. */
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

/** A command that ends and prints as its parent does, and so do those below it. */
function likeParent(command: Command, parent: Command): Command {
  command.copyInheritedSettings(parent);
  for (const below of command.commands) likeParent(below, command);
  return command;
}

/** Help and version are no failures; what commander itself finds wrong is wrong usage, which it would call 1. */
function statusOf({ code, exitCode }: CommanderError): number {
  if (code === 'commander.error' || exitCode === 0) return exitCode;
  return exitStatus.usage;
}
