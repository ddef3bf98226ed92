import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

it('the package holds the program, and nothing that is for its tests', () => {
  const { stdout, stderr } = spawnSync('npm', ['pack', '--dry-run', '--json', '--offline'], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  const [packed] = JSON.parse(stdout) as { files: { path: string }[] }[];
  const paths = packed?.files.map(({ path }) => path) ?? [];
  expect(paths, stderr).toContain('bin/svcd');
  expect(paths).toContain('dist/entry/svcctl.js');
  expect(paths.filter((path) => /(^|[/.-])(test|tests|testing|fixtures?|fakes?|scripted)([/.-]|$)/i.test(path))).toEqual([]);
  const modules = paths.filter((path) => path.startsWith('dist/') && path.endsWith('.js'));
  expect(modules.filter((path) => /from '(vitest|fast-check)'/.test(readFileSync(join(root, path), 'utf8')))).toEqual([]);
});
