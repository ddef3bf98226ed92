import type { DescMessage, Message } from '@bufbuild/protobuf';
import { ByteSink } from './byte-sink.js';
import { type RecordedLoss, type Source, schemaOf } from './events.js';
import { type FlatMessage, flatten } from './flat-message.js';
import { firstLeaf, sameLeaf, writeLeaf } from './leaf-delta.js';
import type { Leaf } from './message-plan.js';
import { RecordKind } from './record-kind.js';

interface Known {
  readonly number: number;
  readonly schema: DescMessage;
  last: FlatMessage | undefined;
  structure: number;
  beside: string;
}

/**
 * Turns events into bytes: each as what distinguishes it from the one before it of its source. What it writes can be read only
 * from its beginning, by an `EventReader`.
 */
export class EventWriter {
  readonly #out = new ByteSink();
  readonly #record = new ByteSink();
  readonly #sources = new Map<string, Known>();
  /** By schema and structure. */
  readonly #structures = new Map<string, number>();
  #time = 0;

  /** Bytes written and not yet taken. */
  get length(): number {
    return this.#out.length;
  }

  /** Sources seen. */
  get sources(): number {
    return this.#sources.size;
  }

  /** The bytes written since the last call, as a copy. */
  take(): Buffer {
    const bytes = Buffer.from(this.#out.view());
    this.#out.clear();
    return bytes;
  }

  /** Writes one event. `key` is the source's own text, the same for equal sources: it saves taking the source apart each time. */
  event(time: number, key: string, sourceOf: () => Source, message: Message, beside = ''): void {
    const known = this.#known(key, sourceOf);
    this.#write(time, known, flatten(known.schema, message), beside);
  }

  /** Writes one event, unless it is the very one that its source had last. Says whether it wrote it. */
  change(time: number, key: string, sourceOf: () => Source, message: Message): boolean {
    const known = this.#known(key, sourceOf);
    const flat = flatten(known.schema, message);
    if (known.last !== undefined && isSame(known.last, flat)) return false;
    this.#write(time, known, flat, '');
    return true;
  }

  #known(key: string, sourceOf: () => Source): Known {
    return this.#sources.get(key) ?? this.#define(key, sourceOf());
  }

  #write(time: number, known: Known, flat: FlatMessage, beside: string): void {
    const record = this.#record;
    record.clear();
    record.byte(RecordKind.event);
    record.varint(known.number);
    record.signed(time - this.#time);
    this.#time = time;
    const sameStructure = known.last !== undefined && equal(known.last.structure, flat.structure);
    const besideChanged = beside !== known.beside;
    if (sameStructure) record.varint(besideChanged ? 1 : 0);
    else this.#writeStructure(known, flat.structure, besideChanged);
    if (besideChanged) this.#text(beside);
    writeLeaves(record, flat, sameStructure ? known.last : undefined);
    known.last = flat;
    known.beside = beside;
    this.#end();
  }

  /** Writes that events are missing. */
  loss(loss: RecordedLoss): void {
    this.#record.clear();
    this.#record.byte(RecordKind.loss);
    this.#text(JSON.stringify(loss));
    this.#end();
  }

  #define(key: string, source: Source): Known {
    const schema = schemaOf(source);
    if (schema === undefined) throw new Error(`nothing of ${JSON.stringify(source)} is known`);
    const known: Known = { number: this.#sources.size, schema, last: undefined, structure: -1, beside: '' };
    this.#sources.set(key, known);
    this.#record.clear();
    this.#record.byte(RecordKind.source);
    this.#text(JSON.stringify(source));
    this.#end();
    return known;
  }

  // Twice the structure's number plus one, and whether a text follows; a number that is new is followed by the structure itself.
  #writeStructure(known: Known, structure: readonly number[], besideChanged: boolean): void {
    const key = `${known.schema.typeName} ${structure.join()}`;
    const number = this.#structures.get(key) ?? this.#structures.size;
    this.#record.varint((number + 1) * 2 + (besideChanged ? 1 : 0));
    if (number < this.#structures.size) return;
    this.#structures.set(key, number);
    this.#record.varint(structure.length);
    for (const step of structure) this.#record.varint(step);
  }

  #text(text: string): void {
    const bytes = Buffer.from(text);
    this.#record.varint(bytes.length);
    this.#record.bytes(bytes);
  }

  #end(): void {
    this.#out.varint(this.#record.length);
    this.#out.bytes(this.#record.view());
  }
}

/** A bit for each leaf that differs from the one before it, and then those leaves. */
function writeLeaves(record: ByteSink, { kinds, leaves }: FlatMessage, last: FlatMessage | undefined): void {
  const before = (index: number) => (last?.leaves[index] ?? firstLeaf[kinds[index] as number]) as Leaf;
  const changed: number[] = [];
  let bits = 0;
  for (let index = 0; index < leaves.length; index++) {
    if (!sameLeaf(leaves[index] as Leaf, before(index))) {
      bits |= 1 << (index & 7);
      changed.push(index);
    }
    if ((index & 7) === 7 || index === leaves.length - 1) {
      record.byte(bits);
      bits = 0;
    }
  }
  for (const index of changed) writeLeaf(record, kinds[index] as number, leaves[index] as Leaf, before(index));
}

function isSame(a: FlatMessage, b: FlatMessage): boolean {
  return equal(a.structure, b.structure) && a.leaves.every((leaf, index) => sameLeaf(leaf, b.leaves[index] as typeof leaf));
}

function equal(a: readonly number[], b: readonly number[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return false;
  return true;
}
