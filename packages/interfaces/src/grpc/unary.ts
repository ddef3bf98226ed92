import { toBinary } from '@bufbuild/protobuf';
import type { ServerUnaryCall, sendUnaryData } from '@grpc/grpc-js';
import { protobufBody, readMessageRequest } from '@svc-gateway/contract/message-request';
import type { Operation } from '@svc-gateway/contract/operation';
import { metadata } from '@svc-gateway/contract/operations';
import type { ProtocolIds } from '@svc-gateway/contract/protocol-ids';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Answer, Caller, Gateway, ResponseMessage } from '@svc-gateway/gateway';
import { isLong } from '../common/long-answers.js';
import { answerRehabList, REHAB_LIST_ID, RehabListSchema } from '../common/rehab-list.js';
import type { Callers } from './caller.js';
import type { Connection, Connections } from './connections.js';
import { statusOf, trailerOf } from './status.js';
import { readGatewayRequest, wrapResponse, writeGatewayResponse, writeLongGatewayResponse } from './wire.js';

type Respond = sendUnaryData<Buffer>;
type Call = ServerUnaryCall<Buffer, Buffer>;

/** `Request`: serves any operation by its protocol id. */
export class Requests {
  constructor(
    private readonly gateway: Gateway,
    private readonly ids: ProtocolIds,
    private readonly callers: Callers,
    private readonly connections: Connections,
  ) {}

  readonly handle = (call: Call, respond: Respond): void => {
    const connection = this.connections.of(call.metadata);
    const request = connection.refusal ?? readGatewayRequest(call.request);
    if (request instanceof Rejection) {
      const caller = this.callers.of(call, 'Request');
      this.gateway.admissions.recordRefusal(caller, request);
      this.#refuse(caller, respond, request);
      return;
    }
    const { protoId, body } = request;
    if (protoId === REHAB_LIST_ID) {
      void this.#rehabList(this.callers.of(call, metadata.getRehab.name), respond, body);
      return;
    }
    const asked = readMessageRequest(this.ids, protoId, protobufBody(body));
    if (asked === undefined) {
      const caller = this.callers.of(call, `Request ${protoId}`);
      void this.#passOn(protoId, caller, respond, body);
      return;
    }
    const { operation, decode } = asked;
    const caller = this.callers.of(call, operation.name);
    const answer = this.gateway.call(operation, caller, decode);
    if (answer instanceof Promise) void answer.then((settled) => this.#answer(operation, caller, respond, connection, settled));
    else this.#answer(operation, caller, respond, connection, answer);
  };

  async #rehabList(caller: Caller, respond: Respond, body: Uint8Array): Promise<void> {
    try {
      const answer = await answerRehabList(this.gateway, caller, protobufBody(body));
      if (answer instanceof Rejection) this.#refuse(caller, respond, answer);
      else respond(null, wrapResponse(REHAB_LIST_ID, toBinary(RehabListSchema, answer)), trailerOf(caller.requestId));
    } catch (thrown) {
      this.#refuse(caller, respond, this.gateway.defect(caller, thrown));
    }
  }

  /** Passes on the bytes of an undeclared id, if the caller may do that. */
  async #passOn(protoId: number, caller: Caller, respond: Respond, body: Uint8Array): Promise<void> {
    try {
      const answer = await this.gateway.callUndeclared(protoId, caller, body);
      if (answer === undefined) this.#refuse(caller, respond, this.gateway.admissions.refuseUnmapped(caller, protoId));
      else if (answer instanceof Rejection) this.#refuse(caller, respond, answer);
      else respond(null, wrapResponse(protoId, answer), trailerOf(caller.requestId));
    } catch (thrown) {
      this.#refuse(caller, respond, this.gateway.defect(caller, thrown));
    }
  }

  #answer(operation: Operation, caller: Caller, respond: Respond, connection: Connection, answer: Answer): void {
    const settled = stillAnswered(operation, connection, answer);
    if (settled instanceof Rejection) {
      this.#refuse(caller, respond, settled);
      return;
    }
    let bytes: Buffer;
    try {
      if (isLong(operation, settled)) {
        connection.inTurn(() => this.#answerLong(operation, caller, respond, connection, settled));
        return;
      }
      bytes = writeGatewayResponse(operation, settled);
    } catch (thrown) {
      this.#refuse(caller, respond, this.gateway.defect(caller, thrown));
      return;
    }
    respond(null, bytes, trailerOf(caller.requestId));
  }

  async #answerLong(
    operation: Operation,
    caller: Caller,
    respond: Respond,
    connection: Connection,
    answer: ResponseMessage,
  ): Promise<void> {
    // In the meantime earlier answers may have filled the limit, or the caller may have left.
    const settled = stillAnswered(operation, connection, answer);
    if (settled instanceof Rejection) this.#refuse(caller, respond, settled);
    if (settled instanceof Rejection || caller.isGone?.()) return;
    let bytes: Buffer;
    try {
      bytes = await writeLongGatewayResponse(operation, settled);
    } catch (thrown) {
      this.#refuse(caller, respond, this.gateway.defect(caller, thrown));
      return;
    }
    respond(null, bytes, trailerOf(caller.requestId));
  }

  #refuse({ requestId }: Caller, respond: Respond, rejection: Rejection): void {
    respond(statusOf(rejection, requestId));
  }
}

/** Refuses an answer to a read if too much is unread by now: concurrent calls all began before anything waited. */
function stillAnswered({ effect }: Operation, connection: Connection, answer: Answer): Answer {
  return effect === 'read' ? (connection.refusal ?? answer) : answer;
}
