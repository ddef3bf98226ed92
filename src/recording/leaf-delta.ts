import type { ByteSink } from './byte-sink.js';
import type { ByteSource } from './byte-source.js';
import { type Leaf, LeafKind } from './message-plan.js';

/** Most decimal places that a binary64 is looked at with: prices have up to nine. */
const PLACES_MAX = 9;
/** Marks a number that is written as its eight bytes. */
const AS_BYTES = 15;
const SCALES = Array.from({ length: PLACES_MAX + 1 }, (_, places) => 10 ** places);
const SCALED_MAX = 2 ** 51;
const SAFE = BigInt(2) ** BigInt(51);
const NO_BYTES = new Uint8Array();

/** What stands in for the leaf before the first one of its kind. */
export const firstLeaf: Readonly<Record<number, Leaf>> = {
  [LeafKind.integer]: 0,
  [LeafKind.wide]: 0n,
  [LeafKind.decimal]: 0,
  [LeafKind.text]: '',
  [LeafKind.bytes]: NO_BYTES,
};

/** Whether two leaves of one kind are the same, to the last bit. */
export function sameLeaf(a: Leaf, b: Leaf): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  return Object.is(a, b);
}

/** Writes a leaf as what distinguishes it from `before`. */
export function writeLeaf(sink: ByteSink, kind: number, leaf: Leaf, before: Leaf): void {
  switch (kind) {
    case LeafKind.integer:
      sink.signed((leaf as number) - (before as number));
      return;
    case LeafKind.wide:
      writeWide(sink, (leaf as bigint) - (before as bigint));
      return;
    case LeafKind.decimal:
      writeDecimal(sink, leaf as number, before as number);
      return;
    case LeafKind.text:
      writeText(sink, leaf as string, before as string);
      return;
    default:
      sink.varint((leaf as Uint8Array).length);
      sink.bytes(leaf as Uint8Array);
  }
}

/** Reads what {@link writeLeaf} wrote. */
export function readLeaf(source: ByteSource, kind: number, before: Leaf): Leaf {
  switch (kind) {
    case LeafKind.integer:
      return (before as number) + source.signed();
    case LeafKind.wide:
      return (before as bigint) + readWide(source);
    case LeafKind.decimal:
      return readDecimal(source, before as number);
    case LeafKind.text:
      return readText(source, before as string);
    default:
      return new Uint8Array(source.bytes(source.varint()));
  }
}

// A difference of 64-bit integers may take 65 bits: such a one is written as its sign and its magnitude.
function writeWide(sink: ByteSink, difference: bigint): void {
  if (difference > -SAFE && difference < SAFE) sink.varint(foldedWide(Number(difference)));
  else {
    sink.varint(difference > 0n ? 1 : 3);
    sink.bigVarint(difference > 0n ? difference : -difference);
  }
}

/** Zigzag, doubled: even numbers are differences, odd ones announce a long one. */
function foldedWide(difference: number): number {
  return (difference >= 0 ? difference * 2 : -difference * 2 - 1) * 2;
}

function readWide(source: ByteSource): bigint {
  const folded = source.varint();
  if (folded % 2 === 1) {
    const magnitude = BigInt(source.bigVarint());
    return folded === 1 ? magnitude : -magnitude;
  }
  const half = folded / 2;
  return BigInt(half % 2 === 0 ? half / 2 : -(half + 1) / 2);
}

// Prices are decimals: the binary64 that "325.4" names is 3254 over ten, and differs from 325.6 by two.
function writeDecimal(sink: ByteSink, value: number, before: number): void {
  const places = placesOf(value);
  const scale = SCALES[places];
  if (scale === undefined) {
    sink.byte(AS_BYTES);
    sink.double(value);
    return;
  }
  sink.byte(places);
  sink.signed(Math.round(value * scale) - scaledBefore(before, scale));
}

function readDecimal(source: ByteSource, before: number): number {
  const places = source.byte();
  if (places === AS_BYTES) return source.double();
  const scale = SCALES[places];
  if (scale === undefined) throw new RangeError(`a decimal with ${places} places`);
  return (source.signed() + scaledBefore(before, scale)) / scale;
}

function placesOf(value: number): number {
  if (Object.is(value, -0)) return AS_BYTES;
  for (let places = 0; places <= PLACES_MAX; places++) {
    const scale = SCALES[places] as number;
    const scaled = Math.round(value * scale);
    if (Math.abs(scaled) >= SCALED_MAX) return AS_BYTES;
    if (scaled / scale === value) return places;
  }
  return AS_BYTES;
}

/** Only a guess, which both sides make alike. */
function scaledBefore(before: number, scale: number): number {
  const scaled = Math.round(before * scale);
  return Math.abs(scaled) < SCALED_MAX ? scaled : 0;
}

/** How many UTF-16 code units it begins with in common, and the rest in UTF-8. */
function writeText(sink: ByteSink, text: string, before: string): void {
  const most = Math.min(text.length, before.length);
  let shared = 0;
  while (shared < most && text.charCodeAt(shared) === before.charCodeAt(shared)) shared += 1;
  // Half a character has no UTF-8.
  if (shared > 0 && isHighSurrogate(text.charCodeAt(shared - 1))) shared -= 1;
  const tail = Buffer.from(text.slice(shared));
  sink.varint(shared);
  sink.varint(tail.length);
  sink.bytes(tail);
}

function readText(source: ByteSource, before: string): string {
  const shared = source.varint();
  if (shared > before.length) throw new RangeError('a text that shares more than there was before it');
  return before.slice(0, shared) + source.text(source.varint());
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
