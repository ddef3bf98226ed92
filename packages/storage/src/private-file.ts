import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensurePrivateFolder } from './folders.js';

/** Replaces a file as a whole or, throwing, not at all; only its owner can ever read it. */
export function writePrivateFile(path: string, text: string): void {
  ensurePrivateFolder(dirname(path));
  const temporary = `${path}.${process.pid}.new`;
  try {
    const file = openSync(temporary, 'w', 0o600);
    try {
      // A file left over from a crash may have another mode.
      fchmodSync(file, 0o600);
      // Goes on after a write that took a part: a disk with room for one takes it without an error.
      writeFileSync(file, text);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
