/**
 * What durable writes over HTTPS cost at the least: `node:https` that reads and parses the POST body, keeps it as one row of the
 * gateway's database, and answers ready bytes once that is on disk. Requests share flushes by the gateway's own rule.
 */
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { ClassicLevel } from 'classic-level';
import { Company } from '../../dist/storage/company.js';

const { body, tls, folder } = JSON.parse(process.argv[2]);
const length = Buffer.byteLength(body);
const database = new ClassicLevel(folder, { valueEncoding: 'buffer', writeBufferSize: 16 * 1024 * 1024 });
await database.open();
const company = new Company();
let waiting = [];
let busy = false;
let rows = 0;

const server = createServer({ cert: readFileSync(tls.cert), key: readFileSync(tls.key), minVersion: 'TLSv1.2' }, (request, response) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (chunk) => {
    text += chunk;
  });
  request.on('end', () => {
    if (typeof JSON.parse(text) !== 'object') throw new Error('no JSON object came');
    waiting.push({ row: Buffer.from(text), response });
    company.joined();
    if (busy) return;
    busy = true;
    setImmediate(flush);
  });
});
// As the gateway: a connection waits while the others' rounds run.
server.keepAliveTimeout = 75_000;
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }));
process.on('disconnect', () => process.exit());

async function flush() {
  while (waiting.length > 0) {
    await company.gather();
    const flushed = waiting;
    waiting = [];
    const count = company.leave();
    const batch = database.batch();
    for (const { row } of flushed) batch.put(String(++rows).padStart(20, '0'), row);
    await batch.write({ sync: true });
    company.flushed(count);
    for (const { response } of flushed) {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': length, 'x-request-id': 'Yk3rT0aa-123456' });
      response.end(body);
    }
  }
  busy = false;
}
