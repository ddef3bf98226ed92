import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ensurePrivateFolder } from './folders.js';

/**
 * Replaces a file as a whole or, throwing, not at all; only its owner can ever read it, unless `prepare` gives the new file, at its temporary path, to
 * others. The new one is on disk, under its name, when this returns.
 */
export function writePrivateFile(path: string, text: string, prepare: (temporary: string) => void = () => undefined): void {
  ensurePrivateFolder(dirname(path));
  const temporary = `${path}.${process.pid}.new`;
  try {
    // One left over from a crash may have another mode.
    rmSync(temporary, { force: true });
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx', flush: true });
    prepare(temporary);
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
  syncFolder(dirname(path));
}

/** Makes a rename itself durable. Windows has no such call and needs none. */
function syncFolder(folder: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(folder, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
