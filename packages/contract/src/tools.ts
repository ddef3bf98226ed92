import { fieldSchema, MessageSchemas, type ObjectSchema, paramSchema, type Schema } from './json-schema.js';
import { memoized } from './memo.js';
import { snakeCase } from './names.js';
import { needHint } from './needs.js';
import type { Group, Operation } from './operation.js';
import { callerParams, type Param, withheldFields } from './shape.js';
import { aliasPattern, extraArguments, extraSchemas, isMessageTool, otherFormParams, requiredArguments } from './tool-arguments.js';

/** A tool as `tools/list` of the Model Context Protocol has it. */
export interface ToolDescription {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /**
   * JSON Schema 2020-12 of the arguments that a model gives. It names what a call needs and no more: aliases, the whole message
   * and the answer's schema are in {@link wholeTool}.
   */
  readonly inputSchema: ObjectSchema;
  /** Only the hints that differ from what the protocol takes for granted. */
  readonly annotations: ToolAnnotations;
}

/** Effects of a tool on the world; a missing hint has the protocol's default, which is the cautious one. */
export interface ToolAnnotations {
  readonly readOnlyHint?: true;
  readonly destructiveHint?: false;
  readonly idempotentHint?: true;
  readonly openWorldHint?: false;
}

/** URI prefix of the full explanation of a tool. */
export const TOOL_PREFIX = 'svc://tools/';

/**
 * The tool of an operation that has one, as briefly as a model can use it: every word here is read in every conversation.
 * `required` names the arguments without which a call fails. The reader of the arguments also takes the other ways of giving
 * them (an alias, `c2s_json`, `cursor`): a schema cannot say so, since clients take no alternatives at its root.
 */
export const describeTool = memoized((operation: Operation): ToolDescription => {
  const { tool, title } = operation;
  if (tool === null) throw new Error(`${operation.name} has no tool`);
  return { name: tool, title, description: briefGuide(operation), inputSchema: listedInput(operation), annotations: hints(operation) };
});

/** Words of a read's description in the list of tools. What the guide says beyond them is in the tool's resource. */
const WORDS_MAX = 22;

/** The summary and as many sentences of the guide as there is room for; what may cost money is explained whole. */
function briefGuide({ summary, guide, effect, tool }: Operation): string {
  if (effect === 'order' || effect === 'write') return `${summary} ${guide}`;
  const sentences = guide.split(/(?<=[.!?])\s+(?=\S)/);
  let description = summary;
  let taken = 0;
  for (const sentence of sentences) {
    if (wordCount(description) + wordCount(sentence) > WORDS_MAX) break;
    description += ` ${sentence}`;
    taken += 1;
  }
  return taken === sentences.length ? description : `${description} More: ${TOOL_PREFIX}${tool}`;
}

function wordCount(text: string): number {
  return text.split(/\s+/).length;
}

/** JSON text of a read's arguments in the list of tools, in characters: beyond it, optional arguments lose their texts, the last first. */
const INPUT_CHARACTERS_MAX = 440;

function listedInput(operation: Operation): ObjectSchema {
  const { shape, needs, effect } = operation;
  const others = otherFormParams(operation);
  const params = [...callerParams(shape, 'mcp'), ...others];
  const required = isMessageTool(operation) ? [] : requiredArguments(operation).map(({ name }) => name);
  const properties: Record<string, Schema> = {};
  for (const param of params) {
    const needed = others.includes(param) ? '' : needHint(shape, needs, param, 'mcp');
    const description = [needed, param.brief ?? param.about].filter((part) => part !== '').join(' ');
    properties[param.name] = { ...listedArgument(paramSchema(param, 'mcp')), ...(description === '' ? {} : { description }) };
  }
  Object.assign(properties, extraSchemas(operation, 'list'));
  const schema: ObjectSchema = { type: 'object', properties, ...(required.length === 0 ? {} : { required }) };
  if (effect === 'read') shorten(schema, new Set(required));
  return schema;
}

/** Names of an enumeration in the list of tools; of longer ones, the first as examples. */
const NAMES_MAX = 20;
const NAMES_SHOWN = 6;

function listedArgument(schema: Schema): Schema {
  const { enum: names, ...rest } = schema;
  if (!Array.isArray(names) || names.length <= NAMES_MAX) return schema;
  return { ...rest, examples: names.slice(0, NAMES_SHOWN) };
}

function shorten(schema: ObjectSchema, kept: ReadonlySet<string>): void {
  let length = JSON.stringify(schema).length;
  for (const [name, property] of Object.entries(schema.properties).reverse()) {
    if (length <= INPUT_CHARACTERS_MAX) return;
    if (kept.has(name) || typeof property.description !== 'string') continue;
    length -= property.description.length;
    delete property.description;
  }
}

/** Everything there is to know of a tool: the text of its resource. */
export interface WholeTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** Every argument with its text, aliases among them. */
  readonly inputSchema: ObjectSchema;
  /** Schema of `c2s_json`. */
  readonly message: ObjectSchema;
  /** The structured answer, with every message in it. A preview is not such an answer, and `fields` leaves out what it does not name. */
  readonly outputSchema: ObjectSchema;
}

export function wholeTool(operation: Operation): WholeTool {
  const { tool, title, summary, guide } = operation;
  if (tool === null) throw new Error(`${operation.name} has no tool`);
  return {
    name: tool,
    title,
    description: `${summary} ${guide}`,
    inputSchema: wholeInput(operation),
    message: fullInputSchema(operation),
    outputSchema: fullOutputSchema(operation),
  };
}

function wholeInput(operation: Operation): ObjectSchema {
  const others = otherFormParams(operation);
  const params = [...callerParams(operation.shape, 'mcp'), ...others];
  const own = params.map((param): [string, Schema] => {
    const needed = others.includes(param) ? '' : needHint(operation.shape, operation.needs, param, 'mcp');
    return [param.name, argumentSchema(param, needed)];
  });
  const required = requiredArguments(operation).map(({ name }) => name);
  return {
    type: 'object',
    properties: { ...Object.fromEntries(own), ...extraSchemas(operation, 'whole') },
    ...aliasPattern(params),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function argumentSchema(param: Param, needed: string): Schema {
  const parts = [needed, param.about, param.aliases.length === 0 ? '' : `Also ${param.aliases.join(', ')}.`];
  const description = parts.filter((part) => part !== '').join(' ');
  return { ...paramSchema(param, 'mcp'), ...(description === '' ? {} : { description }) };
}

/** The field of a tool's answer that says where it was cut: "page", or "cut" where the payload has a page of its own. */
export function cutField({ messages }: Operation): 'page' | 'cut' {
  return messages.S2CSchema.fields.some(({ name }) => name === 'page') ? 'cut' : 'page';
}

/** Fields that the gateway adds to a payload: where a large answer was cut, how the enumerations of a write were understood, and what a success says beside. */
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
    ...(extraArguments(operation).includes('cursor') ? { [cutField(operation)]: page } : {}),
    ...((effect === 'order' || effect === 'write') && choices.length > 0 ? { understood } : {}),
    note: text,
    ...besideSchemas(operation),
  };
}

/** Fields beside the payload that say what its figures leave open. */
function besideSchemas({ name }: Operation): Record<string, Schema> {
  const text = { type: 'string' };
  const about = (description: string) => ({ ...text, description });
  switch (name) {
    case 'get_kline':
    case 'get_history_kline':
      return {
        kl_type: text,
        rehab_type: about('The adjustment for corporate actions that the prices have.'),
        time_zone: about('The zone of the times.'),
        currency: about('The money of the prices.'),
      };
    case 'place_order':
      return {
        order_status: about('How the order stood right after it was accepted.'),
        market_state: text,
        note: about('Where the market is closed: nothing has traded.'),
      };
    default:
      return {};
  }
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/** The whole schema of a tool's structured answer, with every message in it. A preview is not such an answer. */
export function fullOutputSchema(operation: Operation): ObjectSchema {
  const messages = new MessageSchemas('mcp', '#/$defs/');
  const { properties, ...root } = messages.object(operation.messages.S2CSchema);
  const written = { ...properties, ...rowsSchema(operation, properties), ...addedSchemas(operation) };
  return { $schema: DIALECT, ...root, properties: written, $defs: messages.schemas };
}

/** A list that is written as rows unless it is asked for otherwise. */
function rowsSchema({ rows, messages }: Operation, properties: Record<string, Schema>): Record<string, Schema> {
  const field = messages.S2CSchema.fields.find(({ name }) => name === rows?.list);
  if (rows === null || field?.message === undefined) return {};
  const items = field.message.fields.map((each) => fieldSchema(each, 'mcp', () => ({ type: 'object' })));
  const table = {
    type: 'object',
    description: 'The names of the columns, and a row of values for each record.',
    properties: {
      columns: { type: 'array', items: { type: 'string', enum: field.message.fields.map(({ name }) => snakeCase(name)) } },
      rows: { type: 'array', items: { type: 'array', items: { anyOf: [...items, { type: 'null' }] } } },
    },
    required: ['columns', 'rows'],
  };
  const name = snakeCase(rows.list);
  return { [name]: { anyOf: [table, properties[name] ?? {}] } };
}

/** The whole schema of what a tool's `c2s_json` holds. */
export function fullInputSchema(operation: Operation): ObjectSchema {
  const messages = new MessageSchemas('mcp', '#/$defs/');
  const root = messages.object(operation.messages.C2SSchema, withheldFields(operation, 'mcp'));
  return { $schema: DIALECT, ...root, $defs: messages.schemas };
}

/** Groups whose tools touch nothing but the gateway and the caller's own accounts. All others bring what strangers wrote or move. */
const closedGroups: ReadonlySet<Group> = new Set<Group>(['system', 'subscription', 'account', 'admin']);

function hints({ effect, group, idempotent }: Operation): ToolAnnotations {
  const closed = closedGroups.has(group) ? { openWorldHint: false as const } : {};
  if (effect === 'read') return { readOnlyHint: true, ...closed };
  return {
    // A cancelled order cannot be brought back, and neither can what an order traded.
    ...(effect === 'subscription' ? { destructiveHint: false as const } : {}),
    ...(idempotent ? { idempotentHint: true as const } : {}),
    ...closed,
  };
}
