import type { DescField } from '@bufbuild/protobuf';
import { currency } from './enums.js';
import { fieldSchema, MessageSchemas, type ObjectSchema, paramSchema, type Schema } from './json-schema.js';
import { snakeCase } from './names.js';
import { needHint } from './needs.js';
import type { Group, Operation } from './operation.js';
import { isRequired } from './required-params.js';
import { callerParams, type Param, withheldFields } from './shape.js';

/** A tool as `tools/list` of the Model Context Protocol has it. */
export interface ToolDescription {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON Schema 2020-12 of the arguments; aliases are in it. For what is required see {@link describeTool}. */
  readonly inputSchema: ObjectSchema;
  /** JSON Schema 2020-12 of the structured answer: one level of the payload, see {@link fullOutputSchema}. */
  readonly outputSchema: ObjectSchema;
  readonly annotations: ToolAnnotations;
}

/** What a tool does to the world, all hints given. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** What a tool takes beside the fields of its operation's shape, each with its schema. */
const extraSchemas = {
  // The name says it: a key for this call alone, before the session's.
  api_key: { type: 'string' },
  c2s_json: { type: 'string', description: 'The message as JSON text, instead of its fields.' },
  c2s: { type: 'object', description: 'c2s_json as an object.' },
  idempotency_key: { type: 'string', description: 'Names this write: a repetition within 24 hours gets the first answer.' },
  preview: { type: 'boolean', default: false, description: 'Only show value, fees and limits; nothing is sent.' },
  cursor: { type: 'string', description: 'page.next of a cut answer, given alone.' },
  card_num: { type: 'string', description: 'In place of acc_id: the card’s 16 digits, or the last 4.' },
  currency: { type: 'string', enum: currency.members.map(({ name }) => name), description: 'Only what is in this currency.' },
} as const satisfies Record<string, Schema>;

export type ExtraArgument = keyof typeof extraSchemas;

/** The extra arguments that an operation's tool takes. */
export function extraArguments(operation: Operation): readonly ExtraArgument[] {
  const { effect, messages, scope, shape } = operation;
  const withheld = withheldFields(operation, 'mcp');
  const takesMessage = messages.C2SSchema.fields.some((field) => !withheld.has(field.name));
  const writes = effect === 'order' || effect === 'write';
  const taken: Readonly<Record<ExtraArgument, boolean>> = {
    api_key: true,
    c2s_json: takesMessage,
    // Where the shape names nothing, a model is better off with an object than with text in text.
    c2s: takesMessage && shape.length === 0,
    idempotency_key: writes,
    preview: writes && scope.kind === 'byEnv',
    cursor: effect === 'read' && pagedFields(operation).length > 0,
    card_num: operation.byCard,
    currency: operation.byCurrency !== null,
  };
  return (Object.keys(taken) as ExtraArgument[]).filter((name) => taken[name]);
}

/** Every name that an operation's tool takes an argument by, each field's own name before its aliases. */
export function argumentNames(operation: Operation): ReadonlySet<string> {
  let names = namesOf.get(operation);
  if (names === undefined) {
    const params = [...callerParams(operation.shape, 'mcp'), ...otherFormParams(operation)];
    names = new Set([...params.flatMap((param) => [param.name, ...param.aliases]), ...wrapperOf(operation), ...extraArguments(operation)]);
    namesOf.set(operation, names);
  }
  return names;
}

function wrapperOf({ wrapper }: Operation): readonly string[] {
  return wrapper === null ? [] : [wrapper];
}

const namesOf = new WeakMap<Operation, ReadonlySet<string>>();

/** What only the other form of an operation's tool takes: giving one of these is asking in that form. */
export function otherFormParams({ shape, otherForm }: Operation): readonly Param[] {
  if (otherForm === null) return [];
  const own = new Set(callerParams(shape, 'mcp').flatMap((param) => [param.name, ...param.aliases]));
  return callerParams(otherForm.reading.shape, 'mcp').filter((param) => !own.has(param.name));
}

/** Lists of messages at the top of an operation's payload: what a large answer is cut by. */
export function pagedFields(operation: Operation): readonly (DescField & { fieldKind: 'list'; listKind: 'message' })[] {
  return operation.messages.S2CSchema.fields.filter((field) => field.fieldKind === 'list' && field.listKind === 'message');
}

const descriptions = new WeakMap<Operation, ToolDescription>();

/**
 * The tool of an operation that has one; made on first use. `required` names the arguments without which a call fails. The
 * reader of the arguments also takes the other ways of giving them (an alias, `c2s_json`, `cursor`): a schema cannot say so,
 * since clients take no alternatives at its root.
 */
export function describeTool(operation: Operation): ToolDescription {
  let description = descriptions.get(operation);
  if (description === undefined) {
    description = describe(operation);
    descriptions.set(operation, description);
  }
  return description;
}

function describe(operation: Operation): ToolDescription {
  const { tool, title, summary, guide } = operation;
  if (tool === null) throw new Error(`${operation.name} has no tool`);
  return {
    name: tool,
    title,
    description: `${summary} ${guide}`,
    inputSchema: inputSchema(operation),
    outputSchema: outputSchema(operation),
    annotations: annotationsOf(operation),
  };
}

function inputSchema(operation: Operation): ObjectSchema {
  const others = otherFormParams(operation);
  const params = [...callerParams(operation.shape, 'mcp'), ...others];
  const own = params.map((param): [string, Schema] => {
    const needed = others.includes(param) ? '' : needHint(operation.shape, operation.needs, param, 'mcp');
    return [param.name, argumentSchema(param, needed)];
  });
  const required = requiredArguments(operation).map(({ name }) => name);
  const extras = extraArguments(operation).map((name): [string, Schema] => [name, extraSchemas[name]]);
  const aliases = [...params.flatMap((param) => param.aliases), ...wrapperOf(operation)];
  return {
    type: 'object',
    properties: Object.fromEntries([...own, ...extras]),
    // Cheaper than a property for each; the reader looks at the values.
    ...(aliases.length === 0 ? {} : { patternProperties: { [`^(${aliases.join('|')})$`]: {} } }),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

/** The arguments without which a call fails. */
export function requiredArguments(operation: Operation): readonly Param[] {
  const params = callerParams(operation.shape, 'mcp').filter((param) => isRequired(operation, param));
  // A card may stand in for the account.
  return operation.byCard ? params.filter(({ field }) => field !== 'header.accID') : params;
}

function argumentSchema(param: Param, needed: string): Schema {
  const parts = [needed, param.about, param.aliases.length === 0 ? '' : `Also ${param.aliases.join(', ')}.`];
  const description = parts.filter((part) => part !== '').join(' ');
  return { ...paramSchema(param, 'mcp'), ...(description === '' ? {} : { description }) };
}

/** One level of the payload: a model sees the answer itself soon enough, and what is below would cost it more than the call. */
function outputSchema(operation: Operation): ObjectSchema {
  const answering = [...(operation.otherForm === null ? [] : [operation.otherForm.operation]), operation];
  const fields = answering.flatMap(({ messages }) => messages.S2CSchema.fields);
  const properties = Object.fromEntries(fields.map((field) => [snakeCase(field.name), flatSchema(field)]));
  const added = Object.keys(addedSchemas(operation)).map((name): [string, Schema] => [name, { type: 'object' }]);
  return { type: 'object', properties: { ...properties, ...Object.fromEntries(added) } };
}

/** What the gateway adds to a payload: where a large answer was cut, how the enumerations of a write were understood, what a subscription left out. */
function addedSchemas(operation: Operation): Record<string, Schema> {
  const { effect, shape } = operation;
  const text = { type: 'string' };
  const count = { type: 'integer', minimum: 0 };
  const page = {
    type: 'object',
    description: 'Only in an answer that was cut: call the tool with next as its cursor for what follows; null at the end.',
    properties: { list: text, returned: count, total: count, next: { type: ['string', 'null'] } },
    required: ['list', 'returned', 'total', 'next'],
  };
  const choices = callerParams(shape, 'mcp').flatMap(({ name, type }) => (type.kind === 'choice' ? [{ name, type }] : []));
  const understood = {
    type: 'object',
    description: 'The enumerations of the request by name, as they were understood.',
    properties: Object.fromEntries(
      choices.map(({ name, type }): [string, Schema] => [name, { enum: type.enumeration.members.map((member) => member.name) }]),
    ),
  };
  return {
    ...(extraArguments(operation).includes('cursor') ? { page } : {}),
    ...((effect === 'order' || effect === 'write') && choices.length > 0 ? { understood } : {}),
    ...(effect === 'subscription' ? { note: text } : {}),
  };
}

function flatSchema(field: DescField): Schema {
  if (field.fieldKind === 'list' && field.listKind === 'message') return { type: 'array' };
  return fieldSchema(field, 'mcp', () => ({ type: 'object' }));
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** The whole schema of a tool's structured answer, with every message in it. A preview is not such an answer. */
export function fullOutputSchema(operation: Operation): ObjectSchema {
  const messages = new MessageSchemas('mcp', '#/$defs/');
  const { properties, ...root } = messages.object(operation.messages.S2CSchema);
  return { $schema: DIALECT, ...root, properties: { ...properties, ...addedSchemas(operation) }, $defs: messages.schemas };
}

/** The whole schema of what a tool's `c2s_json` holds. */
export function fullInputSchema(operation: Operation): ObjectSchema {
  const messages = new MessageSchemas('mcp', '#/$defs/');
  const root = messages.object(operation.messages.C2SSchema, withheldFields(operation, 'mcp'));
  return { $schema: DIALECT, ...root, $defs: messages.schemas };
}

/** Groups whose tools touch nothing but the gateway and the caller's own accounts. All others bring what strangers wrote or move. */
const closedGroups: ReadonlySet<Group> = new Set<Group>(['system', 'subscription', 'account', 'admin']);

function annotationsOf({ effect, group, idempotent }: Operation): ToolAnnotations {
  return {
    readOnlyHint: effect === 'read',
    // A cancelled order cannot be brought back, and neither can what an order traded.
    destructiveHint: effect === 'order' || effect === 'write',
    idempotentHint: idempotent,
    openWorldHint: !closedGroups.has(group),
  };
}
