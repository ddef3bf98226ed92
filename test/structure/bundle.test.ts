import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
let copy = '';

/** An installation of what was built, to be changed. */
beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'svcd-bundle-'));
  mkdirSync(join(copy, 'dist'));
  cpSync(join(root, 'bin'), join(copy, 'bin'), { recursive: true });
  cpSync(join(root, 'package.json'), join(copy, 'package.json'));
  for (const file of readdirSync(join(root, 'dist'))) {
    if (file.startsWith('svcd')) cpSync(join(root, 'dist', file), join(copy, 'dist', file));
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'), 'dir');
});
afterEach(() => rmSync(copy, { recursive: true, force: true }));

/** Output of `svcd --version`, and whether V8 accepted the compiled code. */
function run(...flags: string[]) {
  const program = `
    import { runBundle } from ${JSON.stringify(join(copy, 'bin', 'bundle.js'))};
    process.argv.push('--version');
    const { script } = runBundle();
    console.log(script.cachedDataRejected);`;
  const text = execFileSync(process.execPath, [...flags, '--input-type=module', '-e', program, 'svcd'], { encoding: 'utf8' });
  const [version, rejected] = text.split('\n');
  // Undefined where there was nothing to take.
  return { version, code: rejected === 'undefined' ? 'none' : rejected === 'false' ? 'taken' : 'refused' };
}

const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };

it('starts from the compiled code that was kept, with the flags of its first line and without', () => {
  expect(run('--max-semi-space-size=16')).toEqual({ version, code: 'taken' });
  expect(run()).toEqual({ version, code: 'taken' });
});

it('starts without: where it is missing, cut short, of other flags, or not for everybody to read', () => {
  const code = join(copy, 'dist', 'svcd.code');
  expect(statSync(code).mode & 0o777).toBe(0o644);
  expect(run('--stack-size=900')).toEqual({ version, code: 'refused' });
  const kept = readFileSync(code);
  writeFileSync(code, kept.subarray(0, kept.length / 2));
  expect(run()).toEqual({ version, code: 'refused' });
  chmodSync(code, 0);
  if (process.getuid?.() !== 0) expect(run()).toEqual({ version, code: 'none' });
  rmSync(code);
  expect(run()).toEqual({ version, code: 'none' });
});

it('does not take the code of another text, be it of the same length', () => {
  const bundle = join(copy, 'dist', 'svcd.cjs');
  const text = readFileSync(bundle, 'latin1');
  // The version is read from a file of this name.
  const other = text.replace('new URL("package.json", packageFolder)', 'new URL("package.jsom", packageFolder)');
  expect(other).not.toBe(text);
  writeFileSync(bundle, other, 'latin1');
  writeFileSync(join(copy, 'package.jsom'), '{"version":"9.9.9"}');
  expect(run()).toEqual({ version: '9.9.9', code: 'none' });
});
