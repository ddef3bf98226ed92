import type { DescMessage } from '@bufbuild/protobuf';
import { ByteSource, CutOff } from './byte-source.js';
import { type RecordedEvent, type RecordedLoss, type Source, schemaOf } from './events.js';
import { kindsOf, type Leaf, unflatten } from './flat-message.js';
import { firstLeaf, readLeaf } from './leaf-delta.js';
import { RecordKind } from './record-kind.js';

/** What a recording holds, in its order. */
export type Recorded = { readonly event: RecordedEvent } | { readonly loss: RecordedLoss };

interface Structure {
  readonly steps: readonly number[];
  readonly kinds: readonly number[];
}

interface Known {
  readonly source: Source;
  /** undefined: of a later version. */
  readonly schema: DescMessage | undefined;
  structure: Structure | undefined;
  leaves: Leaf[];
  beside: string;
}

/** Reads what an `EventWriter` wrote, from the beginning on and in whatever pieces it comes. */
export class EventReader {
  readonly #sources: Known[] = [];
  readonly #structures: (readonly number[])[] = [];
  readonly #kinds = new Map<readonly number[], Structure>();
  #time = 0;
  #rest: Buffer = Buffer.alloc(0);

  /** The whole records in what has come so far. Throws a RangeError where the bytes are none of a writer's. */
  *read(bytes: Buffer): Generator<Recorded> {
    const all = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const source = new ByteSource(all);
    let whole = 0;
    for (;;) {
      const end = endOfRecord(source);
      if (end === undefined) break;
      const recorded = this.#record(new ByteSource(all, source.offset, end));
      source.offset = end;
      whole = end;
      // Before the caller may stop reading.
      this.#rest = all.subarray(whole);
      if (recorded !== undefined) yield recorded;
    }
    this.#rest = all.subarray(whole);
  }

  #record(record: ByteSource): Recorded | undefined {
    const kind = record.byte();
    switch (kind) {
      case RecordKind.source: {
        const source = JSON.parse(text(record)) as Source;
        this.#sources.push({ source, schema: schemaOf(source), structure: undefined, leaves: [], beside: '' });
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
    const structure = steps === undefined ? known.structure : this.#structure(schema, steps);
    if (structure === undefined) throw new RangeError('an event without a structure');
    const before = steps === undefined ? known.leaves : [];
    known.structure = structure;
    known.leaves = readLeaves(record, structure.kinds, before);
    const message = unflatten(schema, structure.steps, known.leaves);
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

  #structure(schema: DescMessage, steps: readonly number[]): Structure {
    const known = this.#kinds.get(steps) ?? { steps, kinds: kindsOf(schema, steps) };
    this.#kinds.set(steps, known);
    return known;
  }
}

function readLeaves(record: ByteSource, kinds: readonly number[], before: readonly Leaf[]): Leaf[] {
  const bits = record.bytes(Math.ceil(kinds.length / 8));
  return kinds.map((kind, index) => {
    const last = (before[index] ?? firstLeaf[kind]) as Leaf;
    return ((bits[index >> 3] as number) >> (index & 7)) & 1 ? readLeaf(record, kind, last) : last;
  });
}

function endOfRecord(source: ByteSource): number | undefined {
  const start = source.offset;
  try {
    const length = source.varint();
    if (length <= source.left) return source.offset + length;
  } catch (thrown) {
    if (!(thrown instanceof CutOff)) throw thrown;
  }
  source.offset = start;
  return undefined;
}

function text(record: ByteSource): string {
  return record.bytes(record.varint()).toString();
}
