import { acceptedNumbers } from '@svc-gateway/contract/enums';
import type { Operation } from '@svc-gateway/contract/operation';
import { callerParams, type Param } from '@svc-gateway/contract/shape';
import { requiredArguments } from '@svc-gateway/contract/tool-arguments';
import { paramSchema } from '../../packages/contract/src/json-schema.js';

export type Arguments = Readonly<Record<string, unknown>>;

/** Arguments that a tool must refuse, and what its refusal must say. */
export interface BadCase {
  /** The defect, for the name of a failure. */
  readonly what: string;
  readonly args: Arguments;
  readonly code: RegExp;
  readonly field: string;
  /** Texts in the error: the value received and the values accepted. */
  readonly says: readonly (string | RegExp)[];
}

/** Whether a tool says of an argument that it cannot do without. */
export function isRequired(operation: Operation, { name }: Param): boolean {
  return requiredArguments(operation).some((param) => param.name === name);
}

export function paramsOf(operation: Operation): readonly Param[] {
  return callerParams(operation.shape, 'mcp');
}

/**
 * Values of a parameter that its declaration accepts: each name and number of an enumeration, each bound, each flag. What
 * a declaration cannot say (which security, which account) is the same for all tools.
 */
export function goodValues(param: Param, accId: string, day: (daysAgo: number) => string): unknown[] {
  const { type, name } = param;
  if ('exactly' in param) return [param.exactly];
  switch (type.kind) {
    case 'symbol':
    case 'order_symbol':
      return ['HK.00700'];
    case 'symbols':
      return type.single ? [['HK.00700'], 'HK.00700'] : [['HK.00700']];
    case 'integer':
      return [type.min ?? 0, type.max ?? 100];
    case 'number':
      return [100];
    case 'choice':
      // The names that the tool offers, and every number that it takes.
      return [...(paramSchema(param, 'mcp').enum as string[]), ...acceptedNumbers(type.enumeration, 'mcp').keys()];
    case 'choices':
      return type.enumeration.members.map((member) => [member.name]);
    case 'boolean':
      return [true, false];
    case 'code':
      return ['00700'];
    case 'text':
      return [type.format?.example ?? 'x'];
    case 'texts':
      return [['x']];
    case 'time':
      return [day(name.startsWith('begin') ? 30 : 1)];
    case 'id':
      return [accId];
    case 'timestamp':
      return ['0', '1767225600000'];
    case 'ids':
      return [[accId]];
    case 'bytes':
      return [''];
  }
}

/** Everything that can be wrong with one parameter of otherwise good arguments. */
export function badCases(operation: Operation, param: Param, good: Arguments): BadCase[] {
  const { name, type } = param;
  const wrongType = type.kind === 'boolean' ? 'yes' : true;
  const shown = type.kind === 'boolean' ? 'the string "yes"' : 'true';
  const cases: BadCase[] = [
    bad('wrong type', name, wrongType, /wrong_type|invalid_market/, [/expected|accepted/, `found ${shown}`]),
    { what: `${name}x`, args: { ...good, [`${name}x`]: 1 }, code: /unknown_field/, field: `${name}x`, says: [/did you mean "\w+"/] },
    ...outOfRange(param).map(({ value, says }) =>
      bad(`out of range: ${shorten(value)}`, name, value, /out_of_range|invalid|wrong_type/, says),
    ),
  ];
  if (isRequired(operation, param)) {
    const { [name]: _, ...others } = good;
    cases.push({ what: `no ${name}`, args: others, code: /missing_field/, field: name, says: [`missing field "${name}"`] });
  }
  return cases.map((each) => ({ ...each, args: withoutRivals(each.args, name) }));

  function bad(what: string, field: string, value: unknown, code: RegExp, says: BadCase['says']): BadCase {
    return {
      what: `${what}: ${field}`,
      args: { ...good, [field]: value },
      code,
      field,
      says: says.map((part) => sayable(operation, part)),
    };
  }
}

/** Where a password may have come in any argument, what came is not repeated. */
function sayable<Part>(operation: Operation, part: Part): Part | string {
  if (typeof part !== 'string' || !operation.shape.some(({ secret }) => secret)) return part;
  return part.replace(/^found the (string|number) .*$/, 'found a $1');
}

/** A security is named by its code or by its symbol, and both would be an error of its own. */
function withoutRivals(args: Arguments, name: string): Arguments {
  const { symbol: _, ...others } = args;
  return name === 'code' ? others : args;
}

interface BadValue {
  readonly value: unknown;
  readonly says: BadCase['says'];
}

function outOfRange({ type }: Param): BadValue[] {
  switch (type.kind) {
    case 'symbol':
    case 'order_symbol':
      return ['00700', 'XX.00700', 'HK.', ''].map((value) => ({
        value,
        says: ['expected MARKET.CODE', `found the string ${JSON.stringify(value)}`],
      }));
    case 'symbols':
      return [tooMany('HK.00700', type.max), { value: ['00700'], says: ['expected MARKET.CODE', 'found the string "00700"'] }];
    case 'texts':
      return [tooMany('x', type.max), { value: [1], says: ['expected a string', 'found the number 1'] }];
    case 'ids':
      return [tooMany('1', type.max), { value: ['-1'], says: [/expected|accepted/, '-1'] }];
    case 'integer':
    case 'number': {
      const { min, max } = type;
      const below = min === undefined ? [] : [{ value: min - 1, says: [`${min - 1} is out of range`, String(min)] }];
      const above = max === undefined ? [] : [{ value: max + 1, says: [`${max + 1} is out of range`, String(max)] }];
      return [...below, ...above, { value: 'many', says: [/expected/, 'found the string "many"'] }];
    }
    case 'choice':
      return notMembers(type.enumeration.members[0]?.name ?? '').map(({ value, says }) => ({ value, says }));
    case 'choices':
      return notMembers(type.enumeration.members[0]?.name ?? '').map(({ value, says }) => ({ value: [value], says }));
    case 'boolean':
      return [{ value: 1, says: ['expected true or false', 'found the number 1'] }];
    case 'text':
      return type.maxBytes === undefined
        ? []
        : [{ value: 'é'.repeat(type.maxBytes), says: [`${2 * type.maxBytes} bytes are too long`, `at most ${type.maxBytes}`] }];
    case 'code':
      return ['', '00700 yes', 'x'.repeat(65)].map((value) => ({
        value,
        says: ['expected the code of a security', `found the string "${value.slice(0, 40)}`],
      }));
    case 'time':
      return ['2026-13-01', 'yesterday', '20260101'].map((value) => ({ value, says: ['expected a time as yyyy-MM-dd', `"${value}"`] }));
    case 'id':
      return ['-1', '18446744073709551616', 'first', 1.5].map((value) => ({ value, says: [/expected|accepted/, String(value)] }));
    case 'timestamp':
      return ['9223372036854775808', 'now', 1.5].map((value) => ({ value, says: [/expected|accepted/, String(value)] }));
    case 'bytes':
      return [{ value: '***', says: [/base64/, '***'] }];
  }
}

/** A name and a number that no enumeration has; the refusal lists its members. */
function notMembers(member: string): BadValue[] {
  return [
    { value: 'no such name', says: [member, 'found the string "no such name"'] },
    { value: 987_654, says: [member, 'found the number 987654'] },
  ];
}

function tooMany(one: string, max: number): BadValue {
  return { value: Array.from({ length: max + 1 }, () => one), says: [`${max + 1} entries are too many`, `at most ${max}`] };
}

function shorten(value: unknown): string {
  return JSON.stringify(value).slice(0, 40);
}
