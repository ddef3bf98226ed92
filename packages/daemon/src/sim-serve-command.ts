import { err, ok, type Result } from '@svc-gateway/access';
import { homeProblem, stateFolder } from '@svc-gateway/storage';
import { Command, CommanderError, Option } from 'commander';
import { type Environment, pathOf, variable } from './environment.js';
import { type SimServeFlag, type SimServeSettings, simServeFlags } from './sim-serve-settings.js';

/** Startup asked for by the arguments of `svcd sim`. */
export type SimServeStartup =
  | { readonly kind: 'run'; readonly settings: SimServeSettings; readonly stateDir: string }
  /** Print to stdout and exit with status 0. */
  | { readonly kind: 'print'; readonly text: string }
  /** Print to stderr and exit as for wrong settings. */
  | { readonly kind: 'refuse'; readonly text: string };

type FlagName = keyof SimServeSettings;

const names = Object.keys(simServeFlags) as readonly FlagName[];
const HELP_WIDTH = 110;
const FOLDER = 'sim-serve';
const ABOUT = [
  'Serves the simulated brokerage over sockets of this machine, as a brokerage or an upstream daemon somewhere else would be.',
  'When it is ready it prints one line of JSON on stdout; each device code that is sent is another. SIGTERM ends it.',
].join('\n');

/** Reads the arguments that follow `svcd sim`. */
export function planSimServe(args: readonly string[], environment: Environment): SimServeStartup {
  const texts = readTexts(args);
  if (!texts.ok) return texts.error;
  const settings = readSettings(texts.value, environment);
  if (!settings.ok) return refuse(settings.error);
  const stateDir = settings.value.stateDir ?? usualFolder(environment);
  if (stateDir !== undefined) return { kind: 'run', settings: settings.value, stateDir };
  return refuse([`${homeProblem(environment.home, environment.platform)}: correct it, or give --state-dir`]);
}

/** undefined where it needs a home folder and there is none. */
function usualFolder({ variables, platform, home }: Environment): string | undefined {
  const folder = stateFolder(variables, platform, home);
  return folder && pathOf(platform).join(folder, FOLDER);
}

/** The text of each flag that is given. */
function readTexts(args: readonly string[]): Result<ReadonlyMap<FlagName, string>, SimServeStartup> {
  const given = new Map<FlagName, string>();
  const printed: string[] = [];
  const said: string[] = [];
  const serve = new Command('serve').description(ABOUT);
  for (const name of names) serve.addOption(optionOf(name));
  serve.action((options: Partial<Record<FlagName, string | boolean>>) => {
    for (const name of names) if (options[name] !== undefined) given.set(name, String(options[name]));
  });
  const program = new Command('svcd sim')
    .configureHelp({ helpWidth: HELP_WIDTH })
    .configureOutput({ writeOut: (text) => void printed.push(text), writeErr: (text) => void said.push(text) })
    .exitOverride()
    .helpCommand(false);
  program.addCommand(serve.copyInheritedSettings(program));
  try {
    program.parse([...args], { from: 'user' });
    return ok(given);
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (thrown.exitCode === 0) return err({ kind: 'print', text: printed.join('') });
    return err({ kind: 'refuse', text: said.join('').replace(/^error: /gm, 'svcd sim serve: ') });
  }
}

function optionOf(name: FlagName): Option {
  const { type, about, group, default: fallback, secretVariable } = simServeFlags[name] as SimServeFlag<unknown>;
  const shown = secretVariable === undefined && (typeof fallback === 'number' || typeof fallback === 'string' || name === 'simClock');
  const text = shown ? `${about} [${type.write(fallback).replaceAll('"', '')}]` : about;
  const option = new Option(type.placeholder === null ? flagOf(name) : `${flagOf(name)} ${type.placeholder}`, text).helpGroup(`${group}:`);
  // One that may be given for each broker is gathered, any other is given once.
  let before: string | undefined;
  return option.argParser((value: string) => {
    before = before === undefined || name !== 'brokerPort' ? value : `${before},${value}`;
    return before;
  });
}

function readSettings(texts: ReadonlyMap<FlagName, string>, environment: Environment): Result<SimServeSettings, readonly string[]> {
  const problems: string[] = [];
  const profile = texts.get('profile') ?? simServeFlags.profile.default;
  const values = names.map((name): [FlagName, unknown] => {
    const { type, of, secretVariable, default: fallback } = simServeFlags[name] as SimServeFlag<unknown>;
    const text = texts.get(name) ?? (secretVariable === undefined ? undefined : variable(environment, secretVariable));
    if (text === undefined) return [name, fallback];
    if (texts.has(name) && of !== undefined && of !== profile)
      problems.push(`${flagOf(name)} belongs to --profile ${of}, and this is ${profile}`);
    const read = type.read(text, flagOf(name), { environment, base: environment.cwd });
    if (read.ok) return [name, read.value];
    problems.push(read.error);
    return [name, fallback];
  });
  return problems.length > 0 ? err(problems) : ok(Object.fromEntries(values) as SimServeSettings);
}

function flagOf(name: FlagName): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

function refuse(problems: readonly string[]): SimServeStartup {
  return { kind: 'refuse', text: problems.map((problem) => `svcd sim serve: ${problem}\n`).join('') };
}
