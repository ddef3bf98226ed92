import { isAbsolute, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { packageFolder } from '@svc-gateway/control/version';
import { stateFolder } from '@svc-gateway/storage';
import type { Environment } from './environment.js';

export interface DemoBanner {
  /** "https://127.0.0.1:22499". */
  readonly restUrl: string;
  /** Public URL of the daemon: a reverse proxy's address, or `restUrl`. */
  readonly publicUrl: string;
  readonly caFile: string;
  readonly apiKey: string;
  /** A simulated account that trades Hong Kong shares, when the backend could name one. */
  readonly accId: bigint | undefined;
  /** How `svcctl` is called from the folder that `svcd` was started in; see {@link svcctlCommand}. */
  readonly svcctl: string;
  /** True if nothing behind the gateway is real. */
  readonly simulated: boolean;
  /** Files and keys made on this first start. */
  readonly made: readonly string[];
}

const RULE = '─'.repeat(78);
const SIMULATED = `  SIMULATED: prices are made up from a seed, no order leaves this machine,
  and no real money is involved. Press Ctrl-C to stop.`;
const SYMBOL = 'HK.00700';
const [CODE, LOT] = ['00700', 100];

/** Banner that `svcd --demo` prints to stderr once it listens: commands that can be pasted into another terminal. */
export function demoBanner(banner: DemoBanner): string {
  const { restUrl, publicUrl, caFile, apiKey, svcctl, made } = banner;
  const accId = banner.accId === undefined ? '<acc_id>' : String(banner.accId);
  const order = `{"market":1,"acc_id":${accId},"env":1,"side":1,"order_type":2,"code":"${CODE}","qty":${LOT}}`;
  const account = `{"market":1,"acc_id":${accId},"env":1}`;
  const hint = banner.accId === undefined ? ', with an acc_id from the list above' : '';
  return `
${RULE}
${banner.simulated ? SIMULATED : '  Press Ctrl-C to stop.'}
${RULE}
${made.map((what) => `  Created ${what}\n`).join('')}
  Paste these into another terminal.

  Get a quote:
    curl --cacert ${quoted(caFile)} -H 'Authorization: Bearer ${apiKey}' -H 'Content-Type: application/json' -d '{"symbol":"${SYMBOL}"}' ${restUrl}/api/quote

  Stream its quotes and trades (Ctrl-C to stop):
    ${svcctl} watch ${SYMBOL} --types 1,4

  List the accounts:
    ${svcctl} call list_accounts --pretty

  Buy ${LOT} shares at the market price${hint}, then see the order:
    ${svcctl} call place_order '${order}'
    ${svcctl} call get_orders '${account}' --pretty

  All operations: ${svcctl} operations
  AI clients:     ${svcctl} mcp (standard input and output), ${publicUrl}/mcp (HTTP)
  Console:        ${publicUrl}/console (in a browser, with the key above)
  Documentation:  ${publicUrl}/docs
${RULE}
`;
}

/**
 * How `svcctl` of this installation is called from the folder that `svcd` was started in. The state folder is named too
 * where a fresh terminal would not have it by itself.
 */
export function svcctlCommand({ cwd, variables, platform, home }: Environment, stateDir: string): string {
  const full = fileURLToPath(new URL('bin/svcctl', packageFolder));
  const near = relative(cwd, full);
  const path = near.startsWith('..') || isAbsolute(near) ? full : near;
  const command = platform === 'win32' ? `node ${quoted(path)}` : quoted(path);
  const usual = stateFolder({ ...variables, SVC_STATE_DIR: undefined }, platform, home);
  return stateDir === usual ? command : `SVC_STATE_DIR=${quoted(stateDir)} ${command}`;
}

/** A word as a POSIX shell takes it. */
function quoted(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
