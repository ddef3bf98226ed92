import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { type AddressInfo, connect as connectTcp } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';

export interface PrefixProxy {
  /** Where the prefix begins: "http://127.0.0.1:40125/svc". */
  readonly url: string;
  /** Sends what comes from now on to this daemon. */
  pointAt(daemonUrl: string, ca: string | undefined): void;
  close(): void;
}

/** A reverse proxy as people run one: it takes its prefix off, keeps the Host, and passes WebSockets on. All else is 404. */
export async function startPrefixProxy(prefix: string): Promise<PrefixProxy> {
  let target = new URL('http://127.0.0.1:1');
  let ca: string | undefined;
  const within = ({ url = '' }: IncomingMessage) => (url.startsWith(`${prefix}/`) ? url.slice(prefix.length) : undefined);
  const server = createServer((request, response) => {
    const path = within(request);
    if (path === undefined) {
      response.writeHead(404).end('nothing of the daemon is here');
      return;
    }
    const { method, headers } = request;
    const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
    const onward = send(new URL(path, target), { method, headers, ca, servername: 'localhost', agent: false }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.destroy());
    request.pipe(onward);
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const address = { host: target.hostname, port: Number(target.port) };
    const onward = target.protocol === 'https:' ? connectTls({ ...address, ca, servername: 'localhost' }) : connectTcp(address);
    const lines = request.rawHeaders.reduce((text, part, i) => `${text}${part}${i % 2 === 0 ? ': ' : '\r\n'}`, '');
    onward.write(`GET ${within(request) ?? '/'} HTTP/1.1\r\n${lines}\r\n`);
    onward.write(head);
    socket.pipe(onward).pipe(socket);
    for (const end of [socket, onward]) end.on('error', () => [socket, onward].map((each) => each.destroy()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`,
    pointAt: (daemonUrl, authority) => {
      target = new URL(daemonUrl);
      ca = authority;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
