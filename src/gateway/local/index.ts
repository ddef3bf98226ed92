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
export type LocalHandlers = Readonly<Record<string, LocalHandler>>;
