import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const svcd = join(import.meta.dirname, '..', '..', '..', 'bin', 'svcd');

it.skipIf(process.platform === 'win32')('says in a sentence that the folder it was started in is gone', () => {
  const inDeletedFolder = (flag: string) =>
    spawnSync('sh', ['-c', 'gone=$(mktemp -d) && cd "$gone" && rmdir "$gone" && exec "$0" "$@"', process.execPath, svcd, flag], {
      encoding: 'utf8',
    });
  const { status, stderr } = inDeletedFolder('--print-config');
  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: expect.stringMatching(/^svcd: the folder .* is gone .*\(ENOENT\): change to .*\n$/),
  });
  // Commands that need no folder are answered all the same.
  expect(inDeletedFolder('--version')).toMatchObject({ status: 0, stderr: '' });
});
