import type { ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import { protobufBody, readMessageRequest } from '../../contract/message-request.js';
import type { Operation } from '../../contract/operation.js';
import type { ProtocolIds } from '../../contract/protocol-ids.js';
import { Rejection } from '../../contract/rejection.js';
import type { Answer, Caller, Gateway } from '../../gateway/index.js';
import type { Callers } from './caller.js';
import { statusOf, trailerOf } from './status.js';
import { readGatewayRequest, writeGatewayResponse } from './wire.js';

type Respond = sendUnaryData<Buffer>;

/** `Request`: any operation by its protocol id. */
export class Requests {
  readonly #gateway: Gateway;
  readonly #ids: ProtocolIds;
  readonly #callers: Callers;

  constructor(gateway: Gateway, ids: ProtocolIds, callers: Callers) {
    this.#gateway = gateway;
    this.#ids = ids;
    this.#callers = callers;
  }

  readonly handle = (call: ServerUnaryCall<Buffer, Buffer>, respond: Respond): void => {
    const request = readGatewayRequest(call.request);
    if (request instanceof Rejection) {
      const caller = this.#callers.of(call, 'Request');
      this.#gateway.auditRejection(caller, request);
      this.#refuse(caller, respond, request);
      return;
    }
    const { protoId, body } = request;
    const asked = readMessageRequest(this.#ids, protoId, protobufBody(body));
    if (asked === undefined) {
      const caller = this.#callers.of(call, `Request ${protoId}`);
      this.#refuse(caller, respond, this.#gateway.refuseUnmapped(caller, protoId));
      return;
    }
    const { operation, decode } = asked;
    const caller = this.#callers.of(call, operation.name);
    const answer = this.#gateway.call(operation, caller, decode);
    if (answer instanceof Promise) void answer.then((settled) => this.#answer(operation, caller, respond, settled));
    else this.#answer(operation, caller, respond, answer);
  };

  #answer(operation: Operation, caller: Caller, respond: Respond, answer: Answer): void {
    if (answer instanceof Rejection) {
      this.#refuse(caller, respond, answer);
      return;
    }
    const failed = (thrown: unknown) => this.#refuse(caller, respond, this.#gateway.defect(caller, thrown));
    const send = (bytes: Buffer) => respond(null, bytes, trailerOf(caller.requestId));
    let bytes: Buffer | Promise<Buffer>;
    try {
      bytes = writeGatewayResponse(operation, answer);
    } catch (thrown) {
      failed(thrown);
      return;
    }
    if (bytes instanceof Promise) void bytes.then(send, failed);
    else send(bytes);
  }

  #refuse({ requestId }: Caller, respond: Respond, rejection: Rejection): void {
    respond(statusOf(rejection, requestId));
  }
}
