// Puts the newest Node LTS beside the checkout (.cache/node-lts) and prints the path of its binary, so that tests can run
// the daemon on it. It comes from the package registry like every other dependency, where the packages node-<platform>
// carry the binaries.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { holdLock } from './lock.mjs';

/** Major version of the newest line in long-term support. */
const LTS = 26;

const cache = join(dirname(fileURLToPath(import.meta.url)), '..', '.cache');
const folder = join(cache, 'node-lts', String(LTS));
const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
const binary = join(folder, 'node_modules', name, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');

mkdirSync(folder, { recursive: true });
const release = await holdLock(join(folder, 'install.lock'), () => undefined);
try {
  if (!existsSync(binary)) install();
} finally {
  release();
}
if (!existsSync(binary)) {
  console.error(`${name}@${LTS} could not be installed: the test of the newest Node LTS needs it.`);
  process.exitCode = 1;
} else {
  console.log(binary);
}

function install() {
  const args = [
    'install',
    '--prefix',
    folder,
    '--no-save',
    '--no-package-lock',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    `${name}@${LTS}`,
  ];
  spawnSync('npm', args, { cwd: folder, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
}
