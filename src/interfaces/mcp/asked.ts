import type { Message } from '@bufbuild/protobuf';
import type { ServerContext } from '@modelcontextprotocol/server';
import type { TrdAcc, TrdHeader } from '../../contract/generated/Trd_Common_pb.js';
import { emptyObject, type JsonObject } from '../../contract/json/value.js';
import type { Operation } from '../../contract/operation.js';
import type { Problem } from '../../contract/problem.js';
import { Rejection, rejectProblem } from '../../contract/rejection.js';
import { requestDecoder } from '../../contract/request.js';
import { toolExample } from '../../contract/tool-example.js';
import { addressByCard, type Caller } from '../../gateway/index.js';
import type { ToolArguments } from './arguments.js';
import type { Visitor } from './visitor.js';

/** One call of a tool, understood as far as its interface can. */
export interface Asked {
  /** The operation that answers. */
  readonly operation: Operation;
  /** The same with the shape that its arguments are read by. */
  readonly reading: Operation;
  readonly given: ToolArguments;
  /** The caller as this call names it: its own key, if it carries one. */
  readonly caller: Caller;
  readonly visitor: Visitor;
  readonly context: ServerContext;
  /** What a card number is looked for in; undefined where none is given. */
  readonly accounts?: readonly TrdAcc[] | Rejection;
  /** The client can put a question to a person. */
  readonly elicits: boolean;
}

/** The operation's `C2S`, or what is wrong with the arguments. */
export function decodeArguments({ reading, given, accounts }: Asked): Message | Rejection {
  const { body, cardNum } = given;
  if (cardNum === undefined || accounts === undefined) return decode(reading, body);
  if (accounts instanceof Rejection) return accounts;
  // 0 is no account: it stands for the one that the card names.
  const request = decode(reading, Object.assign(emptyObject(), { acc_id: 0 }, body));
  return request instanceof Rejection ? request : addressByCard(request as Message & { header?: TrdHeader }, cardNum, accounts);
}

function decode(reading: Operation, body: JsonObject): Message | Rejection {
  const decoded = requestDecoder(reading, 'mcp')(body);
  return decoded.ok ? decoded.value : rejectProblem(withExample(reading, decoded.problem));
}

/** A model that has left something out is shown a call that has everything. */
function withExample(operation: Operation, problem: Problem): Problem {
  const example = problem.kind === 'missing_field' ? toolExample(operation) : '';
  return example === '' ? problem : { ...problem, message: `${problem.message}; for example: ${example}` };
}

/**
 * The caller of one call. A key of the call's own takes the place of the session's, and its subscriptions belong to that key;
 * `signal` is aborted when the client takes the call back.
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
