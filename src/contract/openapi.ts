import { numberIn } from './enums.js';
import type { FieldCondition } from './field-condition.js';
import { MessageSchemas, paramSchema, type Schema } from './json-schema.js';
import { type Need, needHint } from './needs.js';
import type { Operation, RestRoute } from './operation.js';
import { operations as declared } from './operations/index.js';
import { callerParams, type Param } from './shape.js';

/** The OpenAPI 3.1 document of the REST interface, as JSON text, made from the declarations alone. */
export function openApi(options: { readonly version: string; readonly operations?: readonly Operation[] }): string {
  const { operations = declared } = options;
  const messages = new MessageSchemas('rest', '#/components/schemas/', { ...commonSchemas });
  const paths: Record<string, Schema> = { ...probePaths };
  for (const operation of operations) {
    for (const route of operation.rest) {
      paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationObject(operation, route, messages) };
    }
  }
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'svc-gateway',
      version: options.version,
      summary: 'Trading and market data over REST.',
      description:
        'HTTP 200 says that the request was carried out as asked; whether the brokerage accepted it is said by `ret_type` (0 = success). ' +
        '64-bit integers are exact JSON numbers; send `X-Svc-Int64: string` to get them as strings.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: [...new Set(operations.map((operation) => operation.group))].map((name) => ({ name })),
    paths,
    components: {
      schemas: messages.schemas,
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key.' } },
      responses,
    },
  };
  return JSON.stringify(document);
}

function operationObject(operation: Operation, route: RestRoute, messages: MessageSchemas): Schema {
  const params = callerParams(operation.shape, 'rest');
  const onlyRoute = operation.rest.length === 1;
  const suffix = onlyRoute ? '' : `_${route.method.toLowerCase()}${route.path.replace(/[^a-z]+/g, '_').replace(/^_api/, '')}`;
  const scope = operation.scope.kind === 'anyOf' ? operation.scope.anyOf.join(' or ') : 'trade:simulate or trade:real, by the environment';
  const switches = operation.switches.length === 0 ? '' : ` Needs the start-up switch ${operation.switches.join(' and ')}.`;
  return {
    operationId: `${operation.name}${suffix}`,
    summary: operation.summary,
    description: `Scope: ${scope}.${switches}${operation.protoId === null ? '' : ` Protocol id ${operation.protoId}.`}`,
    tags: [operation.group],
    security: [{ key: [] }],
    ...(route.method === 'GET' ? queryParameters(params) : bodyOf(operation, params, messages)),
    responses: {
      200: {
        description: 'Carried out; see ret_type.',
        content: { 'application/json': { schema: envelope(messages.refer(operation.messages.S2CSchema)) } },
      },
      ...Object.fromEntries(
        ['400', '401', '403', '413', '429', '500', '503'].map((status) => [status, { $ref: '#/components/responses/Error' }]),
      ),
    },
  };
}

function queryParameters(params: readonly Param[]): Schema {
  if (params.length === 0) return {};
  return {
    parameters: params.map((param) => ({
      name: param.name,
      in: 'query',
      required: false,
      description: param.about,
      schema: paramSchema(param, 'rest'),
    })),
  };
}

function bodyOf(operation: Operation, params: readonly Param[], messages: MessageSchemas): Schema {
  const writes = operation.effect === 'order' || operation.effect === 'write';
  const idempotency = {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description: 'Names this write: a repetition within 24 hours gets the first answer and has no further effect.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  };
  const properties: Record<string, Schema> = {};
  for (const param of params) properties[param.name] = { ...paramSchema(param, 'rest'), description: describe(operation, param) };
  const friendly: Schema = { type: 'object', title: `${operation.name} (friendly)`, properties, additionalProperties: false };
  const required = params.filter((param) => param.required && !('default' in param)).map((param) => param.name);
  if (required.length > 0) friendly.required = required;
  const needs = operation.needs.map((need) => needSchema(need, params));
  if (needs.length > 0) friendly.allOf = needs;
  const lowLevel = {
    type: 'object',
    title: `${operation.name} (protocol)`,
    properties: { c2s: messages.refer(operation.messages.C2SSchema) },
    required: ['c2s'],
    additionalProperties: false,
  };
  return {
    ...(writes ? { parameters: [idempotency] } : {}),
    requestBody: { required: required.length > 0, content: { 'application/json': { schema: { anyOf: [friendly, lowLevel] } } } },
  };
}

/** A need in JSON Schema: of objects that it applies to, one of its fields is required. */
function needSchema({ oneOf, when, unless }: Need, params: readonly Param[]): Schema {
  const given: Schema[] = params.filter(({ field }) => oneOf.includes(field)).map(({ name }) => ({ required: [name] }));
  const says = ({ field, is }: FieldCondition): Schema[] => {
    const param = params.find((one) => one.field === field);
    if (param === undefined || is === 'empty') return [];
    const member = param.type.kind === 'choice' ? param.type.enumeration.members.find((one) => one.public === is) : undefined;
    const value = member === undefined ? is : numberIn(member, 'rest');
    return [{ properties: { [param.name]: { const: value } }, required: [param.name] }];
  };
  const excused = [
    ...(unless === undefined ? [] : says(unless)),
    ...(when === undefined ? [] : says(when).map((schema) => ({ not: schema }))),
  ];
  return { anyOf: [...given, ...excused] };
}

function describe({ shape, needs }: Operation, param: Param): string {
  const { about, aliases } = param;
  const also = aliases.length === 0 ? '' : `Also accepted as: ${aliases.join(', ')}.`;
  return [needHint(shape, needs, param, 'rest'), about, also].filter((part) => part !== '').join(' ');
}

function envelope(s2c: Schema): Schema {
  return { allOf: [{ $ref: '#/components/schemas/Envelope' }, { type: 'object', properties: { s2c } }] };
}

const commonSchemas: Record<string, Schema> = {
  Envelope: {
    type: 'object',
    required: ['ret_type', 'ret_msg', 'err_code', 's2c'],
    properties: {
      ret_type: { type: 'integer', description: '0 = success; anything else is a business failure.' },
      ret_msg: { type: ['string', 'null'], description: 'Failure text.' },
      err_code: { type: ['integer', 'string', 'null'], description: 'Failure code.' },
      s2c: { type: 'object' },
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
      field: { type: 'string', description: 'Path of the field at fault.' },
      retry_after: { type: 'integer', description: 'Seconds after which the same request may pass.' },
    },
  },
  Probe: {
    type: 'object',
    required: ['status', 'reason'],
    properties: { status: { type: 'string', enum: ['ok', 'unavailable'] }, reason: { type: 'string' } },
  },
};

const responses = {
  Error: {
    description: 'Refused by the gateway; nothing happened unless the text says otherwise.',
    content: {
      'application/json': { schema: { $ref: '#/components/schemas/Error' } },
      'application/problem+json': { schema: { type: 'object', description: 'RFC 9457, with the same code and request_id.' } },
    },
  },
};

function probe(summary: string): Schema {
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Probe' } } };
  const operationId = summary.toLowerCase().replace(/[^a-z]+/g, '_');
  return {
    get: {
      operationId,
      summary,
      security: [],
      responses: { 200: { description: 'Yes.', content }, 503: { description: 'No; see reason.', content } },
    },
  };
}

const probePaths: Record<string, Schema> = {
  '/livez': probe('Process is alive'),
  '/health': probe('Backend transport is up'),
  '/readyz': probe('Requests are served'),
  '/metrics': {
    get: {
      operationId: 'metrics',
      summary: 'Figures for Prometheus',
      security: [{ key: [] }],
      responses: {
        200: { description: 'Prometheus text format.', content: { 'text/plain': { schema: { type: 'string' } } } },
        401: { $ref: '#/components/responses/Error' },
      },
    },
  },
  '/ws': {
    get: {
      operationId: 'push_stream',
      summary: 'Push stream (WebSocket upgrade)',
      description:
        'Key as Bearer header or `?token=`. `?format=protobuf` sends bodies as base64 protobuf, `?int64=string` 64-bit integers as text.',
      security: [{ key: [] }],
      parameters: [
        { name: 'token', in: 'query', required: false, schema: { type: 'string' } },
        { name: 'format', in: 'query', required: false, schema: { type: 'string', enum: ['json', 'protobuf'] } },
        { name: 'int64', in: 'query', required: false, schema: { type: 'string', enum: ['number', 'string'] } },
      ],
      responses: {
        101: { description: 'Switching protocols.' },
        401: { $ref: '#/components/responses/Error' },
        403: { $ref: '#/components/responses/Error' },
      },
    },
  },
};
