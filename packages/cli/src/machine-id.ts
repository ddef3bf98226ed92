import { isKeyId, machineFingerprint } from '@svc-gateway/access';
import { Command } from 'commander';
import { type CommandLine, EXIT_FAILED, EXIT_USAGE, processCommandLine } from './command-line.js';

/** `svcctl machine-id`: the name under which a key is bound to this machine; it differs from key to key. */
export function machineIdCommand(world: CommandLine = processCommandLine): Command {
  const command = new Command('machine-id')
    .description('print the fingerprint of this machine for a key (for gen-key --bind-machines)')
    .option('--for-key <id>', 'id of the key; without it the raw machine id is printed');
  return command.action((options: { readonly forKey?: string }) => {
    const machineId = world.readMachineId();
    if (!machineId.ok) return command.error(`error: ${machineId.error}`, { exitCode: EXIT_FAILED });
    if (options.forKey === undefined) {
      world.out(`${machineId.value}\n`);
      world.explain('This is the raw machine id. A key is bound by a fingerprint made of it and the id of the key: add --for-key <id>.\n');
      return;
    }
    if (!isKeyId(options.forKey)) return command.error('error: --for-key must be the id of a key', { exitCode: EXIT_USAGE });
    world.out(`${machineFingerprint(options.forKey, machineId.value)}\n`);
  });
}
