import { linkSync, mkdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { err, ok, type Result } from '../access/index.js';

const ATTEMPTS = 10;

/**
 * Takes the state folder for this process, so that two daemons never keep the same books. The result gives it back.
 * A lock whose process is gone (kill -9, power loss) is taken over.
 *
 * The lock, `daemon.lock`, holds its owner's process id. It appears with its content, by a link to a file that is
 * already written, and a stale one is moved away before it is judged: of several that start at once, one wins.
 */
export function lockState(folder: string): Result<() => void, string> {
  const path = join(folder, 'daemon.lock');
  const own = `${path}.${process.pid}`;
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(own, `${process.pid}\n`, { mode: 0o600 });
    try {
      return take(folder, path, own);
    } finally {
      unlinkSync(own);
    }
  } catch (error) {
    return err(`cannot write to the state folder ${folder}: ${(error as Error).message}`);
  }
}

function take(folder: string, path: string, own: string): Result<() => void, string> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (link(own, path)) return ok(() => unlinkSync(path));
    const owner = ownerOf(path);
    if (owner !== undefined && isAlive(owner)) {
      const remedy = `stop it, or give this one another with --state-dir; if process ${owner} is no svcd, remove ${path}`;
      return err(`another svcd (process ${owner}) uses the state folder ${folder}; ${remedy}`);
    }
    removeStale(path, `${own}.stale`);
  }
  return err(`another svcd is starting with the state folder ${folder}`);
}

function link(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Only one process gets a lock moved away. If a living one's came along in the meantime, it is put back. */
function removeStale(path: string, aside: string): void {
  try {
    renameSync(path, aside);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  const owner = ownerOf(aside);
  if (owner !== undefined && isAlive(owner)) link(aside, path);
  unlinkSync(aside);
}

function ownerOf(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, 'utf8').trim());
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** A lock with this process's own id is one of an earlier process: in a container, ids come again. */
function isAlive(pid: number): boolean {
  if (pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
