import { availableParallelism } from 'node:os';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { packageModules } from './test/support/package-modules.js';

/** What trades, over every backend: orders of every type, several legs, brackets, closing orders, limits, halts and money. */
const trading = [
  ...['trading', 'idempotency', 'order-types', 'reconfirm', 'combo-orders', 'brackets', 'position-orders', 'gates', 'halt'],
  ...['unlock', 'money-agrees', 'account-reads', 'forex-account', 'numbers-agree'],
];

/**
 * End-to-end tests that run over the other backends too; `npm run test:chain` runs all of them. Of the trading tests those are left out that run
 * no daemon.
 */
const chained = {
  opend: [...trading, 'core-websocket', 'missing-fields', 'order-detail', 'rest-preview'],
  remote: [...trading, 'order-detail', 'rest-preview'],
};

/** Tests of the whole gateway run what is built of it. */
function wholeGateway(test: TestProjectInlineConfiguration['test']): TestProjectInlineConfiguration {
  const server = { deps: { external: [/\/dist\/.*\.js$/] } };
  return { extends: true, plugins: [packageModules('dist')], test: { ...test, server, sequence: { groupOrder: 1 } } };
}

export default defineConfig({
  test: {
    globalSetup: 'test/support/global-setup.ts',
    setupFiles: 'test/support/properties.ts',
    // No file leaves anything behind: what they read, a thousand modules for those of the whole gateway, is read once for many.
    isolate: false,
    // Many tests wait, for clocks and processes: on a small machine one at a time would leave it idle.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Only what hangs is to fail by them: this may be a small machine that others keep busy.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    projects: [
      // The small ones come first: they say soonest what is wrong.
      {
        extends: true,
        plugins: [packageModules('src')],
        test: { name: 'units', include: ['packages/*/src/**/*.test.ts'], sequence: { groupOrder: 0 } },
      },
      wholeGateway({ name: 'tests', include: ['test/**/*.test.ts'] }),
      ...Object.entries(chained).map(([backend, files]) =>
        wholeGateway({
          name: backend,
          include: files.map((file) => `test/end-to-end/${file}.test.ts`),
          env: { SVC_TEST_BACKEND: backend },
        }),
      ),
    ],
  },
});
