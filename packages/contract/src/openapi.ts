import type { DescMessage } from '@bufbuild/protobuf';
import { listAccepted, numberIn } from './enums.js';
import type { FieldCondition } from './field-condition.js';
import { isRequiredField } from './json/message-json.js';
import { MessageSchemas, messageLimits, nullable, type ObjectSchema, paramSchema, type Schema } from './json-schema.js';
import { snakeCase } from './names.js';
import { type Need, needHint } from './needs.js';
import { commonSchemas, headers, PROBES, parameters, probePaths, refusals, responses } from './openapi-parts.js';
import type { Operation, RestRoute } from './operation.js';
import { operations as declared } from './operations/index.js';
import { PREVIEW_PATH, previewPathObject, previewSchema } from './preview-path.js';
import { isRequired } from './required-params.js';
import { possibleScopes, type ScopeRule } from './scope.js';
import { callerParams, type Param } from './shape.js';

const PREFIX = '#/components/schemas/';

/** The messages of requests and those of answers: what is required differs. */
interface Messages {
  readonly asked: MessageSchemas;
  readonly answered: MessageSchemas;
}

interface OpenApiOptions {
  readonly version: string;
  /** Base URL of the paths, without a trailing slash. */
  readonly publicUrl?: string;
  readonly operations?: readonly Operation[];
}

/** The OpenAPI 3.1 document of the REST interface, made from the declarations alone. */
export function openApiDocument(options: OpenApiOptions) {
  const making = openApiSteps(options);
  for (;;) {
    const step = making.next();
    if (step.done) return step.value;
  }
}

/** The same, an operation at each step: the whole takes about a hundred milliseconds. */
export function* openApiSteps(options: OpenApiOptions) {
  const { operations = declared } = options;
  const schemas: Record<string, Schema> = { ...commonSchemas, Preview: previewSchema };
  const messages: Messages = {
    asked: new MessageSchemas('rest', PREFIX, 'request', schemas, 'Request'),
    answered: new MessageSchemas('rest', PREFIX, 'answer', schemas),
  };
  const paths: Record<string, Schema> = { ...probePaths, [PREVIEW_PATH]: previewPathObject(operations) };
  for (const operation of operations) {
    for (const route of operation.rest) {
      paths[route.path] = { ...paths[route.path], [route.method.toLowerCase()]: operationObject(operation, route, messages) };
    }
    yield '' as const;
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'svc-gateway',
      version: options.version,
      summary: 'Trading and market data over REST.',
      description:
        'HTTP 200 means that the request was carried out; `ret_type` says whether the brokerage accepted it (0 = success). ' +
        '64-bit integers are exact JSON numbers; send `X-Svc-Int64: string` for strings. Enumerations are numbers; send `X-Svc-Enums: names` for names in answers.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: options.publicUrl ?? '/' }],
    tags: [PROBES, ...new Set(operations.map((operation) => operation.group))].map((name) => ({ name })),
    paths,
    components: {
      schemas,
      parameters,
      securitySchemes: { key: { type: 'http', scheme: 'bearer', description: 'An API key.' } },
      responses,
      headers,
    },
  };
}

/** By what the request says which of the scopes it needs. */
function chosenBy(scope: ScopeRule): string {
  switch (scope.kind) {
    case 'anyOf':
      return '';
    case 'byEnv':
      return ', by the environment';
    case 'byField':
      return `, by ${scope.field}`;
  }
}

function operationObject(operation: Operation, route: RestRoute, messages: Messages): Schema {
  const params = callerParams(operation.shape, 'rest');
  const onlyRoute = operation.rest.length === 1;
  const suffix = onlyRoute ? '' : `_${route.method.toLowerCase()}${route.path.replace(/[^a-z]+/g, '_').replace(/^_api/, '')}`;
  const scope = `${possibleScopes(operation.scope).join(' or ')}${chosenBy(operation.scope)}`;
  const switches = operation.switches.length === 0 ? '' : ` Needs the start-up switch ${operation.switches.join(' and ')}.`;
  return {
    operationId: `${operation.name}${suffix}`,
    summary: operation.summary,
    description: `Scope: ${scope}.${switches}${operation.protoId === null ? '' : ` Protocol id ${operation.protoId}.`}`,
    tags: [operation.group],
    security: [{ key: [] }],
    ...requestOf(operation, route, params, messages.asked),
    responses: {
      200: {
        description: 'Answered by the brokerage: ret_type says whether it accepted.',
        headers: {
          'X-Request-Id': { $ref: '#/components/headers/RequestId' },
          ...(isWrite(operation) ? { 'Idempotent-Replayed': { $ref: '#/components/headers/IdempotentReplayed' } } : {}),
          ...(operation.effect === 'read' ? { 'X-Svc-Stale-Ms': { $ref: '#/components/headers/StaleMs' } } : {}),
        },
        content: { 'application/json': { schema: { anyOf: [success(operation, messages.answered), { $ref: `${PREFIX}Failure` }] } } },
      },
      ...refusals({ hasBody: route.method === 'POST', writes: isWrite(operation) }),
    },
  };
}

function isWrite({ effect }: Operation): boolean {
  return effect === 'order' || effect === 'write';
}

function requestOf(operation: Operation, { method }: RestRoute, params: readonly Param[], messages: MessageSchemas): Schema {
  const written = [{ $ref: '#/components/parameters/Int64' }, { $ref: '#/components/parameters/Enums' }];
  if (method === 'GET') return { parameters: [...written, ...params.map((param) => queryParameter(operation, param))] };
  const headers = isWrite(operation) ? [...written, { $ref: '#/components/parameters/IdempotencyKey' }] : written;
  return { parameters: headers, ...bodyOf(operation, params, messages) };
}

function queryParameter(operation: Operation, param: Param): Schema {
  return {
    name: param.name,
    in: 'query',
    required: isRequired(operation, param),
    description: describe(operation, param),
    schema: paramSchema(param, 'rest'),
  };
}

function bodyOf(operation: Operation, params: readonly Param[], messages: MessageSchemas): Schema {
  const lowLevel = lowLevelSchema(operation, messages);
  const { required: missing = [], properties: fields } = lowLevel;
  const properties: Record<string, Schema> = {};
  for (const param of params) {
    const schema = { ...paramSchema(param, 'rest'), description: describe(operation, param) };
    properties[param.name] = isRequired(operation, param) ? schema : nullable(schema);
  }
  for (const param of operation.withoutEffect?.shape ?? []) {
    properties[param.name] = {
      ...nullable(paramSchema(param, 'rest')),
      description: `Of another revision: checked, and no filter. ${acceptedText(param)}`.trimEnd(),
    };
  }
  const required = params.filter((param) => isRequired(operation, param)).map((param) => param.name);
  // The message's own required fields that have no other name.
  const named = new Set(operation.shape.filter((param) => params.includes(param) || param.hidden).map(({ field }) => field.split('.')[0]));
  for (const field of operation.messages.C2SSchema.fields) {
    const name = snakeCase(field.name);
    const schema = fields[name];
    if (schema === undefined || !isRequiredField(field) || named.has(field.name) || !(missing as string[]).includes(name)) continue;
    properties[name] = schema;
    required.push(name);
  }
  if (operation.wrapper !== null) {
    const inner = { ...fields, ...properties };
    properties[operation.wrapper] = {
      ...nullable({ type: 'object' }),
      description: 'The same fields.',
      properties: inner,
      additionalProperties: false,
    };
  }
  const friendly: Schema = { type: 'object', title: `${operation.name} (friendly)`, properties, additionalProperties: false };
  if (required.length > 0) friendly.required = required;
  const needs = operation.needs
    .filter(({ unspoken }) => unspoken !== true)
    .map((need) => needSchema(need, params))
    .filter((need) => need !== undefined);
  if (needs.length > 0) friendly.allOf = needs;
  const wrapped = {
    type: 'object',
    title: `${operation.name} (protocol)`,
    properties: { c2s: lowLevel },
    required: ['c2s'],
    additionalProperties: false,
  };
  const needed = required.length > 0 || operation.shape.some(({ type }) => type.kind === 'order_symbol');
  const schema: Schema = { anyOf: [friendly, wrapped, mixedSchema(operation, params, fields, messages)] };
  return { requestBody: { required: needed, content: { 'application/json': { schema: needed ? schema : nullable(schema) } } } };
}

/** Every name that the decoder takes, the message's own and those of callers, with all its spellings and wrapped in `c2s` or not. */
function mixedSchema(
  operation: Operation,
  params: readonly Param[],
  fields: Readonly<Record<string, Schema>>,
  messages: MessageSchemas,
): Schema {
  const name = `${operation.name}_mixed`;
  // By their text: a field is often the same under both of its names.
  const spellings = new Map<string, Map<string, Schema>>();
  const add = (spelling: string, given: Schema) => {
    const schema = nullable(given);
    spellings.set(spelling, (spellings.get(spelling) ?? new Map<string, Schema>()).set(JSON.stringify(schema), schema));
  };
  for (const param of params) {
    const own = fields[snakeCase(param.field)];
    const isSecurity = (param.type.kind === 'symbol' || param.type.kind === 'symbols') && own !== undefined;
    for (const spelling of [param.name, ...param.aliases]) {
      add(spelling, paramSchema(param, 'rest'));
      if (isSecurity && !(spelling in fields)) add(spelling, own);
    }
  }
  for (const [spelling, schema] of Object.entries(fields)) add(spelling, schema);
  for (const param of operation.withoutEffect?.shape ?? []) add(param.name, paramSchema(param, 'rest'));
  const properties: Record<string, Schema> = {};
  for (const [spelling, schemas] of spellings) {
    const [first = {}, ...more] = schemas.values();
    properties[spelling] = more.length === 0 ? first : { anyOf: [first, ...more] };
  }
  const self = { $ref: `${PREFIX}${name}` };
  for (const wrapper of ['c2s', ...(operation.wrapper === null ? [] : [operation.wrapper])]) properties[wrapper] = nullable(self);
  const title = `${operation.name} (any spelling)`;
  messages.schemas[name] = { type: 'object', title, properties, additionalProperties: false };
  return self;
}

/** The request in the message's own fields. What the shape fills in need not be given. */
function lowLevelSchema(operation: Operation, messages: MessageSchemas): ObjectSchema {
  const { shape, lowLevel } = operation;
  const { C2SSchema } = operation.messages;
  const defaults = new Set(shape.filter((param) => 'default' in param).map(({ field }) => field));
  const whole = C2SSchema.fields.filter(({ name }) => coversAll(C2SSchema, name, defaults)).map(({ name }) => name);
  return messages.object(C2SSchema, new Set(), new Set([...defaults, ...whole]), lowLevel, messageLimits(operation));
}

/** Whether everything that an inner message cannot do without is filled in. */
function coversAll(desc: DescMessage, name: string, filled: ReadonlySet<string>): boolean {
  const field = desc.fields.find((each) => each.name === name);
  if (field?.fieldKind !== 'message') return false;
  const required = field.message.fields.filter(isRequiredField);
  return required.length > 0 && required.every((inner) => filled.has(`${name}.${inner.name}`));
}

/** A need in JSON Schema: of objects that it applies to, one of its fields is required. undefined where callers have no name for them. */
function needSchema({ oneOf, when, unless }: Need, params: readonly Param[]): Schema | undefined {
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
  if (given.length === 0) return undefined;
  const [only, ...others] = [...given, ...excused];
  return only !== undefined && others.length === 0 ? only : { anyOf: [...given, ...excused] };
}

function describe({ shape, needs }: Operation, param: Param): string {
  const { about, aliases } = param;
  const also = aliases.length === 0 ? '' : `Also accepted as: ${aliases.join(', ')}.`;
  return [needHint(shape, needs, param, 'rest'), about, also, acceptedText(param)].filter((part) => part !== '').join(' ');
}

/** The numbers of an enumeration with their names, which a field's own text would hide. */
function acceptedText({ type }: Param): string {
  return type.kind === 'choice' ? `Accepted: ${listAccepted(type.enumeration, 'rest')}.` : '';
}

function success({ messages: { S2CSchema } }: Operation, messages: MessageSchemas): Schema {
  return { allOf: [{ $ref: `${PREFIX}Success` }, { type: 'object', required: ['s2c'], properties: { s2c: messages.refer(S2CSchema) } }] };
}
