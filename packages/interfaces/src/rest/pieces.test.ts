import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { until } from '../../../../test/support/until.js';
import { HttpListener } from '../common/http-listener.js';
import { endInPieces } from './pieces.js';

const document = Buffer.alloc(32 * 1024 * 1024, 'document ');

let cleanUp: () => Promise<unknown> = async () => undefined;
afterEach(async () => {
  await cleanUp();
  vi.useRealTimers();
});

it('a reader who stops in the middle of a document is let go after 30 s without progress, one who reads on is not', async () => {
  // Only the listener looks at its readers by an interval.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const held: Socket[] = [];
  const listener = new HttpListener({
    connectionsMax: 10,
    onHandshake: () => 'declined',
    onRequest: ({ socket }, response) => {
      held.push(socket);
      response.writeHead(200, { 'content-length': document.length });
      void endInPieces(response, document);
    },
  });
  const port = await listener.listen({ host: '127.0.0.1', port: 0 });
  const clients = [connect({ host: '127.0.0.1', port }), connect({ host: '127.0.0.1', port })] as const;
  cleanUp = async () => {
    for (const client of clients) client.destroy();
    await listener.close();
  };
  for (const [n, client] of clients.entries()) {
    client.on('error', () => undefined);
    // The second asks twice: the answer to its last request is not begun.
    client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(n + 1));
    await once(client, 'readable');
  }
  await until(() => held.length === 3, 'the requests');
  const [stopped, second] = [held[0]!, held[1]!];
  for (let seconds = 0; seconds < 60; seconds += 5) {
    const before = second.bytesWritten;
    // The client reads its buffered part of a document, which makes room for more.
    await until(() => {
      clients[1].read();
      return second.bytesWritten > before;
    }, 'progress');
    if (seconds === 0) await standstill(stopped);
    vi.advanceTimersByTime(5_000);
    if (seconds < 25) expect(stopped.destroyed).toBe(false);
  }
  expect([stopped.destroyed, second.destroyed]).toEqual([true, false]);
  await standstill(second);
  vi.advanceTimersByTime(35_000);
  expect(second.destroyed).toBe(true);
});

/** Waits until a socket takes no more, and nobody reads what it holds. */
async function standstill(socket: Socket): Promise<void> {
  let [before, looks] = [0, 0];
  await until(() => {
    looks = socket.writableNeedDrain && socket.bytesWritten === before ? looks + 1 : 0;
    before = socket.bytesWritten;
    return looks === 20;
  }, 'the standstill');
}
