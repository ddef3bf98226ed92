import { AjvJsonSchemaValidator } from '@modelcontextprotocol/server/validators/ajv';
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer';
import { describe, expect, it } from 'vitest';
import { messages } from '../../../test/support/messages.js';
import { messageWriter } from './json/message-json.js';
import type { ObjectSchema } from './json-schema.js';
import type { Operation } from './operation.js';
import { account, extension, institution, operations, quote, subscription, system, trade } from './operations/index.js';
import { hasPreview } from './preview-path.js';
import { callerParams } from './shape.js';
import { argumentNames, extraArguments } from './tool-arguments.js';
import { cutField, describeTool, fullInputSchema, fullOutputSchema, wholeTool } from './tools.js';

const tools = operations.filter((operation) => operation.tool !== null);
const byName = tools.map((operation) => [operation.name, operation] as const);
const ajv = new AjvJsonSchemaValidator();

function complaint(schema: ObjectSchema, value: unknown): string | undefined {
  return ajv.getValidator(schema)(value).errorMessage;
}

/** An answer as a client that knows nothing of 64-bit integers parses it. */
function answers(operation: Operation): fc.Arbitrary<unknown> {
  const { S2CSchema } = operation.messages;
  return messages(S2CSchema).map((message) => JSON.parse(messageWriter(S2CSchema, 'mcp', 'string')(message)));
}

describe('every tool', () => {
  it('has a name of its own', () => {
    expect(new Set(tools.map(({ tool }) => tool)).size).toBe(tools.length);
    expect(tools.length).toBeGreaterThan(40);
  });

  it.each(byName)('%s: is explained in a title, a sentence and a paragraph', (_, operation) => {
    const { title, description } = describeTool(operation);
    expect(title.length).toBeGreaterThan(2);
    expect(title.length).toBeLessThan(40);
    expect(description.startsWith(operation.summary)).toBe(true);
    expect(wholeTool(operation).description).toBe(`${operation.summary} ${operation.guide}`);
    if (description !== wholeTool(operation).description) expect(description).toMatch(` More: svc://tools/${operation.tool}`);
    const words = operation.guide.split(/\s+/).length;
    expect(words).toBeGreaterThanOrEqual(20);
    expect(words).toBeLessThanOrEqual(60);
    for (const mentioned of operation.guide.match(/svc_\w+/g) ?? []) expect(tools.map(({ tool }) => tool)).toContain(mentioned);
  });

  it.each(byName)('%s: has no argument of its own under a name that every tool uses', (_, operation) => {
    const own = callerParams(operation.shape, 'mcp').flatMap(({ name, aliases }) => [name, ...aliases]);
    expect(new Set(own).size).toBe(own.length);
    for (const extra of extraArguments(operation)) expect(own).not.toContain(extra);
    for (const added of [cutField(operation), 'understood'])
      expect(operation.messages.S2CSchema.fields.map(({ name }) => name)).not.toContain(added);
  });

  it.each(byName)('%s: its answers meet their schema', (_, operation) => {
    const full = fullOutputSchema(operation);
    fc.assert(
      fc.property(answers(operation), (answer) => {
        expect(complaint(full, answer)).toBeUndefined();
      }),
      { numRuns: 10 },
    );
  });

  it.each(byName)('%s: its message meets the schema of c2s_json', (_, operation) => {
    const { C2SSchema } = operation.messages;
    const schema = fullInputSchema(operation);
    fc.assert(
      fc.property(messages(C2SSchema), (message) => {
        expect(complaint(schema, JSON.parse(messageWriter(C2SSchema, 'mcp', 'string')(message)))).toBeUndefined();
      }),
      { numRuns: 10 },
    );
  });
});

it('has answers refused that are not as the schemas say', () => {
  expect(complaint(fullOutputSchema(quote.getOrderBook), { security: { market: 'HK' } })).toMatch(/code/);
});

describe('what a tool says of itself', () => {
  it('tells reads, subscriptions, writes and orders apart', () => {
    const hints = (operation: Operation) => describeTool(operation).annotations;
    expect(hints(quote.getQuote)).toEqual({ readOnlyHint: true });
    expect(hints(system.ping)).toEqual({ readOnlyHint: true, openWorldHint: false });
    // Missing hints have the protocol's defaults: destructive, and not idempotent.
    expect(hints(trade.placeOrder)).toEqual({});
    expect(hints(trade.cancelOrder)).toEqual({ idempotentHint: true });
    expect(hints(subscription.subscribe)).toEqual({ destructiveHint: false, idempotentHint: true, openWorldHint: false });
  });

  it('takes a preview where orders are at stake, a cursor where an answer can be long', () => {
    expect(extraArguments(trade.placeOrder)).toEqual(['api_key', 'c2s_json', 'idempotency_key', 'preview']);
    expect(extraArguments(trade.unlockTrade)).toEqual(['api_key', 'c2s_json', 'idempotency_key']);
    expect(extraArguments(quote.getHistoryKline)).toEqual(['api_key', 'c2s_json', 'fields', 'limit', 'cursor', 'format']);
    expect(extraArguments(system.ping)).toEqual(['api_key']);
  });

  it.each(byName)('%s: takes a preview just where it is an order write, which all have one', (_, operation) => {
    expect(extraArguments(operation).includes('preview')).toBe(hasPreview(operation));
    const { properties } = describeTool(operation).inputSchema;
    expect('preview' in properties).toBe(hasPreview(operation));
    expect('preview' in wholeTool(operation).inputSchema.properties).toBe(hasPreview(operation));
    if (operation.effect === 'order') expect(hasPreview(operation)).toBe(true);
  });

  it('says defaults, bounds, names and aliases', () => {
    const { properties, patternProperties } = wholeTool(quote.getHistoryKline).inputSchema;
    expect(properties.max_count).toMatchObject({ type: 'integer', minimum: 0, maximum: 1000, default: 1000 });
    expect(properties.rehab_type).toMatchObject({ type: 'string', enum: ['none', 'forward', 'backward'], default: 'none' });
    expect(properties.kl_type).toMatchObject({ default: 'day' });
    expect(properties.symbol?.description).toMatch(/ Also code, stock, security, stock_code\.$/);
    expect(Object.keys(patternProperties as object)).toEqual([
      '^(code|stock|security|stock_code|ktype|autype|begin_time|start|end_time|req_num|count|num|page_req_key)$',
    ]);
  });

  it('leaves aliases, and texts that need room, to the whole description', () => {
    const { properties, ...schema } = describeTool(quote.getHistoryKline).inputSchema;
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(['symbol', 'kl_type', 'begin', 'fields', 'limit', 'cursor']));
    expect(Object.keys(properties)).not.toContain('req_num');
    expect(schema).toEqual({ type: 'object', required: ['symbol', 'begin', 'end'] });
  });

  it('leaves long lists of names to the whole description', () => {
    const { sort_id: listed } = describeTool(extension.forexConstituents).inputSchema.properties;
    const { sort_id: whole } = wholeTool(extension.forexConstituents).inputSchema.properties;
    expect(listed).toEqual({ type: 'string', default: 'WEIGHT', examples: ['WEIGHT', 'CODE', 'NAME', 'PRICE', 'CHANGE', 'CHANGE_RATIO'] });
    expect(whole?.enum).toHaveLength(39);
  });

  it('says which arguments an order cannot do without', () => {
    const requiredOf = (operation: Operation) => describeTool(operation).inputSchema.required;
    expect(requiredOf(trade.placeOrder)).toEqual(['acc_id', 'env', 'side', 'qty']);
    expect(requiredOf(quote.getQuote)).toEqual(['symbol']);
    expect(requiredOf(account.getFunds)).toEqual(['market', 'acc_id', 'env']);
    // A card may stand in for the account, and real is meant where no environment is named.
    expect(requiredOf(account.getOrders)).toEqual(['market']);
    expect(requiredOf(system.ping)).toBeUndefined();
    // Its message in c2s_json does as well: no argument is required in both forms.
    expect(requiredOf(institution.getInstitutionProfile)).toBeUndefined();
  });

  it.each(byName)('%s: has one type for each argument', (_, operation) => {
    for (const [name, schema] of Object.entries(describeTool(operation).inputSchema.properties)) {
      const lists = callerParams(operation.shape, 'mcp').filter(({ type }) => type.kind === 'symbols' && type.single);
      if (lists.some((param) => param.name === name)) expect(schema.type).toEqual(['string', 'array']);
      else if (name !== 'c2s') expect([name, typeof schema.type]).toEqual([name, 'string']);
    }
  });

  it('has no place for the trade password', () => {
    expect([...argumentNames(trade.unlockTrade)]).not.toContain('pwd_md5');
    expect(JSON.stringify([describeTool(trade.unlockTrade), fullInputSchema(trade.unlockTrade)])).not.toMatch(/pwd/);
  });
});

describe('the list of tools', () => {
  const tokensOf = (chosen: typeof tools) => countTokens(JSON.stringify({ tools: chosen.map(describeTool) }));

  // 30,000 tokens for 160 tools.
  it('costs a model less than 187 for each', () => {
    expect(tokensOf(tools) / tools.length).toBeLessThan(187);
  });

  it('stays under 30,000 tokens, and each toolset is a part of it', () => {
    const whole = tokensOf(tools);
    expect(whole).toBeLessThan(30_000);
    for (const group of new Set(tools.map((tool) => tool.group))) {
      const part = tokensOf(tools.filter((tool) => tool.group === group));
      expect(part, group).toBeGreaterThan(0);
      expect(part, group).toBeLessThan(whole * 0.6);
    }
  });
});
