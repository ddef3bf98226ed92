// Kills a daemon under load, again and again, with clock steps, full disks and rivals for its state folder among it:
// npm run storm -- --kills 1000 --seed 1. The tests run a short one; see test/faults/storm.
import { spawnSync } from 'node:child_process';
import { parseArgs } from 'node:util';

const { values } = parseArgs({ options: { kills: { type: 'string', default: '1000' }, seed: { type: 'string', default: '1' } } });
for (const [name, value] of Object.entries(values)) {
  if (/^[1-9]\d{0,6}$/.test(value)) continue;
  console.error(`--${name}: expected a whole number from 1 on, found "${value}"`);
  process.exit(2);
}
const { status } = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', 'test/faults/storm'], {
  stdio: 'inherit',
  env: { ...process.env, SVC_STORM_KILLS: values.kills, SVC_STORM_SEED: values.seed },
});
process.exit(status ?? 1);
