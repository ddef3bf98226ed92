// Starts the daemon from its bundle once, on ports and in a folder of its own, and keeps what V8 has compiled until it is ready, so that
// later starts need not compile it again (bin/bundle.js).
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compiledCode, runBundle } from '../bin/bundle.js';

/** For the start of a busy machine. */
const TIMEOUT_MS = 60_000;
const FLAGS = ['--rest-port', '--grpc-port', '--websocket-port', '--api-port']
  .flatMap((flag) => [flag, '0'])
  .concat('--log-level', 'error');

/** Where the daemon cannot start (a sandbox without a loopback interface), says so: svcd then compiles at each start. */
export async function keepCompiledCode() {
  const folder = mkdtempSync(join(tmpdir(), 'svcd-build-'));
  const child = spawn(process.execPath, [...svcdFlags(), fileURLToPath(import.meta.url), ...FLAGS], {
    env: { PATH: process.env.PATH, SVC_CONFIG_DIR: join(folder, 'config'), SVC_STATE_DIR: join(folder, 'state') },
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: TIMEOUT_MS,
  });
  await once(child, 'exit');
  rmSync(folder, { recursive: true, force: true });
  if (!existsSync(compiledCode)) console.error('prepare: svcd could not be started to keep its compiled code: it will start more slowly');
}

/** Flags in the first line of bin/svcd: V8 accepts cached code only under the flags that compiled it. */
function svcdFlags() {
  const [line] = readFileSync(new URL('../bin/svcd', import.meta.url), 'utf8').split('\n', 1);
  return line.split(' ').filter((word) => word.startsWith('--'));
}

/** Resolves when the daemon in this process has written its ready line. */
function ready() {
  return new Promise((resolve) => {
    process.stdout.write = () => {
      resolve();
      return true;
    };
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const started = ready();
  const { script, digest } = runBundle();
  await started;
  const unfinished = `${compiledCode}.unfinished`;
  writeFileSync(unfinished, Buffer.concat([digest, script.createCachedData()]));
  // The daemon keeps what it writes to its own user; this belongs to whoever may read the bundle.
  chmodSync(unfinished, 0o644);
  renameSync(unfinished, compiledCode);
  process.kill(process.pid, 'SIGTERM');
}
