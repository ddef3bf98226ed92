import { create, type MessageShape } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { operation } from '../../../src/contract/declare.js';
import * as QotCommon from '../../../src/contract/generated/Qot_Common_pb.js';
import * as QotGetStaticInfo from '../../../src/contract/generated/Qot_GetStaticInfo_pb.js';
import { operations } from '../../../src/contract/operations/index.js';
import { anyOf } from '../../../src/contract/scope.js';
import { integer, symbols } from '../../../src/contract/shape.js';
import type { ResponseMessage } from '../../../src/gateway/index.js';
import { ScriptedBackend, type ServedGateway, serveGateway } from '../../support/gateway.js';
import { McpClient, type Way, ways } from '../../support/mcp-client.js';

/** An operation that the program does not know. Nothing else in this file is about how it becomes a tool. */
const getLotSizes = operation({
  name: 'get_lot_sizes',
  group: 'quote',
  protoId: null,
  scope: anyOf('qot:read'),
  effect: 'read',
  reach: 'request',
  messages: QotGetStaticInfo,
  title: 'Lot sizes',
  summary: 'The lot sizes of symbols.',
  guide: 'Call it before an order to round its quantity. Free.',
  shape: [
    symbols('securityList', { max: 2 }),
    integer('market', { as: 'board', min: 1, max: 61, default: 1, about: 'Where to look first.' }),
    integer('secType', { as: 'kind', aliases: ['sec_kind'], about: 'Of which kind.' }),
  ],
  rest: [],
});
const TOOL = 'svc_get_lot_sizes';

const backend = new ScriptedBackend((asked, request) => {
  if (asked !== getLotSizes) throw new Error(`${asked.name} was not asked for`);
  const { securityList } = request as MessageShape<typeof QotGetStaticInfo.C2SSchema>;
  const staticInfoList = securityList.map((security) => {
    const basic = { security, id: 281756478396547002n, lotSize: 100, secType: 3, name: '', listTime: '' };
    return create(QotCommon.SecurityStaticInfoSchema, { basic: create(QotCommon.SecurityStaticBasicSchema, basic) });
  });
  const s2c = create(QotGetStaticInfo.S2CSchema, { staticInfoList });
  return create(QotGetStaticInfo.ResponseSchema, { retType: 0, s2c }) as ResponseMessage;
});

let gateway: ServedGateway;
const clients: McpClient[] = [];

beforeAll(async () => {
  gateway = await serveGateway({
    backend,
    operations: [...operations, getLotSizes],
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
      title: 'Lot sizes',
      description: 'The lot sizes of symbols. Call it before an order to round its quantity. Free.',
      inputSchema: {
        additionalProperties: false,
        required: ['symbols'],
        properties: {
          symbols: { type: 'array', maxItems: 2 },
          board: { minimum: 1, maximum: 61, default: 1, description: 'Where to look first.' },
          kind: { type: 'integer', description: 'Of which kind. Also sec_kind.' },
          api_key: { type: 'string' },
        },
      },
      outputSchema: { properties: { static_info_list: { type: 'array' } } },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
    });
    const { contents } = await client.client.readResource({ uri: `svc://tools/${TOOL}` });
    expect((contents[0] as { text: string }).text).toContain('"lot_size"');
  });

  it('answers in text and in structure', async () => {
    const answer = await (await open(way, 'desk')).call(TOOL, { symbols: ['HK.00700'], kind: 3 });
    expect(answer.text).toContain('"id":281756478396547002,');
    expect(answer.structured).toMatchObject({ static_info_list: [{ basic: { id: '281756478396547002', lot_size: 100 } }] });
    expect(backend.calls.at(-1)?.request).toMatchObject({ securityList: [{ market: 1, code: '00700' }], market: 1, secType: 3 });
    const json = { c2s_json: '{"security_list":[{"market":"HK","code":"00005"}],"sec_kind":3}' };
    expect(await (await open(way, 'desk')).call(TOOL, json)).toMatchObject({ isError: false });
  });

  it.each([
    [{}, 'request.missing_field', 'symbols'],
    [{ symbols: ['HK.1', 'HK.2', 'HK.3'] }, 'request.out_of_range', 'symbols'],
    [{ symbols: ['HK.00700'], board: 62 }, 'request.out_of_range', 'board'],
    [{ symbols: ['HK.00700'], bord: 1 }, 'request.unknown_field', 'bord'],
  ])('validates %j', async (args, code, field) => {
    expect(await (await open(way, 'desk')).call(TOOL, args)).toMatchObject({ isError: true, json: { status: 'error', code, field } });
  });

  it('is behind its scope and the limits of keys', async () => {
    const other = await open(way, 'other');
    expect(await other.toolNames()).not.toContain(TOOL);
    expect((await other.call(TOOL, { symbols: ['HK.00700'] })).json).toMatchObject({ code: 'auth.scope' });
    const desk = await open(way, 'desk');
    expect((await desk.call(TOOL, { symbols: ['HK.00001'] })).json).toMatchObject({ code: 'limit.symbol' });
  });
});

it('the declared operations are as they were', () => {
  expect(operations).not.toContain(getLotSizes);
});
