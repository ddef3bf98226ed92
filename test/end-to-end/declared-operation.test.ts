import { create, type MessageShape } from '@bufbuild/protobuf';
import { Validator } from '@seriousme/openapi-schema-validator';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ManualClock } from '../../src/contract/clock.js';
import { operation, post } from '../../src/contract/declare.js';
import * as QotCommon from '../../src/contract/generated/Qot_Common_pb.js';
import * as QotGetStaticInfo from '../../src/contract/generated/Qot_GetStaticInfo_pb.js';
import { operations, type system } from '../../src/contract/operations/index.js';
import { anyOf } from '../../src/contract/scope.js';
import { integer, symbols } from '../../src/contract/shape.js';
import type { ResponseMessage } from '../../src/gateway/index.js';
import { getFunds } from '../../src/simulator/answers/account/get-funds.js';
import type { AnswersTo } from '../../src/simulator/answers/table.js';
import { Refusal } from '../../src/simulator/refusal.js';
import { createSimulation } from '../../src/simulator/simulation.js';
import { lotSize } from '../../src/simulator/view/contract-terms.js';
import type { Answer } from '../../src/simulator/view/facts.js';
import { locateAll } from '../../src/simulator/view/locate.js';
import { MemoryStore } from '../../src/storage/index.js';
import { ScriptedBackend, type ServedGateway, serveGateway } from '../support/gateway.js';

/**
 * The worked example of docs/architecture.md: a new operation is its declaration, its answer and its row in a table; here they are,
 * and the REST route that comes of them.
 */
const getLotSizes = operation({
  name: 'get_lot_sizes',
  group: 'quote',
  protoId: null,
  scope: anyOf('qot:read'),
  effect: 'read',
  // It tells of the symbols asked for and of nothing else, so that limited keys may ask for theirs.
  reach: 'request',
  // A protocol message, or one of proto/svc/: C2S, S2C, Request, Response.
  messages: QotGetStaticInfo,
  title: 'Lot sizes',
  summary: 'The lot sizes of symbols.',
  guide: 'Call it before an order to round its quantity. Free.',
  // Which JSON fields callers write, and where in C2S they go.
  shape: [
    symbols('securityList', { max: 2 }),
    integer('market', { as: 'board', min: 1, max: 61, default: 1, about: 'Where to look first.' }),
    integer('secType', { as: 'kind', aliases: ['sec_kind'], about: 'Of which kind.' }),
  ],
  rest: [post('/api/lot-sizes')],
});

type C2S = MessageShape<typeof QotGetStaticInfo.C2SSchema>;
type S2C = MessageShape<typeof QotGetStaticInfo.S2CSchema>;

/** Its answer: the facts that it names and the typed request in, the typed payload or a refusal out. */
const lotSizes: Answer<'listings', C2S, S2C> = (facts, { securityList }) => {
  const listings = locateAll(facts, securityList, 2);
  if (listings instanceof Refusal) return listings;
  const staticInfoList = listings.map((listing) =>
    create(QotCommon.SecurityStaticInfoSchema, {
      basic: create(QotCommon.SecurityStaticBasicSchema, {
        security: listing.security,
        // More digits than a double carries.
        id: 281756478396547002n,
        lotSize: lotSize(listing),
        secType: listing.securityType,
        name: '',
        listTime: '',
      }),
    }),
  );
  return create(QotGetStaticInfo.S2CSchema, { staticInfoList });
};

/** Its row in the table of its group. */
const answers = { getLotSizes: lotSizes } satisfies AnswersTo<{ getLotSizes: typeof getLotSizes }>;

// What does not compile: a row that is missing, one too many, and one that answers something else.
// @ts-expect-error
({}) satisfies AnswersTo<{ getLotSizes: typeof getLotSizes }>;
// @ts-expect-error
({ getLotSizes: lotSizes, getMore: lotSizes }) satisfies AnswersTo<{ getLotSizes: typeof getLotSizes }>;
// @ts-expect-error
({ getLotSizes: getFunds }) satisfies AnswersTo<{ getLotSizes: typeof getLotSizes }>;
// What the gateway answers by itself has no row.
({}) satisfies AnswersTo<{ ping: typeof system.ping }>;

const simulation = createSimulation({
  clock: new ManualClock(Date.UTC(2026, 0, 5)),
  seed: 1,
  store: new MemoryStore(),
  calendarMode: 'open',
});
const backend = new ScriptedBackend((asked, request) => {
  if (asked !== getLotSizes) throw new Error(`${asked.name} was not asked for`);
  const s2c = answers.getLotSizes(simulation, request as C2S);
  if (s2c instanceof Promise || s2c instanceof Refusal) throw new Error('a read of listed symbols is answered at once');
  return create(QotGetStaticInfo.ResponseSchema, { retType: 0, s2c }) as ResponseMessage;
});

let gateway: ServedGateway;
beforeAll(async () => {
  gateway = await serveGateway({
    backend,
    operations: [...operations, getLotSizes],
    keys: { desk: { scopes: ['qot:read'], limits: { allowedSymbols: 'HK.00700,HK.00005' } }, other: { scopes: ['acc:read'] } },
  });
});
afterAll(async () => {
  await gateway.stop();
  await simulation.close();
});

describe('an operation that is declared', () => {
  it('is a route that answers in the envelope', async () => {
    const answer = await gateway.as('desk').post('/api/lot-sizes', { symbols: ['HK.00700'], kind: 3 });
    expect([answer.status, answer.json.ret_type, answer.json.s2c.static_info_list[0].basic.lot_size]).toEqual([200, 0, 100]);
    expect(answer.text).toContain('"id":281756478396547002,');
    expect(backend.calls.at(-1)?.request).toMatchObject({ securityList: [{ market: 1, code: '00700' }], market: 1, secType: 3 });
  });

  it('takes aliases and the protocol form', async () => {
    const body = { c2s: { security_list: [{ market: 1, code: '00005' }], sec_kind: 3 } };
    expect((await gateway.as('desk').post('/api/lot-sizes', body)).json.ret_type).toBe(0);
  });

  it.each([
    [{}, 'request.missing_field', 'symbols'],
    [{ symbols: [] }, 'request.out_of_range', 'symbols'],
    [{ symbols: ['HK.1', 'HK.2', 'HK.3'] }, 'request.out_of_range', 'symbols'],
    [{ symbols: ['HK.00700'], board: 62 }, 'request.out_of_range', 'board'],
    [{ symbols: ['HK.00700'], bord: 1 }, 'request.unknown_field', 'bord'],
  ])('validates %j', async (body, code, field) => {
    const answer = await gateway.as('desk').post('/api/lot-sizes', body);
    expect([answer.status, answer.json.code, answer.json.field]).toEqual([400, code, field]);
  });

  it('is behind its scope and the limits of keys', async () => {
    expect((await gateway.as('other').post('/api/lot-sizes', { symbols: ['HK.00700'] })).json.code).toBe('auth.scope');
    expect((await gateway.as('desk').post('/api/lot-sizes', { symbols: ['HK.00001'] })).json.code).toBe('limit.symbol');
    expect((await gateway.as('desk').get('/api/lot-sizes')).headers.allow).toBe('POST');
  });

  it('is in the OpenAPI document, which stays valid', async () => {
    const document = (await gateway.as('desk').get('/openapi.json')).json;
    const { operationId, summary, requestBody } = document.paths['/api/lot-sizes'].post;
    expect([operationId, summary]).toEqual(['get_lot_sizes', 'The lot sizes of symbols.']);
    const [friendly] = requestBody.content['application/json'].schema.anyOf;
    expect(friendly).toMatchObject({
      required: ['symbols'],
      additionalProperties: false,
      properties: { symbols: { type: 'array', maxItems: 2 }, board: { minimum: 1, maximum: 61, default: 1 } },
    });
    expect(await new Validator().validate(document)).toMatchObject({ valid: true });
  });

  it('is nowhere else: the declared operations are as they were', () => {
    expect(operations).not.toContain(getLotSizes);
  });
});
