import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/access.js';
import { takeLock } from './lock.js';

describe('a lock', () => {
  it('is waited for, and its owner named once, until it is given back', async () => {
    const path = join(temporaryFolder(), 'keys.json');
    const first = await takeLock(path);
    const told: string[] = [];
    const waiting = takeLock(path, {
      onWait: (owners) => {
        told.push(...owners);
        if (first.ok) first.release();
      },
    });
    const second = await waiting;
    expect(told).toEqual([expect.stringContaining(`~${process.pid}~`)]);
    if (second.ok) second.release();
    expect([second.ok, existsSync(`${path}.lock`)]).toEqual([true, false]);
  });

  it('times out with the names of its owners', async () => {
    const path = join(temporaryFolder(), 'keys.json');
    await takeLock(path);
    expect(await takeLock(path, { waitMs: 0 })).toEqual({
      ok: false,
      lock: `${path}.lock`,
      owners: [expect.stringContaining(`~${process.pid}~`)],
    });
  });
});
