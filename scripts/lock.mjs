import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

const POLL_MS = 100;
/** Longest time between the making of a lock file and the writing of its owner into it. */
const SETTLE_MS = 50;

/**
 * Waits until this process holds the lock file `path`; the result gives it back. `onWait` is told once who holds it.
 * The lock of a process that is gone is taken over.
 */
export async function holdLock(path, onWait) {
  let told = false;
  for (;;) {
    if (tryTake(path)) return () => rmSync(path, { force: true });
    const owner = ownerOf(path);
    if (owner !== undefined && isRunning(owner)) {
      if (!told) onWait(owner);
      told = true;
      await wait(POLL_MS);
      continue;
    }
    // Nobody's, as far as can be seen: perhaps one that is being written, or that another process takes over.
    await wait(SETTLE_MS + Math.random() * SETTLE_MS);
    const same = ownerOf(path) === owner;
    if (same) rmSync(path, { force: true });
  }
}

function tryTake(path) {
  try {
    writeFileSync(path, `${process.pid}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function ownerOf(path) {
  try {
    const pid = Number(readFileSync(path, 'utf8').trim());
    return Number.isSafeInteger(pid) && pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
