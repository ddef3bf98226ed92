import { readFileSync } from 'node:fs';
import { err, ok, type Result } from '@svc-gateway/access';
import { nearestName } from '@svc-gateway/contract/names';
import { parse, TomlError } from 'smol-toml';

/** A key of config.toml: its value as a flag would spell it, and where it stands. */
interface ConfigEntry {
  readonly text: string;
  /** From 1; undefined where the key is written in a way that hides its line. */
  readonly line: number | undefined;
}

/** Entries of config.toml, by canonical key (`rest_port`). */
export type ConfigEntries = ReadonlyMap<string, ConfigEntry>;

/** Reads a config.toml. A missing file says nothing. The errors are whole sentences that begin with "path:line: ". */
export function readConfigFile(path: string, accepted: readonly string[]): Result<ConfigEntries, readonly string[]> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    return code === 'ENOENT' ? ok(new Map()) : err([`${path}: cannot be read: ${message}`]);
  }
  return parseConfig(text, path, accepted);
}

/** Reads the text of a config.toml. Keys may be written with dashes, as the flags are. */
function parseConfig(text: string, path: string, accepted: readonly string[]): Result<ConfigEntries, readonly string[]> {
  let table: Record<string, unknown>;
  try {
    table = parse(text, { integersAsBigInt: true });
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    return err([`${path}:${thrown.line}:${thrown.column}: ${firstLine(thrown.message)}`]);
  }
  const lines = text.split('\n');
  const entries = new Map<string, ConfigEntry>();
  const problems: string[] = [];
  for (const [written, value] of Object.entries(table)) {
    const line = lineOf(lines, written);
    const at = line === undefined ? path : `${path}:${line}`;
    const key = written.replaceAll('-', '_');
    const flagText = textOf(value, line === undefined ? '' : (lines[line - 1] ?? ''));
    if (!accepted.includes(key)) {
      const near = nearestName(key, accepted);
      problems.push(`${at}: unknown key ${JSON.stringify(written)}${near === undefined ? '' : `; did you mean ${near}?`}`);
    } else if (entries.has(key)) {
      problems.push(`${at}: ${key} appears twice, with dashes and with underscores`);
    } else if (flagText === undefined) {
      problems.push(`${at}: ${written} must be a string, a number, true, false, or a list of strings; found ${kindOf(value)}`);
    } else {
      entries.set(key, { text: flagText, line });
    }
  }
  return problems.length > 0 ? err(problems) : ok(entries);
}

/** The value as a flag would spell it. `line` is the line it stands on: a number is taken as it was written there. */
function textOf(value: unknown, line: string): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return numberText(value, line);
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string' && !item.includes(','))) return undefined;
  return value.join(',');
}

/** A TOML float passes through a double here, which would change the digits of a long amount: the file's own are taken. */
function numberText(value: number, line: string): string {
  const written = /=\s*([-+0-9._eE]+)/.exec(line)?.[1]?.replaceAll('_', '');
  return written !== undefined && Number(written) === value ? written : String(value);
}

/** The line of a top-level key or of a table with that name, from 1. */
function lineOf(lines: readonly string[], key: string): number | undefined {
  const name = key.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const pattern = new RegExp(`^\\s*(?:["']?${name}["']?\\s*[=.]|\\[\\[?\\s*["']?${name}["']?\\s*[\\].])`);
  const index = lines.findIndex((line) => pattern.test(line));
  return index === -1 ? undefined : index + 1;
}

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return 'a list of something else';
  return value instanceof Date ? 'a date' : 'a table';
}

function firstLine(message: string): string {
  return message.split('\n', 1)[0] ?? message;
}
