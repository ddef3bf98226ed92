// The end-to-end and conformance tests again, over each backend that has its brokerage outside of the daemon: a daemon in front of
// another (opend), and one that is logged in to a brokerage (remote). npm run test:chain -- --backend opend test/end-to-end/gates.test.ts
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { parseArgs } from 'node:util';

const backends = ['opend', 'remote'];
const { values, positionals } = parseArgs({ options: { backend: { type: 'string', multiple: true } }, allowPositionals: true });
const wanted = values.backend ?? backends;
for (const backend of wanted) {
  if (backends.includes(backend)) continue;
  console.error(`--backend: expected ${backends.join(' or ')}, found "${backend}"`);
  process.exit(2);
}

/** Tests of daemons that run on whatever backend they are given. */
const ownBackend = /^test\/end-to-end\/(bridge|remote|sim-serve)\//;
const runsDaemons = /support\/daemon\.js'/;
const files = ['test/end-to-end', 'test/conformance']
  .flatMap((folder) => readdirSync(folder, { recursive: true }).map((path) => `${folder}/${path}`.replaceAll('\\', '/')))
  .filter((path) => path.endsWith('.test.ts'))
  .filter((path) => !ownBackend.test(path) && runsDaemons.test(readFileSync(path, 'utf8')))
  .filter((path) => positionals.length === 0 || positionals.some((part) => path.includes(part)))
  .sort();
if (files.length === 0) {
  console.error(`no test that runs daemons is named by ${positionals.join(' ')}`);
  process.exit(2);
}

mkdirSync('.cache', { recursive: true });
const totals = [];
for (const backend of wanted) {
  const report = `.cache/chain-${backend}.json`;
  rmSync(report, { force: true });
  const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'tests', '--reporter=default', '--reporter=json'];
  const { status } = spawnSync(process.execPath, [...vitest, `--outputFile.json=${report}`, ...files], {
    stdio: 'inherit',
    env: { ...process.env, SVC_TEST_BACKEND: backend },
  });
  totals.push({ backend, status, report: existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined });
}
for (const { backend, report } of totals) {
  const { numPassedTests = 0, numFailedTests = 0, numPendingTests = 0 } = report ?? {};
  console.log(`${backend}: ${files.length} files, ${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`);
}
process.exit(totals.every(({ status }) => status === 0) ? 0 : 1);
