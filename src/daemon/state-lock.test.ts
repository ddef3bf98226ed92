import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { lockState } from './state-lock.js';

/** No process has this id: it is above the largest that Linux and macOS give. */
const NOBODY = 2 ** 30;

const folders: string[] = [];
afterEach(() => {
  for (const path of folders.splice(0)) rmSync(path, { recursive: true, force: true });
});

function folderWithLock(content: string | undefined): { folder: string; lock: string } {
  const folder = mkdtempSync(join(tmpdir(), 'svc-lock-'));
  folders.push(folder);
  const lock = join(folder, 'daemon.lock');
  if (content !== undefined) writeFileSync(lock, content);
  return { folder, lock };
}

describe('the lock of the state folder', () => {
  it.each([
    ['is free', undefined],
    ['was left by a process that is gone', `${NOBODY}\n`],
    ['was left by an earlier process of the same id', `${process.pid}\n`],
    ['has been cut short by a power loss', ''],
  ])('is taken when it %s, and given back', (_, left) => {
    const { folder, lock } = folderWithLock(left);
    const taken = lockState(folder);
    expect(taken.ok).toBe(true);
    expect(readFileSync(lock, 'utf8')).toBe(`${process.pid}\n`);
    expect(readdirSync(folder)).toEqual(['daemon.lock']);
    if (taken.ok) taken.value();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is left to a process that runs', () => {
    const { folder, lock } = folderWithLock(`${process.ppid}\n`);
    const refused = lockState(folder);
    expect(refused).toMatchObject({ ok: false, error: expect.stringContaining(`another svcd (process ${process.ppid})`) });
    expect(readFileSync(lock, 'utf8')).toBe(`${process.ppid}\n`);
    expect(readdirSync(folder)).toEqual(['daemon.lock']);
  });

  it('says which folder cannot be written', () => {
    const { lock } = folderWithLock('');
    expect(lockState(join(lock, 'state'))).toMatchObject({ ok: false, error: expect.stringContaining(join(lock, 'state')) });
  });
});
