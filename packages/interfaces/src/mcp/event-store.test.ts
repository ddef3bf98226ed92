import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventStore } from './event-store.js';

function notice(text: string): JSONRPCMessage {
  return { jsonrpc: '2.0', method: 'notifications/svc/push', params: { text } };
}

async function replayed(store: EventStore, after: string): Promise<[id: string, message: JSONRPCMessage][]> {
  const sent: [string, JSONRPCMessage][] = [];
  await store.replayEventsAfter(after, { send: async (id, message) => void sent.push([id, message]) });
  return sent;
}

describe('what a session has sent', () => {
  it('is replayed from an event on: its own stream alone, and nothing for an event that only marks a position', async () => {
    const store = new EventStore();
    const mark = await store.storeEvent('a', {} as JSONRPCMessage);
    await store.storeEvent('b', notice('other'));
    const first = await store.storeEvent('a', notice('first'));
    await store.storeEvent('a', {} as JSONRPCMessage);
    const second = await store.storeEvent('a', notice('second'));
    expect(await replayed(store, mark)).toEqual([
      [first, notice('first')],
      [second, notice('second')],
    ]);
    expect(await replayed(store, second)).toEqual([]);
    expect(await store.getStreamIdForEventId(first)).toBe('a');
    expect(await store.getStreamIdForEventId('99')).toBeUndefined();
    await expect(replayed(store, '99')).rejects.toThrow('event 99 is no longer available');
  });

  it('is the newest, in number and in size', async () => {
    const sizes = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(sizes, fc.integer({ min: 1, max: 10 }), async (lengths, eventsMax) => {
        const charactersMax = 300;
        const store = new EventStore({ eventsMax, charactersMax });
        const sent = lengths.map((length) => notice('x'.repeat(length)));
        const ids: string[] = [];
        for (const message of sent) ids.push(await store.storeEvent('a', message));
        // As many from the end as both bounds allow.
        let [kept, characters] = [0, 0];
        for (const message of sent.toReversed()) {
          characters += JSON.stringify(message).length;
          if (kept === eventsMax || characters > charactersMax) break;
          kept += 1;
        }
        expect(ids.filter((id) => store.isKept(id))).toEqual(kept === 0 ? [] : ids.slice(-kept));
      }),
    );
  });
});
