/**
 * The limit of every HTTP figure: `node:http(s)` that reads and parses the POST body, and answers ready bytes, the gateway's
 * headers among them. */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';

const { body, tls } = JSON.parse(process.argv[2]);
const length = Buffer.byteLength(body);

const listener = (request, response) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => {
    text += chunk;
  });
  request.on('end', () => {
    if (typeof JSON.parse(text) !== 'object') throw new Error('no JSON object came');
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': length, 'x-request-id': 'Yk3rT0aa-123456' });
    response.end(body);
  });
};
const server =
  tls === undefined
    ? createServer(listener)
    : createTlsServer({ cert: readFileSync(tls.cert), key: readFileSync(tls.key), minVersion: 'TLSv1.2' }, listener);
// As the gateway: a connection waits while the others' rounds run.
server.keepAliveTimeout = 75_000;
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit());
