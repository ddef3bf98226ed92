import { ok } from '@svc-gateway/access';
import { packageVersion } from '@svc-gateway/control/version';
import { helpText, parseCommandLine } from './command-line.js';
import { type Environment, processEnvironment } from './environment.js';
import { type ResolvedSettings, resolveSettings } from './settings.js';
import { printedConfig } from './settings-text.js';

/** Exit status for what the operator must correct: settings, certificate, keys file. */
export const EXIT_MISCONFIGURED = 2;

/** Startup of `svcd`. */
export type Startup =
  | ({ readonly kind: 'run'; readonly environment: Environment } & ResolvedSettings)
  /** Print to stdout and exit with status 0. */
  | { readonly kind: 'print'; readonly text: string }
  /** Print to stderr and exit with {@link EXIT_MISCONFIGURED}. */
  | { readonly kind: 'refuse'; readonly text: string };

/** Reads arguments, environment (that of this process where none is given) and config.toml. */
export function planStartup(args: readonly string[], given?: Environment): Startup {
  const commandLine = parseCommandLine(args);
  if (!commandLine.ok) return refuse(commandLine.error);
  const { action, flags } = commandLine.value;
  if (action === 'help') return { kind: 'print', text: helpText() };
  if (action === 'version') return { kind: 'print', text: `${packageVersion}\n` };
  const environment = given === undefined ? processEnvironment() : ok(given);
  if (!environment.ok) return refuse([environment.error]);
  const resolved = resolveSettings(flags, environment.value);
  if (!resolved.ok) return refuse(resolved.error);
  if (action === 'print-config') return { kind: 'print', text: printedConfig(resolved.value) };
  return { kind: 'run', environment: environment.value, ...resolved.value };
}

function refuse(problems: readonly string[]): Startup {
  return { kind: 'refuse', text: problems.map((problem) => `svcd: ${problem}\n`).join('') };
}
