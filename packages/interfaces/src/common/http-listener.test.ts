import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { until } from '../../../../test/support/until.js';
import { HttpListener } from './http-listener.js';

let listener: HttpListener;
let client: Socket;
afterEach(async () => {
  client.destroy();
  await listener.close();
});

async function open(onRequest: RequestListener): Promise<void> {
  listener = new HttpListener({ connectionsMax: 10, onHandshake: () => 'declined', onRequest });
  const port = await listener.listen({ host: '127.0.0.1', port: 0 });
  client = connect({ host: '127.0.0.1', port });
  client.on('error', () => undefined);
  await once(client, 'connect');
}

it('works on 33 requests of a connection at a time, and answers in order all that it was sent', async () => {
  const count = 3_000;
  let [underWay, most] = [0, 0];
  await open((request, response) => {
    underWay += 1;
    most = Math.max(most, underWay);
    response.once('close', () => {
      underWay -= 1;
    });
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => setImmediate(() => response.end(`${body};`)));
  });
  const body = (n: number) => String(n).padStart(100, '0');
  for (let n = 0; n < count; n++) client.write(`POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n${body(n)}`);
  let text = '';
  client.on('data', (part) => {
    text += part.toString('latin1');
  });
  await until(() => text.endsWith(`${body(count - 1)};`), 'the last answer');
  expect(text.match(/\d{100};/g)).toEqual(Array.from({ length: count }, (_, n) => `${body(n)};`));
  expect(most).toBe(33);
});

it('lets go of a connection that is reset while its wish for another protocol waits', async () => {
  const answers: ServerResponse[] = [];
  await open((_request, response) => void answers.push(response));
  client.write(
    'GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET / HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  );
  await until(() => answers.length === 1, 'the request');
  const [answer] = answers as [ServerResponse];
  const socket = answer.socket as Socket;
  client.resetAndDestroy();
  // Written until the reset is noticed.
  await until(() => {
    if (!answer.destroyed) answer.write('more');
    return socket.destroyed;
  }, 'the end of the connection');
  await until(() => answer.destroyed, 'the end of the answer');
});
