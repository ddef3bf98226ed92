import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { isRequiredField } from '@svc-gateway/contract/json/message-json';
import { pick } from '../backends/stage.js';

/** Numbers in [0, 1). */
type Random = () => number;

const DEPTH_MAX = 6;
const LONG_TEXT = 'x'.repeat(200_000);
const texts = [
  '',
  '00700',
  'AAPL',
  'HK.00700',
  '9999-12-31 23:59:59',
  '0000-00-00 00:00:00',
  '-1',
  'NaN',
  '\u0000',
  '\u202e\u001b[2J',
  '../../../etc/passwd',
  '__proto__',
  'svc~',
  '{"a":1}',
  'é'.repeat(50),
];
const doubles = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  -0,
  0,
  1,
  -1,
  1e308,
  5e-324,
  1e21,
  1e-7,
  0.1,
  253_402_300_799,
  4_102_444_800,
  8.64e15,
  1e300,
  2 ** 53 + 2,
];
const int32s = [0, 1, -1, 2, 3, 6, 10, 11, 21, 31, 0x7fffffff, -0x80000000, 999];
const uint32s = [0, 1, 2, 0x7fffffff, 0xffffffff];
const int64s = [0n, 1n, -1n, 2n ** 63n - 1n, -(2n ** 63n), 253_402_300_799n, 100n];
const uint64s = [0n, 1n, 2n ** 64n - 1n, 2n ** 53n + 1n, 100n];

/** How a message lies. */
interface Manner {
  /** Fraction of the required fields that are left out. */
  readonly missing: number;
  /** The length of its longest lists. */
  readonly listMax: number;
}

type Honest = Readonly<Record<string, unknown>>;

/**
 * The bytes of a message of this kind that may say anything, what is `honest` apart: fields that must be there are missing, numbers
 * are none, times are of the year 9999, texts and lists are long. The same again from the same numbers.
 */
export function lie(desc: DescMessage, random: Random, listMax: number, honest: Honest = {}): Uint8Array {
  const writer = new BinaryWriter();
  write(writer, desc, random, 0, { missing: random() < 0.2 ? 0.1 : 0, listMax }, honest);
  return writer.finish();
}

function write(writer: BinaryWriter, desc: DescMessage, random: Random, depth: number, manner: Manner, honest: Honest): void {
  if (desc.typeName === 'Qot_Common.Security' && random() < 0.8) {
    writer.tag(1, WireType.Varint).int32(1).tag(2, WireType.LengthDelimited).string('00700');
    return;
  }
  for (const field of desc.fields) {
    const absent = isRequiredField(field) ? manner.missing : 0.15;
    if (random() < absent && !(field.name in honest)) continue;
    for (let left = countOf(field, random, depth, manner); left > 0; left--)
      writeField(writer, field, random, depth, manner, honest[field.name]);
  }
}

function countOf(field: DescField, random: Random, depth: number, { listMax }: Manner): number {
  if (field.fieldKind !== 'list') return 1;
  return depth < 2 && random() < 0.03 ? listMax : Math.floor(random() * 4);
}

function writeField(writer: BinaryWriter, field: DescField, random: Random, depth: number, manner: Manner, honest: unknown): void {
  if (field.message !== undefined) {
    if (depth >= DEPTH_MAX) return;
    writer.tag(field.number, WireType.LengthDelimited).fork();
    write(writer, field.message, random, depth + 1, manner, (honest as Honest | undefined) ?? {});
    writer.join();
    return;
  }
  const said = honest as never;
  switch (field.scalar) {
    case ScalarType.STRING:
      writer.tag(field.number, WireType.LengthDelimited);
      if (honest === undefined && random() < 0.02) writer.bytes(Uint8Array.of(0xff, 0xc0, 0x80));
      else writer.string(said ?? (random() < 0.001 ? LONG_TEXT : pick(random, texts)));
      return;
    case ScalarType.BYTES:
      writer.tag(field.number, WireType.LengthDelimited).bytes(said ?? Uint8Array.of(0, 255, 128));
      return;
    case ScalarType.DOUBLE:
      writer.tag(field.number, WireType.Bit64).double(said ?? pick(random, doubles));
      return;
    case ScalarType.BOOL:
      writer.tag(field.number, WireType.Varint).bool(said ?? random() < 0.5);
      return;
    case ScalarType.INT64:
      writer.tag(field.number, WireType.Varint).int64(said ?? pick(random, int64s));
      return;
    case ScalarType.UINT64:
      writer.tag(field.number, WireType.Varint).uint64(said ?? pick(random, uint64s));
      return;
    case ScalarType.UINT32:
      writer.tag(field.number, WireType.Varint).uint32(said ?? pick(random, uint32s));
      return;
    default:
      writer.tag(field.number, WireType.Varint).int32(said ?? pick(random, int32s));
  }
}
