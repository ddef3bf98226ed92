import { isMessage } from '@bufbuild/protobuf';
import { RetType } from '../contract/generated/Common_pb.js';
import type { Operation } from '../contract/operation.js';
import { BackendLost, BackendTimeout, type ResponseMessage } from './backend.js';

/**
 * What a backend has answered, where it is an answer: see {@link answered}. What is no `Response` at all is a defect of the backend.
 */
export function checkAnswer({ name, messages }: Operation, answer: ResponseMessage): ResponseMessage {
  if (!isMessage(answer, messages.ResponseSchema)) throw new TypeError(`the backend answered ${name} with something that is no Response`);
  return answered(answer);
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
