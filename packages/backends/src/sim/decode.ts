import { create, type DescMessage, type Message, mergeFromBinary } from '@bufbuild/protobuf';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { Turn } from '@svc-gateway/simulator/pace';

/** Bytes that are decoded without a pause: about a millisecond's worth. */
const PIECE_BYTES = 65_536;

/** Decodes a message in turns of the event loop: a chain of options has megabytes. */
export async function decodeInTurns(schema: DescMessage, bytes: Uint8Array): Promise<Message> {
  const message = create(schema);
  const turn = new Turn();
  for (let from = 0; from < bytes.length; ) {
    const to = bytes.length - from <= PIECE_BYTES ? bytes.length : endOfField(bytes, from + PIECE_BYTES, from);
    mergeFromBinary(schema, message, bytes.subarray(from, to));
    from = to;
    const pause = from < bytes.length ? turn.pause() : undefined;
    if (pause !== undefined) await pause;
  }
  return message;
}

/** Where the first of the fields from `start` ends that goes on to `least` or beyond. */
function endOfField(bytes: Uint8Array, least: number, start: number): number {
  const reader = new BinaryReader(bytes.subarray(start));
  while (reader.pos < least - start) {
    const [number, type] = reader.tag();
    reader.skip(type, number);
  }
  return start + reader.pos;
}
