import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { type SinkWebSocket, SocketSink, sinkServer } from './socket-sink.js';

const cleanups: (() => void)[] = [];
afterEach(() => {
  for (const clean of cleanups.splice(0).reverse()) clean();
});

const frame = (text: string) => Buffer.concat([Buffer.from([0x81, text.length]), Buffer.from(text)]);
/** "Normal closure", masked with zeros as a client's frame is (RFC 6455, section 5.5.1). */
const closeFromClient = Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8]);
const closeFromServer = Buffer.from([0x88, 0x02, 0x03, 0xe8]);

interface Pair {
  readonly sink: SocketSink;
  readonly webSocket: SinkWebSocket;
  /** The server's end. */
  readonly socket: Duplex;
  readonly client: Socket;
  /** Bytes that the client has received since the handshake. */
  readonly received: () => Buffer;
}

async function pair(): Promise<Pair> {
  const server = createServer();
  const webSockets = sinkServer({ maxPayload: 1024, handleProtocols: () => false });
  const opened = new Promise<Pick<Pair, 'sink' | 'webSocket' | 'socket'>>((resolve) => {
    server.on('upgrade', (request, socket, head) => {
      webSockets.handleUpgrade(request, socket, head, (webSocket) => {
        webSocket.on('error', () => undefined);
        resolve({ sink: new SocketSink(socket, webSocket), webSocket, socket });
      });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => server.close());
  const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1', allowHalfOpen: true });
  cleanups.push(() => client.destroy());
  let bytes = Buffer.alloc(0);
  client.on('data', (chunk) => {
    bytes = Buffer.concat([bytes, chunk]);
  });
  client.write(
    'GET / HTTP/1.1\r\nHost: here\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  );
  const handshakeEnd = () => bytes.indexOf('\r\n\r\n');
  while (handshakeEnd() < 0) await once(client, 'data');
  return { ...(await opened), client, received: () => bytes.subarray(handshakeEnd() + 4) };
}

describe('a socket sink', () => {
  it('writes nothing after a close frame of its own', async () => {
    const { sink, client, received } = await pair();
    sink.write(frame('before'));
    sink.close(1000, '');
    sink.write(frame('after'));
    while (received().length < frame('before').length + closeFromServer.length) await once(client, 'data');
    client.end(closeFromClient);
    await once(client, 'end');
    expect(received()).toEqual(Buffer.concat([frame('before'), closeFromServer]));
  });

  it('writes nothing after the answer to the close frame of a peer', async () => {
    const { sink, webSocket, client, received } = await pair();
    // Once the answer is on its way, and before the socket is closed.
    const answered = new Promise<void>((resolve) => {
      const { onClosing } = webSocket;
      webSocket.onClosing = () => {
        onClosing();
        sink.write(frame('after'));
        resolve();
      };
    });
    client.write(closeFromClient);
    await answered;
    await once(client, 'end');
    expect(received()).toEqual(closeFromServer);
  });

  it('leaves a socket alone that the peer has ended', async () => {
    const { sink, socket, webSocket, client } = await pair();
    const errors: Error[] = [];
    socket.on('error', (error) => errors.push(error));
    const ended = once(socket, 'end');
    client.end();
    await ended;
    sink.write(frame('late'));
    if (webSocket.readyState !== webSocket.CLOSED) await once(webSocket, 'close');
    expect(errors).toEqual([]);
  });
});
