import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { acceptedNumbers, type Dialect, type Enumeration, listAccepted, publicNumbers, writtenValues } from './enums.js';
import { unitOf } from './field-units.js';
import { isRequiredField } from './json/message-json.js';
import { documentedEnumeration, shownEnumeration } from './named-numbers.js';
import { snakeCase } from './names.js';
import type { Operation } from './operation.js';
import { screenFieldText } from './screen-numbers.js';
import type { Param, ParamType } from './shape.js';
import { unusedNumber } from './unused-price.js';

/** A JSON Schema (2020-12), as an object that is written out as it is. */
export interface Schema {
  [keyword: string]: SchemaValue;
}
export type SchemaValue = string | number | boolean | null | SchemaValue[] | Schema;

/** A schema whose root is an object. */
export type ObjectSchema = Schema & { readonly type: 'object'; readonly properties: Record<string, Schema> };

/** Vocabulary of a dialect; everything else is the same in all. */
interface Vocabulary {
  readonly symbol: Schema;
  readonly id: Schema;
  symbols(type: ParamType & { kind: 'symbols' }, limits: Schema): Schema;
  choice(type: ParamType & { kind: 'choice' }, param: Pick<Param, 'default'>): Schema;
  /** One of the members, as a caller may write it. */
  member(enumeration: Enumeration): Schema;
  /** Examples and bounds that a reader of the schema may do without. */
  readonly hints: boolean;
  /** A message's field that holds a member. */
  field(enumeration: Enumeration): Schema;
  readonly double: Schema;
  readonly int64: Schema;
  readonly uint64: Schema;
  readonly int32: Schema;
}

/** "1 (HK), 2 (US)": the numbers that REST writes, each with what it means first. */
function listWritten(enumeration: Enumeration): string {
  const names = writtenValues(enumeration, 'mcp');
  const numbers = new Map<number | string, number | string>();
  for (const [number, written] of writtenValues(enumeration, 'rest'))
    if (!numbers.has(written)) numbers.set(written, names.get(number) ?? '');
  return [...numbers].map(([number, name]) => `${number} (${name})`).join(', ');
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
  symbols({ single }, limits) {
    const items = { type: 'string', pattern: SYMBOL_PATTERN };
    const list = { type: 'array', items, ...limits, examples: [['HK.00700', 'US.AAPL']] };
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
  field: (enumeration) => ({ type: 'integer', description: listWritten(enumeration) }),
  // Infinity and the result of 0 / 0 are written as null.
  double: { type: ['number', 'null'] },
  int64: { type: ['integer', 'string'], format: 'int64', pattern: '^-?[0-9]{1,20}$' },
  uint64: { type: ['integer', 'string'], format: 'int64', minimum: 0, pattern: '^[0-9]{1,20}$' },
  int32: { type: 'integer', format: 'int32' },
};

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
  // The reader takes the numbers of the tool list as well. One type is offered: a name says what it means.
  member(enumeration) {
    const offered = enumeration.members.filter(({ offered: shown, untraded }) => shown !== false && untraded !== true);
    return { type: 'string', enum: offered.map(({ name }) => name) };
  },
  hints: false,
  field: (enumeration) => ({
    type: 'string',
    description: `One of ${[...new Set(writtenValues(enumeration, 'mcp').values())].join(', ')}.`,
  }),
  // Infinity and NaN are written as null.
  double: { type: ['number', 'null'] },
  int64: { type: 'string' },
  uint64: { type: 'string' },
  int32: { type: 'integer' },
};

const vocabularies: Readonly<Record<Dialect, Vocabulary>> = { rest, mcp };

/** The schema of a friendly field's value, without its description. */
export function paramSchema(param: Param, dialect: Dialect): Schema {
  const { type } = param;
  const say = vocabularies[dialect];
  const limits = limitsOf(param, say);
  const fallback = 'default' in param && typeof param.default !== 'bigint' ? { default: param.default as SchemaValue } : {};
  switch (type.kind) {
    case 'symbol':
    case 'order_symbol':
      return say.symbol;
    case 'symbols':
      return say.symbols(type, limits);
    case 'integer':
    case 'number':
      return { type: type.kind, ...limits, ...fallback };
    case 'choice':
      return say.choice(type, param);
    case 'choices':
      return { type: 'array', items: say.member(type.enumeration) };
    case 'boolean':
      return { type: 'boolean', ...('exactly' in param ? limits : fallback) };
    case 'text':
      return { type: 'string', ...limits, ...(type.format === undefined ? {} : { examples: [type.format.example] }) };
    case 'texts':
      return { type: 'array', items: { type: 'string' }, ...limits };
    case 'code':
      return { type: 'string' };
    case 'time':
      return { type: 'string', ...(say.hints ? { examples: [type.dateOnly ? '2026-01-31' : '2026-01-31 09:30:00'] } : {}) };
    case 'id':
      return say.id;
    case 'timestamp':
      return say.int64;
    case 'ids':
      return { type: 'array', items: say.id, ...limits };
    case 'bytes':
      return { type: 'string', ...(say.hints ? { contentEncoding: 'base64' } : {}) };
  }
}

/** The keywords for what a parameter's rule holds its values to, by whatever name they come. */
function limitsOf({ type, required, ...param }: Param, { hints }: Vocabulary): Schema {
  if (typeof param.exactly === 'boolean') return { enum: [param.exactly] };
  switch (type.kind) {
    case 'integer':
    case 'number':
      return bounds(type);
    case 'text':
      return type.maxBytes === undefined ? {} : { maxLength: type.maxBytes };
    case 'symbols':
    case 'texts':
    case 'ids':
      return { ...(required && hints ? { minItems: 1 } : {}), maxItems: type.max };
    default:
      return {};
  }
}

function bounds({ min, above, max }: { [bound in 'min' | 'above' | 'max']?: number | undefined }): Schema {
  return {
    ...(min === undefined ? {} : { minimum: min }),
    ...(above === undefined ? {} : { exclusiveMinimum: above }),
    ...(max === undefined ? {} : { maximum: max }),
  };
}

/** A member in a message that REST callers send: flat, or as it is inside `c2s`, where some numbers are others. */
function sentMember(enumeration: Enumeration): Schema {
  const flat = rest.member(enumeration);
  if (enumeration.publicInC2s !== true) return flat;
  const numbers = publicNumbers(enumeration);
  const inC2s = [...numbers].map(([number, name]) => `${number} (${name})`).join(', ');
  const accepted = new Set([...(flat.enum as number[]), ...numbers.keys()]);
  return { ...flat, enum: [...accepted], description: `Flat: ${flat.description}. Inside c2s, the public numbers: ${inC2s}.` };
}

/** The schema of a message's field. `refer` gives the schema of the message in it, if there is one. */
export function fieldSchema(field: DescField, dialect: Dialect, refer: (desc: DescMessage) => Schema, side: Side = 'request'): Schema {
  const element = field.message === undefined ? scalarSchema(field, dialect, side) : refer(field.message);
  return field.fieldKind === 'list' ? { type: 'array', items: element } : element;
}

function scalarSchema(field: DescField, dialect: Dialect, side: Side): Schema {
  const schema = plainSchema(field, dialect, side);
  const text = screenFieldText(field);
  if (text === undefined) return schema;
  const { description } = schema;
  return { ...schema, description: description === undefined ? text : `${description}. ${text}` };
}

function plainSchema(field: DescField, dialect: Dialect, side: Side): Schema {
  const say = vocabularies[dialect];
  const enumeration = shownEnumeration(field, dialect);
  if (enumeration !== undefined) return dialect === 'rest' && side === 'request' ? sentMember(enumeration) : say.field(enumeration);
  switch (field.scalar) {
    case ScalarType.STRING:
      return { type: 'string' };
    case ScalarType.BOOL:
      return { type: 'boolean' };
    case ScalarType.BYTES:
      return { type: 'string', contentEncoding: 'base64' };
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT: {
      const unit = say.hints ? unitOf(field) : undefined;
      const schema = dialect === 'rest' && side === 'request' ? { type: 'number' } : say.double;
      return unit === undefined ? schema : { ...schema, description: unit };
    }
    case ScalarType.INT64:
      return say.int64;
    case ScalarType.UINT64:
      return say.uint64;
    default:
      return dialect === 'rest' ? { ...say.int32, ...meaning(field) } : say.int32;
  }
}

/** The numbers of an enumeration that only the protocol's definitions name, as they are told to REST callers. */
function meaning(field: DescField): Schema {
  const enumeration = documentedEnumeration(field);
  return enumeration === undefined ? {} : { description: listWritten(enumeration) };
}

/** A schema that also takes null, which in a request says "not given". */
export function nullable(schema: Schema): Schema {
  const { type, enum: values, anyOf } = schema;
  if (Array.isArray(anyOf)) return { ...schema, anyOf: anyOf.some(takesNull) ? anyOf : [...anyOf, { type: 'null' }] };
  if (type === undefined) return { anyOf: [schema, { type: 'null' }] };
  if (takesNull(schema)) return schema;
  const types = Array.isArray(type) ? type : [type];
  return { ...schema, type: [...types, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) };
}

function takesNull(schema: SchemaValue): boolean {
  const { type } = schema as Schema;
  return type === 'null' || (Array.isArray(type) && type.includes('null'));
}

/** Direction of a message: an answer has all its lists, a request leaves out unset ones. */
export type Side = 'request' | 'answer';

/** The schemas of messages, each written once and referred to by name. */
export class MessageSchemas {
  constructor(
    readonly dialect: Dialect,
    /** Where the schemas stand in the document: "#/$defs/". */
    readonly prefix: string,
    readonly side: Side = 'request',
    /** Filled as messages are referred to. */
    readonly schemas: Record<string, Schema> = {},
    /** Suffix of the schemas' names. */
    readonly suffix = '',
  ) {}

  /** A reference to the schema of a message, which is added with everything it holds. */
  refer(desc: DescMessage): Schema {
    const name = `${desc.typeName.replaceAll('.', '_')}${this.suffix}`;
    if (!(name in this.schemas)) {
      const schema: Schema = {};
      // Known before it is filled: a message may hold itself.
      this.schemas[name] = schema;
      Object.assign(schema, this.object(desc));
    }
    return { $ref: `${this.prefix}${name}` };
  }

  /**
   * The schema of a message itself, with references to those in it. `without`: fields that are left out; `filled`: paths of
   * those that it may lack though the `.proto` requires them; `special`: enumerations that differ here, by path; `limits`: keywords for
   * the values of fields, by path with `[]` for each element of a list.
   */
  object(
    desc: DescMessage,
    without: ReadonlySet<string> = new Set(),
    filled: ReadonlySet<string> = new Set(),
    special: Readonly<Record<string, Enumeration>> = {},
    limits: Readonly<Record<string, Schema>> = {},
  ): ObjectSchema {
    const fields = desc.fields.filter((field) => !without.has(field.name));
    const always = (field: DescField) => isRequiredField(field) || (this.side === 'answer' && field.fieldKind === 'list');
    const isRequired = (field: DescField) => always(field) && !filled.has(field.name);
    const mayBeNull = this.dialect === 'rest' && this.side === 'request';
    const propertySchema = (field: DescField): Schema => {
      const own = special[field.name];
      if (own !== undefined) return vocabularies[this.dialect].member(own);
      const inner = within(field, filled, special, limits);
      const refer = (message: DescMessage) =>
        inner === undefined ? this.refer(message) : this.object(message, new Set(), inner.filled, inner.special, inner.limits);
      return { ...fieldSchema(field, this.dialect, refer, this.side), ...limits[field.name] };
    };
    const properties = Object.fromEntries(
      fields.map((field): [string, Schema] => {
        const schema = propertySchema(field);
        return [snakeCase(field.name), mayBeNull && !isRequired(field) ? nullable(schema) : schema];
      }),
    );
    const required = fields.filter(isRequired).map((field) => snakeCase(field.name));
    return { type: 'object', properties, ...(required.length > 0 ? { required } : {}) };
  }
}

/** The paths that lead into a field, from there on; undefined where there is none. */
function within(
  { name, fieldKind }: DescField,
  filled: ReadonlySet<string>,
  special: Readonly<Record<string, Enumeration>>,
  limits: Readonly<Record<string, Schema>>,
) {
  const prefix = fieldKind === 'list' ? `${name}[].` : `${name}.`;
  const rests = <T>(entries: Iterable<[string, T]>) =>
    [...entries].filter(([path]) => path.startsWith(prefix)).map(([path, value]): [string, T] => [path.slice(prefix.length), value]);
  const paths = rests(filled.entries()).map(([path]) => path);
  const own = rests(Object.entries(special));
  const limited = rests(Object.entries(limits));
  if (paths.length === 0 && own.length === 0 && limited.length === 0) return undefined;
  return { filled: new Set(paths), special: Object.fromEntries(own), limits: Object.fromEntries(limited) };
}

/**
 * The keywords of an operation's message in REST by the paths of its fields, made of its declaration. Fields that some requests have no use for
 * are without: any value passes there.
 */
export function messageLimits(operation: Operation): Readonly<Record<string, Schema>> {
  const unused = unusedNumber(operation);
  const always = operation.values.filter(({ when }) => when === undefined);
  const params = [...operation.shape, ...always].filter(({ field }) => field !== unused?.field);
  const limits = params.map((param): [string, Schema] => [param.field, limitsOf(param, rest)]);
  return Object.fromEntries(limits.filter(([, keywords]) => Object.keys(keywords).length > 0));
}
