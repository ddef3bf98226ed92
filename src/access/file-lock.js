// Plain JavaScript on Node's own modules: the build scripts hold this lock too, before anything is installed or compiled.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const POLL_MS_MAX = 20;

/**
 * Waits until no other process holds the lock of `path`, and takes it. The result gives it back; it is undefined when the
 * lock could not be had within `waitMs`.
 *
 * The lock is the folder `<path>.lock` with one file in it, named after its owner. Taking it is one rename of a
 * prepared folder, which succeeds only onto nothing or onto an empty folder. A dead owner's lock is broken by
 * unlinking that owner's file, a name that no later owner has: two breakers cannot break the lock of a third.
 *
 * @param {string} path
 * @param {{ waitMs?: number, onWait?: (holder: string) => void }} options `onWait` is told once who holds it
 * @returns {Promise<(() => void) | undefined>}
 */
export async function takeLock(path, { waitMs = Number.POSITIVE_INFINITY, onWait = () => undefined }) {
  const lock = `${path}.lock`;
  const owner = `${hostname()}~${process.pid}~${randomBytes(8).toString('hex')}`;
  const deadline = Date.now() + waitMs;
  const prepared = `${lock}.${owner}`;
  let told = false;
  mkdirSync(prepared, { mode: 0o700 });
  try {
    writeFileSync(join(prepared, owner), '');
    while (!take(prepared, lock)) {
      if (Date.now() >= deadline) return undefined;
      breakIfStale(path);
      const [holder] = lockHolders(path);
      if (holder !== undefined && !told) {
        told = true;
        onWait(holder);
      }
      await wait(1 + Math.random() * POLL_MS_MAX);
    }
  } finally {
    rmSync(prepared, { recursive: true, force: true });
  }
  return () => release(lock, owner);
}

/**
 * Who holds the lock of `path`: host, process id and a random name, joined by "~".
 *
 * @param {string} path
 * @returns {string[]}
 */
export function lockHolders(path) {
  try {
    return readdirSync(`${path}.lock`);
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT', 'ENOTDIR')) return [];
    throw thrown;
  }
}

/** @param {string} prepared @param {string} lock */
function take(prepared, lock) {
  try {
    renameSync(prepared, lock);
    return true;
  } catch (thrown) {
    if (hasCode(thrown, 'ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES')) return false;
    throw thrown;
  }
}

/** @param {string} lock @param {string} owner */
function release(lock, owner) {
  unlinkSync(join(lock, owner));
  removeIfEmpty(lock);
}

/** @param {string} path */
function breakIfStale(path) {
  const lock = `${path}.lock`;
  for (const owner of lockHolders(path)) {
    const [host, pid] = owner.split('~');
    // A process of another machine or container cannot be seen from here; its lock is waited for.
    if (host !== hostname() || isRunning(Number(pid))) continue;
    rmSync(join(lock, owner), { force: true });
  }
  removeIfEmpty(lock);
}

/** @param {string} lock */
function removeIfEmpty(lock) {
  try {
    rmdirSync(lock);
  } catch (thrown) {
    if (!hasCode(thrown, 'ENOENT', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EPERM')) throw thrown;
  }
}

/** @param {number} pid */
function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return !hasCode(thrown, 'ESRCH');
  }
}

/** @param {unknown} thrown @param {...string} codes */
function hasCode(thrown, ...codes) {
  return thrown instanceof Error && 'code' in thrown && codes.includes(String(thrown.code));
}
