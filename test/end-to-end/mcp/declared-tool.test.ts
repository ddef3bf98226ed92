import { create, type MessageShape } from '@bufbuild/protobuf';
import { operations } from '@svc-gateway/contract/operations';
import type { ResponseMessage } from '@svc-gateway/gateway';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { getLotSize } from '../../support/declared-operation.js';
import { ScriptedBackend, type ServedGateway, serveGateway } from '../../support/gateway.js';
import { McpClient, type Way, ways } from '../../support/mcp-client.js';

const TOOL = 'svc_get_lot_size';

const backend = new ScriptedBackend((asked, request) => {
  if (asked !== getLotSize) throw new Error(`${asked.name} was not asked for`);
  const { messages } = getLotSize;
  const { security } = request as MessageShape<typeof messages.C2SSchema>;
  const basic = { security, id: 281756478396547002n, lotSize: 100, secType: 3, name: '', listTime: '' };
  return create(messages.ResponseSchema, { retType: 0, s2c: { staticInfoList: [{ basic }] } } as object) as ResponseMessage;
});

let gateway: ServedGateway;
const clients: McpClient[] = [];

beforeAll(async () => {
  gateway = await serveGateway({
    backend,
    operations: [...operations, getLotSize],
    keys: { desk: { scopes: ['qot:read'], limits: { allowedSymbols: 'HK.00700,HK.00005' } }, other: { scopes: ['acc:read'] } },
  });
});
afterAll(async () => {
  await Promise.all(clients.map((client) => client.close()));
  await gateway.stop();
});

async function open(way: Way, id: string): Promise<McpClient> {
  const client = await McpClient.open(gateway, { way, keyText: gateway.key(id) });
  clients.push(client);
  return client;
}

describe.each(ways)('an operation that is declared, over the way with %s', (way) => {
  it('is a listed tool, with descriptions and schemas of its declaration', async () => {
    const client = await open(way, 'desk');
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
  });

  it('answers in text and in structure', async () => {
    const answer = await (await open(way, 'desk')).call(TOOL, { symbol: 'HK.00700', kind: 2 });
    expect(answer.text).toContain('"id":281756478396547002,');
    expect(answer.structured).toMatchObject({ static_info_list: [{ basic: { id: '281756478396547002', lot_size: 100 } }] });
    expect(backend.calls.at(-1)?.request).toMatchObject({ security: { market: 1, code: '00700' }, referenceType: 2 });
    const json = { c2s_json: '{"security":{"market":"HK","code":"00005"},"ref_kind":2}' };
    expect(await (await open(way, 'desk')).call(TOOL, json)).toMatchObject({ isError: false });
  });

  it.each([
    [{}, 'request.missing_field', 'symbol'],
    [{ symbol: 'HK.00700', kind: 62 }, 'request.out_of_range', 'kind'],
    [{ symbol: 'HK.00700', kynd: 1 }, 'request.unknown_field', 'kynd'],
  ])('validates %j', async (args, code, field) => {
    expect(await (await open(way, 'desk')).call(TOOL, args)).toMatchObject({ isError: true, json: { status: 'error', code, field } });
  });

  it('is behind its scope and the limits of keys', async () => {
    const other = await open(way, 'other');
    expect(await other.toolNames()).not.toContain(TOOL);
    expect((await other.call(TOOL, { symbol: 'HK.00700' })).json).toMatchObject({ code: 'auth.scope' });
    const desk = await open(way, 'desk');
    expect((await desk.call(TOOL, { symbol: 'HK.00001' })).json).toMatchObject({ code: 'limit.symbol' });
  });
});

it('the declared operations are as they were', () => {
  expect(operations).not.toContain(getLotSize);
});
