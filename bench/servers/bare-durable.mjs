/**
 * Minimal cost of durable writes over HTTPS: `node:https` that reads and parses the POST body, keeps it as one row, and
 * answers ready bytes once that is on disk.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { openDurableRows } from './durable-rows.mjs';

const { body, tls, folder } = JSON.parse(process.argv[2]);
const length = Buffer.byteLength(body);
const keep = await openDurableRows(folder);

const server = createServer({ cert: readFileSync(tls.cert), key: readFileSync(tls.key), minVersion: 'TLSv1.2' }, (request, response) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => {
    text += chunk;
  });
  request.on('end', () => {
    if (typeof JSON.parse(text) !== 'object') throw new Error('no JSON object came');
    keep(Buffer.from(text), () => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': length, 'x-request-id': 'Yk3rT0aa-123456' });
      response.end(body);
    });
  });
});
// As the gateway: a connection waits while the others' rounds run.
server.keepAliveTimeout = 75_000;
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit());
