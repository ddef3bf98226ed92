import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: 'test/support/global-setup.ts',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Many tests wait, for clocks and processes: on a small machine one at a time would leave it idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Only what hangs is to fail by them: this may be a small machine that others keep busy.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
