import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type StreamEvent, streamEvents } from './event-stream.js';

async function read(chunks: readonly Uint8Array[], charactersMax = 1_000): Promise<(StreamEvent | 'oversized')[]> {
  const events: (StreamEvent | 'oversized')[] = [];
  async function* stream() {
    yield* chunks;
  }
  for await (const event of streamEvents(stream(), charactersMax)) events.push(event);
  return events;
}

function event(data: string, id?: string, retryMs?: number): StreamEvent {
  return { id, data, retryMs };
}

describe('events of a stream', () => {
  it('have data over several lines, an id and a time to wait', async () => {
    const text = ': keep-alive\n\nid: 7\nretry: 250\ndata: {"a":\ndata: 1}\n\nevent: message\ndata:x\n\nid: 8\ndata: \n\ndata: cut off';
    expect(await read([Buffer.from(text)])).toEqual([event('{"a":\n1}', '7', 250), event('x'), event('', '8')]);
  });

  it('are ended by any of the three line ends', async () => {
    expect(await read([Buffer.from('data: 1\r\rdata: 2\r\n\r\ndata: 3\n\n')])).toEqual([event('1'), event('2'), event('3')]);
  });

  it('end the reading when one is too long', async () => {
    expect(await read([Buffer.from('data: 1\n\n'), Buffer.from(`data: ${'x'.repeat(50)}`), Buffer.from('\n\ndata: 2\n\n')], 40)).toEqual([
      event('1'),
      'oversized',
    ]);
  });

  it('are the same however the bytes are cut into chunks', async () => {
    const pieces = fc.constantFrom('data: ', 'id: 1', 'é', '\n', '\r', '\r\n', '\n\n', ':', '金', 'retry: 5');
    await fc.assert(
      fc.asyncProperty(fc.array(pieces), fc.array(fc.nat(60)), async (parts, cuts) => {
        const bytes = Buffer.from(parts.join(''));
        const ends = [...cuts.filter((cut) => cut < bytes.length).sort((a, b) => a - b), bytes.length];
        const chunks = ends.map((end, index) => bytes.subarray(index === 0 ? 0 : ends[index - 1], end));
        expect(await read(chunks)).toEqual(await read([bytes]));
      }),
    );
  });
});
