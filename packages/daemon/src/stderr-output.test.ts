import { expect, it, vi } from 'vitest';
import { StderrOutput } from './stderr-output.js';

/** A descriptor that takes `room` more bytes. */
function descriptor(room: number) {
  const state = { room, text: '', lost: [] as number[] };
  const output = new StderrOutput({
    heldMax: 20,
    onRecovered: (lost) => state.lost.push(lost),
    write: (bytes) => {
      if (state.room === 0) throw new Error('EAGAIN');
      const taken = bytes.subarray(0, state.room);
      state.room -= taken.length;
      state.text += taken.toString();
      return taken.length;
    },
  });
  return { state, output };
}

it('buffers unread output, drops whole lines beyond its bound, and reports their number once read again', () => {
  vi.useFakeTimers();
  try {
    const { state, output } = descriptor(3);
    output.write('first\n');
    output.write('second\n');
    output.write('a third line\nand a fourth\n');
    expect(state.text).toBe('fir');
    expect(output.linesLost).toBe(2);
    vi.advanceTimersByTime(5_000);
    expect(state.text).toBe('fir');
    state.room = Number.POSITIVE_INFINITY;
    vi.advanceTimersByTime(1_000);
    expect(state.text).toBe('first\nsecond\n');
    expect(state.lost).toEqual([2]);
    output.write('later\n');
    expect(state.text).toBe('first\nsecond\nlater\n');
    expect(state.lost).toEqual([2]);
  } finally {
    vi.useRealTimers();
  }
});
