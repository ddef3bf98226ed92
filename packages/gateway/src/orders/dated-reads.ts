import type { Message } from '@bufbuild/protobuf';
import type { Operation } from '@svc-gateway/contract/operation';
import type { Backend, CallContext, ResponseMessage } from '../backend.js';

/** An answer, and the moment at which it was asked for, of `Clock.monotonic`. */
export interface DatedAnswer {
  readonly response: ResponseMessage;
  readonly askedAt: number;
}

/**
 * Reads a list by whose age something is judged. Callers may share a list that is under way: it was asked for before the call.
 *
 * @param now of `Clock.monotonic`.
 */
export async function readDated(
  backend: Backend,
  operation: Operation,
  request: Message,
  { requestId, deadline, signal, owner, answerMs }: CallContext,
  now: number,
): Promise<DatedAnswer> {
  let askedAt = now;
  const onAsked = (at: number) => {
    askedAt = Math.min(now, at);
  };
  const response = await backend.call(operation, request, { requestId, deadline, signal, owner, answerMs, onAsked });
  return { response, askedAt };
}
