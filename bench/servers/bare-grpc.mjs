/**
 * The limit of every gRPC figure: an empty service on the same library, set up as the gateway's is, that reads the same
 * request message, as REST's limit parses the same body, and answers ready bytes with the gateway's trailing metadata. With a
 * folder it keeps each message as one row there, and answers once that is on disk.
 */
import { readFileSync } from 'node:fs';
import { fromBinary } from '@bufbuild/protobuf';
import { Metadata, Server, ServerCredentials } from '@grpc/grpc-js';
import { GatewayRequestSchema } from '@svc-gateway/contract/generated/svc/v1/gateway_pb';
import { openDurableRows } from './durable-rows.mjs';

const { answer, tls, folder } = JSON.parse(process.argv[2]);
const bytes = Buffer.from(answer, 'base64');
const same = (value) => value;

const server = new Server({ 'grpc.enable_channelz': 0 });
const reply = (respond) => {
  const trailer = new Metadata();
  trailer.set('x-request-id', 'grpc-Yk3rT0aa-123456');
  respond(null, bytes, trailer);
};
const keep = folder === undefined ? undefined : await openDurableRows(folder);
const handle = ({ request }, respond) => {
  if (keep === undefined) reply(respond);
  else keep(Buffer.from(request.body), () => reply(respond));
};
server.register('/svc.v1.Gateway/Request', handle, same, (message) => fromBinary(GatewayRequestSchema, message), 'unary');
const credentials =
  tls === undefined
    ? ServerCredentials.createInsecure()
    : ServerCredentials.createSsl(null, [{ cert_chain: readFileSync(tls.cert), private_key: readFileSync(tls.key) }]);
server.bindAsync('127.0.0.1:0', credentials, (error, port) => {
  if (error !== null) throw error;
  process.send({ port });
});
process.on('disconnect', () => process.exit());
