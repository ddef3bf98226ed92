import { create, type DescMessage, type Message, toBinary } from '@bufbuild/protobuf';
import { sizeDelimitedEncode } from '@bufbuild/protobuf/wire';
import { EventSchema, type Record, RecordSchema } from '@svc-gateway/contract/generated/store/recording_pb';
import { type RecordedLoss, type Source, schemaOf } from './events.js';

interface Known {
  readonly number: number;
  readonly schema: DescMessage;
  /** Encoded message of its last event that {@link EventWriter.change} wrote. */
  last: Uint8Array | undefined;
}

/** Turns events into records of one file. What it writes is read from its beginning, by an `EventReader`. */
export class EventWriter {
  readonly #sources = new Map<string, Known>();
  #out: Uint8Array[] = [];
  #length = 0;

  /** Bytes written and not yet taken. */
  get length(): number {
    return this.#length;
  }

  /** Sources seen. */
  get sources(): number {
    return this.#sources.size;
  }

  /** Bytes written since the last call: whole records. */
  take(): Buffer {
    const bytes = Buffer.concat(this.#out);
    this.#out = [];
    this.#length = 0;
    return bytes;
  }

  /** Writes one event. `key` is the source's own text, the same for equal sources. */
  event(time: number, key: string, sourceOf: () => Source, message: Message, beside = ''): void {
    const { number, schema } = this.#known(key, sourceOf);
    this.#event(number, time, toBinary(schema, message), beside);
  }

  /** Writes one event, unless it is the one that its source had last. Returns whether it was written. */
  change(time: number, key: string, sourceOf: () => Source, message: Message): boolean {
    const known = this.#known(key, sourceOf);
    const bytes = toBinary(known.schema, message);
    if (known.last !== undefined && Buffer.compare(known.last, bytes) === 0) return false;
    known.last = bytes;
    this.#event(known.number, time, bytes, '');
    return true;
  }

  /** Writes that events are missing. */
  loss(loss: RecordedLoss): void {
    this.#write({ case: 'loss', value: JSON.stringify(loss) });
  }

  #known(key: string, sourceOf: () => Source): Known {
    return this.#sources.get(key) ?? this.#define(key, sourceOf());
  }

  #define(key: string, source: Source): Known {
    const schema = schemaOf(source);
    if (schema === undefined) throw new Error(`no message is known of the source ${JSON.stringify(source)}`);
    const known: Known = { number: this.#sources.size, schema, last: undefined };
    this.#sources.set(key, known);
    this.#write({ case: 'source', value: JSON.stringify(source) });
    return known;
  }

  #event(source: number, time: number, message: Uint8Array, beside: string): void {
    this.#write({ case: 'event', value: create(EventSchema, { source, time: BigInt(time), message: new Uint8Array(message), beside }) });
  }

  #write(kind: Record['kind']): void {
    const bytes = sizeDelimitedEncode(RecordSchema, create(RecordSchema, { kind }));
    this.#out.push(bytes);
    this.#length += bytes.length;
  }
}
