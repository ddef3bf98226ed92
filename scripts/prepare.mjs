// Brings a checkout to a runnable state: installs, generates the messages, compiles. Each step runs only when its
// inputs are newer than its last success, so a call with nothing to do costs a few milliseconds.
// Uses nothing but Node's own modules: on a fresh clone there is nothing else.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const cache = join(root, '.cache');

/** Every file below `path`, or `path` itself when it is a file. */
function files(path) {
  const full = join(root, path);
  if (!existsSync(full)) return [];
  if (statSync(full).isFile()) return [full];
  return readdirSync(full, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
}

/** A digest of the names, sizes and times of the inputs: enough to see that something changed. */
function fingerprint(inputs) {
  const hash = createHash('sha256');
  for (const file of inputs.flatMap(files).sort()) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file}\0${size}\0${mtimeMs}\n`);
  }
  return hash.update(process.version).digest('hex');
}

function run(command, args) {
  // Standard output belongs to the command that follows (svcd prints its ready line there).
  const done = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  if (done.status !== 0) {
    console.error(`\n${command} ${args.join(' ')} failed (exit status ${done.status ?? done.signal}).`);
    process.exit(done.status ?? 1);
  }
}

function step(name, inputs, outputs, action) {
  const stamp = join(cache, `${name}.stamp`);
  const current = fingerprint(inputs);
  const fresh = existsSync(stamp) && readFileSync(stamp, 'utf8') === current;
  if (fresh && outputs.every((output) => existsSync(join(root, output)))) return;
  action();
  mkdirSync(cache, { recursive: true });
  // The inputs are read again: an install may touch the lock file.
  writeFileSync(stamp, fingerprint(inputs));
}

step('install', ['package.json', 'package-lock.json', '.npmrc'], ['node_modules/.package-lock.json'], () =>
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']),
);
step('generate', ['buf.gen.yaml', 'proto', 'package-lock.json'], ['src/contract/generated'], () => {
  rmSync(join(root, 'src/contract/generated'), { recursive: true, force: true });
  run(process.execPath, ['node_modules/@bufbuild/buf/bin/buf', 'generate']);
});
step('compile', ['src', 'tsconfig.json', 'package-lock.json'], ['dist/daemon/main.js'], () => {
  run(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.json']);
});
