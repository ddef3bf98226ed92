import { err, type Limits, limitsFromFlags, ok, type Result } from '@svc-gateway/access';
import { nearestName } from '@svc-gateway/contract/names';
import { homeProblem } from '@svc-gateway/storage';
import type { CommandLine } from './command-line.js';
import { type ConfigEntries, readConfigFile } from './config-file.js';
import { type Environment, pathOf, variable } from './environment.js';
import { checkTogether } from './setting-rules.js';
import { configKeyOf, demoTextOf, flagOf, type SettingName, type Settings, settingNames, settingOf, variableOf } from './settings-table.js';

/** Where a value came from: flag, environment, config.toml, `--demo`, default; in this order one wins over the next. */
type SettingSources = ReadonlyMap<SettingName, string>;

export interface ResolvedSettings {
  readonly settings: Settings;
  /** In words: "flag --rest-port", "SVC_REST_PORT", "/…/config.toml:3", "--demo", "default". */
  readonly sources: SettingSources;
  /** Sentences for the operator: nothing that stops the start. */
  readonly warnings: readonly string[];
}

/** A text for a setting, and where it stands. */
interface Given {
  readonly text: string;
  readonly source: string;
  /** Folder that a relative path starts from. */
  readonly base: string;
}

/** One place where settings are given. */
type Layer = (name: SettingName) => Given | undefined;

/**
 * Resolves every setting: flag, then SVC_* environment variable, then config.toml, then (with `--demo`) the demo's own,
 * then default. Every problem is reported, not only the first; each names the setting, its source, what came and what
 * is accepted.
 */
export function resolveSettings(flags: CommandLine['flags'], environment: Environment): Result<ResolvedSettings, readonly string[]> {
  const outer = [flagLayer(flags, environment), variableLayer(environment)];
  const folder = resolveOne('configDir', outer, environment);
  if (!folder.ok) return err([folder.error]);
  const configPath = pathOf(environment.platform).join(String(folder.value.value), 'config.toml');
  const config = readConfigFile(configPath, settingNames.filter((name) => settingOf(name).outsideConfig !== true).map(configKeyOf));
  if (!config.ok) return config;

  const layers = [...outer, configLayer(config.value, configPath, environment)];
  const demo = resolveOne('demo', layers, environment);
  const state = resolveOne('stateDir', layers, environment);
  if (demo.ok && demo.value.value === true && state.ok) {
    layers.push(demoLayer(String(folder.value.value), String(state.value.value), environment));
  }

  const values: Partial<Record<SettingName, unknown>> = {};
  const sources = new Map<SettingName, string>();
  const problems: string[] = [];
  for (const name of settingNames) {
    const resolved = resolveOne(name, layers, environment);
    if (!resolved.ok) {
      problems.push(resolved.error);
      continue;
    }
    values[name] = resolved.value.value;
    sources.set(name, resolved.value.source);
  }
  if (problems.length > 0) return err(problems);
  const settings = Object.freeze({ ...values, limits: limitsOf(values) }) as Settings;
  const conflicts = checkTogether(settings);
  return conflicts.length > 0 ? err(conflicts) : ok({ settings, sources, warnings: suspiciousVariables(environment) });
}

function resolveOne(
  name: SettingName,
  layers: readonly Layer[],
  environment: Environment,
): Result<{ value: unknown; source: string }, string> {
  const { type, default: fallback } = settingOf(name);
  let first: { value: unknown; source: string } | undefined;
  // Overridden values are read too: they would stop the first start without the override.
  for (const layer of layers) {
    const given = layer(name);
    if (given === undefined) continue;
    const read = type.read(given.text, flagOf(name), { environment, base: given.base });
    if (!read.ok) return err(given.source.startsWith('flag ') ? read.error : `${given.source}: ${read.error}`);
    first ??= { value: read.value, source: given.source };
  }
  if (first !== undefined) return ok(first);
  const value = typeof fallback === 'function' ? fallback(environment) : fallback;
  if (value !== undefined) return ok({ value, source: 'default' });
  return err(`${homeProblem(environment.home, environment.platform)}: correct it, or give --config-dir and --state-dir`);
}

function flagLayer(flags: CommandLine['flags'], environment: Environment): Layer {
  return (name) => {
    const given = flags.get(name);
    return given && { text: given.text, source: `flag ${given.flag}`, base: environment.cwd };
  };
}

function variableLayer(environment: Environment): Layer {
  return (name) => {
    const text = variable(environment, variableOf(name));
    return text === undefined ? undefined : { text, source: variableOf(name), base: environment.cwd };
  };
}

function configLayer(entries: ConfigEntries, path: string, environment: Environment): Layer {
  const base = pathOf(environment.platform).dirname(path);
  return (name) => {
    const entry = entries.get(configKeyOf(name));
    return entry && { text: entry.text, source: entry.line === undefined ? path : `${path}:${entry.line}`, base };
  };
}

function demoLayer(configDir: string, stateDir: string, environment: Environment): Layer {
  const { join } = pathOf(environment.platform);
  const folders = {
    inConfig: (...names: string[]) => join(configDir, ...names),
    inState: (...names: string[]) => join(stateDir, ...names),
  };
  return (name) => {
    const text = demoTextOf(name, folders);
    return text === undefined ? undefined : { text, source: '--demo', base: configDir };
  };
}

function limitsOf(values: Partial<Record<SettingName, unknown>>): Limits {
  const names = settingNames.filter((name) => settingOf(name).group === 'Limits for every caller');
  const read = limitsFromFlags(Object.fromEntries(names.map((name) => [name, values[name] ?? undefined])));
  if (!read.ok) throw new Error(`limits that were accepted one by one: ${read.error}`);
  return read.value.limits;
}

const KNOWN_ELSEWHERE = ['SVC_REST_URL', 'SVC_API_KEY', 'SVC_CA_FILE', 'SVC_TRADE_PWD'];

/**
 * Variables that look like a setting misspelt. They only warn: orchestrators put variables of their own beginning with
 * SVC_ into every process (Kubernetes does for a service named "svc").
 */
function suspiciousVariables(environment: Environment): string[] {
  const known = [...settingNames.map(variableOf), ...KNOWN_ELSEWHERE];
  return Object.keys(environment.variables)
    .filter((name) => name.startsWith('SVC_') && !known.includes(name))
    .map((name) => ({
      name,
      near: nearestName(
        name.slice('SVC_'.length),
        known.map((other) => other.slice('SVC_'.length)),
      ),
    }))
    .filter(({ near }) => near !== undefined)
    .map(({ name, near }) => `unknown environment variable ${name} ignored; did you mean SVC_${near}?`);
}
