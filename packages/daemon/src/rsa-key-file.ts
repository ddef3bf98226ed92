import type { KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { err, ok, type Result } from '@svc-gateway/access';
import { readRsaKey } from '@svc-gateway/wire';

/** The RSA key of a setting, if there is one. The error is a whole sentence. */
export function readRsaKeyFile(flag: string, path: string | null): Result<KeyObject | undefined, string> {
  if (path === null) return ok(undefined);
  let pem: string;
  try {
    pem = readFileSync(path, 'utf8');
  } catch (error) {
    return err(`${flag} ${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  const read = readRsaKey(pem, path);
  return read.ok ? ok(read.key) : err(`${flag} ${path}: ${read.message}`);
}
