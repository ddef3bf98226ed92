import { currency } from '@svc-gateway/contract/enums';
import { enumerationReader, unknownField } from '@svc-gateway/contract/json/message-json';
import { parseJson } from '@svc-gateway/contract/json/parse';
import { describeJson, emptyObject, isJsonObject, type JsonObject, type JsonValue } from '@svc-gateway/contract/json/value';
import { shareTexts } from '@svc-gateway/contract/json/written-numbers';
import type { Operation, ToolForm } from '@svc-gateway/contract/operation';
import { collectProblem, stop } from '@svc-gateway/contract/problem';
import { Rejection, rejectProblem } from '@svc-gateway/contract/rejection';
import { checkText } from '@svc-gateway/contract/texts';
import {
  argumentNames,
  type ExtraArgument,
  extraArguments,
  otherFormParams,
  requiredArguments,
} from '@svc-gateway/contract/tool-arguments';
import { readSelection, type Selection } from './selection.js';

/** Parsed arguments of a tool: the request, and options common to all tools. */
export interface ToolArguments {
  /** API key for this call only. */
  readonly apiKey?: string;
  readonly idempotencyKey?: string;
  /** True to show what the write would do, without doing it. */
  readonly preview: boolean;
  /** Cursor to a page of an earlier answer, in place of a request: see {@link PageStore}. */
  readonly cursor?: string;
  /** Card number of the account: 16 digits, or the last 4. */
  readonly cardNum?: string;
  /** Currency (Trd_Common.Currency) to which the answer is filtered. */
  readonly currency?: number;
  /** Fields of each record to return; undefined for all. */
  readonly selection?: Selection;
  /** Maximum records of a page. */
  readonly limit?: number;
  /** True to write records as objects in place of a table. */
  readonly asObjects?: true;
  /** Alternative form of the arguments, if they do not have the tool's own. */
  readonly form?: ToolForm;
  /** The request, for `requestDecoder(…, 'mcp')`. */
  readonly body: JsonObject;
}

/** Parses a tool's arguments: its own fields, or `c2s_json` in place of them, and the options of all tools. */
export function readToolArguments(operation: Operation, args: JsonObject | undefined): ToolArguments | Rejection {
  const read = collectProblem(() => readArguments(operation, args ?? emptyObject()));
  return read.ok ? read.value : rejectProblem(read.problem);
}

function readArguments(operation: Operation, args: JsonObject): ToolArguments | Rejection {
  const extras = extraArguments(operation);
  const names = argumentNames(operation);
  const own = emptyObject();
  shareTexts(args, own);
  const extra: Partial<Record<ExtraArgument, JsonValue>> = {};
  for (const name in args) {
    const value = args[name];
    if (!names.has(name)) unknownField(name, name, names);
    // null means "not given", as in a message.
    if (value === undefined || value === null) continue;
    if (isExtra(name, extras)) extra[name] = value;
    else own[name] = value;
  }
  const apiKey = textOf('api_key', extra.api_key);
  const idempotencyKey = textOf('idempotency_key', extra.idempotency_key);
  const cursor = textOf('cursor', extra.cursor);
  const cardNum = cardOf(extra.card_num);
  const currency = extra.currency === undefined ? undefined : readCurrency(extra.currency, 'currency');
  const preview = flagOf('preview', extra.preview);
  const form = operation.otherForm === null || !isInOtherForm(operation, own) ? undefined : operation.otherForm;
  const fields = extra.fields === undefined ? undefined : readSelection(form?.operation ?? operation, namesIn(extra.fields));
  const limit = extra.limit === undefined ? undefined : limitOf(extra.limit);
  const format = formatOf(extra.format);
  const message = messageOf(extra);
  if (message instanceof Rejection) return message;
  const given = Object.keys(cardNum === undefined ? own : { card_num: cardNum, ...own });
  const [other] = given;
  if (cursor !== undefined) {
    // Callers that follow the schema repeat its required fields.
    const required = new Set(requiredArguments(operation).flatMap(({ name, aliases }) => [name, ...aliases]));
    const layout = (['fields', 'limit', 'format'] as const).find((name) => extra[name] !== undefined);
    const other = message?.name ?? given.find((name) => !required.has(name)) ?? layout;
    if (other !== undefined) stop('invalid', 'cursor', `cursor: it is given alone; leave out ${other}`);
  }
  if (message !== undefined && other !== undefined) {
    stop('invalid', other, `"${message.name}" is the whole request: leave out "${other}" or put it inside`);
  }
  return {
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
    ...(cursor === undefined ? {} : { cursor }),
    ...(cardNum === undefined ? {} : { cardNum }),
    ...(currency === undefined ? {} : { currency: currency as number }),
    preview,
    ...(fields === undefined ? {} : { selection: fields }),
    ...(limit === undefined ? {} : { limit }),
    ...(format === 'objects' ? { asObjects: true } : {}),
    ...(form === undefined ? {} : { form }),
    body: message === undefined ? own : withinC2s(message.body),
  };
}

function isInOtherForm(operation: Operation, own: JsonObject): boolean {
  return otherFormParams(operation).some(({ name, aliases }) => [name, ...aliases].some((each) => each in own));
}

function isExtra(name: string, extras: readonly ExtraArgument[]): name is ExtraArgument {
  return (extras as readonly string[]).includes(name);
}

/** A message as a request that names its fields by `c2s` in what is said of it. */
function withinC2s(message: JsonObject): JsonObject {
  const body = emptyObject();
  body.c2s = message;
  return body;
}

interface GivenMessage {
  readonly name: 'c2s' | 'c2s_json';
  readonly body: JsonObject;
}

/** The request of `c2s_json`, if given. */
function messageOf({ c2s, c2s_json: json }: Partial<Record<ExtraArgument, JsonValue>>): GivenMessage | undefined | Rejection {
  if (c2s !== undefined && json !== undefined) stop('invalid', 'c2s', '"c2s" and "c2s_json" say the same thing: give only one');
  if (c2s !== undefined) {
    if (!isJsonObject(c2s)) stop('wrong_type', 'c2s', `c2s: expected an object, found ${describeJson(c2s)}`);
    return { name: 'c2s', body: c2s };
  }
  const text = textOf('c2s_json', json);
  if (text === undefined) return undefined;
  const parsed = parseJson(text);
  if (!parsed.ok) {
    const { message, line, column } = parsed.error;
    return new Rejection('request.malformed_json', `c2s_json: malformed JSON at line ${line}, column ${column}: ${message}`, {
      field: 'c2s_json',
    });
  }
  if (!isJsonObject(parsed.value)) {
    stop('wrong_type', 'c2s_json', `c2s_json: expected the JSON text of an object, found that of ${describeJson(parsed.value)}`);
  }
  return { name: 'c2s_json', body: parsed.value };
}

function textOf(name: ExtraArgument, value: JsonValue | undefined): string | undefined {
  if (typeof value === 'string') checkText(value, name);
  if (value === undefined || typeof value === 'string') return value;
  stop('wrong_type', name, `${name}: expected a string, found ${describeJson(value)}`);
}

const readCurrency = enumerationReader(currency, 'mcp');
const CARD_NUMBER = /^(\d{4}|\d{16})$/;

function cardOf(value: JsonValue | undefined): string | undefined {
  if (value === undefined) return undefined;
  // A number has lost its leading zeros.
  if (typeof value === 'string' && CARD_NUMBER.test(value)) return value;
  const kind = typeof value === 'string' ? 'invalid' : 'wrong_type';
  stop(kind, 'card_num', `card_num: expected text of 16 digits, or of the last 4, found ${describeJson(value)}`);
}

const FIELDS_MAX = 200;

/** Parses field names: "time,close_price", or a list of names. */
function namesIn(value: JsonValue): readonly string[] {
  const names = typeof value === 'string' ? value.split(',').map((name) => name.trim()) : value;
  if (!Array.isArray(names) || names.some((name) => typeof name !== 'string')) {
    stop('wrong_type', 'fields', `fields: expected names separated by commas, found ${describeJson(value)}`);
  }
  const given = (names as readonly string[]).filter((name) => name !== '');
  if (given.length === 0) stop('invalid', 'fields', 'fields: expected at least one name; leave it out for every field');
  if (given.length > FIELDS_MAX) stop('out_of_range', 'fields', `fields: at most ${FIELDS_MAX} names, found ${given.length}`);
  return given;
}

function limitOf(value: JsonValue): number {
  if (typeof value !== 'number') stop('wrong_type', 'limit', `limit: expected an integer of 1 or more, found ${describeJson(value)}`);
  if (!Number.isSafeInteger(value) || value < 1) stop('out_of_range', 'limit', `limit: expected an integer of 1 or more, found ${value}`);
  return value;
}

function formatOf(value: JsonValue | undefined): 'rows' | 'objects' | undefined {
  if (value === undefined || value === 'rows' || value === 'objects') return value;
  const kind = typeof value === 'string' ? 'out_of_range' : 'wrong_type';
  stop(kind, 'format', `format: expected rows or objects, found ${describeJson(value)}`);
}

function flagOf(name: ExtraArgument, value: JsonValue | undefined): boolean {
  if (value === undefined || typeof value === 'boolean') return value ?? false;
  stop('wrong_type', name, `${name}: expected true or false, found ${describeJson(value)}`);
}
