import { err, ok, type Result } from '../access/index.js';
import { nearestName } from '../contract/names.js';
import { flagOf, type SettingName, settingNames, settingOf } from './settings-table.js';

/** What the arguments of `svcd` ask for. */
export interface CommandLine {
  readonly action: 'run' | 'help' | 'version' | 'print-config';
  readonly flags: ReadonlyMap<SettingName, FlagText>;
}

/** A flag's value, and the flag as it was written. */
interface FlagText {
  readonly text: string;
  readonly flag: string;
}

const actions: ReadonlyMap<string, CommandLine['action']> = new Map([
  ['--help', 'help'],
  ['-h', 'help'],
  ['--version', 'version'],
  ['-V', 'version'],
  ['--print-config', 'print-config'],
]);

interface KnownFlag {
  readonly name: SettingName;
  /** The value that the flag itself carries (a switch); undefined where one must follow. */
  readonly own: string | undefined;
}

const knownFlags: ReadonlyMap<string, KnownFlag> = new Map(settingNames.flatMap(flagsOf));

function flagsOf(name: SettingName): [string, KnownFlag][] {
  const { aliases = [], type } = settingOf(name);
  const flags = [flagOf(name), ...aliases.map((alias) => `--${alias}`)];
  if (type.placeholder !== null) return flags.map((flag) => [flag, { name, own: undefined }]);
  return flags.flatMap((flag): [string, KnownFlag][] => [
    [flag, { name, own: 'true' }],
    [flag.replace('--', '--no-'), { name, own: 'false' }],
  ]);
}

/** Reads the arguments of `svcd`. The errors are whole sentences, one a problem. */
export function parseCommandLine(args: readonly string[]): Result<CommandLine, readonly string[]> {
  const flags = new Map<SettingName, FlagText>();
  const problems: string[] = [];
  let action: CommandLine['action'] = 'run';
  for (let index = 0; index < args.length; index++) {
    const argument = args[index] ?? '';
    const asked = actions.get(argument);
    if (asked !== undefined) {
      // Help wins over everything: whoever asks for it gets it, whatever else is on the line.
      action = action === 'help' ? 'help' : asked;
      continue;
    }
    const equals = argument.startsWith('--') ? argument.indexOf('=') : -1;
    const flag = equals === -1 ? argument : argument.slice(0, equals);
    const known = knownFlags.get(flag);
    if (known === undefined) {
      problems.push(unknownArgument(flag));
      // What follows may be its value: no problem of its own.
      if (flag.startsWith('--') && equals === -1 && args[index + 1]?.startsWith('-') === false) index++;
      continue;
    }
    const inline = equals === -1 ? undefined : argument.slice(equals + 1);
    const text = inline ?? known.own ?? args[++index];
    if (text === undefined || (inline === undefined && known.own === undefined && text.startsWith('--'))) {
      problems.push(`${flag} needs a value: ${flag} ${settingOf(known.name).type.placeholder ?? ''}`);
      // What followed is a flag of its own.
      if (text !== undefined) index--;
    } else if (inline !== undefined && known.own === 'false') {
      problems.push(`${flag} takes no value; found ${JSON.stringify(inline)}`);
    } else if (flags.has(known.name)) {
      problems.push(`${flag} is given twice${flag === flags.get(known.name)?.flag ? '' : ` (as ${flags.get(known.name)?.flag} too)`}`);
    } else {
      flags.set(known.name, { text, flag });
    }
  }
  return problems.length > 0 && action !== 'help' ? err(problems) : ok({ action, flags });
}

function unknownArgument(argument: string): string {
  if (!argument.startsWith('-')) return `unexpected argument ${JSON.stringify(argument)}: svcd takes flags only (see svcd --help)`;
  const near = nearestName(argument, [...knownFlags.keys(), ...actions.keys()]);
  return `unknown flag ${argument}${near === undefined ? ' (see svcd --help)' : `; did you mean ${near}?`}`;
}
