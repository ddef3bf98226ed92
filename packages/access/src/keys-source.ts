import { isUtf8 } from 'node:buffer';
import { readPlainFile } from '@svc-gateway/storage';
import { type KeysFile, type KeysFileError, parseKeysFile } from './keys-file.js';
import { err, ok, type Result } from './result.js';

/** Reason why a keys file could not be loaded. Line and column are absent when the file could not be read at all. */
export interface KeysLoadError {
  readonly path: string;
  readonly message: string;
  readonly line?: number;
  readonly column?: number;
}

/** A loaded keys file and its text. */
export interface LoadedKeys extends KeysFile {
  readonly text: string;
}

/** 10,000 full records take about 8 MB. */
const FILE_BYTES_MAX = 64 * 1024 * 1024;

/** Reads and checks the keys file at `path`. */
export function loadKeysFile(path: string): Result<LoadedKeys, KeysLoadError> {
  const bytes = readBytes(path);
  if (!bytes.ok) return err({ path, message: bytes.error });
  const text = decode(bytes.value);
  if (!text.ok) return err({ path, ...text.error });
  const parsed = parseKeysFile(text.value);
  return parsed.ok ? ok({ ...parsed.value, text: text.value }) : err({ path, ...parsed.error });
}

/** "keys.json:3:12: unknown field …", the form that editors and terminals make clickable. */
export function formatLoadError(error: KeysLoadError): string {
  const position = error.line === undefined ? '' : `:${error.line}:${error.column ?? 1}`;
  return `${error.path}${position}: ${error.message}`;
}

function readBytes(path: string): Result<Buffer, string> {
  try {
    return ok(readPlainFile(path, FILE_BYTES_MAX));
  } catch (thrown) {
    return err(`cannot read the keys file: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

function decode(bytes: Buffer): Result<string, KeysFileError> {
  if (isUtf8(bytes)) return ok(bytes.toString('utf8'));
  let line = 1;
  let start = 0;
  for (let end = bytes.indexOf(0x0a); end !== -1 && isUtf8(bytes.subarray(start, end)); end = bytes.indexOf(0x0a, start)) {
    line += 1;
    start = end + 1;
  }
  return err({ message: 'the file is not UTF-8 text', line, column: 1 });
}
