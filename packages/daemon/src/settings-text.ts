import type { ResolvedSettings } from './settings.js';
import { configKeyOf, type SettingName, settingNames, settingOf, variableOf } from './settings-table.js';

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
