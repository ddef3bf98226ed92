import { fromJson, type JsonObject } from '@bufbuild/protobuf';
import { openApiDocument } from '@svc-gateway/contract/openapi';
import type { Operation } from '@svc-gateway/contract/operation';
import { operations } from '@svc-gateway/contract/operations';
import { requestSchemas } from '@svc-gateway/contract/reference-page';
import { scopes } from '@svc-gateway/contract/scope';
import { callerParams, type Param } from '@svc-gateway/contract/shape';
import { switches } from '@svc-gateway/contract/switches';
import { toolExample } from '@svc-gateway/contract/tool-example';
import { wholeTool } from '@svc-gateway/contract/tools';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Schema } from '../../packages/contract/src/json-schema.js';
import { snakeCase } from '../../packages/contract/src/names.js';
import { collectProblem } from '../../packages/contract/src/problem.js';
import { exampleRequest } from '../../packages/contract/src/reference-example.js';
import { unusedNumber } from '../../packages/contract/src/unused-price.js';
import { valueRules } from '../../packages/contract/src/value-rules.js';
import { TestDaemon } from '../support/daemon.js';
import type { McpClient } from '../support/mcp-client.js';

/** Every bound that a declaration sets, held against its texts, the schemas of tools and OpenAPI, and the daemon at the bound and beyond it. */
let client: McpClient;
const flags = ['--max-refusals-per-second', '100000', ...switches];
const daemon = TestDaemon.forAll({ keys: { all: { scopes } }, flags });
beforeAll(async () => {
  client = await daemon.mcp('all');
});

interface Bound {
  /** The keyword of JSON Schema that says it. */
  readonly keyword: 'minimum' | 'exclusiveMinimum' | 'maximum' | 'maxItems' | 'maxLength';
  readonly value: number;
  readonly within: unknown;
  readonly beyond: unknown;
}

function boundsOf({ type }: Param): Bound[] {
  const list = (max: number, item: unknown): Bound => ({
    keyword: 'maxItems',
    value: max,
    within: Array.from({ length: max }, () => item),
    beyond: Array.from({ length: max + 1 }, () => item),
  });
  switch (type.kind) {
    case 'integer':
    case 'number': {
      const { min, max } = type;
      const above = type.kind === 'number' ? type.above : undefined;
      return [
        ...(min === undefined ? [] : [{ keyword: 'minimum', value: min, within: min, beyond: min - 1 } as const]),
        ...(above === undefined ? [] : [{ keyword: 'exclusiveMinimum', value: above, within: above + 1, beyond: above } as const]),
        ...(max === undefined ? [] : [{ keyword: 'maximum', value: max, within: max, beyond: max + 1 } as const]),
      ];
    }
    case 'text':
      return type.maxBytes === undefined
        ? []
        : [{ keyword: 'maxLength', value: type.maxBytes, within: 'x'.repeat(type.maxBytes), beyond: 'x'.repeat(type.maxBytes + 1) }];
    case 'symbols':
      return [list(type.max, 'HK.00700')];
    case 'texts':
      return [list(type.max, 'x')];
    case 'ids':
      return [list(type.max, '1')];
    default:
      return [];
  }
}

type Case = readonly [title: string, operation: Operation, param: Param, bound: Bound];

function casesOf(dialect: 'rest' | 'mcp', isReached: (operation: Operation) => boolean): Case[] {
  return operations.filter(isReached).flatMap((operation) =>
    callerParams(operation.shape, dialect)
      // A password is in no schema.
      .filter(({ secret }) => !secret)
      .flatMap((param) =>
        boundsOf(param).map(
          (bound) => [`${operation.name} ${param.name} ${bound.keyword} ${bound.value}`, operation, param, bound] as const,
        ),
      ),
  );
}

const overRest = casesOf('rest', ({ rest, name }) => rest.some(({ method }) => method === 'POST') && name !== 'admin_shutdown');
const overTools = casesOf('mcp', ({ tool }) => tool !== null && tool !== 'svc_unlock_trade');

const isRefused = (json: { code?: string; field?: string; ret_msg?: string; error?: string }, name: string) =>
  json.code === 'request.out_of_range' && json.field === name;

it('there are bounds to look at', () => {
  expect(overRest.length).toBeGreaterThan(150);
  expect(overTools.length).toBeGreaterThan(150);
});

describe('over REST', () => {
  const { paths, components } = openApiDocument({ version: 'test' });

  it.each(overRest)('%s is taken at its bound and refused beyond it', async (_, operation, param, { keyword, value, within, beyond }) => {
    const route = operation.rest.find(({ method }) => method === 'POST');
    if (route === undefined) throw new Error(`${operation.name} has no body`);
    const { path } = route;
    const body = (paths[path]?.post as Schema | undefined)?.requestBody;
    expect(propertySchemas(body, param.name).some((schema) => schema[keyword] === value)).toBe(true);
    const ask = async (given: object) => (await daemon.as('all').post(path, given)).json;
    const { name } = param;
    // A refusal further in than the reader would contradict the bound as well.
    const complete = operation.group === 'admin' ? {} : exampleRequest(operation, requestSchemas(paths, route, components.schemas));
    expect(isRefused(await ask({ ...complete, [name]: within }), name)).toBe(false);
    expect(isRefused(await ask({ [name]: beyond }), name)).toBe(true);
  });
});

describe('over REST, in a message under c2s', () => {
  const document = openApiDocument({ version: 'test' });
  const resolve = (schema: Schema): Schema => {
    const name = /([^/]+)$/.exec(String(schema.$ref ?? ''))?.[1];
    return name === undefined ? schema : resolve(document.components.schemas[name] ?? {});
  };
  const within = (schema: Schema, name: string): Schema => {
    const { properties = {} } = resolve(schema) as { properties?: Record<string, Schema> };
    const own = properties[snakeCase(name.replace('[]', ''))] ?? {};
    const [first] = (own.anyOf ?? []) as Schema[];
    const held = first ?? own;
    return name.endsWith('[]') ? (held.items as Schema) : held;
  };
  /** A message with nothing but a value at a path. */
  const messageWith = (path: string, value: unknown, nameOf: (name: string) => string): object =>
    path.split('.').reduceRight<unknown>((inner, name) => {
      const isList = name.endsWith('[]');
      return { [nameOf(name.replace('[]', ''))]: isList ? [inner] : inner };
    }, value) as object;
  const inMessage = (param: Param, value: unknown) =>
    param.type.kind === 'symbols' ? (value as unknown[]).map(() => ({ market: 1, code: '00700' })) : value;
  const schemaAt = (operation: Operation, field: string): Schema => {
    const path = operation.rest.find(({ method }) => method === 'POST')?.path ?? '';
    const body = document.paths[path]?.post as { requestBody: { content: { 'application/json': { schema: { anyOf: Schema[] } } } } };
    const wrapped = body.requestBody.content['application/json'].schema.anyOf.find(({ title }) => String(title).endsWith('(protocol)'));
    return field.split('.').reduce(within, (wrapped as { properties: { c2s: Schema } }).properties.c2s);
  };
  const casesOver = (paramsOf: (operation: Operation) => readonly Param[]) =>
    operations
      .filter(({ rest, name }) => rest.some(({ method }) => method === 'POST') && name !== 'admin_shutdown')
      .flatMap((operation) =>
        paramsOf(operation).flatMap((param) =>
          boundsOf(param).map(
            (bound): Case => [`${operation.name} ${param.field} ${bound.keyword} ${bound.value}`, operation, param, bound],
          ),
        ),
      );
  const named = casesOver((operation) => {
    const unused = unusedNumber(operation)?.field;
    return callerParams(operation.shape, 'rest').filter(({ field, secret }) => field !== unused && !secret);
  });
  const inner = casesOver(({ values }) => values.filter(({ when }) => when === undefined));

  it('has bounds to look at', () => {
    expect(named.length).toBeGreaterThan(150);
    expect(inner.length).toBeGreaterThan(5);
  });

  it.each(named)('%s is in the schema, and refused beyond it', async (_, operation, param, { keyword, value, beyond }) => {
    expect(schemaAt(operation, param.field)[keyword]).toBe(value);
    const path = operation.rest.find(({ method }) => method === 'POST')?.path ?? '';
    const { json } = await daemon.as('all').post(path, { c2s: messageWith(param.field, inMessage(param, beyond), snakeCase) });
    expect([json.code, json.field]).toEqual(['request.out_of_range', `c2s.${param.field.split('.').map(snakeCase).join('.')}`]);
  });

  it.each(inner)('%s is in the schema, and refused beyond it', (_, operation, param, { keyword, value, beyond }) => {
    expect(schemaAt(operation, param.field)[keyword]).toBe(value);
    const message = fromJson(operation.messages.C2SSchema, messageWith(param.field, beyond, (name) => name) as JsonObject);
    const checked = collectProblem(() => valueRules(operation).check(message, (path) => path));
    expect(checked).toMatchObject({ ok: false, problem: { kind: 'out_of_range', path: param.field.replaceAll('[]', '[0]') } });
  });
});

describe('as a tool', () => {
  it.each(overTools)('%s is taken at its bound and refused beyond it', async (_, operation, param, { keyword, value, within, beyond }) => {
    const { inputSchema, name: tool } = wholeTool(operation);
    expect((inputSchema.properties[param.name] as Schema)[keyword]).toBe(value);
    const ask = async (given: object) => (await client.call(tool, given as never)).json;
    const { name } = param;
    const complete = operation.group === 'admin' ? {} : JSON.parse(toolExample(operation) || '{}');
    expect(isRefused(await ask({ ...complete, [name]: within }), name)).toBe(false);
    expect(isRefused(await ask({ [name]: beyond }), name)).toBe(true);
  });
});

describe('in words', () => {
  const said = [...overRest, ...overTools].filter(([, , , { keyword }]) => keyword !== 'minimum' && keyword !== 'exclusiveMinimum');

  it.each(said)('%s is no other than its texts say', (_, { guide }, { about, brief = '', type }, { value }) => {
    const numbers = [...`${about} ${brief}`.matchAll(/(?:at most|up to) ([\d,]+)\b(?! (?:days|years|decimal|Chinese))/gi)];
    const ofSymbols = type.kind === 'symbols' ? [...guide.matchAll(/up to ([\d,]+) symbols/gi)] : [];
    for (const [text, number = ''] of [...numbers, ...ofSymbols]) expect([text, Number(number.replaceAll(',', ''))]).toEqual([text, value]);
  });
});

/** The schemas of a property, wherever in a request's body it may stand. */
function propertySchemas(schema: unknown, name: string): Schema[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const own = (schema as { properties?: Record<string, Schema> }).properties?.[name];
  const inner = Object.values(schema).flatMap((each) => propertySchemas(each, name));
  // A list may be given as one of its items too.
  return own === undefined ? inner : [own, ...((own.anyOf ?? own.oneOf ?? []) as Schema[]), ...inner];
}
