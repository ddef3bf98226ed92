/** Tag values from here on: the literal's length is in the bytes after the tag. */
const LONG_LITERAL = 60;

/** Content of a Snappy block; undefined if the block is malformed. */
export function decompress(block: Buffer): Buffer | undefined {
  let at = 0;
  const number = (bytes: number): number => {
    let value = 0;
    for (let unit = 1; bytes > 0; bytes--, unit *= 256) value += (block[at++] ?? 0) * unit;
    return value;
  };
  let length = 0;
  for (let unit = 1; ; unit *= 128) {
    const byte = block[at++] ?? 0;
    length += (byte & 0x7f) * unit;
    if (byte < 0x80) break;
  }
  const content = Buffer.alloc(length);
  let end = 0;
  while (at < block.length) {
    const tag = block[at++] ?? 0;
    if ((tag & 3) === 0) {
      const short = tag >>> 2;
      const size = (short < LONG_LITERAL ? short : number(short - LONG_LITERAL + 1)) + 1;
      if (at + size > block.length || end + size > length) return undefined;
      end += block.copy(content, end, at, at + size);
      at += size;
      continue;
    }
    const isNear = (tag & 3) === 1;
    const size = isNear ? ((tag >>> 2) & 7) + 4 : (tag >>> 2) + 1;
    const distance = isNear ? (tag >>> 5) * 256 + number(1) : number((tag & 3) === 2 ? 2 : 4);
    if (distance === 0 || distance > end || end + size > length) return undefined;
    // Byte by byte, since a copy may overlap its own output.
    for (let copied = 0; copied < size; copied++, end++) content[end] = content[end - distance] ?? 0;
  }
  return end === length ? content : undefined;
}
