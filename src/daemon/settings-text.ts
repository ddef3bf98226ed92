import type { ResolvedSettings } from './settings.js';
import {
  configKeyOf,
  flagOf,
  type Setting,
  type SettingName,
  settingGroups,
  settingNames,
  settingOf,
  variableOf,
} from './settings-table.js';

const HELP_HEAD = `svcd: trading and market-data gateway

Usage: svcd [flags]

Each flag is also an environment variable (--rest-port: SVC_REST_PORT) and a key of config.toml in the configuration
folder (rest_port). A flag wins over the variable, the variable over the file. Switches are turned off by --no-<name>.
`;

const HELP_TAIL = `
Other
  --print-config        Print every setting's value and where it came from, then exit.
  --version, -V         Print the version, then exit.
  --help, -h            Print this text, then exit.
`;

const FLAG_COLUMN = 24;
const LINE_WIDTH = 110;

/** The text of `svcd --help`. */
export function helpText(): string {
  const groups = settingGroups.map((group) => {
    const names = settingNames.filter((name) => settingOf(name).group === group);
    return `\n${group}\n${names.map(helpEntry).join('')}`;
  });
  return HELP_HEAD + groups.join('') + HELP_TAIL;
}

function helpEntry(name: SettingName): string {
  const setting = settingOf(name);
  const { placeholder } = setting.type;
  const flag = placeholder === null ? flagOf(name) : `${flagOf(name)} ${placeholder}`;
  const fallback = defaultText(setting);
  const about = `${setting.about}${fallback === '' ? '' : ` [${fallback}]`}`;
  const indent = ' '.repeat(FLAG_COLUMN);
  const lines = wrap(about, LINE_WIDTH - FLAG_COLUMN);
  const head = `  ${flag}`;
  if (head.length + 2 > FLAG_COLUMN) return `${head}\n${lines.map((line) => `${indent}${line}\n`).join('')}`;
  return lines.map((line, index) => `${index === 0 ? head.padEnd(FLAG_COLUMN) : indent}${line}\n`).join('');
}

/** The default in the help text; nothing where there is none, or where it depends on the machine. */
function defaultText({ default: fallback, type, secret }: Setting<unknown>): string {
  if (secret || typeof fallback === 'function' || fallback === null || fallback === false) return '';
  return Array.isArray(fallback) ? '' : type.write(fallback).replaceAll('"', '');
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** The text of `svcd --print-config`: a config.toml that says the same, with each value's source. Secrets are hidden. */
export function printedConfig({ settings, sources }: ResolvedSettings): string {
  const rows = settingNames.map((name) => ({ line: configLine(name, settings[name]), source: sources.get(name) ?? 'default' }));
  const width = Math.max(...rows.map(({ line }) => line.length));
  return rows.map(({ line, source }) => `${line.padEnd(width)}  # ${source}\n`).join('');
}

function configLine(name: SettingName, value: unknown): string {
  const { type, secret, outsideConfig } = settingOf(name);
  const key = configKeyOf(name);
  if (value === null) return `# ${key} is not set`;
  if (secret) return `# ${key} is hidden`;
  // Where the file lies is no key of the file.
  if (outsideConfig) return `# ${variableOf(name)}=${type.write(value)}`;
  return `${key} = ${type.write(value)}`;
}
