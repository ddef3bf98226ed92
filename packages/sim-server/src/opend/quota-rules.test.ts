import { create } from '@bufbuild/protobuf';
import * as GetSnapshot from '@svc-gateway/contract/generated/Qot_GetSecuritySnapshot_pb';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Ask } from '../rule.js';
import { frequency } from './quota-rules.js';
import { texts } from './texts.js';

const TIMES = 60;
const WINDOW_MS = 30_000;

it('lets through what is no more than so many in any 30 seconds, and refuses nothing else', () => {
  const gaps = fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 50, maxLength: 300 });
  fc.assert(
    fc.property(gaps, (waits) => {
      const rule = frequency(texts.en);
      const passed: number[] = [];
      let now = 0;
      for (const wait of waits) {
        now += wait;
        const ask = { protoId: 3203, c2s: create(GetSnapshot.C2SSchema), now } as unknown as Ask;
        const isRefused = rule.judge?.(ask) !== undefined;
        const within = passed.filter((time) => now - time <= WINDOW_MS).length;
        expect(isRefused).toBe(within >= TIMES);
        if (!isRefused) passed.push(now);
      }
    }),
  );
});
