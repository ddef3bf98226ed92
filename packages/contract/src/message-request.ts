import type { DescMessage, Message } from '@bufbuild/protobuf';
import { decimalRounder } from './decimal-fields.js';
import { fieldSetter, fieldValue, presence } from './field-path.js';
import { renumberMarket } from './markets.js';
import { memoized } from './memo.js';
import { messageParser } from './message-parser.js';
import { eachRule, enumerationRule, messageRules, type OwnValues } from './message-rules.js';
import { missingFieldsOf } from './missing-field.js';
import { needCheck } from './needs.js';
import type { Operation } from './operation.js';
import { type ParamRule, paramRule } from './param-rules.js';
import { collectProblem, type Problem, stopMissing } from './problem.js';
import type { ProtocolIds } from './protocol-ids.js';
import { type Rejection, rejectProblem } from './rejection.js';
import type { Param, Shape } from './shape.js';
import { unusedNumberDropper } from './unused-price.js';
import { valueRules } from './value-rules.js';
import { zeroClearerOf, zeroClearers } from './zeroes.js';

/**
 * Requests of the interfaces that speak in protocol ids and messages. They obey the rules of JSON requests, made from the
 * same shape; problems name fields as the `.proto` does ("header.accID"), and fields that it does not know are ignored.
 */

/** Reads a body as a message of this type, or says why it is none. */
export type BodyParser = (
  desc: DescMessage,
) => { readonly ok: true; readonly value: Message } | { readonly ok: false; readonly problem: Problem };

/** Operation and request of a protocol message. */
export interface MessageRequest {
  readonly operation: Operation;
  /** The operation's `C2S`, complete and checked: for {@link Gateway.call}, which asks for it once the caller may call. */
  readonly decode: () => Message | Rejection;
}

/** Finds what a request asks for; undefined where nobody serves the id. The body is looked at before `decode` only where the id alone does not tell. */
export function readMessageRequest(ids: ProtocolIds, protoId: number, parse: BodyParser): MessageRequest | undefined {
  const operations = ids.operationsOf(protoId);
  const first = operations[0];
  if (first === undefined) return undefined;
  if (operations.length === 1) {
    return {
      operation: first,
      decode: () => {
        const parsed = parseC2S(first, parse);
        return parsed.ok ? checked(first, parsed.value) : rejectProblem(parsed.problem);
      },
    };
  }
  // They share their messages as they share the id.
  const parsed = parseC2S(first, parse);
  // A body that cannot be read meets no condition: it is taken for the operation that has none.
  if (!parsed.ok) return { operation: operations.at(-1) ?? first, decode: () => rejectProblem(parsed.problem) };
  const operation = ids.operationOf(protoId, parsed.value) ?? first;
  return { operation, decode: () => checked(operation, parsed.value) };
}

/** Parses protobuf bytes. */
export function protobufBody(bytes: Uint8Array): BodyParser {
  return (desc) => {
    try {
      return { ok: true, value: messageParser(desc)(bytes) };
    } catch (thrown) {
      // The parser says no in many ways; none of them is a defect of ours.
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      return { ok: false, problem: { kind: 'invalid', path: '', message: `body: not a ${desc.typeName} in protobuf: ${reason}` } };
    }
  };
}

function parseC2S({ messages }: Operation, parse: BodyParser): ReturnType<BodyParser> {
  const parsed = parse(messages.RequestSchema);
  if (!parsed.ok) return parsed;
  const { c2s } = parsed.value as Message & { c2s?: Message };
  if (c2s === undefined) return { ok: false, problem: { kind: 'missing_field', path: 'c2s', message: 'missing field "c2s"' } };
  return { ok: true, value: c2s };
}

function checked(operation: Operation, c2s: Message): Message | Rejection {
  const problem = completeMessage(operation, c2s);
  return problem === undefined ? c2s : rejectProblem(problem);
}

/** Clears the zeroes that say nothing, rounds prices and quantities to the protocol's decimal places, fills what the shape fills (hidden constants, defaults) and holds a `C2S` against every rule. */
export function completeMessage(operation: Operation, c2s: Message): Problem | undefined {
  const complete = compiled(operation);
  const outcome = collectProblem(() => complete(c2s));
  return outcome.ok ? undefined : outcome.problem;
}

const compiled = memoized(compile);

function compile(operation: Operation): (c2s: Message) => void {
  const { messages, shape, needs } = operation;
  const desc = messages.C2SSchema;
  const dropUnused = unusedNumberDropper(operation);
  const filled = shape.filter((param) => 'default' in param && !param.absenceCounts && param.defaultIn === undefined);
  const fill = filled.map(({ field, default: value, ...param }) =>
    'exactly' in param ? overwrite(desc, field, value) : fieldSetter(desc, field, value),
  );
  const clear = [zeroClearers.of(desc), ...filled.map(({ field }) => zeroClearerOf(desc, field)), decimalRounder(desc)].filter(
    (one) => one !== undefined,
  );
  const checkNeeds = needCheck(desc, shape, needs);
  const missingIn = missingFieldsOf(desc);
  const values = valueRules(operation);
  const given = shape.filter((param) => !param.hidden && param.type.kind !== 'order_symbol');
  const required = given
    .filter((param) => param.required && !param.absenceCounts)
    .map(({ field }) => ({ field, isSet: presence(desc, field) }));
  const rules = given.flatMap((param) =>
    rulesOf(param).map((rule) => ({ field: param.field, value: fieldValue(desc, param.field), rule })),
  );
  const checkMessage = messageRules.of(desc);
  const own = ownValues(shape);
  return (c2s) => {
    for (const act of clear) act(c2s, '', undefined);
    const unmetOnceFilled = checkNeeds(c2s);
    for (const set of fill) set(c2s);
    dropUnused?.(c2s);
    const unmet = unmetOnceFilled((path) => path);
    const lacking = required.filter(({ isSet }) => !isSet(c2s)).map(({ field }) => field);
    const all = [...lacking, ...missingIn(c2s), ...values.missing(c2s), ...unmet.map(({ path }) => path)];
    if (all.length > 0) stopMissing([...new Set(all)], unmet.find(({ path }) => path === all[0])?.text);
    checkMessage?.(c2s, '', own);
    for (const { field, value, rule } of rules) {
      const held = value(c2s);
      if (held !== undefined) rule(held, field);
    }
    values.check(c2s, (path) => path);
  };
}

/** The protocol has fields whose word does not count beside others, and its clients send them: what the operation fixes stands. */
function overwrite(desc: DescMessage, field: string, value: unknown): (c2s: Message) => void {
  const set = fieldSetter(desc, field);
  return (c2s) => set(c2s, value);
}

/** Values that the shape fills in; callers may give them themselves. */
function ownValues(shape: Shape): OwnValues {
  return new Map(shape.filter((param) => param.type.kind === 'choice' && 'default' in param).map((param) => [param.field, param.default]));
}

function rulesOf(param: Param): readonly ParamRule[] {
  const { type } = param;
  const rule = paramRule(param.absenceCounts ? { ...param, required: false } : param);
  const rules = rule === undefined ? [] : [rule];
  switch (type.kind) {
    case 'symbol':
      return [...rules, (security) => renumberMarket(security as { market: number })];
    case 'symbols':
      return [...rules, (securities) => (securities as { market: number }[]).forEach(renumberMarket)];
    case 'choice':
      // The parameter may allow less than the field: a cancel's operation is to cancel.
      return [...rules, enumerationRule(type.enumeration, param.default)];
    case 'choices':
      return [...rules, eachRule(enumerationRule(type.enumeration))];
    default:
      return rules;
  }
}
