import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string; dependencies: Record<string, string> };

/** Paths of the files that an installation has. */
function packedPaths(): readonly string[] {
  const { stdout, stderr } = spawnSync('npm', ['pack', '--dry-run', '--json', '--offline'], {
    cwd: root,
    encoding: 'utf8',
    shell: process.platform === 'win32',
  });
  const [packed] = JSON.parse(stdout) as { files: { path: string }[] }[];
  const paths = packed?.files.map(({ path }) => path) ?? [];
  expect(paths, stderr).toContain('bin/svcd');
  return paths;
}

it('the package holds the program, and nothing that is for its tests', () => {
  const paths = packedPaths();
  expect(paths).toContain('dist/svcctl.js');
  expect(paths.filter((path) => /(^|[/.-])(test|tests|testing|fixtures?|fakes?|scripted)([/.-]|$)/i.test(path))).toEqual([]);
  const modules = paths.filter((path) => path.startsWith('dist/') && path.endsWith('.js'));
  expect(modules.filter((path) => /from ["'](vitest|fast-check)["']/.test(readFileSync(join(root, path), 'utf8')))).toEqual([]);
});

it('an installation runs with the libraries that it declares and no others', () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-package-'));
  const run = (program: string, ...args: string[]) =>
    execFileSync(process.execPath, [join(folder, 'bin', program), ...args], { encoding: 'utf8', cwd: folder });
  try {
    for (const path of packedPaths()) cpSync(join(root, path), join(folder, path));
    for (const name of Object.keys(manifest.dependencies)) {
      const target = join(folder, 'node_modules', name);
      mkdirSync(dirname(target), { recursive: true });
      symlinkSync(join(root, 'node_modules', name), target, 'dir');
    }
    expect(run('svcd', '--version')).toBe(`${manifest.version}\n`);
    expect(run('svcctl', '--version')).toBe(`${manifest.version}\n`);
    expect(run('svcctl', 'operations', 'place_order')).toContain('acc_id');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
