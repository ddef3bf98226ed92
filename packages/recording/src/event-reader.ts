import { type DescMessage, fromBinary } from '@bufbuild/protobuf';
import { sizeDelimitedPeek } from '@bufbuild/protobuf/wire';
import { type Event, type Record, RecordSchema } from '@svc-gateway/contract/generated/store/recording_pb';
import { type RecordedEvent, type RecordedLoss, type Source, schemaOf } from './events.js';

/** Item of a recording, in its order. */
export type Recorded = { readonly event: RecordedEvent } | { readonly loss: RecordedLoss };

interface Known {
  readonly source: Source;
  /** undefined for a source of a later version. */
  readonly schema: DescMessage | undefined;
}

/** Reads what an `EventWriter` wrote, from the beginning on and in whatever pieces it comes. */
export class EventReader {
  readonly #sources: Known[] = [];
  #rest: Buffer = Buffer.alloc(0);

  /** Whole records in what has come so far. Throws where the bytes are none of a writer's. */
  *read(bytes: Buffer): Generator<Recorded> {
    let rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    for (let next = sizeDelimitedPeek(rest); !next.eof && next.offset + next.size <= rest.length; next = sizeDelimitedPeek(rest)) {
      const end = next.offset + next.size;
      const recorded = this.#recorded(fromBinary(RecordSchema, rest.subarray(next.offset, end)));
      rest = rest.subarray(end);
      if (recorded !== undefined) yield recorded;
    }
    this.#rest = rest;
  }

  #recorded({ kind }: Record): Recorded | undefined {
    switch (kind.case) {
      case 'source': {
        const source = JSON.parse(kind.value) as Source;
        this.#sources.push({ source, schema: schemaOf(source) });
        return undefined;
      }
      case 'loss':
        return { loss: JSON.parse(kind.value) as RecordedLoss };
      case 'event':
        return this.#event(kind.value);
      default:
        throw new RangeError('a record of an unknown kind');
    }
  }

  #event({ source: number, time, message, beside }: Event): Recorded | undefined {
    const known = this.#sources[number];
    if (known === undefined) throw new RangeError('an event of a source that was not named');
    const { source, schema } = known;
    return schema && { event: { time: Number(time), source, message: fromBinary(schema, message), beside } };
  }
}
