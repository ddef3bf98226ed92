import type { Message } from '@bufbuild/protobuf';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { TrdAcc, TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import { emptyObject, type JsonObject } from '@svc-gateway/contract/json/value';
import type { Operation } from '@svc-gateway/contract/operation';
import { exemplified, type Problem } from '@svc-gateway/contract/problem';
import { Rejection, rejectProblem } from '@svc-gateway/contract/rejection';
import { requestDecoder } from '@svc-gateway/contract/request';
import { toolExample } from '@svc-gateway/contract/tool-example';
import { addressByCard, type Caller } from '@svc-gateway/gateway';
import type { ToolArguments } from './arguments.js';
import type { McpCaller } from './mcp-caller.js';

/** One call of a tool, with its arguments parsed. */
export interface ToolCall {
  /** The operation that is executed. */
  readonly operation: Operation;
  /** The same operation with the shape by which the arguments are decoded. */
  readonly reading: Operation;
  readonly given: ToolArguments;
  /** The caller, with the key of the call if it has one. */
  readonly caller: Caller;
  readonly mcpCaller: McpCaller;
  readonly context: ServerContext;
  /** Accounts to search for the card number; undefined if none is given. */
  readonly accounts?: readonly TrdAcc[] | Rejection;
  /** True if the client can ask a person. */
  readonly elicits: boolean;
}

/** Decodes the operation's `C2S`, or rejects the arguments. */
export function decodeArguments({ reading, given, accounts }: ToolCall): Message | Rejection {
  const { body, cardNum } = given;
  if (cardNum === undefined || accounts === undefined) return decode(reading, body);
  if (accounts instanceof Rejection) return accounts;
  // Placeholder for the account of the card.
  const request = decode(reading, Object.assign(emptyObject(), { acc_id: 0 }, body));
  return request instanceof Rejection ? request : addressByCard(request as Message & { header?: TrdHeader }, cardNum, accounts);
}

function decode(reading: Operation, body: JsonObject): Message | Rejection {
  const decoded = requestDecoder(reading, 'mcp')(body);
  return decoded.ok ? decoded.value : rejectProblem(withExample(reading, decoded.problem));
}

/** Adds an example call to the error about a missing field. */
function withExample(operation: Operation, problem: Problem): Problem {
  return problem.kind === 'missing_field' ? exemplified(problem, toolExample(operation)) : problem;
}

/**
 * The caller of one call. A key in the call replaces the session's, and its subscriptions belong to that key;
 * `signal` is aborted when the client cancels.
 */
export function callerOf(caller: Caller, { apiKey, idempotencyKey }: ToolArguments, signal: AbortSignal): Caller {
  const waiting: Caller = {
    ...caller,
    isGone: () => signal.aborted,
    onGone(listener) {
      signal.addEventListener('abort', listener, { once: true });
      return () => signal.removeEventListener('abort', listener);
    },
  };
  const named = idempotencyKey === undefined ? waiting : { ...waiting, idempotencyKey };
  if (apiKey === undefined) return named;
  const { connectionOwner: _, ...rest } = named;
  return { ...rest, keyText: apiKey };
}
