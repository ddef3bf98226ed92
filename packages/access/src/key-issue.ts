import { createHash, randomBytes } from 'node:crypto';
import { chmodSync, chownSync, existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Scope } from '@svc-gateway/contract/scope';
import { ensurePrivateFolder, writePrivateFile } from '@svc-gateway/storage';
import { digestOf } from './digest.js';
import { KEYS_FILE_VERSION, parseKeysFile } from './keys-file.js';
import { formatLoadError, type LoadedKeys, loadKeysFile } from './keys-source.js';
import { takeLock } from './lock.js';
import { err, ok, type Result } from './result.js';

/** How long other processes may take to add their keys. */
const LOCK_MS_MAX = 15_000;

/** Properties of a new key. */
export interface NewKey {
  readonly id: string;
  readonly scopes: readonly Scope[];
  /** JSON text of the `limits` object (`limitsFromFlags` makes it): text, because its numbers are exact. */
  readonly limitsJson: string;
  readonly allowedMachines: readonly string[] | null;
  /** Epoch ms. */
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly note: string;
  /** Whether the public SDKs, which send the MD5 of the key, may use it. */
  readonly sdk: boolean;
}

/** A key text, `svc_` and 43 characters: 256 random bits. `random` stands for the system's generator in tests. */
export function generateKeyText(random: (bytes: number) => Buffer = randomBytes): string {
  return `svc_${random(32).toString('base64url')}`;
}

/**
 * Makes a key and appends its record to the keys file at `path`, which is created (0600, in a folder of 0700) when it
 * does not exist. Any number of processes may do so at once: none loses another's key. What the file holds already is
 * kept byte for byte; a file that is broken or has the id already is refused and not touched. The key text is in no file.
 */
export async function issueKey(
  path: string,
  key: NewKey,
  random?: (bytes: number) => Buffer,
): Promise<Result<{ keyText: string }, string>> {
  try {
    ensurePrivateFolder(dirname(resolve(path)));
    const target = existsSync(path) ? realpathSync(path) : path;
    const keyText = generateKeyText(random);
    const locked = await takeLock(target, { waitMs: LOCK_MS_MAX });
    if (!locked.ok) {
      const holder = locked.owners.join(', ') || 'another process';
      return err(`${target} is locked by ${holder}; if it no longer runs, remove ${locked.lock}`);
    }
    try {
      const wrong = appendRecord(target, recordJson(key, keyText));
      return wrong === undefined ? ok({ keyText }) : err(wrong);
    } finally {
      locked.release();
    }
  } catch (thrown) {
    return err(`cannot write ${path}: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  }
}

/** Runs under the lock. Returns what is wrong, or undefined. */
function appendRecord(path: string, record: string): string | undefined {
  if (!existsSync(path)) return writeChecked(path, `{\n  "version": ${KEYS_FILE_VERSION},\n  "keys": [\n    ${record}\n  ]\n}\n`);
  const loaded = loadKeysFile(path);
  return loaded.ok ? writeChecked(path, withRecord(loaded.value, record)) : formatLoadError(loaded.error);
}

/** The file's text with `record` after the last one, indented as that one is. */
function withRecord({ text, list }: LoadedKeys, record: string): string {
  const last = list.items.at(-1);
  if (last === undefined) return `${text.slice(0, list.start)}[\n    ${record}\n  ]${text.slice(list.end)}`;
  const indent = /[\n\r]([ \t]*)$/.exec(text.slice(0, last.start))?.[1];
  const separator = indent === undefined ? ', ' : `,\n${indent}`;
  return `${text.slice(0, last.end)}${separator}${record}${text.slice(last.end)}`;
}

/** Replaces the file as a whole, and only by one that the daemon will accept: this is where a duplicate id is found. */
function writeChecked(path: string, text: string): string | undefined {
  const parsed = parseKeysFile(text);
  if (!parsed.ok) return `not written: ${parsed.error.message}`;
  writePrivateFile(path, text, (temporary) => keepOwnership(path, temporary));
  return undefined;
}

/** A keys file that its operator gave to another user or group stays readable to them. */
function keepOwnership(path: string, temporary: string): void {
  if (!existsSync(path)) return;
  const { mode, uid, gid } = statSync(path);
  const own = statSync(temporary);
  if (uid !== own.uid || gid !== own.gid) chownSync(temporary, uid, gid);
  chmodSync(temporary, mode & 0o777);
}

function recordJson(key: NewKey, keyText: string): string {
  const fields: [string, string][] = [
    ['id', JSON.stringify(key.id)],
    ['hash', JSON.stringify(digestOf(keyText))],
  ];
  if (key.sdk) fields.push(['sdk_hash', JSON.stringify(digestOf(createHash('md5').update(keyText).digest('hex')))]);
  fields.push(
    ['scopes', `[${key.scopes.map((scope) => JSON.stringify(scope)).join(', ')}]`],
    ['limits', key.limitsJson],
    ['allowed_machines', JSON.stringify(key.allowedMachines)],
    ['created_at', JSON.stringify(new Date(key.createdAt).toISOString())],
    ['expires_at', key.expiresAt === null ? 'null' : JSON.stringify(new Date(key.expiresAt).toISOString())],
    ['note', JSON.stringify(key.note)],
  );
  return `{\n${fields.map(([name, value]) => `      ${JSON.stringify(name)}: ${value}`).join(',\n')}\n    }`;
}
