import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

/** A few of the end-to-end tests run over the other backends too; `npm run test:chain` runs all of them. */
const chained = {
  opend: ['core-websocket', 'numbers-agree', 'missing-fields', 'order-detail', 'combo-orders', 'brackets', 'position-orders'],
  remote: ['trading', 'idempotency', 'numbers-agree', 'order-detail', 'combo-orders', 'brackets', 'position-orders'],
};

export default defineConfig({
  test: {
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/properties.ts',
    // Many tests wait, for clocks and processes: on a small machine one at a time would leave it idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Only what hangs is to fail by them: this may be a small machine that others keep busy.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    projects: [
      { extends: true, test: { name: 'tests', include: ['src/**/*.test.ts', 'test/**/*.test.ts'] } },
      ...Object.entries(chained).map(([backend, files]) => ({
        extends: true as const,
        test: { name: backend, include: files.map((file) => `test/end-to-end/${file}.test.ts`), env: { SVC_TEST_BACKEND: backend } },
      })),
    ],
  },
});
