import { type DescField, fromJson, type JsonObject, type Message } from '@bufbuild/protobuf';
import { type Dialect, type Enumeration, numberIn } from '@svc-gateway/contract/enums';
import { classOf, type FieldClass, fieldsWithin } from '@svc-gateway/contract/field-classes';
import { fieldValue } from '@svc-gateway/contract/field-path';
import { messageWriter } from '@svc-gateway/contract/json/message-json';
import { symbolOf } from '@svc-gateway/contract/markets';
import { snakeCase } from '@svc-gateway/contract/names';
import type { Operation } from '@svc-gateway/contract/operation';
import { callerParams, type Param } from '@svc-gateway/contract/shape';
import { HK_MARGIN } from './accounts.js';
import { sampleRequest } from './sample-request.js';

/** A request of an operation that names all it can name, from its declaration alone: of HK.00700, HK and {@link HK_MARGIN}. */
export function namingRequest(operation: Operation, all: readonly Operation[]): Message {
  const { messages, classes, shape, answers } = operation;
  const sample = sampleRequest(operation, all);
  for (const param of shape) if ('exactly' in param && param.field in sample) sample[param.field] = plain(param.exactly);
  const decided = new Set(answers.map(({ field }) => field));
  for (const field of messages.C2SSchema.fields) {
    const value = values[classOf(field, classes) ?? 'none'];
    // Lists of a call that waits belong to other conditions than the one that it names.
    const lists = operation.waits === null && shape.some((param) => param.field === field.name && param.type.kind === 'choices');
    const wanted = lists ? 1 : value;
    const given = sample[field.name] ?? namedOtherwise(operation, field, sample);
    const isUnset = given === undefined || (Array.isArray(given) && given.length === 0);
    if (wanted !== undefined && isUnset && !decided.has(field.name)) sample[field.name] = field.fieldKind === 'list' ? [wanted] : wanted;
  }
  return fromJson(messages.C2SSchema, sample as JsonObject);
}

/** Fields that name a subject in another way, where a request names it by a number of the backend's. */
function namedOtherwise({ needs, classes }: Operation, field: DescField, sample: Readonly<Record<string, unknown>>): unknown {
  if (classOf(field, classes) !== 'stock_id') return undefined;
  const others = needs.flatMap(({ oneOf }) => (oneOf.includes(field.name) ? oneOf : []));
  return others.map((name) => sample[name]).find((value) => value !== undefined);
}

const values: Partial<Record<FieldClass, unknown>> = {
  security: { market: 1, code: '00700' },
  plate: { market: 1, code: 'BK1001' },
  stock_id: '1',
  quote_market: 1,
  stock_market: 1,
  trading_market: 1,
  calendar: 1,
  cancel_market: 1,
  account: HK_MARGIN,
};

/** The classes of what a request has set, nested ones too. */
export function classesSet({ messages, classes }: Operation, request: Message): ReadonlySet<FieldClass> {
  const text = JSON.stringify(request, (_, value) => (typeof value === 'bigint' ? String(value) : value));
  const set = [...fieldsWithin(messages.C2SSchema)].filter(({ localName }) =>
    new RegExp(`"${localName}":(?!\\[\\]|""|"0"|0[,}])`).test(text),
  );
  return new Set(set.map((field) => classOf(field, classes) ?? 'none'));
}

/** The same request in every way that a body of JSON can say it. */
export function spellings(operation: Operation, request: Message, dialect: Dialect): readonly Readonly<Record<string, string>>[] {
  const params = callerParams(operation.shape, dialect);
  const longest = Math.max(0, ...params.map(({ aliases }) => aliases.length));
  // A list that is empty says nothing, and the operation may not know it; the market of a cancel of all has no name in JSON.
  const written = messageWriter(operation.messages.C2SSchema, dialect, 'string')(request);
  const { trd_market: _unnamed, ...fields } = JSON.parse(written, (_, value) =>
    Array.isArray(value) && value.length === 0 ? undefined : value,
  );
  const lowLevel = JSON.stringify(fields);
  const uncovered = uncoveredFields(operation, params, fields);
  const friendly = Array.from({ length: longest + 1 }, (_, index) =>
    JSON.stringify({ ...uncovered, ...friendlyBody(operation, params, request, dialect, index) }),
  );
  const bodies = [...friendly.map((body, index) => ({ [index === 0 ? 'friendly' : `alias ${index}`]: body }))];
  // A write that takes nothing takes no message either.
  if (operation.effect !== 'read' && operation.messages.C2SSchema.fields.length === 0) return [...bodies, { 'low-level': lowLevel }];
  return [...bodies, { 'low-level': lowLevel }, { c2s: `{"c2s":${lowLevel}}` }, { 'friendly in c2s': `{"c2s":${friendly[0]}}` }];
}

/** Required fields that no parameter of this dialect covers: REST's modify takes its header as the message has it. */
function uncoveredFields(
  { messages, shape, needs }: Operation,
  params: readonly Param[],
  lowLevel: Record<string, unknown>,
): Record<string, unknown> {
  const said = [...params, ...shape.filter((param) => param.hidden || 'default' in param)].map(({ field }) => field.split('.')[0]);
  const needed = needs.flatMap(({ oneOf }) => (oneOf.length === 1 ? oneOf : []));
  const names = messages.C2SSchema.fields
    .filter(({ name, presence }) => (presence === REQUIRED || needed.includes(name)) && !said.includes(name))
    .map(({ name }) => snakeCase(name));
  return Object.fromEntries(names.map((name) => [name, lowLevel[name]]));
}

const REQUIRED = 3;

/** By the names of the parameters, or by their aliases of a rank. */
function friendlyBody(
  { messages }: Operation,
  params: readonly Param[],
  request: Message,
  dialect: Dialect,
  rank: number,
): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const param of params) {
    if (param.type.kind === 'order_symbol') continue;
    const value = fieldValue(messages.C2SSchema, param.field)(request);
    if (value === undefined || (Array.isArray(value) && value.length === 0)) continue;
    // The default may be no member that could be named.
    if (param.type.kind === 'choice' && 'default' in param && value === param.default) continue;
    body[param.aliases[rank - 1] ?? param.name] = spoken(param, value, dialect);
  }
  return body;
}

function spoken({ type }: Param, value: unknown, dialect: Dialect): unknown {
  const member = (enumeration: Enumeration, number: unknown) => {
    const found = enumeration.members.find((each) => each.public === number);
    if (found === undefined) throw new Error(`no member ${number} of ${enumeration.name}`);
    return dialect === 'mcp' ? found.name : numberIn(found, dialect);
  };
  switch (type.kind) {
    case 'symbol':
      return symbolOf(value as { market: number; code: string });
    case 'symbols':
      return (value as { market: number; code: string }[]).map(symbolOf);
    case 'choice':
      return member(type.enumeration, value);
    case 'choices':
      return (value as number[]).map((number) => member(type.enumeration, number));
    case 'boolean':
      return type.means === undefined ? value : value === type.means[1];
    default:
      return plain(value);
  }
}

/** As JSON has it: 64-bit integers as text. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  return typeof value === 'bigint' ? String(value) : value;
}
