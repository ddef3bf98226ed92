import { packageVersion } from '../version.js';
import { parseCommandLine } from './command-line.js';
import { type Environment, processEnvironment } from './environment.js';
import { type ResolvedSettings, resolveSettings } from './settings.js';
import { helpText, printedConfig } from './settings-text.js';

/** Exit status for what the operator must correct: settings, certificate, keys file. */
export const EXIT_MISCONFIGURED = 2;

/** What `svcd` is to do. */
export type Startup =
  | ({ readonly kind: 'run' } & ResolvedSettings)
  /** Print to stdout and exit with status 0. */
  | { readonly kind: 'print'; readonly text: string }
  /** Print to stderr and exit with {@link EXIT_MISCONFIGURED}. */
  | { readonly kind: 'refuse'; readonly text: string };

/** Reads arguments, environment and config.toml. */
export function planStartup(args: readonly string[], environment: Environment = processEnvironment()): Startup {
  const commandLine = parseCommandLine(args);
  if (!commandLine.ok) return refuse(commandLine.error);
  const { action, flags } = commandLine.value;
  if (action === 'help') return { kind: 'print', text: helpText() };
  if (action === 'version') return { kind: 'print', text: `${packageVersion}\n` };
  const resolved = resolveSettings(flags, environment);
  if (!resolved.ok) return refuse(resolved.error);
  return action === 'print-config' ? { kind: 'print', text: printedConfig(resolved.value) } : { kind: 'run', ...resolved.value };
}

function refuse(problems: readonly string[]): Startup {
  return { kind: 'refuse', text: problems.map((problem) => `svcd: ${problem}\n`).join('') };
}
