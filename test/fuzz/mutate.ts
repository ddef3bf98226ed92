/** Numbers in [0, 1). */
export type Random = () => number;

export function below(random: Random, bound: number): number {
  return Math.floor(random() * bound);
}

export function pick<T>(random: Random, choices: readonly T[]): T {
  return choices[below(random, choices.length)] as T;
}

/** Bytes at which parsers err: limits of integers, of varints and of text. */
const interestingBytes = [0x00, 0x01, 0x7f, 0x80, 0xff, 0x0a, 0x22, 0x5c, 0x7b, 0x5b, 0x30];
const interestingWords = [0, 1, 0x7fffffff, 0x80000000, 0xffffffff, 0x00010000, 0x01000000, 16 * 1024 * 1024, 16 * 1024 * 1024 + 1];

type Mutation = (bytes: Buffer, random: Random) => Buffer;

const flipBit: Mutation = (bytes, random) => {
  const at = below(random, bytes.length);
  bytes[at] = bytes[at]! ^ (1 << below(random, 8));
  return bytes;
};

const setByte: Mutation = (bytes, random) => {
  bytes[below(random, bytes.length)] = random() < 0.5 ? pick(random, interestingBytes) : below(random, 256);
  return bytes;
};

const setWord: Mutation = (bytes, random) => {
  if (bytes.length < 4) return flipBit(bytes, random);
  const at = below(random, bytes.length - 3);
  const word = pick(random, interestingWords);
  if (random() < 0.5) bytes.writeUInt32LE(word, at);
  else bytes.writeUInt32BE(word, at);
  return bytes;
};

const truncate: Mutation = (bytes, random) => bytes.subarray(0, 1 + below(random, bytes.length));

const remove: Mutation = (bytes, random) => {
  const at = below(random, bytes.length);
  return Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + below(random, 16))]);
};

const repeat: Mutation = (bytes, random) => {
  const start = below(random, bytes.length);
  const end = Math.min(bytes.length, start + 1 + below(random, 32));
  return Buffer.concat([bytes.subarray(0, end), bytes.subarray(start)]);
};

const insert: Mutation = (bytes, random) => {
  const at = below(random, bytes.length + 1);
  const inserted = Buffer.from(Array.from({ length: 1 + below(random, 12) }, () => below(random, 256)));
  return Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at)]);
};

const mutations: readonly Mutation[] = [flipBit, flipBit, setByte, setByte, setWord, setWord, truncate, remove, repeat, insert];
const MUTATIONS_MAX = 4;

/** A changed copy, never empty. */
export function mutated(bytes: Uint8Array, random: Random): Buffer {
  let changed: Buffer = Buffer.from(bytes);
  for (let left = 1 + below(random, MUTATIONS_MAX); left > 0; left--) {
    const next = pick(random, mutations)(changed, random);
    if (next.length > 0) changed = next;
  }
  return changed;
}

/** The bytes in one piece or a few. */
export function cut(bytes: Buffer, random: Random): Buffer[] {
  if (random() < 0.7) return [bytes];
  const places = Array.from({ length: 1 + below(random, 4) }, () => below(random, bytes.length + 1)).sort((a, b) => a - b);
  return [...places, bytes.length].map((end, index) => bytes.subarray(places[index - 1] ?? 0, end));
}
