import { create, toBinary } from '@bufbuild/protobuf';
import { type Server, type ServerUnaryCall, type ServerWritableStream, type StatusObject, type sendUnaryData, status } from '@grpc/grpc-js';
import {
  Health,
  HealthCheckRequestSchema,
  HealthCheckResponse_ServingStatus,
  HealthCheckResponseSchema,
  HealthListResponseSchema,
} from '@svc-gateway/contract/generated/grpc/health/v1/health_pb';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Gateway } from '@svc-gateway/gateway';
import type { StandingStreams } from './standing-streams.js';
import { bufferOf, bytes, readMessage, SERVICE } from './wire.js';

type Watch = ServerWritableStream<Buffer, Buffer>;

const { SERVING, NOT_SERVING, SERVICE_UNKNOWN } = HealthCheckResponse_ServingStatus;
/** Names that may be asked for; "" is the server as a whole. */
const SERVICES: readonly string[] = ['', SERVICE];

/** Serves `grpc.health.v1.Health`: the gateway's readiness, for the whole server ("") and for the service. Returns its removal. */
export function addHealth(server: Pick<Server, 'register'>, standing: StandingStreams, gateway: Gateway): () => void {
  const watches = new Set<Watch>();
  const current = () => answerOf(gateway.readiness.ready ? SERVING : NOT_SERVING);

  const check = (call: ServerUnaryCall<Buffer, Buffer>, respond: sendUnaryData<Buffer>) => {
    const asked = serviceOf(call.request);
    if (typeof asked !== 'string') respond(asked);
    else if (SERVICES.includes(asked)) respond(null, current());
    else respond({ code: status.NOT_FOUND, details: `no service "${asked}" is served here` });
  };
  const watch = (call: Watch) => {
    const asked = serviceOf(call.request);
    if (typeof asked !== 'string') return void call.emit('error', asked);
    // By the protocol, the stream of an unknown service stays open: it may be added later. Here none is.
    if (!SERVICES.includes(asked)) return void call.write(answerOf(SERVICE_UNKNOWN));
    watches.add(call);
    call.once('cancelled', () => watches.delete(call));
    call.write(current());
  };
  const list = (_call: unknown, respond: sendUnaryData<Buffer>) => {
    const own = { status: gateway.readiness.ready ? SERVING : NOT_SERVING };
    const statuses = Object.fromEntries(SERVICES.map((name) => [name, own]));
    respond(null, bufferOf(toBinary(HealthListResponseSchema, create(HealthListResponseSchema, { statuses }))));
  };

  const path = (method: { readonly name: string }) => `/${Health.typeName}/${method.name}`;
  server.register(path(Health.method.check), check, bytes, bytes, 'unary');
  server.register(path(Health.method.list), list, bytes, bytes, 'unary');
  server.register(path(Health.method.watch), standing.tracked(watch), bytes, bytes, 'serverStream');
  return gateway.readiness.onReady(() => {
    for (const call of watches) call.write(current());
  });
}

function answerOf(status: HealthCheckResponse_ServingStatus): Buffer {
  return bufferOf(toBinary(HealthCheckResponseSchema, create(HealthCheckResponseSchema, { status })));
}

/** The requested service, or the status of the refusal. */
function serviceOf(request: Buffer): string | Partial<StatusObject> {
  const read = readMessage(HealthCheckRequestSchema, request);
  return read instanceof Rejection ? { code: status.INVALID_ARGUMENT, details: read.message } : read.service;
}
