import { err, ok, type Result } from '@svc-gateway/access';
import { nearestName } from '@svc-gateway/contract/names';
import { Command, Option } from 'commander';
import { flagOf, type Setting, type SettingName, settingGroups, settingNames, settingOf } from './settings-table.js';

/** Command line of `svcd`. */
export interface CommandLine {
  readonly action: 'run' | 'help' | 'version' | 'print-config';
  readonly flags: ReadonlyMap<SettingName, FlagText>;
}

/** A flag's value, and the flag as it was written. */
interface FlagText {
  readonly text: string;
  readonly flag: string;
}

const OTHER = 'Other';
const actions = [
  { name: 'print-config', flags: '--print-config', about: 'Print every setting with its source, then exit.' },
  { name: 'version', flags: '-V, --version', about: 'Print the version, then exit.' },
  { name: 'help', flags: '-h, --help', about: 'Print this text, then exit.' },
] as const satisfies readonly { name: CommandLine['action']; flags: string; about: string }[];

const HELP_HEAD = [
  'Trading and market-data gateway.',
  'Each flag is also an environment variable (--rest-port: SVC_REST_PORT) and a key of config.toml in the configuration folder (rest_port).',
  'Flags override variables, and variables override the file. --no-<name> turns a switch off.',
  '"svcd sim serve --help" tells how to run the simulated brokerage as a server of its own.',
].join(' ');
const HELP_WIDTH = 110;

/** Told of what stands on the command line, in its order. */
interface Heard {
  action(name: CommandLine['action']): void;
  /** `text` is null where a flag stands without the value that it needs. */
  flag(name: SettingName, flag: string, text: string | null): void;
}

/** Reads the arguments of `svcd`. The errors are whole sentences, one a problem. */
export function parseCommandLine(args: readonly string[]): Result<CommandLine, readonly string[]> {
  const flags = new Map<SettingName, FlagText>();
  const problems: string[] = [];
  let action = 'run' as CommandLine['action'];
  const program = programTelling({
    action(name) {
      // `--help` wins over everything else on the line.
      action = action === 'help' ? 'help' : name;
    },
    flag(name, flag, text) {
      const before = flags.get(name);
      if (text === null) problems.push(`${flag} needs a value: ${flag} ${settingOf(name).type.placeholder ?? ''}`);
      else if (before !== undefined) problems.push(`${flag} is given twice${flag === before.flag ? '' : ` (as ${before.flag} too)`}`);
      else flags.set(name, { text, flag });
    },
  });
  const { operands, unknown } = program.parseOptions(inOneWord(args));
  problems.push(...operands.map(unexpected), ...unknownArguments(unknown, program));
  return problems.length > 0 && action !== 'help' ? err(problems) : ok({ action, flags });
}

/** The text of `svcd --help`. */
export function helpText(): string {
  return programTelling({ action: () => undefined, flag: () => undefined }).helpInformation();
}

const switchFlags = new Set(settingNames.filter((name) => isSwitch(settingOf(name))).map(flagOf));
const valueFlags = new Set(
  settingNames.filter((name) => !isSwitch(settingOf(name))).flatMap((name) => [flagOf(name), ...aliasFlags(name)]),
);

/** Every flag and its value in one word: the library takes a value that begins with a dash for a flag, and the word after a switch for its value. */
function inOneWord(args: readonly string[]): string[] {
  const words: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? '';
    const next = args[index + 1];
    if (argument === '--') return [...words, ...args.slice(index)];
    if (switchFlags.has(argument)) words.push(`${argument}=true`);
    else if (valueFlags.has(argument) && next?.startsWith('--') === false) {
      words.push(`${argument}=${next}`);
      index++;
    } else words.push(argument);
  }
  return words;
}

function aliasFlags(name: SettingName): string[] {
  return (settingOf(name).aliases ?? []).map((alias) => `--${alias}`);
}

function isSwitch({ type }: Setting<unknown>): boolean {
  return type.placeholder === null;
}

/** The command, made anew for each reading: it remembers what it has read. */
function programTelling(heard: Heard): Command {
  const program = new Command('svcd')
    .usage('[flags]')
    .description(HELP_HEAD)
    .helpOption(false)
    .configureHelp({
      helpWidth: HELP_WIDTH,
      // A value that is missing is a problem of ours among others, and so the library is told that it may be; people are not.
      optionTerm: ({ flags }) => flags.replace(/\[(.*)\]$/, '<$1>'),
    });
  const add = (option: Option, tell: (text: string | null) => void) => {
    program.addOption(option);
    program.on(`option:${option.name()}`, tell);
  };
  // Headings come in the order of their first option.
  for (const group of settingGroups) {
    for (const name of settingNames) {
      const setting = settingOf(name);
      if (setting.group !== group) continue;
      for (const option of optionsOf(name, setting)) add(option, (text) => heard.flag(name, option.long ?? '', textOf(option, text)));
    }
  }
  for (const { name, flags, about } of actions) add(new Option(flags, about).helpGroup(OTHER), () => heard.action(name));
  return program;
}

/** The options of a setting: its flag, then what else it is known by, which help does not list. */
function optionsOf(name: SettingName, setting: Setting<unknown>): Option[] {
  const { about, group, type } = setting;
  const flag = flagOf(name);
  const value = ` [${type.placeholder?.slice(1, -1)}]`;
  const aliases = aliasFlags(name);
  const also = aliases.length === 0 ? '' : ` Also: ${aliases.join(', ')}.`;
  const fallback = defaultText(setting);
  const text = `${about}${also}${fallback === '' ? '' : ` [${fallback}]`}`;
  if (isSwitch(setting)) {
    const option = new Option(`${flag} [true|false]`, text).helpGroup(group);
    // Help shows it as people write it.
    option.flags = flag;
    return [option, new Option(flag.replace('--', '--no-')).hideHelp()];
  }
  const shown = new Option(`${flag}${value}`, text).helpGroup(group);
  return [shown, ...aliases.map((alias) => new Option(`${alias}${value}`).hideHelp())];
}

function textOf({ negate, optional }: Option, text: string | null): string | null {
  return negate && !optional ? 'false' : text;
}

/** The default in the help text; nothing where there is none, or where it depends on the machine. */
function defaultText({ default: fallback, type, secret }: Setting<unknown>): string {
  if (secret || typeof fallback === 'function' || fallback === null || fallback === false) return '';
  return Array.isArray(fallback) ? '' : type.write(fallback).replaceAll('"', '');
}

/** Arguments that the library did not know, and those after them that it left alone. */
function unknownArguments(unknown: readonly string[], program: Command): string[] {
  const known = program.options.flatMap(({ short, long }) => [short, long]).filter((flag) => flag !== undefined);
  const problems: string[] = [];
  for (let index = 0; index < unknown.length; index++) {
    const argument = unknown[index] ?? '';
    const [flag = '', value] = splitAt(argument, '=');
    if (!argument.startsWith('-')) problems.push(unexpected(argument));
    else if (known.includes(flag)) problems.push(`${flag} takes no value; found ${JSON.stringify(value)}`);
    else {
      const near = flag.startsWith('--') ? nearestName(flag, known) : undefined;
      problems.push(`unknown flag ${flag}${near === undefined ? ' (see svcd --help)' : `; did you mean ${near}?`}`);
      // The next word may be this flag's value, and is no problem of its own.
      if (value === undefined && unknown[index + 1]?.startsWith('-') === false) index++;
    }
  }
  return problems;
}

function unexpected(argument: string): string {
  return `unexpected argument ${JSON.stringify(argument)}: svcd takes flags only (see svcd --help)`;
}

function splitAt(text: string, mark: string): [string, string?] {
  const index = text.indexOf(mark);
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}
