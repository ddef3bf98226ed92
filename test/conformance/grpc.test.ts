import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Operation } from '@svc-gateway/contract/operation';
import { operations } from '@svc-gateway/contract/operations';
import { possibleScopes, scopes } from '@svc-gateway/contract/scope';
import { beforeAll, describe, expect, it } from 'vitest';
import { HK_MARGIN } from '../support/accounts.js';
import { TestDaemon } from '../support/daemon.js';
import type { GrpcClient } from '../support/grpc-client.js';
import { sampleRequest } from '../support/sample-request.js';

/** The client is a process that knows nothing of ours: what it says, it learned by reflection. */

const tradable = new Set([...operations.flatMap(({ switches }) => switches)]);
const numbered = operations.filter((operation): operation is Operation & { protoId: number } => operation.protoId !== null);
const typeOf = ({ messages }: Operation) => messages.C2SSchema.typeName.replace(/\.C2S$/, '');
const security = { market: 1, code: '00700' };

let client: GrpcClient;
const daemon = TestDaemon.forAll({
  keys: {
    all: { scopes: [...scopes] },
    none: { scopes: ['metrics:read'] },
    quotes: { scopes: ['qot:read'] },
    real: { scopes: ['trade:real'] },
    capped: { scopes: ['trade:simulate'], limits: { maxOrderValue: '1000' } },
    busy: { scopes: ['trade:simulate'], limits: { maxOrdersPerMinute: '1' } },
  },
  flags: [...tradable],
});
beforeAll(async () => {
  client = daemon.grpc();
});

const order = {
  header: { trdEnv: 0, accID: HK_MARGIN, trdMarket: 1 },
  packetID: { connID: '0', serialNo: 0 },
  trdSide: 1,
  orderType: 1,
  code: '00700',
  qty: 100,
  price: 1,
};

describe('a client without our files', () => {
  it('finds the services', async () => {
    expect(await client.services()).toEqual(expect.arrayContaining(['svc.v1.Gateway', 'grpc.health.v1.Health']));
  });

  it('reads a quote', async () => {
    const outcome = await client.call({
      key: daemon.keys.quotes,
      protoId: 3004,
      type: 'Qot_GetBasicQot',
      request: { securityList: [security] },
    });
    expect(outcome).toMatchObject({
      code: 'OK',
      answer: { ret_type: 0, proto_id: 3004 },
      metadata: { 'x-request-id': expect.stringMatching(/^grpc-/) },
    });
    expect(outcome.message).toMatchObject({ retType: 0, s2c: { basicQotList: [{ security, curPrice: expect.any(Number) }] } });
  });

  it('is told a business failure with status OK', async () => {
    const request = { securityList: [{ market: 1, code: '99999' }] };
    const outcome = await client.call({ key: daemon.keys.quotes, protoId: 3004, type: 'Qot_GetBasicQot', request });
    expect(outcome).toMatchObject({ code: 'OK', answer: { ret_type: -1, ret_msg: expect.stringContaining('99999') } });
    expect(outcome.message).toMatchObject({ retType: -1, retMsg: outcome.answer?.ret_msg });
  });

  it.each([
    ['a field at fault', { security, num: 41 }, 'INVALID_ARGUMENT', 'num: 41 is out of range, accepted: 1 to 40', 'request.out_of_range'],
    [
      'more than percent-encoding takes',
      { security: { market: 77, code: '%é\u{1F600}' }, num: 3 },
      'INVALID_ARGUMENT',
      'security.market: expected one of',
      'request.out_of_range',
    ],
  ])('is told %s', async (_, request, code, details, errorCode) => {
    const outcome = await client.call({ key: daemon.keys.quotes, protoId: 3012, type: 'Qot_GetOrderBook', request });
    expect(outcome).toMatchObject({ code, details: expect.stringContaining(details), metadata: { 'error-code': errorCode } });
  });

  it('is told a field that is missing', async () => {
    // Request { c2s { num: 3 } }: its own library does not write a message that is not complete.
    const outcome = await client.call({ key: daemon.keys.quotes, protoId: 3012, body: Buffer.from([0x0a, 0x02, 0x10, 0x03]) });
    expect(outcome).toMatchObject({ code: 'INVALID_ARGUMENT', details: 'missing field "security"' });
  });

  it.each([
    ['no key', undefined, 'UNAUTHENTICATED', 'auth.missing'],
    ['a key that is none', 'svc_nobody', 'UNAUTHENTICATED', 'auth.invalid'],
  ])('is refused with %s', async (_, key, code, errorCode) => {
    const outcome = await client.call({ key, protoId: 1002, type: 'GetGlobalState', request: { userID: '0' } });
    expect(outcome).toMatchObject({ code, metadata: { 'error-code': errorCode } });
  });

  it('learns of an id that nobody serves only with trade:real', async () => {
    expect(await client.call({ key: daemon.keys.quotes, protoId: 9999 })).toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(await client.call({ key: daemon.keys.real, protoId: 9999 })).toMatchObject({
      code: 'UNIMPLEMENTED',
      details: 'protocol id 9999 is not served',
    });
    expect(await client.call({ protoId: 9999 })).toMatchObject({ code: 'UNAUTHENTICATED' });
  });

  it('is refused bodies that are no message, or too large', async () => {
    expect(await client.call({ key: daemon.keys.quotes, protoId: 3004, body: Buffer.from([0xff]) })).toMatchObject({
      code: 'INVALID_ARGUMENT',
    });
    expect(await client.call({ key: daemon.keys.quotes, protoId: 3004, body: Buffer.alloc(1024 * 1024) })).toMatchObject({
      code: 'RESOURCE_EXHAUSTED',
    });
  });

  it('places an order once under one idempotency key', async () => {
    const place = (price: number, serialNo: number) =>
      client.call({
        key: daemon.keys.all,
        protoId: 2202,
        type: 'Trd_PlaceOrder',
        request: { ...order, price, packetID: { connID: '9', serialNo } },
        metadata: { 'idempotency-key': 'grpc-1' },
      });
    const first = await place(1, 1);
    expect(first).toMatchObject({ code: 'OK', answer: { ret_type: 0 } });
    // Its packet id counts the tries of a client, and is not what is asked.
    expect((await place(1, 2)).message).toEqual(first.message);
    expect(await place(2, 3)).toMatchObject({ code: 'ABORTED', metadata: { 'error-code': 'idempotency.mismatch' } });
  });

  it('is held to its caps by the price that a stop order waits for', async () => {
    // By the book one share is worth less than the cap.
    const stop = (auxPrice: number) =>
      client.call({
        key: daemon.keys.capped,
        protoId: 2202,
        type: 'Trd_PlaceOrder',
        request: { ...order, orderType: 10, price: undefined, code: '00700', qty: 1, auxPrice },
      });
    expect(await stop(100_000)).toMatchObject({ code: 'RESOURCE_EXHAUSTED', metadata: { 'error-code': 'limit.order_value' } });
    expect(await stop(1)).toMatchObject({ code: 'OK' });
  });

  it('is told when to come back by a limit', async () => {
    const place = () => client.call({ key: daemon.keys.busy, protoId: 2202, type: 'Trd_PlaceOrder', request: order });
    expect(await place()).toMatchObject({ code: 'OK' });
    const refused = await place();
    expect(refused).toMatchObject({ code: 'RESOURCE_EXHAUSTED', metadata: { 'error-code': 'limit.rate' } });
    expect(Number(refused.metadata['retry-after'])).toBeGreaterThan(0);
  });
});

describe.each(numbered.map((operation) => [operation.protoId, operation.name, operation] as const))(
  'protocol id %i',
  (protoId, name, operation) => {
    it(`is ${name} for a key that may, and nothing for one that may not`, async () => {
      const wish = { protoId, type: typeOf(operation), request: sampleRequest(operation, operations) };
      const served = await client.call({ ...wish, key: daemon.keys.all });
      expect([served.code, served.answer?.proto_id, served.details]).toEqual(['OK', protoId, served.details]);
      const other = await client.call({ ...wish, key: daemon.keys.none });
      const may = possibleScopes(operation.scope).includes('metrics:read');
      const expected = may ? ['OK', undefined] : ['PERMISSION_DENIED', 'auth.scope'];
      expect([other.code, other.metadata['error-code']]).toEqual(expected);
      const lines = await daemon.audit();
      const line = (outcome: { metadata: Readonly<Record<string, string>> }) =>
        lines.find(({ request_id }) => request_id === outcome.metadata['x-request-id']);
      expect(line(served)).toMatchObject({ iface: 'grpc', endpoint: name, key_id: 'all' });
      expect(line(other)).toMatchObject({ iface: 'grpc', endpoint: name, key_id: 'none', outcome: may ? 'allow' : 'reject' });
    });
  },
);

/** A Python that has grpcio, as Debian's python3-grpcio brings it. */
const python = ['/usr/bin/python3', 'python3'].find(
  (command) => spawnSync(command, ['-c', 'import grpc, google.protobuf'], { timeout: 20_000 }).status === 0,
);

it.skipIf(python === undefined)('a client in Python is served (needs grpcio; skipped where there is none)', async () => {
  const script = join(import.meta.dirname, 'grpc_peer.py');
  const ca = join(daemon.folder, 'ca.pem');
  writeFileSync(ca, daemon.ca ?? '');
  const peer = spawn(python ?? '', [script, new URL(daemon.grpcUrl).host, daemon.keys.quotes, ca], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = await Promise.all([text(peer.stdout), once(peer, 'exit')]);
  expect(JSON.parse(printed)).toMatchObject({
    ret_type: 0,
    code: '00700',
    request_id: expect.stringMatching(/^grpc-/),
    refused: 'UNAUTHENTICATED',
    error_code: 'auth.missing',
    event: ['quote', '1_00700', 3005],
  });
});
