import type { Message } from '@bufbuild/protobuf';
import type { Operation } from '@svc-gateway/contract/operation';
import type { Rejection } from '@svc-gateway/contract/rejection';
import type { CallContext, ResponseMessage } from '../backend.js';
import type { Caller, Identity } from '../identity.js';

/** Input of an operation that the gateway answers itself. */
export interface LocalCall {
  readonly operation: Operation;
  readonly request: Message;
  readonly identity: Identity;
  readonly caller: Caller;
  readonly context: CallContext;
}

export type LocalAnswer = ResponseMessage | Rejection;
export type LocalHandler = (call: LocalCall) => LocalAnswer | Promise<LocalAnswer>;

/** An operation that the gateway answers itself. */
export interface LocalOperation {
  readonly answer: LocalHandler;
  /** True if it is answered without the backend. */
  readonly alone: boolean;
}

/** By operation name. */
export type LocalOperations = Readonly<Record<string, LocalOperation>>;

/** An operation answered by the gateway alone. */
export function alone(answer: LocalHandler): LocalOperation {
  return { answer, alone: true };
}

/** An operation computed from the backend's answers. */
export function withBackend(answer: LocalHandler): LocalOperation {
  return { answer, alone: false };
}
