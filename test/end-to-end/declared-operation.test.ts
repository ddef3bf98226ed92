import { readFileSync } from 'node:fs';
import { create, type MessageShape } from '@bufbuild/protobuf';
import { Validator } from '@seriousme/openapi-schema-validator';
import { ManualClock } from '@svc-gateway/contract/clock';
import { operations, type system } from '@svc-gateway/contract/operations';
import type { ResponseMessage } from '@svc-gateway/gateway';
import { Refusal } from '@svc-gateway/simulator/refusal';
import { createSimulation } from '@svc-gateway/simulator/simulation';
import { MemoryStore } from '@svc-gateway/storage';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getFunds } from '../../packages/simulator/src/answers/account/get-funds.js';
import type { AnswersTo } from '../../packages/simulator/src/answers/table.js';
import { answers, getLotSize } from '../support/declared-operation.js';
import { ScriptedBackend, type ServedGateway, serveGateway } from '../support/gateway.js';
import { McpClient, ways } from '../support/mcp-client.js';

type Declared = { getLotSize: typeof getLotSize };

// Three compile errors: a missing row, one too many, and one with another answer.
// @ts-expect-error
({}) satisfies AnswersTo<Declared>;
// @ts-expect-error
({ ...answers, getMore: answers.getLotSize }) satisfies AnswersTo<Declared>;
// @ts-expect-error
({ getLotSize: getFunds }) satisfies AnswersTo<Declared>;
// Operations that the gateway answers itself have no row.
({}) satisfies AnswersTo<{ ping: typeof system.ping }>;

const simulation = createSimulation({
  clock: new ManualClock(Date.UTC(2026, 0, 5)),
  seed: 1,
  store: new MemoryStore(),
  calendarMode: 'open',
});
const backend = new ScriptedBackend((asked, request) => {
  if (asked !== getLotSize) throw new Error(`${asked.name} was not asked for`);
  const s2c = answers.getLotSize(simulation, request as MessageShape<typeof getLotSize.messages.C2SSchema>);
  if (s2c instanceof Promise || s2c instanceof Refusal) throw new Error('a read of a listed symbol is answered at once');
  return create(getLotSize.messages.ResponseSchema, { retType: 0, s2c }) as ResponseMessage;
});

let gateway: ServedGateway;
beforeAll(async () => {
  gateway = await serveGateway({
    backend,
    operations: [...operations, getLotSize],
    keys: { desk: { scopes: ['qot:read'], limits: { allowedSymbols: 'HK.00700,HK.00005' } } },
  });
});
afterAll(async () => {
  await gateway.stop();
  await simulation.close();
});

describe('an operation that is declared', () => {
  it('is a route that answers in the envelope', async () => {
    const answer = await gateway.as('desk').post('/api/lot-size', { symbol: 'HK.00700', kind: 2 });
    expect([answer.status, answer.json.ret_type, answer.json.s2c.static_info_list[0].basic.lot_size]).toEqual([200, 0, 100]);
    expect(answer.text).toContain('"id":281756478396547002,');
    expect(backend.calls.at(-1)?.request).toMatchObject({ security: { market: 1, code: '00700' }, referenceType: 2 });
  });

  it('takes aliases and the protocol form', async () => {
    const body = { c2s: { security: { market: 1, code: '00005' }, ref_kind: 2 } };
    expect((await gateway.as('desk').post('/api/lot-size', body)).json.ret_type).toBe(0);
  });

  it('is in the OpenAPI document, which stays valid', async () => {
    const document = (await gateway.as('desk').get('/openapi.json')).json;
    const { operationId, summary, requestBody } = document.paths['/api/lot-size'].post;
    expect([operationId, summary]).toEqual(['get_lot_size', 'The lot size of a symbol.']);
    const [friendly] = requestBody.content['application/json'].schema.anyOf;
    expect(friendly).toMatchObject({
      required: ['symbol'],
      additionalProperties: false,
      properties: { symbol: { type: 'string' }, kind: { minimum: 1, maximum: 61, default: 1 } },
    });
    expect(await new Validator().validate(document)).toMatchObject({ valid: true });
  });

  it('is nowhere else: the declared operations are as they were', () => {
    expect(operations).not.toContain(getLotSize);
  });

  it('is the one that docs/architecture.md prints', () => {
    const page = readFileSync('docs/architecture.md', 'utf8');
    const source = readFileSync(new URL('../support/declared-operation.ts', import.meta.url), 'utf8');
    const steps = source.split(/^(?=\/\*\* The declaration|type C2S|\/\*\* The row)/m).slice(1);
    expect(steps).toHaveLength(3);
    for (const step of steps) expect(page).toContain(step.trim());
  });
});

const TOOL = 'svc_get_lot_size';

describe.each(ways)('an operation that is declared, over the way with %s', (way) => {
  it('is a listed tool, with descriptions and schemas of its declaration', async () => {
    const client = await McpClient.open(gateway, { way, keyText: gateway.key('desk') });
    const { tools } = await client.client.listTools();
    expect(tools.find(({ name }) => name === TOOL)).toMatchObject({
      title: 'Lot size',
      description: 'The lot size of a symbol. Call it before an order to round its quantity. Free.',
      inputSchema: {
        required: ['symbol'],
        properties: {
          symbol: { type: 'string' },
          kind: { type: 'integer', minimum: 1, maximum: 61, default: 1, description: 'Of which kind.' },
          fields: { type: 'string' },
          limit: { type: 'integer' },
          cursor: { type: 'string' },
        },
      },
      annotations: { readOnlyHint: true },
    });
    const { contents } = await client.client.readResource({ uri: `svc://tools/${TOOL}` });
    const whole = JSON.parse((contents[0] as { text: string }).text);
    expect(whole.inputSchema).toMatchObject({
      additionalProperties: false,
      properties: { kind: { description: 'Of which kind. Also ref_kind.' }, api_key: { type: 'string' }, c2s_json: { type: 'string' } },
    });
    expect(JSON.stringify(whole.outputSchema)).toContain('"lot_size"');
    await client.close();
  });

  it('answers in text and in structure', async () => {
    const client = await McpClient.open(gateway, { way, keyText: gateway.key('desk') });
    const answer = await client.call(TOOL, { symbol: 'HK.00700', kind: 2 });
    expect(answer.text).toContain('"id":281756478396547002,');
    expect(answer.structured).toMatchObject({ static_info_list: [{ basic: { id: '281756478396547002', lot_size: 100 } }] });
    expect(backend.calls.at(-1)?.request).toMatchObject({ security: { market: 1, code: '00700' }, referenceType: 2 });
    const json = { c2s_json: '{"security":{"market":"HK","code":"00005"},"ref_kind":2}' };
    expect(await client.call(TOOL, json)).toMatchObject({ isError: false });
    await client.close();
  });
});
