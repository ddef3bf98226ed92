// Prints the path of a Chromium for the tests of the console: the distribution's, installed with apt-get when this runs as root and
// there is none. Says why on stderr when it cannot.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { takeLock } from '../packages/access/src/lock.js';

const PACKAGE = 'chromium';
const PATH = '/usr/bin/chromium';
/** A mirror that cannot be reached must not hold a test run up. */
const INSTALL_MS_MAX = 240_000;

const cache = join(dirname(fileURLToPath(import.meta.url)), '..', '.cache', 'chromium');
mkdirSync(cache, { recursive: true });
const { release } = await takeLock(join(cache, 'installing'));
try {
  if (!existsSync(PATH)) install();
} finally {
  release();
}
if (existsSync(PATH)) console.log(PATH);
else {
  console.error(`${PATH} is not there, and could not be installed: apt-get install ${PACKAGE}`);
  process.exitCode = 1;
}

function install() {
  if (process.getuid?.() !== 0) return;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = { env, stdio: ['ignore', 2, 2], timeout: INSTALL_MS_MAX };
  const add = () => spawnSync('apt-get', ['install', '--yes', '--no-install-recommends', PACKAGE], options).status === 0;
  if (!add() && spawnSync('apt-get', ['update'], options).status === 0) add();
}
