import { hasChecksum } from './crc32c.js';
import { decompress } from './snappy.js';

/** Trailer of each block, bytes: compression (1), and a checksum over block and compression (4). */
const TRAILER = 5;
const [PLAIN, SNAPPY] = [0, 1];
/** Footer of the file, bytes: positions of the two blocks that list the others, zeros up to 40 bytes, magic number (8). */
const FOOTER = 48;
const TABLE_MAGIC = Buffer.from('57fb808b247547db', 'hex');

interface Block {
  readonly offset: number;
  readonly size: number;
}

/**
 * Whether every bit of a LevelDB table file is as it was written. LevelDB itself does not verify the checksums of blocks: it skips
 * rows that it cannot read, and may abort the process.
 */
export function isIntactTable(table: Buffer): boolean {
  const end = table.length - FOOTER;
  const lists = end < 0 ? undefined : footerOf(table.subarray(end));
  if (lists === undefined) return false;
  const [metaindex, index] = lists;
  let next = 0;
  for (const block of [...blocksIn(table, index), ...blocksIn(table, metaindex), metaindex, index]) {
    // The blocks fill the file without a gap: none is missing where a list cannot be read.
    if (block.offset !== next || !isIntact(table, block)) return false;
    next += block.size + TRAILER;
  }
  return next === end;
}

function footerOf(footer: Buffer): [Block, Block] | undefined {
  const reader = new Varints(footer);
  const blocks: [Block, Block] = [reader.block(), reader.block()];
  const magic = FOOTER - TABLE_MAGIC.length;
  const isWhole = footer.subarray(magic).equals(TABLE_MAGIC) && footer.subarray(reader.at, magic).every((byte) => byte === 0);
  return isWhole ? blocks : undefined;
}

function isIntact(table: Buffer, { offset, size }: Block): boolean {
  const end = offset + size;
  return end + TRAILER <= table.length - FOOTER && hasChecksum(table, offset, end + 1, table.readUInt32LE(end + 1));
}

/** Blocks that a block lists; none if it is damaged. Its entries end where its restart points begin. */
function blocksIn(table: Buffer, list: Block): Block[] {
  if (!isIntact(table, list)) return [];
  const stored = table.subarray(list.offset, list.offset + list.size);
  const compression = table[list.offset + list.size];
  const content = compression === SNAPPY ? decompress(stored) : compression === PLAIN ? stored : undefined;
  if (content === undefined || content.length < 4) return [];
  const end = content.length - 4 - 4 * content.readUInt32LE(content.length - 4);
  const reader = new Varints(content);
  const blocks: Block[] = [];
  while (reader.at < end) {
    const [, keyBytes, valueBytes] = [reader.next(), reader.next(), reader.next()];
    const value = reader.at + keyBytes;
    blocks.push(new Varints(content, value).block());
    reader.at = value + valueBytes;
  }
  return blocks;
}

class Varints {
  constructor(
    private readonly bytes: Buffer,
    public at = 0,
  ) {}

  next(): number {
    let value = 0;
    for (let unit = 1; this.at < this.bytes.length; unit *= 128) {
      const byte = this.bytes[this.at++] ?? 0;
      value += (byte & 0x7f) * unit;
      if (byte < 0x80) break;
    }
    return value;
  }

  block(): Block {
    return { offset: this.next(), size: this.next() };
  }
}
