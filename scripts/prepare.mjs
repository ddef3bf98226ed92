// Brings a checkout to a runnable state: installs, generates the messages, compiles. A step runs only when its inputs
// have changed since its last success, so that a call with nothing to do costs a few milliseconds. Uses nothing but
// Node's own modules: on a fresh clone there is nothing else.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { takeLock } from '../packages/access/src/lock.js';
import { writeEnumFields } from './enum-fields.mjs';
import { writeMessageIndex } from './message-index.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const cache = join(root, '.cache');
const packages = readdirSync(join(root, 'packages'))
  .map((name) => `packages/${name}`)
  .filter((folder) => existsSync(join(root, folder, 'package.json')));
/** Packages that are compiled for Node; the console is the browser's. */
const compiled = packages.filter((folder) => folder !== 'packages/console');
const inEach = (...names) => compiled.flatMap((folder) => names.map((name) => `${folder}/${name}`));

const steps = [
  {
    name: 'install',
    inputs: ['package.json', 'package-lock.json', '.npmrc', ...packages.map((folder) => `${folder}/package.json`)],
    outputs: ['node_modules/.package-lock.json'],
    action: () => run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']),
  },
  {
    name: 'generate',
    inputs: ['buf.gen.yaml', 'buf.yaml', 'proto', 'package-lock.json', 'scripts/enum-fields.mjs', 'scripts/message-index.mjs'],
    outputs: ['packages/contract/src/generated'],
    async action() {
      remove('packages/contract/src/generated');
      await run(process.execPath, ['node_modules/@bufbuild/buf/bin/buf', 'generate']);
      const folders = [join(root, 'node_modules/futu-api/proto'), join(root, 'proto')];
      writeEnumFields(folders, join(root, 'packages/contract/src/generated/enum-fields.ts'));
      writeMessageIndex(join(root, 'packages/contract/src/generated'));
    },
  },
  {
    name: 'compile',
    inputs: [
      ...inEach('src', 'package.json', 'tsconfig.json'),
      ...['tsconfig.base.json', 'package-lock.json', 'scripts/bundle.mjs', 'scripts/compiled-code.mjs', 'bin'],
    ],
    outputs: [...inEach('dist'), 'dist/svcd.cjs', 'dist/svcctl.js'],
    // From scratch each time: what an incremental build believes of a folder that was changed meanwhile is wrong.
    async action() {
      for (const folder of ['dist', ...inEach('dist')]) remove(folder);
      await run(process.execPath, ['node_modules/typescript/bin/tsc', '-b', ...compiled]);
      await run(process.execPath, ['scripts/bundle.mjs']);
    },
  },
  {
    // After the step that begins with an empty folder.
    name: 'console',
    inputs: [
      'packages/console/src',
      'packages/console/tsconfig.json',
      'packages/contract/src/decimal.ts',
      'packages/contract/src/markets.ts',
      'package-lock.json',
      'scripts/console.mjs',
    ],
    outputs: ['dist/console/script.js', 'dist/console/style.css', 'dist/console/index.html'],
    action: () => run(process.execPath, ['scripts/console.mjs']),
  },
];

/** Does what is left to do. When something fails, says so and ends the process. */
export async function prepare() {
  const started = performance.now();
  if (steps.every(isDone)) {
    report('up to date', started);
    return;
  }
  mkdirSync(cache, { recursive: true });
  const { release } = await takeLock(join(cache, 'preparing'), {
    onWait: ([owner]) => console.error(`prepare: waiting for ${owner} (host, process), which is preparing this checkout`),
  });
  try {
    for (const step of steps) {
      if (isDone(step)) continue;
      // Without its stamp, a step that is cut short here is done again.
      rmSync(stampOf(step), { force: true });
      console.error(`prepare: ${step.name} …`);
      await step.action();
      // The inputs are read again: an install may touch the lock file.
      writeFileSync(stampOf(step), fingerprint(step.inputs));
    }
  } catch (error) {
    if (!(error instanceof StepFailure)) throw error;
    release();
    console.error(`\nprepare: ${error.message}`);
    process.exit(error.status);
  }
  release();
  report('done', started);
}

function report(what, started) {
  console.error(`prepare: ${what} (${Math.round(performance.now() - started)} ms)`);
}

function stampOf({ name }) {
  return join(cache, `${name}.stamp`);
}

function isDone(step) {
  const { inputs, outputs } = step;
  if (!outputs.every((output) => existsSync(join(root, output)))) return false;
  return existsSync(stampOf(step)) && readFileSync(stampOf(step), 'utf8') === fingerprint(inputs);
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

/** Every file below `path`, or `path` itself when it is a file. */
function files(path) {
  const full = join(root, path);
  if (!existsSync(full)) return [];
  if (statSync(full).isFile()) return [full];
  return readdirSync(full, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function remove(path) {
  rmSync(join(root, path), { recursive: true, force: true });
}

class StepFailure extends Error {
  constructor(message, status) {
    super(message);
    this.status = status;
  }
}

/** Runs a command to its end. An interruption is passed on and waited for, so that no command outlives its lock. */
async function run(command, args) {
  // Standard output belongs to the command that follows (svcd prints its ready line there).
  const child = spawn(command, args, { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  let interruption;
  const interrupt = (signal) => {
    interruption ??= signal;
    child.kill(signal);
  };
  process.on('SIGINT', interrupt);
  process.on('SIGTERM', interrupt);
  const status = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  });
  process.off('SIGINT', interrupt);
  process.off('SIGTERM', interrupt);
  if (interruption !== undefined) throw new StepFailure('interrupted', 128 + constants.signals[interruption]);
  if (status !== 0) throw new StepFailure(`${command} ${args.join(' ')} failed (exit status ${status})`, status);
}

if (process.argv[1] !== undefined && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) await prepare();
