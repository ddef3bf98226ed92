import fc from 'fast-check';
import { expect, it } from 'vitest';
import { connectionShares, descriptorLimit } from './descriptors.js';

it('shares what connections may take, and keeps descriptors for files', () => {
  expect(Object.fromEntries(connectionShares(1024, ['rest', 'grpc', 'websocket', 'api']))).toEqual({
    rest: 448,
    grpc: 149,
    websocket: 149,
    api: 149,
  });
  expect(Object.fromEntries(connectionShares(1024, ['rest']))).toEqual({ rest: 896 });
  fc.assert(
    fc.property(fc.integer({ min: 80, max: 2_000_000 }), fc.integer({ min: 0, max: 3 }), (limit, others) => {
      const shares = connectionShares(limit, ['rest', ...['grpc', 'websocket', 'api'].slice(0, others)]);
      expect([...shares.values()].reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(limit - 64);
      for (const share of shares.values()) expect(share).toBeGreaterThan(0);
    }),
  );
});

it.runIf(process.platform === 'linux')('reads how many there may be', () => {
  expect(descriptorLimit()).toBeGreaterThan(100);
});
