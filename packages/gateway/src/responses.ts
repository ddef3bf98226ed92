import { create, type MessageShape } from '@bufbuild/protobuf';
import { withFields } from '@svc-gateway/contract/field-path';
import type { Operation, ProtocolMessages } from '@svc-gateway/contract/operation';
import type { Rejection } from '@svc-gateway/contract/rejection';
import { shownMessage } from '@svc-gateway/contract/shown';
import type { ResponseMessage } from './backend.js';

/** The end of a request: the operation's `Response`, or the gateway's refusal. */
export type Answer = ResponseMessage | Rejection;

/** The public protocol's RetType. */
export const RET_SUCCEED = 0;
const RET_FAILED = -1;

/** A successful answer with this payload. */
export function success<M extends ProtocolMessages>(operation: Operation<M>, s2c: MessageShape<M['S2CSchema']>): ResponseMessage {
  return create(operation.messages.ResponseSchema, { retType: RET_SUCCEED, s2c } as Record<string, unknown>) as ResponseMessage;
}

/** A business failure: the request was understood and refused. */
export function failure(operation: Operation, retMsg: string, errCode = 0): ResponseMessage {
  return create(operation.messages.ResponseSchema, { retType: RET_FAILED, retMsg: shownMessage(retMsg), errCode } as Record<
    string,
    unknown
  >) as ResponseMessage;
}

/** The same answer with another message. */
export function withMessage(response: ResponseMessage, retMsg: string): ResponseMessage {
  return withFields(response, { retMsg });
}

/** The payload of an answer, if it has one. */
export function payloadOf<M extends ProtocolMessages>(
  _operation: Operation<M>,
  response: ResponseMessage,
): MessageShape<M['S2CSchema']> | undefined {
  return (response as ResponseMessage & { s2c?: MessageShape<M['S2CSchema']> }).s2c;
}

/** The payload of a success; undefined for a refusal. */
export function successOf<M extends ProtocolMessages>(
  operation: Operation<M>,
  response: ResponseMessage,
): MessageShape<M['S2CSchema']> | undefined {
  return response.retType === RET_SUCCEED ? payloadOf(operation, response) : undefined;
}

/** Goes on with an answer: in the same turn where it is there. */
export function following<T, U>(answer: T | Promise<T>, next: (answered: T) => U | Promise<U>): U | Promise<U> {
  return answer instanceof Promise ? answer.then(next) : next(answer);
}
