import type { Message } from '@bufbuild/protobuf';
import type { Operation } from '../../contract/operation.js';
import type { Rejection } from '../../contract/rejection.js';
import type { CallContext, ResponseMessage } from '../backend.js';
import type { Caller, Identity } from '../identity.js';

/** What an operation that the gateway answers itself is given. */
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
  /** It needs no backend, and is answered while that is away. */
  readonly alone: boolean;
}

/** By operation name. */
export type LocalOperations = Readonly<Record<string, LocalOperation>>;

/** What only the gateway knows. */
export function alone(answer: LocalHandler): LocalOperation {
  return { answer, alone: true };
}

/** What it makes of the backend's answers. */
export function withBackend(answer: LocalHandler): LocalOperation {
  return { answer, alone: false };
}
