import { join } from 'node:path';
import {
  err,
  isFingerprint,
  isKeyId,
  issueKey,
  type LimitFlags,
  limitsFromFlags,
  machineFingerprint,
  type NewKey,
  ok,
  type Result,
  tradeSides,
} from '@svc-gateway/access';
import { nearestName } from '@svc-gateway/contract/names';
import { type Scope, scopeMeanings, scopes } from '@svc-gateway/contract/scope';
import { configFolder, homeProblem } from '@svc-gateway/storage';
import { Command, Option } from 'commander';
import { type CommandLine, EXIT_FAILED, EXIT_USAGE, processCommandLine } from './command-line.js';
import { parseExpiry } from './expiry.js';

interface GenKeyOptions extends LimitFlags {
  readonly id: string;
  readonly scopes: string;
  readonly restKeysFile?: string;
  readonly keysFile?: string;
  readonly expires?: string;
  readonly note?: string;
  readonly bindThisMachine?: true;
  readonly bindMachines?: string;
  readonly sdk?: true;
}

/** `svcctl gen-key`: makes a key, writes its hash into the keys file, and prints the key itself this once. */
export function genKeyCommand(world: CommandLine = processCommandLine): Command {
  const command = new Command('gen-key')
    .description('create a key: print it once and add its hash to the keys file')
    .requiredOption('--id <id>', 'name of the key, in logs and in the audit trail')
    .requiredOption('--scopes <list>', 'what the key may do, separated by commas')
    .option('--rest-keys-file <path>', 'keys file to add to (default: keys.json in the configuration folder)')
    .addOption(new Option('--keys-file <path>', 'the same as --rest-keys-file').conflicts('restKeysFile'))
    .option('--allowed-markets <list>', 'markets, for example HK,US (CN means SH and SZ; FX for forex)')
    .option('--allowed-symbols <list>', 'symbols, for example HK.00700,US.AAPL')
    .option('--allowed-trd-sides <list>', `any of ${tradeSides.join(',')}`)
    .option('--hours-window <HH:MM-HH:MM>', "hours for orders, in the daemon's time zone; may cross midnight")
    .option('--max-order-value <number>', 'cap on quantity x price x multiplier of an order, in each currency separately')
    .option('--max-daily-value <number>', 'cap on the total order value per UTC day, in each currency separately')
    .option('--max-daily-loss <number>', 'what an account may have lost today before no more risk is taken, in each currency separately')
    .option('--limits-currency <currency>', 'one currency for these caps, such as HKD: others are converted, plus 2 %')
    .option('--max-orders-per-minute <count>', 'cap on orders in any 60 seconds')
    .option('--max-open-orders <count>', 'cap on open orders')
    .option('--allowed-acc-ids <list>', 'accounts the key may see and use')
    .option('--expires <when>', 'a time in UTC (2027-01-31T00:00:00Z), a day, or a span from now (30d, 12h, 90m, 4w)')
    .option('--note <text>', 'free text kept with the key')
    .option('--bind-this-machine', 'accept the key only on this machine')
    .option('--bind-machines <list>', 'accept the key only on these machines: fingerprints from "svcctl machine-id --for-key <id>"')
    .option('--sdk', 'also accept its MD5, which the public SDKs log in with');
  command.addHelpText('after', `\nScopes:\n${scopes.map((scope) => `  ${scope.padEnd(16)}${scopeMeanings[scope]}`).join('\n')}`);
  return command.action(async (options: GenKeyOptions) => {
    const key = newKey(options, world);
    if (!key.ok) return command.error(`error: ${key.error}`, { exitCode: EXIT_USAGE });
    const path = options.restKeysFile ?? options.keysFile ?? usualKeysFile(world);
    if (path === undefined) {
      const remedy = 'correct it, or give --rest-keys-file or SVC_CONFIG_DIR';
      return command.error(`error: ${homeProblem()}: ${remedy}`, { exitCode: EXIT_USAGE });
    }
    const issued = await issueKey(path, key.value);
    if (!issued.ok) return command.error(`error: ${issued.error}`, { exitCode: EXIT_FAILED });
    world.out(`${issued.value.keyText}\n`);
    world.explain(
      `Key "${options.id}" created. The line above is the key: it is shown only once and not stored.\n` +
        `Its hash is in ${path}; load it into a running daemon with "svcctl reload".\n`,
    );
  });
}

/** Default path of the keys file; undefined without a home folder. */
function usualKeysFile({ env }: CommandLine): string | undefined {
  const folder = configFolder({ ...env });
  return folder && join(folder, 'keys.json');
}

function newKey(options: GenKeyOptions, world: CommandLine): Result<NewKey, string> {
  if (!isKeyId(options.id)) return err(`--id must be 1 to 128 visible characters, found ${JSON.stringify(options.id)}`);
  const granted = parseScopes(options.scopes);
  if (!granted.ok) return granted;
  const limits = limitsFromFlags(options);
  if (!limits.ok) return limits;
  const machines = boundMachines(options, world);
  if (!machines.ok) return machines;
  const now = world.now();
  const expiry = options.expires === undefined ? ok(null) : parseExpiry(options.expires, now);
  if (!expiry.ok) return expiry;
  return ok({
    id: options.id,
    scopes: granted.value,
    limitsJson: limits.value.json,
    allowedMachines: machines.value,
    createdAt: now,
    expiresAt: expiry.value,
    note: options.note ?? '',
    sdk: options.sdk === true,
  });
}

function parseScopes(text: string): Result<Scope[], string> {
  const granted: Scope[] = [];
  for (const name of listed(text)) {
    const scope = scopes.find((candidate) => candidate === name);
    if (scope === undefined) {
      const near = nearestName(name, scopes);
      return err(`unknown scope "${name}"${near === undefined ? '' : `, did you mean "${near}"?`}; accepted: ${scopes.join(', ')}`);
    }
    if (!granted.includes(scope)) granted.push(scope);
  }
  return granted.length === 0 ? err('--scopes names no scope') : ok(granted);
}

/** Machines to which the key is bound; null for any machine. */
function boundMachines(options: GenKeyOptions, world: CommandLine): Result<string[] | null, string> {
  if (options.bindMachines === undefined && options.bindThisMachine === undefined) return ok(null);
  const machines = listed(options.bindMachines ?? '');
  for (const machine of machines) {
    if (!isFingerprint(machine))
      return err(`--bind-machines: "${machine}" is not a fingerprint (fp_ and 64 lower-case hexadecimal digits)`);
  }
  if (options.bindMachines !== undefined && machines.length === 0) return err('--bind-machines names no machine');
  if (options.bindThisMachine === undefined) return ok(machines);
  const machineId = world.readMachineId();
  return machineId.ok ? ok([...machines, machineFingerprint(options.id, machineId.value)]) : err(`--bind-this-machine: ${machineId.error}`);
}

function listed(text: string): string[] {
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}
