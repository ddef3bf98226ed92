import { describe, expect, it } from 'vitest';
import { Kept } from './kept.js';

interface Made {
  readonly number: number;
}

/** Makes a value whenever it is told to. */
function pending() {
  let settle: { resolve: (value: Made) => void; reject: (reason: Error) => void } | undefined;
  const promise = new Promise<Made>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { make: () => promise, ...settle! };
}

describe('a kept value', () => {
  it('is made once while its stamp is the same, also for those who ask while it is made', async () => {
    const kept = new Kept<Made>(4);
    let made = 0;
    const make = async () => ({ number: ++made });
    const [first, second] = await Promise.all([kept.get('a', 1, { make }), kept.get('a', 1, { make })]);
    expect(second).toBe(first);
    // Once it is there it is given in the turn.
    expect(kept.get('a', 1, { make })).toBe(first);
    expect(await kept.get('a', 2, { make })).toEqual({ number: 2 });
    expect(await kept.get('b', 2, { make })).toEqual({ number: 3 });
  });

  it('that is there at once is given at once', () => {
    expect(new Kept<Made>(1).get('a', 1, { make: () => ({ number: 1 }) })).toEqual({ number: 1 });
  });

  it('stands in for its successor while that is made, where it may', async () => {
    const kept = new Kept<Made>(4);
    const first = await kept.get('a', 1, { make: () => ({ number: 1 }) });
    const { make, resolve } = pending();
    const standsIn = (_: Made, stamp: number | string) => stamp === 1;
    expect(kept.get('a', 2, { make, standsIn })).toBe(first);
    expect(kept.get('a', 2, { make, standsIn })).toBe(first);
    resolve({ number: 2 });
    await make();
    expect(kept.get('a', 2, { make, standsIn })).toEqual({ number: 2 });
    // Of two stamps before it may not.
    expect(kept.get('a', 3, { make: pending().make, standsIn })).toBeInstanceOf(Promise);
  });

  it('that could not be made is made again', async () => {
    const kept = new Kept<Made>(4);
    const { make, reject } = pending();
    const failed = kept.get('a', 1, { make });
    reject(new Error('no'));
    await expect(failed).rejects.toThrow('no');
    expect(await kept.get('a', 1, { make: () => ({ number: 1 }) })).toEqual({ number: 1 });
  });

  it('makes room for another: the one that was made first goes', async () => {
    const kept = new Kept<Made>(2);
    for (const key of ['a', 'b', 'c']) kept.get(key, 1, { make: () => ({ number: 1 }) });
    expect(kept.get('b', 1, { make: () => ({ number: 2 }) })).toEqual({ number: 1 });
    expect(kept.get('a', 1, { make: () => ({ number: 2 }) })).toEqual({ number: 2 });
  });
});
