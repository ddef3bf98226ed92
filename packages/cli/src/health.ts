import { Command } from 'commander';
import { exitStatus } from './exit-status.js';
import { send } from './http-client.js';
import { resolveTarget, type TargetOptions, withTargetOptions } from './target.js';
import { processTerminal, type Terminal } from './terminal.js';

const PROBES = ['/livez', '/health', '/readyz'] as const;

/** `svcctl health`: the three probes of the daemon, one line each. Status 0 only when all of them are up. */
export function healthCommand(terminal: Terminal = processTerminal): Command {
  const command = withTargetOptions(new Command('health')).description('check that the daemon is alive, connected and ready');
  return command.action(async (options: TargetOptions) => {
    const target = resolveTarget(options, terminal.env);
    if (!target.ok) return command.error(`error: ${target.error}`, { exitCode: exitStatus.usage });
    let down = 0;
    for (const path of PROBES) {
      // Probes need no key: none is sent.
      const answer = await send({ ...target.value, apiKey: undefined }, { method: 'GET', path });
      if (!answer.ok) return command.error(`error: ${answer.error.message}`, { exitCode: answer.error.status });
      const { status, body } = answer.value;
      if (status !== 200) down += 1;
      terminal.out(`${path.slice(1).padEnd(6)}  ${status === 200 ? 'up' : `down (HTTP ${status})`}  ${body.trim()}\n`);
    }
    if (down > 0) return command.error('error: the daemon is not ready', { exitCode: exitStatus.businessFailure });
  });
}
