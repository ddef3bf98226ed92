import { type EventStore as EventStorePort, type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/server';

interface StoredEvent {
  readonly id: string;
  readonly streamId: string;
  /** JSON text, whose size is known; undefined for an event without a message, which only marks a position. */
  readonly text: string | undefined;
}

export interface EventStoreOptions {
  /** Maximum events kept. */
  readonly eventsMax?: number;
  /** Maximum characters of JSON kept. */
  readonly charactersMax?: number;
}

const EVENTS_MAX = 256;
const CHARACTERS_MAX = 128 * 1024;
/** The protocol library's name of the stream that a client opens by GET. */
const OWN_STREAM = '_GET_stream';
/** How ids of its events begin; those of answers begin otherwise. */
const OWN_EVENT = 's';

/**
 * Recent events of a session, from which a client whose connection broke gets the missed ones by `Last-Event-ID`. Bounded
 * in number and size, dropping the oldest: only the newest quotes matter, and everything else can be asked
 * for again.
 */
export class EventStore implements EventStorePort {
  readonly #eventsMax: number;
  readonly #charactersMax: number;
  readonly #events: StoredEvent[] = [];
  #characters = 0;
  #lastId = 0;

  constructor({ eventsMax = EVENTS_MAX, charactersMax = CHARACTERS_MAX }: EventStoreOptions = {}) {
    this.#eventsMax = eventsMax;
    this.#charactersMax = charactersMax;
  }

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    this.#lastId += 1;
    const id = `${streamId === OWN_STREAM ? OWN_EVENT : 'a'}${this.#lastId}`;
    const text = Object.keys(message).length === 0 ? undefined : JSON.stringify(message);
    this.#events.push({ id, streamId, text });
    this.#characters += text?.length ?? 0;
    while (this.#events.length > this.#eventsMax || this.#characters > this.#charactersMax) {
      this.#characters -= this.#events.shift()?.text?.length ?? 0;
    }
    return id;
  }

  /** Drops all events: a client that comes back asks anew. */
  clear(): void {
    this.#events.length = 0;
    this.#characters = 0;
  }

  /** Whether an event, kept or not, was sent on the stream that a client opens by GET. */
  isOwnEvent(eventId: string): boolean {
    const number = Number(eventId.slice(OWN_EVENT.length));
    return eventId.startsWith(OWN_EVENT) && number >= 1 && number <= this.#lastId;
  }

  isKept(eventId: string): boolean {
    return this.#events.some(({ id }) => id === eventId);
  }

  async getStreamIdForEventId(eventId: string): Promise<string | undefined> {
    return this.#events.find(({ id }) => id === eventId)?.streamId;
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { readonly send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const last = this.#events.findIndex(({ id }) => id === lastEventId);
    const streamId = this.#events[last]?.streamId;
    if (streamId === undefined) throw new Error(`event ${lastEventId} is no longer available`);
    for (const event of this.#events.slice(last + 1)) {
      if (event.streamId === streamId && event.text !== undefined) await send(event.id, parseJSONRPCMessage(JSON.parse(event.text)));
    }
    return streamId;
  }
}
