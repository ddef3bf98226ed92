// @ts-check
// Plain JavaScript on Node's own modules: scripts/prepare.mjs needs it before there is a compiler.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, renameSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const POLL_MS_MAX = 20;

/**
 * Takes the lock of `path`, which one process of this machine holds at a time. Resolves with what gives it back, or with the
 * folder and the owners ("host~pid~…") of a lock that was not to be had in time.
 *
 * The lock is the folder `<path>.lock` with one file in it, named after its owner. Taking it is one rename of a
 * prepared folder, which succeeds only onto nothing or onto an empty folder. A dead owner's lock is broken by
 * unlinking that owner's file, a name that no later owner has: two breakers cannot break the lock of a third.
 *
 * @param {string} path
 * @param {{ readonly waitMs?: number, readonly onWait?: (owners: readonly string[]) => void }} [options] `waitMs`: for ever unless
 *   given; `onWait`: told once, when another process has the lock.
 * @returns {Promise<{ readonly ok: true, readonly release: () => void } | { readonly ok: false, readonly lock: string, readonly owners: readonly string[] }>}
 */
export async function takeLock(path, { waitMs = Number.POSITIVE_INFINITY, onWait } = {}) {
  const lock = `${path}.lock`;
  const owner = `${hostname()}~${process.pid}~${randomBytes(8).toString('hex')}`;
  const started = performance.now();
  const prepared = `${lock}.${owner}`;
  let told = false;
  mkdirSync(prepared, { mode: 0o700 });
  try {
    writeFileSync(join(prepared, owner), '');
    while (!take(prepared, lock)) {
      breakIfStale(lock);
      const owners = ownersOf(lock);
      if (performance.now() - started >= waitMs) return { ok: false, lock, owners };
      if (!told && owners.length > 0) {
        onWait?.(owners);
        told = true;
      }
      await wait(1 + Math.random() * POLL_MS_MAX);
    }
  } finally {
    rmSync(prepared, { recursive: true, force: true });
  }
  return { ok: true, release: () => release(lock, owner) };
}

/**
 * @param {string} prepared
 * @param {string} lock
 */
function take(prepared, lock) {
  try {
    renameSync(prepared, lock);
    return true;
  } catch (thrown) {
    if (hasCode(thrown, 'ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES')) return false;
    throw thrown;
  }
}

/**
 * @param {string} lock
 * @param {string} owner
 */
function release(lock, owner) {
  unlinkSync(join(lock, owner));
  removeIfEmpty(lock);
}

/** @param {string} lock */
function breakIfStale(lock) {
  for (const owner of ownersOf(lock)) {
    const [host, pid] = owner.split('~');
    // A process of another machine or container cannot be seen from here; its lock is waited for.
    if (host !== hostname() || isRunning(Number(pid))) continue;
    rmSync(join(lock, owner), { force: true });
  }
  removeIfEmpty(lock);
}

/** @param {string} lock */
function ownersOf(lock) {
  try {
    return readdirSync(lock);
  } catch (thrown) {
    if (hasCode(thrown, 'ENOENT', 'ENOTDIR')) return [];
    throw thrown;
  }
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

/**
 * @param {unknown} thrown
 * @param {string[]} codes
 */
function hasCode(thrown, ...codes) {
  return thrown instanceof Error && 'code' in thrown && codes.includes(String(thrown.code));
}
