import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { TestDaemon } from '../support/daemon.js';

const found = spawnSync('python3', ['-c', 'import futu'], { encoding: 'utf8' });

describe('the published Python client', () => {
  it('reads, subscribes and hears pushes over core TCP', async (context) => {
    if (found.status !== 0) context.skip('this machine has no Python with the published client (py-futu-api)');
    const test = await TestDaemon.start({ flags: ['--sim-clock', 'replay:2026-03-02T02:00:00Z@60'] });
    try {
      const script = join(import.meta.dirname, 'python_sdk.py');
      const { stdout } = await promisify(execFile)('python3', [script, test.daemon.apiAddress ?? ''], { timeout: 60_000 });
      const lines = stdout.split('\n').filter((line) => line.startsWith('{"method"'));
      const calls = lines.map((line) => JSON.parse(line) as { method: string; ok: boolean; answer: unknown });
      expect(calls).toHaveLength(10);
      for (const { method, ok, answer } of calls) {
        expect([method, ok, ok ? '' : answer]).toEqual(
          method === 'get_stock_quote before subscribe' ? [method, false, expect.stringContaining('Qot_Sub first')] : [method, true, ''],
        );
      }
    } finally {
      await test.stop();
    }
  });
});
