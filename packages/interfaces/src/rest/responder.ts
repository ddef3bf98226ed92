import type { IncomingMessage, ServerResponse } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { Operation, RestRoute } from '@svc-gateway/contract/operation';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Answer, Caller, Gateway, ResponseMessage } from '@svc-gateway/gateway';
import { type Body, bodyOf } from '../common/body.js';
import { HttpCallers } from '../common/callers.js';
import { type EnvelopeFormat, envelopeOf, writeEnvelope, writeLongEnvelope } from '../common/envelope.js';
import { writeError, writeProblem } from '../common/error-body.js';
import type { Exchange } from '../common/exchange.js';
import { bearerOf, wantsProblem } from '../common/http.js';
import { isLong, ownTurn } from '../common/long-answers.js';
import { answerFormat } from './answer-format.js';
import { decodeRequest } from './body.js';
import { RestCaller } from './caller.js';
import { drainOf } from './pieces.js';

/** Answers the requests of one route. `body`: undefined for GET, the refusal of one that was not read. */
export type RouteHandler = (exchange: Exchange, body: Buffer | Rejection | undefined) => void;

/** Writes answers and refusals. */
export class Responder {
  readonly #callers = new HttpCallers('rest');
  #closing = false;

  constructor(readonly gateway: Gateway) {}

  /** Makes each further answer its connection's last. */
  beginClosing(): void {
    this.#closing = true;
  }

  /** The handler of a route; what is the same for all its requests is made here. */
  route(operation: Operation, { method, path }: RestRoute): RouteHandler {
    const endpoint = `${method} ${path}`;
    return (exchange, body) => {
      const caller = this.caller(exchange, endpoint);
      const format = answerFormat(exchange.request);
      const decode = () => (format instanceof Rejection ? format : decodeRequest(operation, method, body, queryOf(exchange.request)));
      const answer = this.gateway.call(operation, caller, decode);
      if (answer instanceof Promise) void answer.then((settled) => this.answer(operation, caller, exchange, settled, format));
      else this.answer(operation, caller, exchange, answer, format);
    };
  }

  caller(exchange: Exchange, endpoint: string): Caller {
    const { request } = exchange;
    const { headers } = request;
    const idempotencyKey = headers['idempotency-key'];
    const named = typeof idempotencyKey === 'string' ? idempotencyKey : undefined;
    return new RestCaller(exchange, this.#callers.of(request, endpoint, bearerOf(headers), named));
  }

  /** Answers with a text of this type. */
  text({ response }: Exchange, status: number, type: string, text: string): void {
    const body = bodyOf(text);
    response.writeHead(status, { 'content-type': type, 'content-length': body.byteLength, 'cache-control': 'no-store' });
    response.end(body.text, body.encoding);
  }

  /** Answers with a payload that is JSON text already. */
  payload({ response }: Exchange, caller: Caller, s2c: string): void {
    this.#send(response, 200, 'application/json', caller.requestId, bodyOf(envelopeOf(s2c)));
  }

  /** Refuses what never reached an operation. */
  reject(
    exchange: Exchange,
    rejection: Rejection,
    caller = this.#callers.stray(exchange.request, bearerOf(exchange.request.headers)),
  ): void {
    this.gateway.admissions.recordRefusal(caller, rejection);
    this.#writeRejection(caller, exchange, rejection);
  }

  /** Refuses what failed before it reached an operation, by a defect. */
  fail(exchange: Exchange, thrown: unknown): void {
    const caller = this.#callers.stray(exchange.request, bearerOf(exchange.request.headers));
    this.reject(exchange, this.gateway.defect(caller, thrown), caller);
  }

  /** Writes the answer of an operation, in the format that its request asked for. */
  answer(operation: Operation, caller: Caller, exchange: Exchange, answer: Answer, format: EnvelopeFormat | Rejection): void {
    if (answer instanceof Rejection || format instanceof Rejection) {
      this.#writeRejection(caller, exchange, answer instanceof Rejection ? answer : (format as Rejection));
      return;
    }
    let body: Body;
    try {
      if (isLong(operation, answer)) {
        void this.#answerInPieces(operation, caller, exchange, answer, format);
        return;
      }
      body = writeEnvelope(operation, answer, format);
    } catch (thrown) {
      this.#writeRejection(caller, exchange, this.gateway.defect(caller, thrown));
      return;
    }
    this.#send(exchange.response, 200, 'application/json', caller.requestId, body);
  }

  /** Made as a whole before it is sent, so that its length and whether it can be made are known: but not in one turn. */
  async #answerInPieces(
    operation: Operation,
    caller: Caller,
    exchange: Exchange,
    answer: ResponseMessage,
    format: EnvelopeFormat,
  ): Promise<void> {
    const { response } = exchange;
    let pieces: readonly Buffer[] | undefined;
    try {
      pieces = await writeLongEnvelope(operation, answer, format, () => !response.destroyed);
    } catch (thrown) {
      this.#writeRejection(caller, exchange, this.gateway.defect(caller, thrown));
      return;
    }
    if (pieces === undefined || response.destroyed) return;
    const byteLength = pieces.reduce((sum, piece) => sum + piece.length, 0);
    this.#writeHead(response, 200, 'application/json', caller.requestId, byteLength);
    for (const piece of pieces) {
      if (!response.write(piece)) await drainOf(response);
      // A socket that takes all of it says so within the turn: without a break, so would every piece after it.
      await ownTurn();
      if (response.destroyed) return;
    }
    response.end();
  }

  #writeRejection(caller: Caller, { request, response }: Exchange, rejection: Rejection): void {
    const { kind, details } = rejection;
    if (details.retryAfterSeconds !== undefined) response.setHeader('retry-after', details.retryAfterSeconds);
    if (kind.http === 401) response.setHeader('www-authenticate', 'Bearer');
    const problem = wantsProblem(request.headers);
    const body = problem ? writeProblem(rejection, caller.requestId) : writeError(rejection, caller.requestId);
    this.#send(response, kind.http, problem ? 'application/problem+json' : 'application/json', caller.requestId, bodyOf(body));
  }

  #send(response: ServerResponse, status: number, type: string, requestId: string, { text, byteLength, encoding }: Body): void {
    // The client is gone, and node:http treats a write as an error.
    if (response.destroyed) return;
    this.#writeHead(response, status, type, requestId, byteLength);
    // A text, not bytes: node:http then puts head and body into one piece. `end` would send an empty second piece behind a text that it
    // is given, or that is not written yet, which costs a gathering write of two. Uncorked, the one piece is a plain write; over TLS,
    // whose writes end later in the turn, so does the answer.
    const { socket } = response;
    if (socket instanceof TLSSocket) {
      response.write(text, encoding, () => {
        if (!response.destroyed) response.end();
      });
      socket.uncork();
      return;
    }
    response.write(text, encoding);
    socket?.uncork();
    response.end();
  }

  #writeHead(response: ServerResponse, status: number, type: string, requestId: string, byteLength: number): void {
    if (this.#closing) response.setHeader('connection', 'close');
    // Answers to POST are not cached in any case (RFC 9110, section 9.3.3).
    if (response.req.method !== 'POST') response.setHeader('cache-control', 'no-store');
    response.writeHead(status, ['content-type', type, 'content-length', byteLength, 'x-request-id', requestId]);
  }
}

/** The text after the "?". */
function queryOf({ url = '/' }: IncomingMessage): string {
  const mark = url.indexOf('?');
  return mark === -1 ? '' : url.slice(mark + 1);
}
