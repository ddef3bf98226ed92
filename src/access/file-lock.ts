import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { err, ok, type Result } from './result.js';

const WAIT_MS_MAX = 15_000;
const POLL_MS_MAX = 20;

/**
 * Runs `action` while no other process holds the lock of `path`, waiting for up to 15 seconds.
 *
 * The lock is the folder `<path>.lock` with one file in it, named after its owner. Taking it is one rename of a
 * prepared folder, which succeeds only onto nothing or onto an empty folder. A dead owner's lock is broken by
 * unlinking that owner's file, a name that no later owner has: two breakers cannot break the lock of a third.
 */
export async function withFileLock<T>(path: string, action: () => T): Promise<Result<T, string>> {
  const lock = `${path}.lock`;
  const owner = `${hostname()}~${process.pid}~${randomBytes(8).toString('hex')}`;
  const deadline = Date.now() + WAIT_MS_MAX;
  const prepared = `${lock}.${owner}`;
  mkdirSync(prepared, { mode: 0o700 });
  try {
    writeFileSync(join(prepared, owner), '');
    while (!take(prepared, lock)) {
      if (Date.now() >= deadline)
        return err(`${path} is locked by ${holders(lock).join(', ') || 'another process'}; if it no longer runs, remove ${lock}`);
      breakIfStale(lock);
      await wait(1 + Math.random() * POLL_MS_MAX);
    }
  } finally {
    rmSync(prepared, { recursive: true, force: true });
  }
  try {
    return ok(action());
  } finally {
    release(lock, owner);
  }
}

function take(prepared: string, lock: string): boolean {
  try {
    renameSync(prepared, lock);
    return true;
  } catch (thrown) {
    if (hasCode(thrown, 'ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES')) return false;
    throw thrown;
  }
}

function release(lock: string, owner: string): void {
  unlinkSync(join(lock, owner));
  removeIfEmpty(lock);
}

function breakIfStale(lock: string): void {
  for (const owner of holders(lock)) {
    const [host, pid] = owner.split('~');
    // A process of another machine or container cannot be seen from here; its lock is waited for.
    if (host !== hostname() || isRunning(Number(pid))) continue;
    rmSync(join(lock, owner), { force: true });
  }
  removeIfEmpty(lock);
}

function holders(lock: string): string[] {
  try {
    return readdirSync(lock);
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT', 'ENOTDIR')) return [];
    throw thrown;
  }
}

function removeIfEmpty(lock: string): void {
  try {
    rmdirSync(lock);
  } catch (thrown) {
    if (!hasCode(thrown, 'ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EPERM')) throw thrown;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return !hasCode(thrown, 'ESRCH');
  }
}

function hasCode(thrown: unknown, ...codes: string[]): boolean {
  return thrown instanceof Error && 'code' in thrown && codes.includes(String(thrown.code));
}
