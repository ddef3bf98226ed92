import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Int64Format } from '../../contract/json/scalars.js';
import type { Operation } from '../../contract/operation.js';
import { Rejection } from '../../contract/rejection.js';
import type { Answer, Caller, Gateway } from '../../gateway/index.js';
import { writeError, writeProblem } from '../common/error-body.js';
import { bearerOf, isLoopback, wantsProblem } from '../common/http.js';
import { decodeRequest } from './body.js';
import { writeEnvelope } from './envelope.js';

/** Writes answers and refusals. */
export class Responder {
  // Request ids are unique among restarts without costing a random number each.
  readonly #idPrefix = randomBytes(6).toString('base64url');
  #idCount = 0;

  constructor(readonly gateway: Gateway) {}

  serve(operation: Operation, request: FastifyRequest, reply: FastifyReply): void {
    const caller = this.caller(request, `${request.method} ${request.routeOptions.url ?? request.url}`);
    const query = request.method === 'GET' ? new URL(request.url, 'http://localhost').searchParams : undefined;
    const answer = this.gateway.call(operation, caller, () => decodeRequest(operation, (request.body as string | undefined) ?? '', query));
    const write = (settled: Answer) => {
      try {
        this.#write(operation, caller, request, reply, settled);
      } catch (thrown) {
        this.#writeRejection(caller, request, reply, this.gateway.defect(caller, thrown));
      }
    };
    if (answer instanceof Promise) void answer.then(write);
    else write(answer);
  }

  caller(request: FastifyRequest, endpoint: string): Caller {
    const { headers, socket } = request.raw;
    const idempotencyKey = headers['idempotency-key'];
    this.#idCount += 1;
    return {
      iface: 'rest',
      endpoint,
      requestId: `${this.#idPrefix}-${this.#idCount.toString(36)}`,
      peer: { address: socket.remoteAddress ?? '', loopback: isLoopback(socket.remoteAddress) },
      keyText: bearerOf(headers),
      ...(typeof idempotencyKey === 'string' ? { idempotencyKey } : {}),
    };
  }

  /** Refuses what never reached an operation. */
  reject(
    request: FastifyRequest,
    reply: FastifyReply,
    rejection: Rejection,
    caller = this.caller(request, `${request.method} ${request.url.slice(0, 200)}`),
  ): void {
    this.gateway.auditRejection(caller, rejection);
    this.#writeRejection(caller, request, reply, rejection);
  }

  /** Refuses what failed before it reached an operation, by a defect. */
  fail(request: FastifyRequest, reply: FastifyReply, thrown: unknown): void {
    const caller = this.caller(request, `${request.method} ${request.url.slice(0, 200)}`);
    this.reject(request, reply, this.gateway.defect(caller, thrown), caller);
  }

  #write(operation: Operation, caller: Caller, request: FastifyRequest, reply: FastifyReply, answer: Answer): void {
    if (answer instanceof Rejection) {
      this.#writeRejection(caller, request, reply, answer);
      return;
    }
    const int64: Int64Format = request.headers['x-svc-int64'] === 'string' ? 'string' : 'number';
    send(reply, 200, 'application/json', caller.requestId, writeEnvelope(operation, answer, int64));
  }

  #writeRejection(caller: Caller, request: FastifyRequest, reply: FastifyReply, rejection: Rejection): void {
    const { kind, details } = rejection;
    if (details.retryAfterSeconds !== undefined) void reply.header('retry-after', details.retryAfterSeconds);
    if (kind.http === 401) void reply.header('www-authenticate', 'Bearer');
    // The rest of an oversized body is not worth reading.
    if (kind.http === 413) void reply.header('connection', 'close');
    const problem = wantsProblem(request.headers);
    const body = problem ? writeProblem(rejection, caller.requestId) : writeError(rejection, caller.requestId);
    send(reply, kind.http, problem ? 'application/problem+json' : 'application/json', caller.requestId, body);
  }
}

function send(reply: FastifyReply, status: number, type: string, requestId: string, body: string): void {
  void reply.code(status).header('content-type', type).header('cache-control', 'no-store').header('x-request-id', requestId).send(body);
}
