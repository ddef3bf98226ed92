import type { DescMessage, Message } from '@bufbuild/protobuf';
import { ByteSource } from './byte-source.js';
import { type RecordedEvent, type RecordedLoss, type Source, schemaOf } from './events.js';
import { firstLeaf, readLeaf } from './leaf-delta.js';
import type { Leaf } from './message-plan.js';
import { MessageShape } from './message-shape.js';
import { RecordKind } from './record-kind.js';

/** What a recording holds, in its order. */
export type Recorded = { readonly event: RecordedEvent } | { readonly loss: RecordedLoss };

interface Known {
  readonly source: Source;
  /** undefined: of a later version. */
  readonly schema: DescMessage | undefined;
  shape: MessageShape | undefined;
  leaves: Leaf[];
  message: Message | undefined;
  beside: string;
}

/** Reads what an `EventWriter` wrote, from the beginning on and in whatever pieces it comes. */
export class EventReader {
  readonly #sources: Known[] = [];
  readonly #structures: (readonly number[])[] = [];
  readonly #shapes = new Map<readonly number[], MessageShape>();
  #time = 0;
  #rest: Buffer = Buffer.alloc(0);

  /** The whole records in what has come so far. Throws a RangeError where the bytes are none of a writer's. */
  *read(bytes: Buffer): Generator<Recorded> {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const source = new ByteSource(all);
    let whole = 0;
    while (source.hasVarint) {
      const length = source.varint();
      if (length > source.left) break;
      source.end = source.offset + length;
      const recorded = this.#record(source);
      whole = source.end;
      source.offset = whole;
      source.end = all.length;
      if (recorded !== undefined) yield recorded;
    }
    this.#rest = all.subarray(whole);
  }

  #record(record: ByteSource): Recorded | undefined {
    const kind = record.byte();
    switch (kind) {
      case RecordKind.source: {
        const source = JSON.parse(text(record)) as Source;
        this.#sources.push({ source, schema: schemaOf(source), shape: undefined, leaves: [], message: undefined, beside: '' });
        return undefined;
      }
      case RecordKind.loss:
        return { loss: JSON.parse(text(record)) as RecordedLoss };
      case RecordKind.event:
        return this.#event(record);
      default:
        throw new RangeError(`a record of the unknown kind ${kind}`);
    }
  }

  #event(record: ByteSource): Recorded | undefined {
    const known = this.#sources[record.varint()];
    if (known === undefined) throw new RangeError('an event of a source that was not named');
    this.#time += record.signed();
    const head = record.varint();
    const named = Math.floor(head / 2);
    const steps = named === 0 ? undefined : this.#steps(record, named - 1);
    if (head % 2 === 1) known.beside = text(record);
    const { schema, source } = known;
    // Its structure cannot be read without its message.
    if (schema === undefined) return undefined;
    const message = steps === undefined ? nextMessage(record, known) : firstMessage(record, known, this.#shape(schema, steps));
    return { event: { time: this.#time, source, message, beside: known.beside } };
  }

  #steps(record: ByteSource, number: number): readonly number[] {
    const known = this.#structures[number];
    if (known !== undefined) return known;
    if (number !== this.#structures.length) throw new RangeError('an event of a structure that was not named');
    const steps: number[] = [];
    for (let left = record.varint(); left > 0; left--) steps.push(record.varint());
    this.#structures.push(steps);
    return steps;
  }

  #shape(schema: DescMessage, steps: readonly number[]): MessageShape {
    const known = this.#shapes.get(steps) ?? new MessageShape(schema, steps);
    this.#shapes.set(steps, known);
    return known;
  }
}

/** Of another structure than the one before it. */
function firstMessage(record: ByteSource, known: Known, shape: MessageShape): Message {
  const { kinds } = shape;
  const leaves = kinds.map((kind) => firstLeaf[kind] as Leaf);
  for (const index of record.setBits(kinds.length)) leaves[index] = readLeaf(record, kinds[index] as number, leaves[index] as Leaf);
  known.shape = shape;
  known.leaves = leaves;
  known.message = shape.build(leaves);
  return known.message;
}

function nextMessage(record: ByteSource, known: Known): Message {
  const { shape, leaves, message } = known;
  if (shape === undefined || message === undefined) throw new RangeError('an event without a structure');
  const { kinds } = shape;
  const changed = record.setBits(kinds.length);
  for (const index of changed) leaves[index] = readLeaf(record, kinds[index] as number, leaves[index] as Leaf);
  known.message = shape.build(leaves, { message, changed });
  return known.message;
}

function text(record: ByteSource): string {
  return record.text(record.varint());
}
