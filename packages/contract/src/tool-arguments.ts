import type { DescField } from '@bufbuild/protobuf';
import { currency } from './enums.js';
import type { ObjectSchema, Schema } from './json-schema.js';
import { memoized } from './memo.js';
import type { Group, Operation } from './operation.js';
import { hasPreview } from './preview-path.js';
import { isRequired } from './required-params.js';
import { callerParams, type Param, withheldFields } from './shape.js';

/** Argument of a tool beside the fields of its operation's shape. */
interface Extra {
  readonly schema: Schema;
  /** Its text in a tool's whole description. */
  readonly about: string;
  /** Short text for the list of tools. Undefined: not listed at all; a caller who needs it knows it from the documents. */
  readonly brief?: string;
  readonly isTaken: (operation: Operation) => boolean;
  /** Whether the list of tools tells of it, of the tools that take it; always where this is undefined. */
  readonly isListed?: (operation: Operation) => boolean;
}

const text = { type: 'string' } as const;
const writes = ({ effect }: Operation) => effect === 'order' || effect === 'write';
const lists = (operation: Operation) => operation.effect === 'read' && pagedFields(operation).length > 0;

const messageGroups: ReadonlySet<Group> = new Set<Group>(['ranking', 'institution', 'industry', 'extension', 'news', 'forex_account']);
const messageNames: ReadonlySet<string> = new Set([
  ...['etf_screen', 'fund_screen', 'future_screen', 'bond_screen'],
  ...['get_option_quote', 'get_option_strategy', 'get_option_strategy_analysis'],
]);

/** Tools that the specification knows by `c2s_json`: their callers may give the message alone, so that no other argument is required. */
export function isMessageTool(operation: Operation): boolean {
  return takesMessage(operation) && (messageGroups.has(operation.group) || messageNames.has(operation.name));
}

/** Whether an operation's message has a field that a tool may set. */
function takesMessage(operation: Operation): boolean {
  const withheld = withheldFields(operation, 'mcp');
  return operation.messages.C2SSchema.fields.some((field) => !withheld.has(field.name));
}

/** Whether a message holds lists of messages that the shape has no argument for. */
function holdsMore({ messages, shape }: Operation): boolean {
  const named = new Set(shape.map(({ field }) => field.split('.')[0]));
  return messages.C2SSchema.fields.some((field) => field.fieldKind === 'list' && field.listKind === 'message' && !named.has(field.name));
}

const extras = {
  api_key: {
    schema: text,
    about: 'A key for this call alone, before the session’s.',
    brief: '',
    isTaken: () => true,
    isListed: (operation) => isMessageTool(operation) || operation.byCard || operation.name === 'get_positions',
  },
  c2s_json: {
    schema: text,
    about: 'The whole message as JSON text, instead of the other arguments.',
    brief: '',
    isTaken: takesMessage,
    isListed: isMessageTool,
  },
  c2s: {
    schema: { type: 'object' },
    about: 'The whole message, instead of the other arguments.',
    brief: 'The whole message, instead of the other arguments.',
    // Where the shape does not say it all, a model is better off with an object than with text in text.
    isTaken: (operation) => takesMessage(operation) && (operation.shape.length === 0 || holdsMore(operation)),
  },
  idempotency_key: {
    schema: text,
    about: 'Names this write: a repetition within 24 hours gets the first answer.',
    brief: 'A repetition within 24 hours gets the first answer.',
    isTaken: writes,
  },
  preview: {
    schema: { type: 'boolean' },
    about: 'Only show value, fees and limits; nothing is sent.',
    brief: 'Only show value, fees and limits; nothing is sent.',
    isTaken: hasPreview,
  },
  fields: {
    schema: text,
    about: 'Names of the fields wanted of each record, separated by commas; "basic.cur_price" for one inside another. All when omitted.',
    brief: '',
    isTaken: lists,
  },
  limit: {
    schema: { type: 'integer', minimum: 1 },
    about: 'Most records of one page; the rest is had by its cursor.',
    brief: '',
    isTaken: lists,
  },
  cursor: { schema: text, about: 'page.next of a cut answer, given alone.', brief: '', isTaken: lists },
  format: {
    schema: { type: 'string', enum: ['rows', 'objects'], default: 'rows' },
    about: 'rows: bars as arrays of values under one header; objects: each as an object with every field.',
    isTaken: ({ rows }) => rows !== null,
  },
  card_num: {
    schema: text,
    about: 'In place of acc_id: the card’s 16 digits, or the last 4.',
    brief: 'In place of acc_id: the card’s 16 digits, or the last 4.',
    isTaken: ({ byCard }) => byCard,
  },
  currency: {
    schema: { type: 'string', enum: currency.members.map(({ name }) => name) },
    about: 'Only what is in this currency.',
    brief: 'Only what is in this currency.',
    isTaken: ({ byCurrency }) => byCurrency !== null,
  },
} as const satisfies Record<string, Extra>;

export type ExtraArgument = keyof typeof extras;

/** The extra arguments that an operation's tool takes; a field of its own shape goes before one of these. */
export function extraArguments(operation: Operation): readonly ExtraArgument[] {
  const own = new Set([...callerParams(operation.shape, 'mcp'), ...otherFormParams(operation)].flatMap(namesOfParam));
  return (Object.keys(extras) as ExtraArgument[]).filter((name) => (extras[name] as Extra).isTaken(operation) && !own.has(name));
}

/** Their schemas: all of them with their texts, or those that the list of tools tells of, in its words. */
export function extraSchemas(operation: Operation, where: 'list' | 'whole'): Record<string, Schema> {
  const entries = extraArguments(operation).flatMap((name): [string, Schema][] => {
    const { schema, about, brief, isListed }: Extra = extras[name];
    if (where === 'whole') return [[name, { ...schema, description: about }]];
    if (brief === undefined || isListed?.(operation) === false) return [];
    return [[name, { type: schema.type, ...schema, ...(brief === '' ? {} : { description: brief }) } as Schema]];
  });
  return Object.fromEntries(entries);
}

/** Every name that an operation's tool takes an argument by, each field's own name before its aliases. */
export const argumentNames = memoized((operation: Operation): ReadonlySet<string> => {
  const params = [...callerParams(operation.shape, 'mcp'), ...otherFormParams(operation)];
  return new Set([...params.flatMap(namesOfParam), ...extraArguments(operation)]);
});

function namesOfParam({ name, aliases }: Param): readonly string[] {
  return [name, ...aliases];
}

/** Parameters that only the other form of an operation's tool takes: giving one selects that form. */
export function otherFormParams({ shape, otherForm }: Operation): readonly Param[] {
  if (otherForm === null) return [];
  const own = new Set(callerParams(shape, 'mcp').flatMap(namesOfParam));
  return callerParams(otherForm.reading.shape, 'mcp').filter((param) => !own.has(param.name));
}

/** The arguments without which a call fails. */
export function requiredArguments(operation: Operation): readonly Param[] {
  const params = callerParams(operation.shape, 'mcp').filter((param) => isRequired(operation, param));
  // A card may stand in for the account.
  return operation.byCard ? params.filter(({ field }) => field !== 'header.accID') : params;
}

/** Lists of messages at the top of an operation's payload: what a large answer is cut by. */
export function pagedFields(operation: Operation): readonly (DescField & { fieldKind: 'list'; listKind: 'message' })[] {
  return operation.messages.S2CSchema.fields.filter((field) => field.fieldKind === 'list' && field.listKind === 'message');
}

/** Aliases of a schema's arguments, as a property each would cost too much; the reader looks at the values. */
export function aliasPattern(params: readonly Param[]): Partial<ObjectSchema> {
  const aliases = params.flatMap((param) => param.aliases);
  return aliases.length === 0 ? {} : { patternProperties: { [`^(${aliases.join('|')})$`]: {} } };
}
