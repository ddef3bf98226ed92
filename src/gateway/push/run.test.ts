import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { digitCount, Frame } from './frame.js';
import { Run } from './run.js';
import { FakeSink } from './test-support.js';

const frame = (tail: string, sequenced = true) => new Frame({ kind: 'kept' }, sequenced ? '{"seq":' : '', tail, sequenced);

function read(bytes: Buffer): string[] {
  const sink = new FakeSink();
  sink.write(bytes);
  return sink.texts();
}

/** Lone surrogates have no UTF-8. */
const wellFormed = (text: string) => Buffer.from(text).toString();

describe('a run of frames', () => {
  it('carries each text with its number, whatever the sizes and numbers', () => {
    const texts = fc.array(fc.tuple(fc.string({ maxLength: 300 }), fc.boolean()), { minLength: 1, maxLength: 12 });
    const starts = fc.array(fc.integer({ min: 1, max: 1_100_000 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(texts, starts, (parts, firsts) => {
        const run = Run.of(parts.map(([text, sequenced]) => frame(text, sequenced)));
        for (const first of firsts) {
          let number = first;
          const expected = parts.map(([text, sequenced]) => wellFormed(sequenced ? `{"seq":${number++}${text}` : text));
          expect(read(run.encode(first))).toEqual(expected);
        }
      }),
    );
  });

  it('writes each length form of RFC 6455', () => {
    for (const size of [1, 117, 118, 119, 65_527, 65_528, 65_529, 70_000]) {
      const tail = 'x'.repeat(size);
      expect(read(Run.of([frame(tail)]).encode(7))).toEqual([`{"seq":7${tail}`]);
    }
  });

  it('crosses a power of ten within a run', () => {
    const run = Run.of([frame('}'), frame('}'), frame('}')]);
    expect(read(run.encode(98))).toEqual(['{"seq":98}', '{"seq":99}', '{"seq":100}']);
    expect(read(run.encode(99_999))).toEqual(['{"seq":99999}', '{"seq":100000}', '{"seq":100001}']);
  });

  it('is the same for connections that were given the same frames', () => {
    const [a, b] = [frame('a'), frame('b')];
    const origin = Run.empty();
    expect(origin.with(a).with(b)).toBe(origin.with(a).with(b));
    expect(origin.with(b)).not.toBe(origin.with(a));
  });

  it('does not touch a buffer that a socket still holds', () => {
    const run = Run.of([frame('}')]);
    const held = run.encode(11);
    run.lend();
    const other = run.encode(12);
    expect(read(held)).toEqual(['{"seq":11}']);
    expect(read(other)).toEqual(['{"seq":12}']);
    expect(run.encode(13)).toBe(other);
  });

  it('counts digits', () => {
    for (const value of [1, 9, 10, 99, 100, 2 ** 31, 10 ** 15]) expect(digitCount(value)).toBe(String(value).length);
  });
});
