/** A line of the input without its line end, or the length of one that is too long. */
export type InputLine = { readonly kind: 'line'; readonly bytes: Uint8Array } | { readonly kind: 'oversized'; readonly length: number };

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/**
 * Splits bytes into lines, ended by LF or CR LF; the last needs no end. Empty lines are left out. A line longer than
 * `bytesMax` is counted and not kept.
 */
export async function* inputLines(input: AsyncIterable<Uint8Array>, bytesMax: number): AsyncGenerator<InputLine> {
  let parts: Uint8Array[] = [];
  let length = 0;
  const finish = (): InputLine | undefined => {
    const line = lineOf(parts, length, bytesMax);
    parts = [];
    length = 0;
    return line;
  };
  for await (const chunk of input) {
    for (let from = 0; from < chunk.length; ) {
      const end = chunk.indexOf(LINE_FEED, from);
      const part = chunk.subarray(from, end === -1 ? chunk.length : end);
      length += part.length;
      if (length <= bytesMax + 1) parts.push(part);
      else parts = [];
      if (end === -1) break;
      from = end + 1;
      const line = finish();
      if (line !== undefined) yield line;
    }
  }
  const last = finish();
  if (last !== undefined) yield last;
}

function lineOf(parts: readonly Uint8Array[], length: number, bytesMax: number): InputLine | undefined {
  // One byte more than accepted was kept: it may be the CR of the line's end.
  if (length > bytesMax + 1) return { kind: 'oversized', length };
  const joined = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts);
  const bytes = joined.at(-1) === CARRIAGE_RETURN ? joined.subarray(0, -1) : joined;
  if (bytes.length > bytesMax) return { kind: 'oversized', length };
  return bytes.length === 0 ? undefined : { kind: 'line', bytes };
}
