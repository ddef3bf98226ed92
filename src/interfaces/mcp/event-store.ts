import type { EventStore as EventStorePort, JSONRPCMessage } from '@modelcontextprotocol/server';

interface StoredEvent {
  readonly id: number;
  readonly streamId: string;
  readonly message: JSONRPCMessage;
}

/** Events of one session that a client which reconnects can still have. */
const EVENTS_MAX = 256;

/**
 * What a session has sent lately, so that a client whose connection broke gets what it missed by `Last-Event-ID`. Bounded:
 * of quotes only the newest are worth anything, and everything else can be asked for again.
 */
export class EventStore implements EventStorePort {
  readonly #events: StoredEvent[] = [];
  #lastId = 0;

  async storeEvent(streamId: string, message: JSONRPCMessage): Promise<string> {
    this.#lastId += 1;
    this.#events.push({ id: this.#lastId, streamId, message });
    if (this.#events.length > EVENTS_MAX) this.#events.shift();
    return String(this.#lastId);
  }

  async getStreamIdForEventId(eventId: string): Promise<string | undefined> {
    return this.#find(eventId)?.streamId;
  }

  async replayEventsAfter(
    lastEventId: string,
    { send }: { readonly send: (eventId: string, message: JSONRPCMessage) => Promise<void> },
  ): Promise<string> {
    const last = this.#find(lastEventId);
    if (last === undefined) throw new Error(`event ${lastEventId} is not known any more`);
    for (const { id, streamId, message } of [...this.#events]) {
      // An event without a message only marks a position.
      if (id > last.id && streamId === last.streamId && Object.keys(message).length > 0) await send(String(id), message);
    }
    return last.streamId;
  }

  #find(eventId: string): StoredEvent | undefined {
    return this.#events.find(({ id }) => String(id) === eventId);
  }
}
