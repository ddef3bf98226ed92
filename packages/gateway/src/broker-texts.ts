import { inCallersWords } from '@svc-gateway/contract/caller-words';
import type { Dialect } from '@svc-gateway/contract/enums';
import type { Operation } from '@svc-gateway/contract/operation';
import { writtenNamesOf } from '@svc-gateway/contract/written-names';
import type { ResponseMessage } from './backend.js';
import type { Caller, Iface } from './identity.js';
import { RET_SUCCEED, withMessage } from './responses.js';

/** Interfaces with words of their own; the others carry the public protocol. */
const dialects: Partial<Record<Iface, Dialect>> = { rest: 'rest', ws: 'rest', mcp: 'mcp' };

/** A text of the brokerage in the words of its caller's interface. `request`: the one that it is about. */
export function told(operation: Operation, { iface }: Pick<Caller, 'iface'>, text: string, request?: object): string {
  const dialect = dialects[iface];
  return dialect === undefined ? text : inCallersWords(operation, dialect, text, request && writtenNamesOf(request));
}

/** A refusal by the brokerage in the words of its caller's interface; any other answer as it is. */
export function toldAnswer(
  operation: Operation,
  caller: Pick<Caller, 'iface'>,
  answer: ResponseMessage,
  request: object | undefined,
): ResponseMessage {
  if (answer.retType === RET_SUCCEED) return answer;
  const text = told(operation, caller, answer.retMsg, request);
  return text === answer.retMsg ? answer : withMessage(answer, text);
}
