import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BytesFrame } from './frame.js';
import { FrameBatch } from './frame-batch.js';
import { decimalNumbers, uint32LeNumbers, unnumbered } from './numbering.js';

const frame = (tail: string, sequenced = true) =>
  new BytesFrame({ kind: 'kept' }, Buffer.from(sequenced ? '{"seq":' : ''), Buffer.from(tail), sequenced);
const read = (bytes: Buffer) => bytes.toString();

/** Lone surrogates have no UTF-8. */
const wellFormed = (text: string) => Buffer.from(text).toString();

describe('a run of frames', () => {
  it('carries each text with its number, whatever the sizes and numbers', () => {
    const texts = fc.array(fc.tuple(fc.string({ maxLength: 300 }), fc.boolean()), { minLength: 1, maxLength: 12 });
    const starts = fc.array(fc.integer({ min: 1, max: 1_100_000 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(texts, starts, (parts, firsts) => {
        const run = FrameBatch.of(parts.map(([text, sequenced]) => frame(text, sequenced)));
        for (const first of firsts) {
          let number = first;
          const expected = parts.map(([text, sequenced]) => wellFormed(sequenced ? `{"seq":${number++}${text}` : text));
          expect(read(run.encode(first, decimalNumbers))).toEqual(expected.join(''));
        }
      }),
    );
  });

  it('crosses a power of ten within a run', () => {
    const run = FrameBatch.of([frame('}'), frame('}'), frame('}')]);
    expect(read(run.encode(98, decimalNumbers))).toEqual('{"seq":98}{"seq":99}{"seq":100}');
    expect(read(run.encode(99_999, decimalNumbers))).toEqual('{"seq":99999}{"seq":100000}{"seq":100001}');
  });

  it('is the same for connections that were given the same frames', () => {
    const [a, b] = [frame('a'), frame('b')];
    const origin = FrameBatch.empty();
    expect(origin.with(a).with(b)).toBe(origin.with(a).with(b));
    expect(origin.with(b)).not.toBe(origin.with(a));
  });

  it('does not touch a buffer that a socket still holds', () => {
    const run = FrameBatch.of([frame('}')]);
    const held = run.encode(11, decimalNumbers);
    run.lend();
    const other = run.encode(12, decimalNumbers);
    expect(read(held)).toEqual('{"seq":11}');
    expect(read(other)).toEqual('{"seq":12}');
    expect(run.encode(13, decimalNumbers)).toBe(other);
  });

  it('needs no copy where there are no numbers', () => {
    const run = FrameBatch.of([frame('}'), frame('}')]);
    const held = run.encode(1, unnumbered);
    run.lend();
    expect(run.encode(7, unnumbered)).toBe(held);
    expect(read(held)).toEqual('{"seq":}{"seq":}');
  });
});

describe('numbers', () => {
  it('in decimals are as wide as their text, and say the same', () => {
    const target = Buffer.alloc(20);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (value) => {
        decimalNumbers.write(target, 20, value);
        expect(target.toString('latin1', 20 - decimalNumbers.width(value))).toBe(String(value));
      }),
    );
  });

  it('of four bytes begin again after 2^32 - 1', () => {
    const target = Buffer.alloc(8);
    for (const [value, read] of [
      [1, 1],
      [0xffff_ffff, 0xffff_ffff],
      [2 ** 32, 0],
      [2 ** 32 + 5, 5],
    ] as const) {
      expect(uint32LeNumbers.width(value)).toBe(4);
      uint32LeNumbers.write(target, 6, value);
      expect(target.readUInt32LE(2)).toBe(read);
    }
  });
});
