import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensurePrivateFolder } from './folders.js';

/** Replaces a file atomically; only its owner can ever read it. */
export function writePrivateFile(path: string, text: string): void {
  ensurePrivateFolder(dirname(path));
  const temporary = `${path}.${process.pid}.new`;
  const file = openSync(temporary, 'w', 0o600);
  try {
    // A file left over from a crash may have another mode.
    fchmodSync(file, 0o600);
    writeSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(temporary, path);
}
