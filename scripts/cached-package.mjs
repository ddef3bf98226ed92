import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { takeLock } from '../packages/access/src/lock.js';

/** A registry that cannot be reached must not hold a test run up for npm's own several minutes. */
const INSTALL_MS_MAX = 120_000;

const cache = join(dirname(fileURLToPath(import.meta.url)), '..', '.cache');

/**
 * Puts a package that only tests run beside the checkout (`.cache/<folder>`), once, and prints the path of one file of it.
 * It comes from the package registry like every other dependency, with its install scripts left out.
 *
 * @param {{ folder: string, name: string, range: string, file: string }} wanted `file`: the path in the package
 */
export async function printCachedPackage({ folder, name, range, file }) {
  const prefix = join(cache, folder);
  const path = join(prefix, 'node_modules', ...name.split('/'), ...file.split('/'));
  mkdirSync(prefix, { recursive: true });
  const { release } = await takeLock(join(prefix, 'installing'));
  try {
    if (!existsSync(path)) install(prefix, `${name}@${range}`);
  } finally {
    release();
  }
  if (!existsSync(path)) {
    console.error(`${name}@${range} could not be installed: a test needs it.`);
    process.exitCode = 1;
  } else {
    console.log(path);
  }
}

function install(prefix, wanted) {
  // The package may need a newer Node than this one; `npm test` passes its own strictness on.
  const quiet = ['--no-save', '--no-package-lock', '--ignore-scripts', '--no-audit', '--no-fund', '--no-engine-strict'];
  const args = ['install', '--prefix', prefix, ...quiet, wanted];
  spawnSync('npm', args, { cwd: prefix, stdio: ['ignore', 2, 2], shell: process.platform === 'win32', timeout: INSTALL_MS_MAX });
}
