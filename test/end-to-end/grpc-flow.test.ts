import { create } from '@bufbuild/protobuf';
import * as QotUpdateTicker from '@svc-gateway/contract/generated/Qot_UpdateTicker_pb';
import type { PushEvent, QuoteStream, ResponseMessage } from '@svc-gateway/gateway';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { grpcFormat } from '../../packages/interfaces/src/grpc/push-format.js';
import { FaultyBackend } from '../support/faulty-backend.js';
import { type ServedGateway, serveGateway } from '../support/gateway.js';
import type { GrpcClient, GrpcStream, PushedEvent } from '../support/grpc-client.js';
import { notify } from '../support/push-fakes.js';

const NOTICE_BYTES = 8 * 1024;
const BATCH = 10;
const TICKER = 4;
const stream: QuoteStream = { symbol: 'HK.00700', subType: TICKER, rehabType: 0, extendedTime: false };

/** A notice with its number at the end of a long text. */
const notice = (number: number) => notify(`${'x'.repeat(NOTICE_BYTES)} ${number}`);

function tick(): PushEvent {
  const s2c = create(QotUpdateTicker.S2CSchema, { security: { market: 1, code: '00700' }, name: 'x'.repeat(100) });
  const message = create(QotUpdateTicker.ResponseSchema, { retType: 0, s2c }) as ResponseMessage;
  return { type: 'quote', protoId: 3011, stream, secKey: '1_00700', message };
}

let backend: FaultyBackend;
let gateway: ServedGateway;
let client: GrpcClient;
let reader: GrpcClient;
beforeEach(async () => {
  backend = new FaultyBackend();
  gateway = await serveGateway({ backend, keys: { desk: { scopes: ['qot:read'] } } });
  [client, reader] = [gateway.grpc(), gateway.grpc()];
});
afterEach(async () => {
  vi.restoreAllMocks();
  await gateway.stop();
});

/** Sends batches, each when the quick reader has the one before, until `done` says so. */
async function emitUntil(quick: GrpcStream<PushedEvent>, done: () => boolean): Promise<number> {
  let sent = 0;
  while (!done()) {
    if (sent > 10_000) throw new Error('sent 80 MB without the expected end');
    for (let index = 0; index < BATCH; index++) backend.push(notice(++sent));
    await quick.next(() => quick.events.length >= sent);
  }
  return sent;
}

it('a stream that is not read is closed when too much waits, while others miss nothing', async () => {
  const slow = await client.open({ key: gateway.key('desk') });
  const quick = await reader.open({ key: gateway.key('desk') });
  await client.act('pause', slow.name);
  const sent = await emitUntil(quick, () => gateway.pushConnections() === 1);
  expect(quick.events).toHaveLength(sent);
  expect(quick.ended).toBeUndefined();
  await client.act('resume', slow.name);
  expect(await slow.end()).toMatchObject({
    code: 'RESOURCE_EXHAUSTED',
    details: expect.stringContaining('the backlog passed 1048576 bytes'),
  });
  // Earlier writes are still delivered, in order and without a gap.
  expect(slow.events.length).toBeGreaterThan(0);
  expect(slow.events.map(({ body }) => Buffer.from(body))).toEqual(
    quick.events.slice(0, slow.events.length).map(({ body }) => Buffer.from(body)),
  );
});

it('a slow reader is told how many tickers it missed', async () => {
  const request = { securityList: [{ market: 1, code: '00700' }], subTypeList: [TICKER], isSubOrUnSub: true, isRegOrUnRegPush: true };
  expect(await client.call({ key: gateway.key('desk'), protoId: 3001, type: 'Qot_Sub', request })).toMatchObject({ code: 'OK' });
  const slow = await client.open({ key: gateway.key('desk') });
  await client.act('pause', slow.name);
  for (let index = 0; index < 8000; index++) backend.push(tick());
  await client.act('resume', slow.name);
  const gap = await slow.next(({ proto_id }) => proto_id === 1003);
  expect(gap).toMatchObject({ event_type: 'notify', sec_key: '1_00700', sub_type: TICKER });
  expect((await client.decode('Notify', gap)).s2c.event.desc).toMatch(/^HK\.00700: \d+ ticker events were dropped/);
});

it('an event is encoded once, whatever the number of streams', async () => {
  const encoded = vi.spyOn(grpcFormat, 'event');
  const streams = await Promise.all([client, client, reader].map((each) => each.open({ key: gateway.key('desk') })));
  for (let number = 1; number <= 20; number++) backend.push(notice(number));
  for (const each of streams) await each.next(() => each.events.length === 20);
  expect(encoded).toHaveBeenCalledTimes(20);
});
