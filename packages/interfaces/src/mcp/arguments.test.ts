import { type DescMessage, equals, type Message } from '@bufbuild/protobuf';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import { messageWriter } from '@svc-gateway/contract/json/message-json';
import { parseJson } from '@svc-gateway/contract/json/parse';
import type { JsonObject } from '@svc-gateway/contract/json/value';
import { snakeCase } from '@svc-gateway/contract/names';
import type { Operation } from '@svc-gateway/contract/operation';
import { account, operations, quote, subscription, system, trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { requestDecoder } from '@svc-gateway/contract/request';
import { callerParams, type Param, withheldFields } from '@svc-gateway/contract/shape';
import { argumentNames } from '@svc-gateway/contract/tool-arguments';
import { describeTool, wholeTool } from '@svc-gateway/contract/tools';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Schema } from '../../../contract/src/json-schema.js';
import { leastAndMost } from '../../../contract/src/ordered.js';
import { readToolArguments, type ToolArguments } from './arguments.js';

/** Tools whose message needs more than their arguments say: they take the message itself, and nothing is drawn for them. */
const takesArguments = ({ needs, shape }: Operation) =>
  needs.every(({ oneOf }) => oneOf.some((needed) => shape.some(({ field }) => field === needed)));
const tools = operations
  .filter((operation) => operation.tool !== null && takesArguments(operation))
  .map((operation) => [operation.name, operation] as const);
const ajv = new AjvJsonSchemaValidator();

type Arguments = Readonly<Record<string, unknown>>;

/** As the interface gets them: by the exact parser. */
function parsed(args: Arguments | string): JsonObject {
  const outcome = parseJson(typeof args === 'string' ? args : JSON.stringify(args));
  if (!outcome.ok) throw new Error(outcome.error.message);
  return outcome.value as JsonObject;
}

function accept(operation: Operation, args: Arguments | string): ToolArguments {
  const read = readToolArguments(operation, parsed(args));
  if (read instanceof Rejection) throw new Error(read.message);
  return read;
}

function refuse(operation: Operation, args: Arguments | string): Rejection {
  const read = readToolArguments(operation, parsed(args));
  if (!(read instanceof Rejection)) throw new Error('accepted');
  return read;
}

function decode(operation: Operation, args: Arguments | string): Message {
  const decoded = requestDecoder(operation, 'mcp')(accept(operation, args).body);
  if (!decoded.ok) throw new Error(decoded.problem.message);
  return decoded.value as Message;
}

const texts: Partial<Record<Param['type']['kind'], fc.Arbitrary<unknown>>> = {
  symbol: fc.constantFrom('HK.00700', 'US.AAPL', 'sh.600519'),
  order_symbol: fc.constantFrom('HK.00700', 'US.AAPL'),
  time: fc.constantFrom('2026-01-31', '2024-02-29'),
  bytes: fc.base64String({ maxLength: 16 }),
  // An order of number 0 is no order.
  id: fc.bigInt({ min: 1n, max: 2n ** 64n - 1n }).map(String),
  timestamp: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String),
};

/** A value that the schema allows. A form that it says in words alone is drawn by the parameter's kind (a symbol, a time) or from its examples. */
function drawn(schema: Schema, param: Param, needed = false): fc.Arbitrary<unknown> {
  const { enum: members, anyOf, type, items, minimum, exclusiveMinimum, maximum, maxLength, examples } = schema;
  if (members !== undefined) return fc.constantFrom(...(members as unknown[]));
  if (anyOf !== undefined) return drawn((anyOf as Schema[])[0]!, param);
  const text = texts[param.type.kind];
  if (text !== undefined) return text;
  if (examples !== undefined) return fc.constantFrom(...(examples as unknown[]));
  const kinds = [type].flat();
  if (kinds.includes('array')) {
    const one = param.type.kind === 'symbols' ? texts.symbol! : param.type.kind === 'ids' ? texts.id! : drawn(items as Schema, param);
    return fc.array(one, { minLength: 1, maxLength: param.type.kind === 'choices' ? 1 : 3 });
  }
  switch (kinds[0]) {
    case 'integer':
      return fc.integer({ min: (minimum as number) ?? -(2 ** 31), max: (maximum as number) ?? 2 ** 31 - 1 });
    case 'number':
      return (
        fc
          .double({
            min: (exclusiveMinimum as number) ?? (minimum as number) ?? 0,
            minExcluded: exclusiveMinimum !== undefined,
            max: (maximum as number) ?? 1e9,
            noNaN: true,
          })
          // Prices are decimals of nine places; what is above a bound stays above it.
          .map((value) => Number(value.toFixed(6)) || (exclusiveMinimum === undefined ? 0 : 1))
      );
    case 'boolean':
      return fc.boolean();
    default:
      return fc.string({ minLength: needed ? 1 : 0, maxLength: Math.min((maxLength as number) ?? 20, 20) });
  }
}

/** True if the ends of a range are in the wrong order. */
function exceeds(operation: Operation, args: Arguments, [least, most]: readonly [string, string]): boolean {
  const given = (path: string) => {
    const value = args[callerParams(operation.shape, 'mcp').find(({ field }) => field === path)?.name ?? ''] as number | string | undefined;
    return typeof value === 'string' && /^-?\d+$/.test(value) ? BigInt(value) : value;
  };
  const [low, high] = [given(least), given(most)];
  return low !== undefined && high !== undefined && low > high;
}

/** Paths of the pairs of least and most that parameters stand for. */
function pairsOf(desc: DescMessage, prefix = ''): readonly (readonly [string, string])[] {
  const own = leastAndMost(desc).map(({ least, most }) => [`${prefix}${least.name}`, `${prefix}${most.name}`] as const);
  const inner = desc.fields.flatMap((field) => (field.fieldKind === 'message' ? pairsOf(field.message, `${prefix}${field.name}.`) : []));
  return [...own, ...inner];
}

/** Arguments of a tool: what is required, those of `wanted`, and some of the rest. An order is named by its symbol. */
function argumentsOf(operation: Operation, wanted: readonly string[] = []): fc.Arbitrary<Arguments> {
  const { properties, required = [] } = wholeTool(operation).inputSchema;
  const params = callerParams(operation.shape, 'mcp');
  const bySymbol = params.some(({ type }) => type.kind === 'order_symbol');
  const chosen = params.filter(({ name }) => !(bySymbol && ['code', 'sec_market'].includes(name)));
  // Without a market the message holds 0, which a caller may not write.
  const needed = operation.needs.flatMap(({ oneOf: [field] }) => params.filter((param) => param.field === field));
  const values = Object.fromEntries(chosen.map((param) => [param.name, drawn(properties[param.name]!, param, needed.includes(param))]));
  const always = new Set(['market', ...(bySymbol ? ['symbol'] : []), ...needed.map(({ name }) => name), ...wanted]);
  // Both ways of naming an account are drawn elsewhere; without either, nobody is asked for.
  for (const name of operation.byCard ? ['acc_id'] : []) always.add(name);
  const requiredKeys = chosen.map(({ name }) => name).filter((name) => always.has(name) || (required as string[]).includes(name));
  const pairs = pairsOf(operation.messages.C2SSchema);
  /** True if an argument has no effect beside the others. */
  const isIdle = (args: Arguments) =>
    params.some(({ name, onlyWhen }) => {
      if (onlyWhen === undefined || (args[name] ?? '') === '') return false;
      const decider = params.find(({ field }) => field === onlyWhen.field);
      const members = decider?.type.kind === 'choice' ? decider.type.enumeration.members : [];
      return args[decider?.name ?? ''] !== members.find((member) => member.public === onlyWhen.is)?.name;
    });
  return fc.record(values, { requiredKeys }).filter((args) => !isIdle(args) && !pairs.some((pair) => exceeds(operation, args, pair)));
}

it('the required arguments of a schema are exactly those that a call needs', () => {
  for (const [, operation] of tools) {
    const { required = [] } = wholeTool(operation).inputSchema;
    const [args] = fc.sample(argumentsOf(operation), { numRuns: 1, seed: 1 });
    for (const name of required as string[]) {
      const { [name]: _, ...rest } = args as Record<string, unknown>;
      expect(() => decode(operation, rest as Arguments), `${operation.name} without ${name}`).toThrow(/missing field/);
    }
  }
});

describe.each(tools)('%s', (_, operation) => {
  const runs = { numRuns: 20 };
  const valid = ajv.getValidator(wholeTool(operation).inputSchema);
  const { C2SSchema } = operation.messages;

  it('decodes what its input schema allows', () => {
    fc.assert(
      fc.property(argumentsOf(operation), (args) => {
        expect(valid(args)).toMatchObject({ valid: true });
        expect(decode(operation, args).$typeName).toBe(C2SSchema.typeName);
      }),
      runs,
    );
  });

  it('refuses every name that its input schema does not have', () => {
    const names = argumentNames(operation);
    const near = fc.constantFrom(...names).map((name) => `${name}x`);
    const lowLevel = fc.constantFrom('c2s', 'header', 'packet_id', 'user_id', '__proto__', 'constructor', 'toString');
    const unknown = fc.oneof(fc.string(), near, lowLevel).filter((name) => !names.has(name));
    fc.assert(
      fc.property(argumentsOf(operation), unknown, (args, name) => {
        const text = JSON.stringify({ ...args, '': 1 }).replace('"":', () => `${JSON.stringify(name)}:`);
        const rejection = refuse(operation, text);
        expect(rejection).toMatchObject({ code: 'request.unknown_field', details: { field: name } });
        expect(valid(JSON.parse(text))).toMatchObject({ valid: false });
      }),
      runs,
    );
  });

  it('takes every alias for its name', () => {
    for (const { name, aliases } of callerParams(operation.shape, 'mcp')) {
      if (aliases.length === 0) continue;
      fc.assert(
        fc.property(argumentsOf(operation, [name]), fc.constantFrom(...aliases), ({ [name]: value, ...others }, alias) => {
          const renamed = { ...others, [alias]: value };
          // The schema requires what is required under its own name; the reader takes either.
          const { required = [] } = wholeTool(operation).inputSchema;
          if (!(required as string[]).includes(name)) expect(valid(renamed)).toMatchObject({ valid: true });
          expect(equals(C2SSchema, decode(operation, renamed), decode(operation, { ...others, [name]: value }))).toBe(true);
        }),
        runs,
      );
    }
  });

  it('reads the message of its arguments from c2s_json', () => {
    if (!argumentNames(operation).has('c2s_json')) return;
    fc.assert(
      fc.property(argumentsOf(operation), (drawn) => {
        const withheld = withheldFields(operation, 'mcp');
        // The message cannot say what an argument puts into a field that the operation does not use.
        const args = { ...drawn };
        for (const { name, field } of callerParams(operation.shape, 'mcp')) if (withheld.has(field)) delete args[name];
        const message = decode(operation, args);
        const written = JSON.parse(messageWriter(C2SSchema, 'mcp', 'string')(message)) as Record<string, unknown>;
        // An empty list of a field that this operation does not use is written too.
        for (const name of withheld) delete written[snakeCase(name)];
        const json = { c2s_json: JSON.stringify(written) };
        if (wholeTool(operation).inputSchema.required === undefined) expect(valid(json)).toMatchObject({ valid: true });
        expect(equals(C2SSchema, decode(operation, json), message)).toBe(true);
      }),
      runs,
    );
  });
});

describe('what every tool takes beside its own arguments', () => {
  it('is told apart from the request', () => {
    const read = accept(trade.cancelAllOrder, { acc_id: '1', api_key: 'svc_x', idempotency_key: 'k1', preview: true });
    expect(read).toEqual({ apiKey: 'svc_x', idempotencyKey: 'k1', preview: true, body: expect.objectContaining({ acc_id: '1' }) });
    expect(Object.keys(read.body as object)).toEqual(['acc_id']);
  });

  it('may be left out, also as null', () => {
    expect(accept(system.ping, {})).toEqual({ preview: false, body: {} });
    expect(accept(trade.cancelAllOrder, { api_key: null, preview: null, acc_id: null })).toEqual({ preview: false, body: {} });
    expect(readToolArguments(system.ping, undefined)).toEqual({ preview: false, body: {} });
  });

  it.each([
    [{ api_key: 1 }, 'api_key: expected a string, found the number 1'],
    [{ preview: 'yes' }, 'preview: expected true or false, found the string "yes"'],
    [{ idempotency_key: ['a'] }, 'idempotency_key: expected a string, found an array'],
    [{ c2s_json: { header: {} } }, 'c2s_json: expected a string, found an object'],
  ])('is refused with the wrong type: %j', (args, message) => {
    expect(refuse(trade.placeOrder, args)).toMatchObject({ code: 'request.wrong_type', message });
  });

  it.each([
    ['previw', 'preview'],
    ['apikey', 'api_key'],
    ['idempotency_kye', 'idempotency_key'],
    ['trd_markt', 'trd_market'],
  ])('is the nearest name: %s', (name, near) => {
    expect(refuse(trade.placeOrder, { [name]: 1 }).message).toBe(`unknown field "${name}"; did you mean "${near}"?`);
  });

  it('is refused where the tool does not take it', () => {
    expect(refuse(quote.getQuote, { symbol: 'HK.00700', preview: true }).code).toBe('request.unknown_field');
    expect(refuse(trade.placeOrder, { cursor: 'x' }).code).toBe('request.unknown_field');
  });
});

describe('c2s_json', () => {
  it('keeps 64-bit integers exact', () => {
    const message = decode(account.getFunds, { c2s_json: '{"header":{"trd_env":"real","acc_id":281756478396547003,"trd_market":1}}' });
    expect(message).toMatchObject({ header: { accID: 281756478396547003n, trdEnv: 1, trdMarket: 1 } });
  });

  it('is told where it is no JSON', () => {
    expect(refuse(quote.getQuote, { c2s_json: '{\n "a": }' })).toMatchObject({
      code: 'request.malformed_json',
      message: 'c2s_json: malformed JSON at line 2, column 7: expected a value, found "}"',
    });
    expect(refuse(quote.getQuote, { c2s_json: '[]' })).toMatchObject({
      code: 'request.wrong_type',
      message: 'c2s_json: expected the JSON text of an object, found that of an array',
    });
  });

  it('stands alone', () => {
    const rejection = refuse(quote.getKline, { c2s_json: '{}', symbol: 'HK.00700' });
    expect(rejection).toMatchObject({ code: 'request.invalid', details: { field: 'symbol' } });
    expect(rejection.message).toContain('leave out "symbol"');
  });
});

describe('the other form of a tool', () => {
  it('is taken when an argument is given that only it has', () => {
    const args = { symbol: 'HK.00700', kl_type: 'week', begin: '2026-01-01', end: '2026-01-31', count: 7 };
    const { form, body } = accept(quote.getKline, args);
    expect(form?.operation).toBe(quote.getHistoryKline);
    expect(requestDecoder(form!.reading, 'mcp')(body)).toMatchObject({
      ok: true,
      value: { klType: 3, rehabType: 0, beginTime: '2026-01-01', endTime: '2026-01-31', maxAckKLNum: 7 },
    });
    expect(accept(quote.getKline, { symbol: 'HK.00700', count: 7 }).form).toBeUndefined();
  });

  it.each([
    [{ symbol: 'HK.00700', begin: '2026-01-01' }, 'missing field "end"'],
    [{ symbol: 'HK.00700', end_time: '2026-01-01' }, 'missing field "begin"'],
    [{ begin: '2026-01-01', end: '2026-01-31' }, 'missing field "symbol"'],
    [{ symbol: 'HK.00700', begin: '2026-01-01', end: '2026-01-31', req_num: 1001 }, 'req_num: 1001 is out of range, accepted: 1 to 1000'],
    [
      { symbol: 'HK.00700', begin: 'May', end: '2026-01-31' },
      'begin: expected a time as yyyy-MM-dd HH:mm:ss or yyyy-MM-dd, found the string "May"',
    ],
  ])('names what is wrong as the caller does: %j', (args, message) => {
    const { form, body } = accept(quote.getKline, args);
    expect(requestDecoder(form!.reading, 'mcp')(body)).toMatchObject({ ok: false, problem: { message } });
  });

  it('is in the schema, with the names of its operation', () => {
    const { inputSchema } = describeTool(quote.getKline);
    expect(Object.keys(inputSchema.properties)).toEqual(expect.arrayContaining(['count', 'begin', 'end', 'next_req_key']));
    expect(inputSchema.properties.count).toMatchObject({ default: 100, minimum: 1, maximum: 1000 });
  });
});

describe('card_num', () => {
  it.each(['1477', '1001100580031477'])('is text of 4 or 16 digits: %s', (card_num) => {
    expect(accept(account.getOrders, { card_num, market: 'HK' })).toMatchObject({ cardNum: card_num, body: { market: 'HK' } });
  });

  it.each([
    [{ card_num: 1477 }, 'request.wrong_type', 'card_num: expected text of 16 digits, or of the last 4, found the number 1477'],
    [{ card_num: '147' }, 'request.invalid', 'card_num: expected text of 16 digits, or of the last 4, found the string "147"'],
    [{ card_num: '1477', c2s_json: '{}' }, 'request.invalid', '"c2s_json" is the whole request: leave out "card_num" or put it inside'],
    [{ card_num: '1477', cursor: 'abc' }, 'request.invalid', 'cursor: it is given alone; leave out card_num'],
  ])('is refused: %j', (args, code, message) => {
    expect(refuse(account.getOrders, args)).toMatchObject({ code, message });
  });

  it('is for today’s orders and fills', () => {
    const byCard = operations.filter((operation) => argumentNames(operation).has('card_num')).map(({ name }) => name);
    expect(byCard.sort()).toEqual(['get_deals', 'get_orders']);
  });
});

it('takes a currency by name', () => {
  expect(accept(account.getDeals, { currency: 'usd' }).currency).toBe(2);
  expect(refuse(account.getDeals, { currency: 'EUR' }).message).toMatch(/^currency: expected one of HKD .* MYR .* USDT, found/);
});

describe('cursor', () => {
  it('stands alone, beside a key and what is required', () => {
    expect(accept(quote.getTicker, { cursor: 'abc', api_key: 'svc_x' })).toEqual({
      apiKey: 'svc_x',
      cursor: 'abc',
      preview: false,
      body: {},
    });
    // The schema's required fields may be repeated.
    expect(accept(quote.getTicker, { cursor: 'abc', code: 'HK.00700' }).cursor).toBe('abc');
    expect(refuse(quote.getTicker, { cursor: 'abc', symbol: 'HK.00700', count: 5 })).toMatchObject({
      code: 'request.invalid',
      message: 'cursor: it is given alone; leave out count',
    });
    expect(refuse(quote.getTicker, { cursor: 'abc', c2s_json: '{}' }).message).toMatch(/leave out c2s_json$/);
  });
});

describe('the trade password', () => {
  it('cannot be given in any form, and its value is not repeated', () => {
    const password = 'e10adc3949ba59abbe56e057f20f883e';
    expect(refuse(trade.unlockTrade, { unlock: true, pwd_md5: password }).code).toBe('request.unknown_field');
    for (const inner of [{ pwd_md5: password }, { c2s: { unlock: true, pwd_md5: password } }]) {
      const { body } = accept(trade.unlockTrade, { c2s_json: JSON.stringify(inner) });
      const decoded = requestDecoder(trade.unlockTrade, 'mcp')(body);
      expect(decoded).toMatchObject({ ok: false, problem: { kind: 'unknown_field' } });
      expect(JSON.stringify(decoded)).not.toContain(password);
    }
  });

  it('is left for the gateway to fill in', () => {
    const message = decode(trade.unlockTrade, { unlock: true });
    expect(message).toMatchObject({ unlock: true });
    expect(Object.hasOwn(message, 'pwdMD5')).toBe(false);
  });
});

it('takes names and numbers of an enumeration alike', () => {
  const named = decode(subscription.subscribe, { symbols: ['HK.00700'], sub_types: ['Basic', 'kl_day'] });
  const numbered = decode(subscription.subscribe, { symbols: ['HK.00700'], sub_types: [1, 6] });
  expect(equals(subscription.subscribe.messages.C2SSchema, named as never, numbered as never)).toBe(true);
});
