import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from './demo.js';
import { theTourWorks } from './tour.js';

const installed = spawnSync(process.execPath, [join(root, 'scripts', 'node-lts.mjs')], { encoding: 'utf8' });
const node = installed.status === 0 ? installed.stdout.trim() : undefined;

if (node === undefined) {
  it('the tour on the newest Node LTS', (context) =>
    context.skip(`the newest Node LTS could not be installed: ${installed.stderr.trim()}`));
} else {
  describe('the tour on the newest Node LTS', () => {
    it('runs on it', () => {
      expect(spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout).toMatch(/^v26\./);
    });
    theTourWorks(node);
  });
}
