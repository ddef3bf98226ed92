import type { Message } from '@bufbuild/protobuf';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { Operation } from '../../contract/operation.js';
import { type Rejection, rejectProblem } from '../../contract/rejection.js';
import { requestDecoder } from '../../contract/request.js';
import type { Caller } from '../../gateway/index.js';
import type { ToolArguments } from './arguments.js';
import type { Visitor } from './visitor.js';

/** One call of a tool, understood as far as its interface can. */
export interface Asked {
  readonly operation: Operation;
  readonly given: ToolArguments;
  /** The caller as this call names it: its own key, if it carries one. */
  readonly caller: Caller;
  readonly visitor: Visitor;
  readonly context: ServerContext;
  /** The client can put a question to a person. */
  readonly elicits: boolean;
}

/** The operation's `C2S`, or what is wrong with the arguments. */
export function decodeArguments({ operation, given }: Asked): Message | Rejection {
  const decoded = requestDecoder(operation, 'mcp')(given.body);
  return decoded.ok ? decoded.value : rejectProblem(decoded.problem);
}

/** A key of the call's own takes the place of the session's, and its subscriptions belong to that key. */
export function callerOf(caller: Caller, { apiKey, idempotencyKey }: ToolArguments): Caller {
  const named = idempotencyKey === undefined ? caller : { ...caller, idempotencyKey };
  if (apiKey === undefined) return named;
  const { connectionOwner: _, ...rest } = named;
  return { ...rest, keyText: apiKey };
}
