import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { OutputLines } from './output-lines.js';

it('writes one message at a time while standard output is full', async () => {
  const out: string[] = [];
  const releases: (() => void)[] = [];
  const lines = new OutputLines({
    out: (text) => void out.push(text),
    drained: () => new Promise<void>((resolve) => releases.push(resolve)),
  });
  const written = ['{"a":1}', '2', '3'].map((message) => lines.write(message));
  await turn();
  expect(out).toEqual(['{"a":1}\n']);
  releases.shift()?.();
  await turn();
  expect(out).toHaveLength(2);
  releases.shift()?.();
  await turn();
  expect(out).toHaveLength(3);
  releases.shift()?.();
  await Promise.all(written);
});
