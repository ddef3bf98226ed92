import type { Operation } from '@svc-gateway/contract/operation';
import { operations } from '@svc-gateway/contract/operations';
import type { Switch } from '@svc-gateway/contract/switches';
import { Command } from 'commander';
import { type CallOptions, callOperation } from './call.js';
import { withTargetOptions } from './target.js';
import type { Terminal } from './terminal.js';

/** Switches that enable reads beyond the public protocol. */
const extensions: readonly Switch[] = ['--enable-desktop-phase2-reads', '--enable-v18-experimental-reads'];

/** Operations with a command of their own: the reads that these switches enable. */
const reads = operations.filter(({ effect, switches }) => effect === 'read' && switches.some((name) => extensions.includes(name)));

/** One command for each extension read, named after it: `svcctl get-forex-assets --c2s-json '{…}'`. */
export const extensionReadCommands: readonly ((terminal: Terminal) => Command)[] = reads.map(
  (operation) => (terminal) => readCommand(operation, terminal),
);

interface ReadOptions extends CallOptions {
  readonly c2sJson?: string;
}

function readCommand(operation: Operation, terminal: Terminal): Command {
  const { name, summary, switches } = operation;
  const command = withTargetOptions(new Command(name.replaceAll('_', '-')))
    .description(summary)
    .option('--c2s-json <json>', 'the request: JSON, @file, or - for standard input')
    .option('--pretty', 'indent the JSON (the default on a terminal)')
    .option('--raw', 'print the response as received (the default otherwise)')
    .addHelpText('after', `\nNeeds ${switches.join(' and ')} at svcd. Its fields: svcctl operations ${name}`);
  return command.action(({ c2sJson, ...options }: ReadOptions) => callOperation(command, terminal, operation, c2sJson, options));
}
