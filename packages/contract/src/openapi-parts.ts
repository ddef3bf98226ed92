import type { Schema } from './json-schema.js';
import { refusalStatuses } from './rejection.js';

/** Parts of the OpenAPI document that are the same for all operations, and the paths that are none. */

export const commonSchemas: Record<string, Schema> = {
  Success: {
    type: 'object',
    description: 'The brokerage answered.',
    required: ['ret_type', 'ret_msg', 'err_code', 's2c'],
    properties: {
      ret_type: { type: 'integer', const: 0 },
      ret_msg: { type: ['string', 'null'], description: 'What was left out, if anything.' },
      err_code: { type: 'null' },
      s2c: { type: 'object' },
    },
  },
  Failure: {
    type: 'object',
    description: 'The request was carried out, and the brokerage refused: ret_type is not 0.',
    required: ['ret_type', 'ret_msg', 'err_code', 'code', 's2c'],
    properties: {
      ret_type: { type: 'integer', not: { const: 0 }, description: 'Never 0; usually -1.' },
      ret_msg: { type: 'string', description: 'Why.' },
      err_code: { type: ['integer', 'string'], description: 'The brokerage’s own number, or the code where it gives none.' },
      code: {
        type: 'string',
        description: 'Machine-readable: broker.lot_size, broker.buying_power, …; backend.refused where the reason has no code.',
      },
      s2c: { type: 'object', description: 'Usually empty.' },
    },
  },
  Error: {
    type: 'object',
    required: ['error', 'code', 'ret_type', 'ret_msg', 'err_code', 'request_id'],
    properties: {
      error: { type: 'string', description: 'What is wrong and what is accepted.' },
      code: { type: 'string', description: 'Machine-readable: request.unknown_field, auth.scope, limit.rate, …' },
      ret_type: { type: 'integer', const: -1 },
      ret_msg: { type: 'string' },
      err_code: { type: 'string' },
      request_id: { type: 'string', description: 'The request in logs and audit trail.' },
      field: { type: 'string', description: 'Path of the offending field.' },
      retry_after: { type: 'integer', description: 'Seconds after which the same request may pass.' },
    },
  },
  Problem: {
    type: 'object',
    description: 'RFC 9457, for clients that accept application/problem+json.',
    required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
    properties: {
      type: { type: 'string', description: 'urn:svc-gateway:problem: and the code.' },
      title: { type: 'string' },
      status: { type: 'integer' },
      detail: { type: 'string', description: 'What is wrong and what is accepted.' },
      code: { type: 'string', description: 'Machine-readable, as in Error.' },
      request_id: { type: 'string' },
      field: { type: 'string', description: 'Path of the offending field.' },
      retry_after: { type: 'integer', description: 'Seconds after which the same request may pass.' },
    },
  },
  Probe: {
    type: 'object',
    required: ['status', 'reason', 'lifecycle_state'],
    properties: {
      status: { type: 'string', enum: ['ok', 'unavailable'] },
      reason: { type: 'string' },
      lifecycle_state: { type: 'string', description: 'Of the connection to the backend: ready, reconnecting, …' },
      simulated: { type: 'boolean', description: 'True where nothing behind the gateway is real; absent elsewhere.' },
    },
  },
};

/** Headers that requests may carry. */
export const parameters = {
  Int64: {
    name: 'X-Svc-Int64',
    in: 'header',
    required: false,
    description: '`string` writes 64-bit integers as strings, for clients whose JSON parser loses precision.',
    schema: { type: 'string', enum: ['number', 'string'], default: 'number' },
  },
  Enums: {
    name: 'X-Svc-Enums',
    in: 'header',
    required: false,
    description: '`names` writes the members of enumerations in answers by name, in place of the numbers that this document shows.',
    schema: { type: 'string', enum: ['numbers', 'names'], default: 'numbers' },
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: 'Names this write: a repetition within 24 hours gets the first answer and has no further effect.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
};

export const headers = {
  RequestId: { description: 'The request in logs and audit trail.', schema: { type: 'string' } },
  IdempotentReplayed: {
    description: '`true` if this is the answer to an earlier request under the same Idempotency-Key; absent otherwise.',
    schema: { type: 'string', enum: ['true'] },
  },
  StaleMs: {
    description: 'Age of the answer in milliseconds, if it is an earlier one because the backend is away; absent otherwise.',
    schema: { type: 'integer' },
  },
  RetryAfter: { description: 'Seconds after which the same request may pass.', schema: { type: 'integer' } },
};

const errorContent = {
  'application/json': { schema: { $ref: '#/components/schemas/Error' } },
  'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
};
const requestId = { 'X-Request-Id': { $ref: '#/components/headers/RequestId' } };

export const responses = {
  Error: {
    description: 'Refused by the gateway; nothing happened unless the text says otherwise.',
    headers: requestId,
    content: errorContent,
  },
  Limited: {
    description: 'A limit of the key or the daemon tripped: `code` says which.',
    headers: { ...requestId, 'Retry-After': { $ref: '#/components/headers/RetryAfter' } },
    content: errorContent,
  },
};

const [CONFLICT, TOO_LARGE, LIMITED] = [409, 413, 429];

/** The refusals that an operation may answer with, by status: a body can be too large, and only a write can meet another. */
export function refusals({ hasBody, writes }: { readonly hasBody: boolean; readonly writes: boolean }): Schema {
  const possible = refusalStatuses.filter((status) => (status !== TOO_LARGE || hasBody) && (status !== CONFLICT || writes));
  return Object.fromEntries(
    possible.map((status) => [status, { $ref: `#/components/responses/${status === LIMITED ? 'Limited' : 'Error'}` }]),
  );
}

/** Tag of the paths that are no operations. */
export const PROBES = 'probes';

/** A path that is read without a key. */
function openPath(operationId: string, summary: string, description: string, responses: Schema): Schema {
  return { get: { operationId, summary, description, tags: [PROBES], security: [], responses } };
}

function probe(summary: string): Schema {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Probe' } } };
  return openPath(summary.toLowerCase().replace(/[^a-z]+/g, '_'), summary, `${summary}; 503 otherwise. Needs no key.`, {
    200: { description: 'Yes.', content },
    503: { description: 'No; see reason.', content },
  });
}

function page(description: string): Schema {
  return { 200: { description, content: { 'text/html': { schema: { type: 'string' } } } } };
}

export const probePaths: Record<string, Schema> = {
  '/livez': probe('Process is alive'),
  '/health': probe('Backend transport is up'),
  '/readyz': probe('Requests are served'),
  '/metrics': {
    get: {
      operationId: 'metrics',
      summary: 'Figures for Prometheus',
      description: 'Counters, gauges and histograms of the daemon.',
      tags: [PROBES],
      security: [{ key: [] }],
      responses: {
        200: { description: 'Prometheus text format.', content: { 'text/plain': { schema: { type: 'string' } } } },
        401: { $ref: '#/components/responses/Error' },
      },
    },
  },
  '/docs': openPath(
    'reference',
    'The reference for people',
    'Every operation with its fields, for people.',
    page('An HTML page that loads nothing else.'),
  ),
  '/console': openPath(
    'console',
    'The console for people',
    'A page with live quotes and accounts.',
    page('An HTML page that loads its own script and style.'),
  ),
  '/ws': {
    get: {
      operationId: 'push_stream',
      summary: 'Push stream (WebSocket upgrade)',
      description:
        'Key as Bearer header, as `?token=` or, of web pages, as the subprotocol `svc.key.<key>` beside `svc.push`. `?format=protobuf` sends bodies as base64 protobuf, `?int64=string` 64-bit integers as text.',
      tags: [PROBES],
      security: [{ key: [] }],
      parameters: [
        { name: 'token', in: 'query', required: false, schema: { type: 'string' } },
        { name: 'format', in: 'query', required: false, schema: { type: 'string', enum: ['json', 'protobuf'] } },
        { name: 'int64', in: 'query', required: false, schema: { type: 'string', enum: ['number', 'string'] } },
        { name: 'since', in: 'query', required: false, schema: { type: 'string' } },
      ],
      responses: {
        101: { description: 'Switching protocols.' },
        401: { $ref: '#/components/responses/Error' },
        403: { $ref: '#/components/responses/Error' },
      },
    },
  },
};
