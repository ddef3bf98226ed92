import { closeSync, mkdirSync, openSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from '../access/index.js';

/**
 * Takes the state folder for this process, so that two daemons never keep the same books. The result gives it back.
 * A lock whose process is gone (kill -9, power loss) is taken over.
 */
export function lockState(folder: string): Result<() => void, string> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, 'daemon.lock');
  for (let attempt = 0; attempt < 2; attempt++) {
    try {
      const file = openSync(path, 'wx', 0o600);
      writeSync(file, `${process.pid}\n`);
      closeSync(file);
      return ok(() => unlinkSync(path));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') return err(`cannot write to the state folder ${folder}: ${(error as Error).message}`);
      const owner = ownerOf(path);
      if (owner !== undefined && owner !== process.pid && isAlive(owner)) {
        return err(`another svcd (process ${owner}) uses the state folder ${folder}; stop it, or give this one another with --state-dir`);
      }
      unlinkSync(path);
    }
  }
  return err(`another svcd is starting with the state folder ${folder}`);
}

function ownerOf(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, 'utf8').trim());
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
