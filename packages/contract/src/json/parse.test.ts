import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson } from './parse.js';
import { InexactNumber } from './value.js';

function read(text: string): unknown {
  const parsed = parseJson(text);
  if (!parsed.ok) throw new Error(parsed.error.message);
  return parsed.value;
}

describe('parseJson', () => {
  it('agrees with JSON.parse on what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const text = JSON.stringify(value);
        // Objects of ours have no prototype; a second trip through text makes them comparable.
        expect(JSON.stringify(read(text), (_, each) => (typeof each === 'bigint' ? Number(each) : each))).toBe(text);
      }),
    );
  });

  it('keeps integers of any size exactly', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 64n), max: 2n ** 64n }), (integer) => {
        expect(BigInt(read(String(integer)) as bigint)).toBe(integer);
      }),
    );
    expect(read('123456789012345678')).toBe(123456789012345678n);
  });

  it('keeps a fraction as text when a double would change it', () => {
    expect(read('0.1')).toBe(0.1);
    expect(read('320.50')).toBe(320.5);
    expect(read('1e3')).toBe(1000);
    expect(read('0.10000000000000000001')).toEqual(new InexactNumber('0.10000000000000000001'));
    expect(read('1e400')).toEqual(new InexactNumber('1e400'));
    expect(read('9'.repeat(1_000_000))).toBeInstanceOf(InexactNumber);
  });

  it.each([
    ['{"a":1,"a":2}', 'the field "a" appears twice', 1, 8],
    ['{"a":1,}', 'expected a field name in double quotes, found "}"', 1, 8],
    ['{\n  "a": tru\n}', 'expected a value, found "t"', 2, 8],
    ['[1,2', 'expected "," or "]", found the end of the text', 1, 5],
    ['', 'expected a value, found the end of the text', 1, 1],
    ['{} x', 'unexpected "x" after the end of the value', 1, 4],
    ['"a\nb"', 'a control character must be escaped in a string', 1, 3],
    ['"abc', 'this string has no closing quote', 1, 1],
    ['01', 'unexpected "1" after the end of the value', 1, 2],
    ['"\\x"', 'unknown escape in a string', 1, 2],
    ['{"a":"b\\ud83d"}', 'half of a surrogate pair in a string', 1, 6],
    ['["\\ude00\\ud83d"]', 'half of a surrogate pair in a string', 1, 2],
  ])('says where %j is wrong', (text, message, line, column) => {
    expect(parseJson(text)).toEqual({ ok: false, error: { message, line, column } });
  });

  it('accepts any field name', () => {
    expect(Object.keys(read('{"__proto__":{"polluted":true},"constructor":1}') as object)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it('bounds nesting', () => {
    expect(parseJson('['.repeat(64) + ']'.repeat(64)).ok).toBe(true);
    expect(parseJson('['.repeat(65) + ']'.repeat(65))).toMatchObject({ ok: false, error: { message: 'nested deeper than 64 levels' } });
    expect(parseJson('['.repeat(1_000_000)).ok).toBe(false);
  });

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.string({ unit: fc.constantFrom(...'{}[]",:0-1.e \\utrfalsn') })),
        (text) => void parseJson(text),
      ),
    );
  });
});
