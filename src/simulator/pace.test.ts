import { describe, expect, it } from 'vitest';
import { eachInTurns, inTurns, nextTurn } from './pace.js';

describe('work in turns', () => {
  it('is done at once when it does not pause', () => {
    expect(inTurns(eachInTurns([1, 2, 3], 3, (one) => one * 2))).toEqual([2, 4, 6]);
  });

  it('lets others have theirs at every pause', async () => {
    const happened: string[] = [];
    const work = inTurns(eachInTurns([1, 2, 3], 1, (one) => happened.push(`piece ${one}`)));
    happened.push('caller');
    await nextTurn();
    happened.push('another');
    await work;
    expect(happened).toEqual(['piece 1', 'caller', 'piece 2', 'another', 'piece 3']);
  });

  it('passes on what goes wrong in a later piece', async () => {
    const step = (one: number) => {
      if (one === 2) throw new Error('broken');
      return one;
    };
    await expect(inTurns(eachInTurns([1, 2], 1, step))).rejects.toThrow('broken');
  });
});
