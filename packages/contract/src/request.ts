import { create, type DescField, type DescMessage, type Message, ScalarType } from '@bufbuild/protobuf';
import type { Dialect, Enumeration } from './enums.js';
import { enumerationOf, secMarket, trdMarket } from './enums.js';
import { conditionHolds } from './field-condition.js';
import { childPath, fieldAt, fieldNamed, fieldSetter, fieldValue, presence } from './field-path.js';
import { type Given, givenBefore, isWithinC2s, snakePath, writtenName } from './given-fields.js';
import type { Fields } from './json/fields.js';
import {
  enumerationReader,
  type FieldReader,
  isRequiredField,
  messageReader,
  unknownField,
  type ValueReader,
} from './json/message-json.js';
import { scalarReader } from './json/scalars.js';
import { describeJson, InexactNumber, isJsonObject, type JsonObject, type JsonValue } from './json/value.js';
import { withWrittenNumber } from './json/written-numbers.js';
import { memoized } from './memo.js';
import { enumerationRule } from './message-rules.js';
import { missingFieldsOf } from './missing-field.js';
import { snakeCase } from './names.js';
import { conditionText, type FieldNames, needCheck, type Unmet } from './needs.js';
import type { Operation, ProtocolMessages, RequestOf } from './operation.js';
import { paramReader, readSymbol } from './param-readers.js';
import { type ParamRule, paramRule } from './param-rules.js';
import { collectProblem, type Problem, stop, stopMissing } from './problem.js';
import { type Rejection, rejectProblem } from './rejection.js';
import { callerParams, type Param, paramsIn, withheldFields } from './shape.js';
import { unusedNumber } from './unused-price.js';
import { valueRules } from './value-rules.js';
import { rememberNames } from './written-names.js';

/** Reads a request body into the operation's `C2S`, or says what is wrong with it. */
export type RequestDecoder<O extends Operation> = (
  body: JsonValue | undefined,
) => { readonly ok: true; readonly value: RequestOf<O> } | { readonly ok: false; readonly problem: Problem };

const decoders = {
  rest: memoized((operation: Operation) => compile(operation, 'rest')),
  mcp: memoized((operation: Operation) => compile(operation, 'mcp')),
} as const satisfies Record<Dialect, unknown>;

/** The decoder of an operation in a dialect; made on first use. */
export function requestDecoder<M extends ProtocolMessages>(operation: Operation<M>, dialect: Dialect): RequestDecoder<Operation<M>> {
  return decoders[dialect](operation) as RequestDecoder<Operation<M>>;
}

/** The request that a body says, or why it says none. */
export function readRequest<M extends ProtocolMessages>(
  operation: Operation<M>,
  dialect: Dialect,
  body: JsonValue | undefined,
): RequestOf<Operation<M>> | Rejection {
  return outcomeOf(requestDecoder(operation, dialect)(body));
}

const previewDecoders = memoized((operation: Operation) => compile(operation, 'rest', ['operation']));

/** The write that the body of a preview over REST says, or why it says none. @param body without `operation`, which error texts name. */
export function readPreview(operation: Operation, body: JsonValue | undefined): RequestOf<Operation> | Rejection {
  return outcomeOf(previewDecoders(operation)(body));
}

function outcomeOf<O extends Operation>(decoded: ReturnType<RequestDecoder<O>>): RequestOf<O> | Rejection {
  return decoded.ok ? decoded.value : rejectProblem(decoded.problem);
}

interface Slot {
  /** Target shared by two names of the same thing: giving both is refused. */
  readonly target: string;
  /** The whole that the target is a part of, or the target itself: "header" of "header.accID". */
  readonly whole: string;
  /** Sets a value; actions for after the last field go to `later`. */
  set(message: Message, value: JsonValue, path: string, later: (() => void)[]): void;
}

function compile(operation: Operation, dialect: Dialect, beside: readonly string[] = []): RequestDecoder<Operation> {
  const desc = operation.messages.C2SSchema;
  const slots = new Map<string, Slot>();
  const params = callerParams(operation.shape, dialect);
  const constants = operation.shape.filter((param) => param.hidden);
  const withheld = withheldFields(operation, dialect);
  for (const [name, reader] of messageReader(desc, dialect).fields) {
    if (!withheld.has(reader.field.name)) slots.set(name, lowLevelSlot(operation, [...params, ...constants], reader, dialect));
  }
  for (const param of [...params].reverse()) {
    const slot = paramSlot(desc, param, dialect);
    for (const name of [param.name, ...param.aliases]) slots.set(name, slot);
  }
  if (dialect === 'rest' && operation.withoutEffect !== null) {
    const { message, shape } = operation.withoutEffect;
    for (const param of shape) slots.set(param.name, withoutEffect(message, paramSlot(message, param, dialect)));
  }
  const verbatim = dialect === 'rest' ? verbatimSlots(desc, params) : new Map<string, Slot>();
  const unused = unusedNumber(operation);
  if (unused !== undefined)
    for (const [name, slot] of slots) if (slot.target === unused.field) slots.set(name, whereUsed(slot, unused.isUnused));
  const names = () => new Set([...beside, ...params.map((param) => param.name), ...slots.keys()]);
  const filled = paramsIn(operation.shape, dialect).filter((param) => 'default' in param);
  const defaults = filled.map((param) => fieldSetter(desc, param.field, param.default));
  // A part of an object of the message is told with the object, in which REST callers give it as often as alone; tools have it alone.
  const toldName = ({ field, name }: Param) => (dialect === 'rest' && isPart(field) ? field.split('.').map(snakeCase).join('.') : name);
  // The first parameter of a field names it in error texts.
  const friendly = new Map(params.map((param): [string, string] => [param.field, toldName(param)]).reverse());
  const partsOf = givenParts(
    desc,
    friendly,
    params.filter((param) => param.required).map(({ field }) => field),
  );
  const missingIn = missingFieldsOf(desc);
  const values = valueRules(operation);
  const symbolNames = new Set(params.filter(({ type }) => type.kind === 'order_symbol').map(({ name }) => name));
  // The gateway finds by itself what callers of this dialect cannot give.
  const needs = operation.needs.filter(({ oneOf }) => !oneOf.every((field) => withheld.has(field)));
  const verbatimName = (path: string) => `c2s.${snakePath(path)}`;
  // Tools have no arguments for other fields than those of the shape.
  const usualName = (path: string) => friendly.get(path) ?? (dialect === 'mcp' ? verbatimName(path) : snakePath(path));
  const checkNeeds = needCheck(desc, operation.shape, needs);
  const required = params.filter((param) => param.required).map(({ field }) => ({ field, isSet: presence(desc, field) }));
  const onlyWhen = params.flatMap((param) => conditional(operation, param));
  // A write that takes nothing takes no form of it either: what a caller says with one would be lost.
  const takesMessage = operation.effect === 'read' || desc.fields.length > 0;
  /** Names fields as this request has them, and those that it lacks as the rest of it is written. */
  const namesIn = (given: Given, isVerbatim: boolean): FieldNames => {
    const otherName = isVerbatim ? verbatimName : usualName;
    return (path) => writtenName(given, path, symbolNames) ?? otherName(path);
  };
  const readFields = (message: Message, object: JsonObject, path: string, given: Given, later: (() => void)[]) => {
    for (const name in object) {
      const value = object[name];
      const here = childPath(path, name);
      // The low-level form: the message itself under `c2s`, which some callers mix with friendly fields. Some operations have another such object.
      if (takesMessage && (name === 'c2s' || name === operation.wrapper) && (path === '' || path === 'c2s')) {
        if (value === null || value === undefined) continue;
        if (!isJsonObject(value)) stop('wrong_type', here, `${here}: expected an object, found ${describeJson(value)}`);
        readFields(message, value, here, given, later);
        continue;
      }
      const slot = (path === 'c2s' ? verbatim.get(name) : undefined) ?? slots.get(name);
      if (slot === undefined) unknownField(here, name, names());
      if (value === null || value === undefined) continue;
      const earlier = givenBefore(given, slot);
      if (earlier !== undefined) stop('invalid', here, `"${earlier}" and "${here}" say the same thing: give only one`);
      given.push(slot.target, here);
      slot.set(message, value, here, later);
    }
  };

  const decode = (body: JsonValue | undefined) =>
    collectProblem(() => {
      if (body !== undefined && body !== null && !isJsonObject(body)) {
        stop('wrong_type', '', `body: expected an object, found ${describeJson(body)}`);
      }
      const message = create(desc);
      const given: Given = [];
      const later: (() => void)[] = [];
      if (isJsonObject(body)) {
        readFields(message, body, '', given, later);
      }
      for (const act of later) act();
      const unmetOnceFilled = checkNeeds(message);
      for (const set of defaults) set(message);
      const isVerbatim = takesMessage && isWithinC2s(body, given);
      const nameOf = namesIn(given, isVerbatim);
      const unmet = unmetOnceFilled(nameOf);
      const isWritten = ({ path, entries }: Unmet) => entries !== undefined && writtenName(given, path, symbolNames) !== undefined;
      const lacking = [
        ...required.filter(({ isSet }) => !isSet(message)).map(({ field }) => field),
        ...missingIn(message).flatMap(partsOf),
        ...values.missing(message),
        ...unmet.filter((one) => !isWritten(one)).map(({ path }) => path),
      ];
      const empty = unmet.filter(isWritten).map(({ path, entries }) => ({ path: nameOf(path), entries }));
      const emptyTexts = empty.map(({ path, entries }) => `${path}: expected ${entries}, found none`);
      if (lacking.length > 0)
        stopMissing([...new Set(lacking.map(nameOf))], unmet.find(({ path }) => path === lacking[0])?.text, emptyTexts);
      const [first] = empty;
      if (first !== undefined) stop('out_of_range', first.path, emptyTexts.join('; '));
      for (const check of onlyWhen) check(message, nameOf);
      values.check(message, nameOf);
      // Nothing is found out later about reads of quotes, and names cost them 6 % of their rate: 0.62 of bare node:http with them, 0.66 without.
      if (operation.group !== 'quote' || isVerbatim) rememberNames(message, nameOf);
      return message;
    });
  return (body) => {
    const decoded = decode(body);
    return decoded.ok ? decoded : { ok: false, problem: withWrittenNumber(decoded.problem, body) };
  };
}

/** Whether a field lies in an object of the request; the header's parts are given flat. */
function isPart(field: string): boolean {
  return field.includes('.') && !field.startsWith('header.');
}

/** Refuses what a request has no use for: its caller means another request. */
function conditional(
  { messages: { C2SSchema }, shape }: Operation,
  { field, onlyWhen }: Param,
): readonly ((message: Message, nameOf: FieldNames) => void)[] {
  if (onlyWhen === undefined) return [];
  const value = fieldValue(C2SSchema, field);
  const holds = conditionHolds(C2SSchema, onlyWhen);
  return [
    (message, nameOf) => {
      if ((value(message) ?? '') === '' || holds(message)) return;
      const path = nameOf(field);
      stop('invalid', path, `${path}: has no effect here; accepted: only where ${conditionText(shape, onlyWhen, nameOf)}`);
    },
  ];
}

/** Names in place of a message that is missing: its required parts, where those have names of their own. */
function givenParts(
  desc: DescMessage,
  friendly: ReadonlyMap<string, string>,
  required: readonly string[],
): (path: string) => readonly string[] {
  const partsOf = (path: string): readonly string[] => {
    if (friendly.has(path) || ![...friendly.keys()].some((key) => key.startsWith(`${path}.`))) return [path];
    const { message } = fieldAt(desc, path);
    const parts = (message?.fields ?? []).filter(isRequiredField).flatMap(({ name }) => partsOf(childPath(path, name)));
    if (parts.length > 0) return parts;
    // Parts that the operation requires are named as such.
    return required.some((field) => field.startsWith(`${path}.`)) ? [] : [path];
  };
  return partsOf;
}

/** The slots of fields whose numbers in the message as it is are not REST's, by all of their names. */
function verbatimSlots(desc: DescMessage, params: readonly Param[]): Map<string, Slot> {
  const slots = new Map<string, Slot>();
  for (const field of desc.fields) {
    const enumeration = enumerationOf(desc.typeName, field.name);
    if (enumeration?.publicInC2s !== true || field.fieldKind === 'list') continue;
    const rule = enumerationRule(enumeration);
    const set = fieldSetter(desc, field.name);
    const slot: Slot = {
      target: field.name,
      whole: field.name,
      set(message, value, path) {
        const number = readInteger(value, path);
        rule(number, path);
        set(message, number);
      },
    };
    const friendly = params.filter((param) => param.field === field.name).flatMap(({ name, aliases }) => [name, ...aliases]);
    for (const name of [snakeCase(field.name), ...friendly]) slots.set(name, slot);
  }
  return slots;
}

const readInteger = scalarReader(ScalarType.INT32);

function lowLevelSlot(operation: Operation, params: readonly Param[], { field, read }: FieldReader, dialect: Dialect): Slot {
  const obey = rulesWithin(params, field);
  const reader = field.fieldKind === 'message' ? innerReader(operation, field, field.message, dialect) : read;
  return {
    target: field.name,
    whole: field.name,
    set(message, value, path) {
      const fields = message as unknown as Fields;
      const known = fields[field.localName];
      const read = reader(value, path);
      obey(read, path);
      // A header given in part by flat names and in part as an object: the object must not wipe out the rest.
      if (field.fieldKind === 'message' && known !== undefined)
        stop('invalid', path, `"${path}" and its flat fields say the same thing: give only one`);
      fields[field.localName] = read;
    },
  };
}

/** The rules of the parameters that lie in a field of the message: its own name is no way around them. */
function rulesWithin(params: readonly Param[], field: DescField): ParamRule {
  const rules = params.flatMap((param): ParamRule[] => {
    const rule = paramRule(param);
    if (rule === undefined || param.type.kind === 'order_symbol') return [];
    if (param.field === field.name) return [rule];
    if (field.fieldKind !== 'message' || !param.field.startsWith(`${field.name}.`)) return [];
    const inner = param.field.slice(field.name.length + 1);
    const innerValue = fieldValue(field.message, inner);
    const name = inner.split('.').map(snakeCase).join('.');
    return [
      (message, path) => {
        const value = innerValue(message as Message);
        if (value !== undefined) rule(value, childPath(path, name));
      },
    ];
  });
  return (value, path) => {
    for (const rule of rules) rule(value, path);
  };
}

/** The reader of an inner message: some of its enumerations may be special to this operation. */
function innerReader(operation: Operation, field: DescField, desc: DescMessage, dialect: Dialect): ValueReader {
  const { read } = messageReader(desc, dialect);
  const prefix = `${field.name}.`;
  const special = Object.entries(operation.lowLevel)
    .filter(([path]) => path.startsWith(prefix))
    .map(([path, enumeration]): [string, string, Enumeration] => {
      const inner = path.slice(prefix.length);
      return [snakeCase(inner), fieldNamed(desc, inner).localName, enumeration];
    });
  if (special.length === 0) return read;
  return (value, path) => {
    if (!isJsonObject(value)) return read(value, path);
    const { ...plain } = value;
    const values: [string, unknown][] = [];
    for (const [name, localName, enumeration] of special) {
      const given = plain[name];
      if (given === undefined || given === null) continue;
      values.push([localName, enumerationReader(enumeration, dialect)(given, childPath(path, name))]);
      // Any accepted number keeps the general reader content; the special one has the last word.
      plain[name] = 1;
    }
    const message = read(plain, path) as Message & Fields;
    for (const [localName, number] of values) message[localName] = number;
    return message;
  };
}

function paramSlot(desc: DescMessage, param: Param, dialect: Dialect): Slot {
  if (param.type.kind === 'order_symbol') return orderSymbolSlot(desc, dialect);
  const read = paramReader(desc, param, dialect);
  const set = fieldSetter(desc, param.field);
  const [whole = ''] = param.field.split('.');
  return { target: param.field, whole, set: (message, value, path) => set(message, read(value, path)) };
}

/** Checks what a slot would set, and sets nothing. */
function withoutEffect(desc: DescMessage, slot: Slot): Slot {
  return { ...slot, set: (_, value, path, later) => slot.set(create(desc), value, path, later) };
}

/** Numbers of a field that only some requests have a use for are read once all else is known, and passed over by the others. */
function whereUsed(slot: Slot, isUnused: (message: Message) => boolean): Slot {
  return {
    ...slot,
    set(message, value, path, later) {
      const isNumber = typeof value === 'number' || typeof value === 'bigint' || value instanceof InexactNumber;
      if (!isNumber) slot.set(message, value, path, later);
      else later.push(() => isUnused(message) || slot.set(message, value, path, later));
    },
  };
}

function orderSymbolSlot(desc: DescMessage, dialect: Dialect): Slot {
  const setCode = fieldSetter(desc, 'code');
  const setSecMarket = fieldSetter(desc, 'secMarket');
  const setMarket = fieldSetter(desc, 'header.trdMarket');
  const hasMarket = presence(desc, 'header.trdMarket');
  return {
    target: 'code',
    whole: 'code',
    set(message, value, path, later) {
      const { market, code } = readSymbol(value, path);
      setCode(message, code);
      later.push(() => {
        const fields = message as unknown as Fields;
        if (Object.hasOwn(fields, 'secMarket') && fields.secMarket !== market.secMarket) {
          const named = dialect === 'mcp' ? secMarket.members.find(({ public: number }) => number === fields.secMarket)?.name : undefined;
          stop('invalid', path, `${path}: ${market.name}.${code} is not a security of sec_market ${named ?? fields.secMarket}`);
        }
        setSecMarket(message, market.secMarket);
        const tradingMarket = market.name === 'SH' || market.name === 'SZ' ? 'CN' : market.name;
        const member = trdMarket.members.find(({ name }) => name === tradingMarket);
        if (member !== undefined && !hasMarket(message)) setMarket(message, member.public);
      });
    },
  };
}
