import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    globalSetup: 'test/support/global-setup.ts',
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    // Only what hangs is to fail by them: this may be a small machine that others keep busy.
    testTimeout: 180_000,
    hookTimeout: 180_000,
  },
});
