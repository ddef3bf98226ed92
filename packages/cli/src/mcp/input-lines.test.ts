import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type InputLine, inputLines } from './input-lines.js';

async function read(chunks: readonly Uint8Array[], bytesMax: number): Promise<string[]> {
  const lines: string[] = [];
  async function* input() {
    yield* chunks;
  }
  for await (const line of inputLines(input(), bytesMax)) lines.push(shown(line));
  return lines;
}

function shown(line: InputLine): string {
  return line.kind === 'line' ? Buffer.from(line.bytes).toString() : `${line.length} bytes`;
}

describe('input lines', () => {
  it('end with LF or CR LF, or with the input; empty lines are skipped', async () => {
    expect(await read([Buffer.from('{"a":1}\n\r\n{"b":2}\r\n\n{"c":3}')], 100)).toEqual(['{"a":1}', '{"b":2}', '{"c":3}']);
  });

  it('are counted and not kept if they are too long', async () => {
    const chunks = ['12345678', '9\n1234\n', '12345\r\n123456\n'].map((text) => Buffer.from(text));
    expect(await read(chunks, 5)).toEqual(['9 bytes', '1234', '12345', '6 bytes']);
  });

  it('do not depend on the chunks of the input', async () => {
    const text = fc.array(fc.constantFrom('a', 'é', '"', '\n', '\r\n', '金')).map((parts) => parts.join(''));
    await fc.assert(
      fc.asyncProperty(text, fc.array(fc.nat(40)), async (whole, cuts) => {
        const bytes = Buffer.from(whole);
        const ends = [...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const chunks = ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
        expect(await read(chunks, 12)).toEqual(await read([bytes], 12));
      }),
    );
  });
});
