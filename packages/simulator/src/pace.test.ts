import { describe, expect, it } from 'vitest';
import { atOnce, eachInTurns, inTurns, nextTurn, Turn } from './pace.js';

describe('work in turns', () => {
  it('is done at once when it does not pause', () => {
    expect(inTurns(eachInTurns([1, 2, 3], 3, (one) => one * 2))).toEqual([2, 4, 6]);
  });

  it('lets others have theirs at every pause when a turn is over', async () => {
    const happened: string[] = [];
    const work = inTurns(
      eachInTurns([1, 2, 3], 1, (one) => happened.push(`piece ${one}`)),
      { turn: new Turn(0) },
    );
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
    await expect(inTurns(eachInTurns([1, 2], 1, step), { turn: new Turn(0) })).rejects.toThrow('broken');
  });

  it('ends at the next pause once abandoned', async () => {
    const done: number[] = [];
    const waiting = new AbortController();
    const work = inTurns(
      eachInTurns([1, 2, 3, 4], 1, (one) => done.push(one)),
      { turn: new Turn(0), signal: waiting.signal },
    );
    await nextTurn();
    waiting.abort(new Error('gone'));
    await expect(work).rejects.toThrow('gone');
    expect(done).toEqual([1, 2]);
  });

  it('goes on in the same turn while that has time left', async () => {
    let time = 0;
    let turns = 0;
    const step = (ms: number) => {
      time += ms;
      return turns;
    };
    const count = () => {
      turns += 1;
      if (turns < 10) setImmediate(count);
    };
    setImmediate(count);
    const work = inTurns(eachInTurns([1, 1, 1, 5, 1, 2, 2, 1], 1, step), { turn: new Turn(4, () => time) });
    expect(await work).toEqual([0, 0, 0, 0, 1, 1, 1, 2]);
  });

  it('is done without pauses where it has to be', () => {
    expect(atOnce(eachInTurns([1, 2, 3], 1, (one) => one * 2))).toEqual([2, 4, 6]);
  });
});
