import { isMessage, type Message } from '@bufbuild/protobuf';
import { RetType } from '@svc-gateway/contract/generated/Common_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { shownMessage } from '@svc-gateway/contract/shown';
import type { ResponseMessage } from './backend.js';
import { type BackendFailure, BackendLost, BackendRefused, BackendTimeout } from './backend-failures.js';

/** Checks a backend's answer; see {@link answered}. Anything but a `Response` is a defect of the backend. */
export function checkAnswer(operation: Operation, answer: ResponseMessage): ResponseMessage {
  const { name, messages, effect } = operation;
  if (!isMessage(answer, messages.ResponseSchema)) throw new TypeError(`the backend answered ${name} with something that is no Response`);
  if (lacksPayload(operation, answer))
    throw unusable(name, 'without the payload that it answers with', effect === 'order' || effect === 'write');
  // A text that is there already: to set one changes which fields the answer has.
  const shown = shownMessage(answer.retMsg);
  if (shown !== answer.retMsg) answer.retMsg = shown;
  return answered(answer);
}

/** Whether a success lacks the payload of its operation: an empty list has one, so nobody knows what such an answer means. */
export function lacksPayload(operation: Pick<Operation, 'messages'>, answer: ResponseMessage): boolean {
  const { fields } = operation.messages.S2CSchema;
  const { s2c } = answer as ResponseMessage & { readonly s2c?: Message };
  return answer.retType === RetType.RetType_Succeed && fields.length > 0 && s2c === undefined;
}

/** The failure of a call whose answer came and says nothing; a write may have been carried out all the same. */
export function unusable(name: string, how: string, isWrite: boolean): BackendFailure {
  const message = `the server answered ${name} ${how}`;
  return isWrite ? new BackendLost(message) : new BackendRefused('backend.failed', message);
}

/**
 * An answer that is one. The public protocol has values of `retType` that say that there is none: these are thrown as the failures
 * that they are, since an order may have been placed all the same.
 */
export function answered(answer: ResponseMessage): ResponseMessage {
  if (answer.retType >= RetType.RetType_Failed) return answer;
  switch (answer.retType) {
    case RetType.RetType_TimeOut:
      throw new BackendTimeout(answer.retMsg || 'the backend did not get an answer in time');
    case RetType.RetType_DisConnect:
    case RetType.RetType_Unknown:
      throw new BackendLost(answer.retMsg || 'the backend does not know what became of the call');
    default:
      return answer;
  }
}
