/**
 * A gRPC client that has nothing of ours: it learns the service and every message by server reflection. It runs as a
 * process of its own and takes commands from its parent; see grpc-client.ts.
 */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as grpc from '@grpc/grpc-js';

const require = createRequire(import.meta.resolve('@grpc/grpc-js'));
// biome-ignore lint/correctness/noUndeclaredDependencies: a dependency of @grpc/grpc-js, found from there.
const loader = require('@grpc/proto-loader');
const protoFolder = join(dirname(fileURLToPath(import.meta.resolve('@grpc/reflection'))), '..', 'proto');
const options = { keepCase: true, longs: String, enums: String, defaults: false, oneofs: true };

const { address, ca, channel: given } = JSON.parse(process.argv[2] ?? '{}');
// TLS names no addresses (RFC 6066, section 3), and the certificate is for both.
const channel = ca === undefined ? given : { ...given, 'grpc.ssl_target_name_override': 'localhost' };
const credentials = ca === undefined ? grpc.credentials.createInsecure() : grpc.credentials.createSsl(Buffer.from(ca));
const streams = new Map();
/** Types by full name, as reflection described them. */
const types = new Map();

const reflectionPackage = loader.loadSync('grpc/reflection/v1/reflection.proto', { ...options, includeDirs: [protoFolder] });
const Reflection = grpc.loadPackageDefinition(reflectionPackage).grpc.reflection.v1.ServerReflection;
const reflection = new Reflection(address, credentials, channel);

/** Asks the reflection service one question. */
function reflect(question) {
  return new Promise((resolve, reject) => {
    const stream = reflection.ServerReflectionInfo();
    stream.on('data', (answer) => {
      stream.end();
      if (answer.error_response) reject(new Error(answer.error_response.error_message));
      else resolve(answer);
    });
    stream.on('error', reject);
    stream.write(question);
  });
}

/** The types of the files that hold a symbol, and of those that they import. */
async function describe(symbol) {
  if (types.has(symbol)) return;
  const { file_descriptor_response: files } = await reflect({ file_containing_symbol: symbol });
  // google.protobuf.FileDescriptorSet: the files as field 1.
  const set = Buffer.concat(files.file_descriptor_proto.map((file) => Buffer.concat([Buffer.from([0x0a]), varint(file.length), file])));
  for (const [name, definition] of Object.entries(loader.loadFileDescriptorSetFromBuffer(set, options))) types.set(name, definition);
}

function varint(value) {
  const bytes = [];
  let rest = value;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return Buffer.from([...bytes, rest]);
}

async function clientOf(service) {
  await describe(service);
  const Client = grpc.makeGenericClientConstructor(types.get(service), service);
  return new Client(address, credentials, channel);
}

const clients = new Map();
async function client(service) {
  if (!clients.has(service)) clients.set(service, clientOf(service));
  return clients.get(service);
}

function metadataOf({ key, metadata = {} }) {
  const result = new grpc.Metadata();
  if (key !== undefined) result.set('authorization', `Bearer ${key}`);
  for (const [name, value] of Object.entries(metadata)) result.set(name, value);
  return result;
}

function outcomeOf({ code, details, metadata }) {
  return { code: grpc.status[code], details, metadata: metadata?.getMap() ?? {} };
}

const commands = {
  async services() {
    const { list_services_response: list } = await reflect({ list_services: '*' });
    return list.service.map(({ name }) => name);
  },

  /** `type` names the message package of the body; without it `body` goes out as it is. */
  async call({ protoId, type, request, body, deadlineMs, cancel, ...rest }) {
    const gateway = await client('svc.v1.Gateway');
    if (type !== undefined) await describe(`${type}.Request`);
    const bytes = type === undefined ? Buffer.from(body ?? []) : types.get(`${type}.Request`).serialize({ c2s: request });
    return new Promise((resolve) => {
      const options = deadlineMs === undefined ? {} : { deadline: Date.now() + deadlineMs };
      let answer;
      const call = gateway.Request({ proto_id: protoId, body: bytes }, metadataOf(rest), options, (_error, value) => {
        answer = value;
      });
      if (cancel !== undefined) streams.set(cancel, call);
      call.on('status', (status) => {
        const outcome = outcomeOf(status);
        if (answer === undefined) resolve(outcome);
        else {
          const read = type === undefined ? { body: answer.body } : { message: types.get(`${type}.Response`).deserialize(answer.body) };
          resolve({ ...outcome, answer: { ret_type: 0, ret_msg: '', ...answer, body: undefined }, ...read });
        }
      });
    });
  },

  /** Opens a stream; resolves when the server has opened it, or with the status that it refused it with. */
  async open({ stream, event_types, symbols, ...rest }) {
    const gateway = await client('svc.v1.Gateway');
    const call = gateway.SubscribePush({ event_types, symbols }, metadataOf(rest));
    streams.set(stream, call);
    listen(stream, call);
    return new Promise((resolve) => {
      call.on('metadata', (metadata) => resolve({ code: 'OPEN', details: '', metadata: metadata.getMap() }));
      call.on('status', (status) => resolve(outcomeOf(status)));
    });
  },

  async watch({ stream, service }) {
    const health = await client('grpc.health.v1.Health');
    listen(stream, health.Watch({ service }));
  },

  async check({ service }) {
    const health = await client('grpc.health.v1.Health');
    return new Promise((resolve) => {
      let answer;
      const call = health.Check({ service }, (_error, value) => {
        answer = value;
      });
      call.on('status', (status) => resolve({ ...outcomeOf(status), answer }));
    });
  },

  async decode({ type, body }) {
    await describe(`${type}.Response`);
    return types.get(`${type}.Response`).deserialize(Buffer.from(body));
  },

  pause: async ({ stream }) => void streams.get(stream).pause(),
  resume: async ({ stream }) => void streams.get(stream).resume(),
  cancel: async ({ stream }) => void streams.get(stream).cancel(),
};

/** The parent may have gone: then nobody wants to know. */
function tell(message) {
  process.send(message, () => undefined);
}

function listen(stream, call) {
  call.on('data', (event) => tell({ stream, event }));
  call.on('status', (status) => tell({ stream, ended: outcomeOf(status) }));
  call.on('error', () => undefined);
}

process.on('message', ({ id, command, ...parameters }) => {
  commands[command](parameters).then(
    (result) => tell({ id, result }),
    (error) => tell({ id, error: String(error.stack ?? error) }),
  );
});
process.on('disconnect', () => process.exit(0));
