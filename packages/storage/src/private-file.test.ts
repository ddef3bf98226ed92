import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writePrivateFile } from './private-file.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-private-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('makes the folders on the way and replaces files as a whole, for their owner only', () => {
  const path = join(folder, 'a', 'b', 'secret');
  writePrivateFile(path, 'a long first text');
  writePrivateFile(path, 'second');
  expect(readFileSync(path, 'utf8')).toBe('second');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o700);
  expect(readdirSync(join(folder, 'a', 'b'))).toEqual(['secret']);
});

it('trusts no mode that an earlier file had', () => {
  const path = join(folder, 'secret');
  writeFileSync(path, 'open to all', { mode: 0o666 });
  writeFileSync(`${path}.${process.pid}.new`, 'left by a crash', { mode: 0o666 });
  writePrivateFile(path, 'closed');
  expect(readFileSync(path, 'utf8')).toBe('closed');
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it.skipIf(spawnSync('prlimit', ['--fsize']).status !== 0)(
  'a file stays as it was where the disk has room for a part of the new one',
  () => {
    const path = join(folder, 'secret');
    writePrivateFile(path, 'whole\n');
    const code = `import { writePrivateFile } from '@svc-gateway/storage'; writePrivateFile(${JSON.stringify(path)}, 'x'.repeat(1000));`;
    const run = spawnSync('prlimit', ['--fsize=150', process.execPath, '--input-type=module', '-e', code]);
    expect(run.status).not.toBe(0);
    expect(readFileSync(path, 'utf8')).toBe('whole\n');
    expect(readdirSync(folder)).toEqual(['secret']);
  },
);
