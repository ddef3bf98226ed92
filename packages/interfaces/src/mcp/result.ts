import type { Message } from '@bufbuild/protobuf';
import type { CallToolResult } from '@modelcontextprotocol/server';
import { refusalCode } from '@svc-gateway/contract/broker-codes';
import { withFields } from '@svc-gateway/contract/field-path';
import { messageWriter } from '@svc-gateway/contract/json/message-json';
import type { Int64Format } from '@svc-gateway/contract/json/scalars';
import type { Operation } from '@svc-gateway/contract/operation';
import type { Rejection } from '@svc-gateway/contract/rejection';
import type { ResponseMessage } from '@svc-gateway/gateway';
import { itemsOf, type Table } from './rows.js';

/** Extra fields of an answer, added to the payload's own. */
export interface ExtraFields {
  /** JSON texts by name. */
  readonly [name: string]: string;
}

/**
 * The answer of a tool: the payload as JSON text, exact to the last digit, and the same as structured content, where 64-bit
 * integers are strings, because the parsers that read it round numbers beyond 2^53.
 */
export function payloadResult(
  operation: Operation,
  payload: Message,
  int64: Int64Format,
  additions: ExtraFields = {},
  table?: Table,
): CallToolResult {
  const write = (format: Int64Format) => {
    const writer = messageWriter(operation.messages.S2CSchema, 'mcp', format);
    if (table === undefined) return withAdditions(writer(payload), additions);
    const rows = table.write(itemsOf(payload, table.localName), format);
    return withAdditions(writer(withFields(payload, { [table.localName]: undefined })), { [table.name]: rows, ...additions });
  };
  return { content: [{ type: 'text', text: write(int64) }], structuredContent: JSON.parse(write('string')) };
}

/** The answer of a tool, from a function that writes both texts. */
export function textResult(write: (int64: Int64Format) => string, int64: Int64Format): CallToolResult {
  return { content: [{ type: 'text', text: write(int64) }], structuredContent: JSON.parse(write('string')) };
}

function withAdditions(object: string, additions: ExtraFields): string {
  const added = Object.entries(additions).map(([name, json]) => `${JSON.stringify(name)}:${json}`);
  if (added.length === 0) return object;
  return object === '{}' ? `{${added.join(',')}}` : `${object.slice(0, -1)},${added.join(',')}}`;
}

/** A rejection by the gateway: `{error, status: "error", …}`. */
export function rejectionResult(rejection: Rejection, requestId: string): CallToolResult {
  return errorResult({ ...rejectionFields(rejection), request_id: requestId });
}

/** Text and code of a rejection, with the field and the seconds to wait where it has them. */
export function rejectionFields({ code, kind, message, details }: Rejection): ErrorFields {
  const prefix = kind.tool === undefined || message.startsWith(kind.tool) ? '' : `${kind.tool}: `;
  return {
    error: `${prefix}${message}`,
    code,
    ...(details.field ? { field: details.field } : {}),
    ...(details.retryAfterSeconds === undefined ? {} : { retry_after: details.retryAfterSeconds }),
  };
}

/** A refusal by the brokerage. */
export type Failed = Pick<ResponseMessage, 'retType' | 'retMsg' | 'errCode'>;

export function failureResult(response: Failed, requestId: string): CallToolResult {
  return errorResult({ ...failureFields(response), request_id: requestId });
}

/** Text, code and numbers of a refusal by the brokerage. */
export function failureFields(response: Failed): ErrorFields {
  const { code, errCode } = refusalCode(response);
  return { error: `backend proto error: ${response.retMsg}`, code, ret_type: response.retType, err_code: errCode };
}

type ErrorFields = { readonly error: string; readonly code: string } & Record<string, unknown>;

function errorResult(fields: { readonly error: string } & Record<string, unknown>): CallToolResult {
  const { error, ...rest } = fields;
  return { isError: true, content: [{ type: 'text', text: JSON.stringify({ error, status: 'error', ...rest }) }] };
}
