import { Readable } from 'node:stream';
import { exchangeHoursOf } from '../../packages/cli/src/exchange-hours.js';
import type { StartEmbedded } from '../../packages/cli/src/mcp.js';
import { runSvcctl } from '../../packages/cli/src/program.js';
import type { Terminal } from '../../packages/cli/src/terminal.js';

/** A terminal on which nothing happens and nobody types. */
export const quietTerminal: Terminal = {
  env: {},
  out: () => {},
  explain: () => {},
  now: () => 0,
  readMachineId: () => ({ ok: true, value: 'machine' }),
  interactive: false,
  drained: () => undefined,
  readStdin: async () => '',
  asksPerson: false,
  readSecret: async () => undefined,
  stdin: () => Readable.from([]),
  newIdempotencyKey: () => 'made-up',
  onInterrupt: () => () => {},
  onOutputClosed: () => () => {},
  random: () => 0,
  after: () => () => {},
};

/** Runs `svcctl` in this process, on a quiet terminal but for what is given. */
export function runQuietly(
  args: readonly string[],
  terminal: Partial<Terminal>,
  startEmbedded: StartEmbedded = noEmbedded,
): Promise<number> {
  return runSvcctl(args, { ...quietTerminal, ...terminal }, { startEmbedded, hoursOf: exchangeHoursOf });
}

const noEmbedded: StartEmbedded = async () => ({ ok: false, error: 'not here' });
