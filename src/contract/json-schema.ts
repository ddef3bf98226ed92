import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { acceptedNumbers, type Dialect, type Enumeration, enumerationOf, listAccepted } from './enums.js';
import { isRequiredField } from './json/message-json.js';
import { snakeCase } from './names.js';
import type { Param, ParamType } from './shape.js';

/** A JSON Schema (2020-12), as an object that is written out as it is. */
export interface Schema {
  [keyword: string]: SchemaValue;
}
export type SchemaValue = string | number | boolean | null | SchemaValue[] | Schema;

/** A schema whose root is an object. */
export type ObjectSchema = Schema & { readonly type: 'object'; readonly properties: Record<string, Schema> };

/** What a dialect says in its own way; everything else is the same in all. */
interface Vocabulary {
  readonly symbol: Schema;
  readonly id: Schema;
  symbols(type: ParamType & { kind: 'symbols' }): Schema;
  choice(type: ParamType & { kind: 'choice' }, param: Pick<Param, 'default'>): Schema;
  /** One of the members, as a caller may write it. */
  member(enumeration: Enumeration): Schema;
  /** Examples and bounds that a reader of the schema may do without. */
  readonly hints: boolean;
  /** A message's field that holds a member. */
  field(enumeration: Enumeration): Schema;
  readonly double: Schema;
  readonly int64: Schema;
  readonly int32: Schema;
}

const SYMBOL_PATTERN = '^[A-Za-z_]+\\..+$';

const rest: Vocabulary = {
  symbol: { type: 'string', pattern: SYMBOL_PATTERN, examples: ['HK.00700'] },
  id: {
    anyOf: [
      { type: 'integer', minimum: 0 },
      { type: 'string', pattern: '^[0-9]{1,20}$' },
    ],
  },
  symbols({ max, single }) {
    const items = { type: 'string', pattern: SYMBOL_PATTERN };
    const list = { type: 'array', items, maxItems: max, examples: [['HK.00700', 'US.AAPL']] };
    return single ? { anyOf: [rest.symbol, list] } : list;
  },
  choice({ enumeration, names }) {
    const numbers = rest.member(enumeration);
    return names ? { anyOf: [numbers, { type: 'string', enum: enumeration.members.map((member) => member.name) }] } : numbers;
  },
  member: (enumeration) => ({
    type: 'integer',
    enum: [...acceptedNumbers(enumeration, 'rest').keys()],
    description: listAccepted(enumeration, 'rest'),
  }),
  hints: true,
  field: (enumeration) => ({ type: 'integer', description: listAccepted(enumeration, 'rest') }),
  double: { type: 'number' },
  int64: { type: ['integer', 'string'], format: 'int64' },
  int32: { type: 'integer', format: 'int32' },
};

/** A longer list of numbers tells a model nothing that the names do not; the reader of the arguments still knows them. */
const NUMBERS_LISTED_MAX = 6;

/** A model reads every word of it in every conversation: it says what is needed to call, and no more. */
const mcp: Vocabulary = {
  symbol: { type: 'string' },
  // The reader takes integers as well. They are not offered: most clients' JSON parsers round an id of 18 digits to another one.
  id: { type: 'string' },
  symbols: ({ max, single }) => ({ type: single ? ['string', 'array'] : 'array', items: { type: 'string' }, maxItems: max }),
  choice({ enumeration }, param) {
    const fallback = enumeration.members.find((member) => member.public === param.default);
    return { ...mcp.member(enumeration), ...(fallback === undefined ? {} : { default: fallback.name }) };
  },
  member(enumeration) {
    const offered = enumeration.members.filter((member) => member.offered !== false);
    const names = offered.flatMap((member) => [member.name, ...(member.aliases ?? [])]);
    const numbers = [...acceptedNumbers(enumeration, 'mcp').keys()];
    return numbers.length > NUMBERS_LISTED_MAX ? { anyOf: [{ enum: names }, { type: 'integer' }] } : { enum: [...names, ...numbers] };
  },
  hints: false,
  // A number stands for what the daemon has no name for.
  field: (enumeration) => ({
    type: ['string', 'integer'],
    description: `One of ${enumeration.members.map((member) => member.name).join(', ')}.`,
  }),
  // What is no number (infinity, the result of 0 / 0) is written as null.
  double: { type: ['number', 'null'] },
  int64: { type: 'string' },
  int32: { type: 'integer' },
};

const vocabularies: Readonly<Record<Dialect, Vocabulary>> = { rest, mcp };

/** The schema of a friendly field's value, without its description. */
export function paramSchema({ type, ...param }: Param, dialect: Dialect): Schema {
  const say = vocabularies[dialect];
  const fallback = 'default' in param && typeof param.default !== 'bigint' ? { default: param.default as SchemaValue } : {};
  switch (type.kind) {
    case 'symbol':
    case 'order_symbol':
      return say.symbol;
    case 'symbols':
      return say.symbols(type);
    case 'integer':
      return { type: 'integer', ...bounds(type), ...fallback };
    case 'number':
      return { type: 'number', ...bounds(type), ...fallback };
    case 'choice':
      return say.choice(type, param);
    case 'choices':
      return { type: 'array', items: say.member(type.enumeration) };
    case 'boolean':
      if ('exactly' in param) return { type: 'boolean', enum: [param.exactly as boolean] };
      return { type: 'boolean', ...fallback };
    case 'text':
      return { type: 'string', ...(type.maxBytes === undefined ? {} : { maxLength: type.maxBytes }) };
    case 'texts':
      return { type: 'array', items: { type: 'string' }, maxItems: type.max };
    case 'code':
      return { type: 'string' };
    case 'time':
      return { type: 'string', ...(say.hints ? { examples: [type.dateOnly ? '2026-01-31' : '2026-01-31 09:30:00'] } : {}) };
    case 'id':
      return say.id;
    case 'ids':
      return { type: 'array', items: say.id, maxItems: type.max };
    case 'bytes':
      return { type: 'string', contentEncoding: 'base64' };
  }
}

function bounds({ min, max }: { min?: number; max?: number }): Schema {
  return { ...(min === undefined ? {} : { minimum: min }), ...(max === undefined ? {} : { maximum: max }) };
}

/** The schema of a message's field. `refer` gives the schema of the message in it, if there is one. */
export function fieldSchema(field: DescField, dialect: Dialect, refer: (desc: DescMessage) => Schema): Schema {
  const element = field.message === undefined ? scalarSchema(field, dialect) : refer(field.message);
  return field.fieldKind === 'list' ? { type: 'array', items: element } : element;
}

function scalarSchema(field: DescField, dialect: Dialect): Schema {
  const say = vocabularies[dialect];
  const enumeration = enumerationOf(field.parent.typeName, field.name);
  if (enumeration !== undefined) return say.field(enumeration);
  switch (field.scalar) {
    case ScalarType.STRING:
      return { type: 'string' };
    case ScalarType.BOOL:
      return { type: 'boolean' };
    case ScalarType.BYTES:
      return { type: 'string', contentEncoding: 'base64' };
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return say.double;
    case ScalarType.INT64:
    case ScalarType.UINT64:
      return say.int64;
    default:
      return say.int32;
  }
}

/** The schemas of messages, each written once and referred to by name. */
export class MessageSchemas {
  constructor(
    readonly dialect: Dialect,
    /** Where the schemas stand in the document: "#/$defs/". */
    readonly prefix: string,
    /** Filled as messages are referred to. */
    readonly schemas: Record<string, Schema> = {},
  ) {}

  /** A reference to the schema of a message, which is added with everything it holds. */
  refer(desc: DescMessage): Schema {
    const name = desc.typeName.replaceAll('.', '_');
    if (!(name in this.schemas)) {
      const schema: Schema = {};
      // Known before it is filled: a message may hold itself.
      this.schemas[name] = schema;
      Object.assign(schema, this.object(desc));
    }
    return { $ref: `${this.prefix}${name}` };
  }

  /** The schema of a message itself, with references to those in it. `without`: fields that are left out. */
  object(desc: DescMessage, without: ReadonlySet<string> = new Set()): ObjectSchema {
    const fields = desc.fields.filter((field) => !without.has(field.name));
    const properties = Object.fromEntries(
      fields.map((field) => [snakeCase(field.name), fieldSchema(field, this.dialect, (inner) => this.refer(inner))]),
    );
    const required = fields.filter(isRequiredField).map((field) => snakeCase(field.name));
    return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
  }
}
