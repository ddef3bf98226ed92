// Makes the published Python client runnable where it lies (../shared/third-party beside the checkout, which no repository
// of ours carries), and prints its environment as JSON: { "python": …, "path": … }. What it imports comes from the
// distribution: installed with apt-get when this runs as root and something is missing. Says why on stderr when it cannot.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { takeLock } from '../packages/access/src/lock.js';

const PYTHON = '/usr/bin/python3';
const PACKAGES = ['python3-pandas', 'python3-protobuf', 'python3-pycryptodome', 'python3-simplejson'];
const IMPORTS = 'import pandas, google.protobuf, simplejson, Cryptodome; print(Cryptodome.__path__[0])';
/** A mirror that cannot be reached must not hold a test run up. */
const INSTALL_MS_MAX = 240_000;

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const sdk = thirdParty('py-futu-api');
if (sdk === undefined) fail('../shared/third-party/py-futu-api is not there: the published Python client is not part of this repository');
if (!existsSync(PYTHON)) fail(`${PYTHON} is not there`);

const cache = join(root, '.cache', 'python-sdk');
mkdirSync(cache, { recursive: true });
const { release } = await takeLock(join(cache, 'installing'));
try {
  const cryptodome = imports() ?? (install() ? imports() : undefined);
  if (cryptodome === undefined) fail(`${PYTHON} lacks some of what the client imports: apt-get install ${PACKAGES.join(' ')}`);
  // The distribution has pycryptodome under the name Cryptodome.
  const link = join(cache, 'Crypto');
  rmSync(link, { force: true });
  symlinkSync(cryptodome, link);
} finally {
  release();
}
console.log(JSON.stringify({ python: PYTHON, path: [sdk, cache] }));

/** Beside the checkout; beside its worktrees' parent too. */
function thirdParty(name) {
  const folders = [join(root, '..', 'shared'), join(root, '..', '..', 'shared')].map((shared) => join(shared, 'third-party', name));
  const folder = folders.find((candidate) => existsSync(candidate));
  return folder === undefined ? undefined : realpathSync(folder);
}

/** Where the distribution keeps Cryptodome; undefined where an import fails. */
function imports() {
  const found = spawnSync(PYTHON, ['-c', IMPORTS], { encoding: 'utf8' });
  return found.status === 0 ? found.stdout.trim() : undefined;
}

function install() {
  if (process.getuid?.() !== 0) return false;
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const options = { env, stdio: ['ignore', 2, 2], timeout: INSTALL_MS_MAX };
  const add = () => spawnSync('apt-get', ['install', '--yes', '--no-install-recommends', ...PACKAGES], options).status === 0;
  return add() || (spawnSync('apt-get', ['update'], options).status === 0 && add());
}

function fail(reason) {
  console.error(reason);
  process.exit(1);
}
