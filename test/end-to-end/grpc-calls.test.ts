import { create } from '@bufbuild/protobuf';
import * as QotGetOrderBook from '@svc-gateway/contract/generated/Qot_GetOrderBook_pb';
import { quote, trade } from '@svc-gateway/contract/operations';
import type { ResponseMessage } from '@svc-gateway/gateway';
import { afterEach, describe, expect, it } from 'vitest';
import { HK_MARGIN } from '../support/accounts.js';
import { ScriptedBackend, type ServedGateway, serveGateway, succeed } from '../support/gateway.js';

const keys = { desk: { scopes: ['qot:read', 'trade:simulate'] }, other: { scopes: ['acc:read'] } } as const;
const security = { market: 1, code: '00700' };

let gateway: ServedGateway;
afterEach(() => gateway.stop());

/** A backend whose order book, by which market orders are valued, comes when the test says so. */
function slowBook() {
  let release: () => void = () => undefined;
  let asked: () => void = () => undefined;
  const answered = new Promise<void>((resolve) => {
    release = resolve;
  });
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const backend = new ScriptedBackend(async (wanted, request) => {
    if (wanted !== quote.getOrderBook) return succeed(wanted, request);
    asked();
    await answered;
    const s2c = create(QotGetOrderBook.S2CSchema, { security, orderBookAskList: [{ price: 300, volume: 1000n, orederCount: 1 }] });
    return create(QotGetOrderBook.ResponseSchema, { retType: 0, s2c }) as ResponseMessage;
  });
  return { backend, isAsked, release };
}

const marketOrder = {
  protoId: 2202,
  type: 'Trd_PlaceOrder',
  request: {
    header: { trdEnv: 0, accID: HK_MARGIN, trdMarket: 1 },
    packetID: { connID: '0', serialNo: 0 },
    trdSide: 1,
    orderType: 2,
    code: '00700',
    qty: 100,
  },
};

describe('a call that nobody waits for', () => {
  it.each([
    ['whose deadline has passed', { deadlineMs: 1_500 }, 'DEADLINE_EXCEEDED'],
    ['that was cancelled', { cancel: 'order' }, 'CANCELLED'],
  ])('%s, is not sent when it had not left yet', async (_, wish, code) => {
    const { backend, isAsked, release } = slowBook();
    gateway = await serveGateway({ backend, keys });
    const client = gateway.grpc();
    const call = client.call({ key: gateway.key('desk'), ...marketOrder, ...wish });
    await isAsked;
    if ('cancel' in wish) await client.act('cancel', wish.cancel);
    expect((await call).code).toBe(code);
    // The server hears of it at the latest when it answers what was asked after it on the same connection.
    await client.check('');
    release();
    // The deadline is the server's too: whichever of the two comes first ends the call.
    await gateway.audited(({ reason }) => /(?:nothing|before anything) was sent$/.test(reason));
    expect(backend.calls.map(({ operation }) => operation)).not.toContain(trade.placeOrder.name);
  });

  it('is sent all the same by another that waits under the same idempotency key', async () => {
    const { backend, isAsked, release } = slowBook();
    gateway = await serveGateway({ backend, keys });
    const client = gateway.grpc();
    const wish = { key: gateway.key('desk'), ...marketOrder, metadata: { 'idempotency-key': 'once' } };
    const first = client.call({ ...wish, cancel: 'first' });
    await isAsked;
    const second = client.call(wish);
    await client.act('cancel', 'first');
    expect((await first).code).toBe('CANCELLED');
    await client.check('');
    release();
    expect(await second).toMatchObject({ code: 'OK', answer: { ret_type: 0 } });
    expect(backend.calls.filter(({ operation }) => operation === trade.placeOrder.name)).toHaveLength(1);
  });
});

describe('a backend', () => {
  it('not ready yet makes calls UNAVAILABLE, with the time to retry, and the health NOT_SERVING', async () => {
    const backend = new ScriptedBackend();
    gateway = await serveGateway({ backend, keys });
    const client = gateway.grpc();
    const watch = await client.watch('svc.v1.Gateway');
    await watch.next(({ status }) => status === 'SERVING');
    backend.become('reconnecting');
    await watch.next(({ status }) => status === 'NOT_SERVING');
    for (const service of ['', 'svc.v1.Gateway'])
      expect(await client.check(service)).toMatchObject({ code: 'OK', answer: { status: 'NOT_SERVING' } });
    expect(await client.check('svc.v1.Nothing')).toMatchObject({ code: 'NOT_FOUND' });
    const call = { key: gateway.key('desk'), protoId: 3004, type: 'Qot_GetBasicQot', request: { securityList: [security] } };
    expect(await client.call(call)).toMatchObject({
      code: 'UNAVAILABLE',
      metadata: { 'retry-after': '1', 'error-code': 'backend.not_ready' },
    });
    backend.become('ready');
    expect(await client.call(call)).toMatchObject({ code: 'OK' });
  });

  it('fails the call with an error that says where to look', async () => {
    gateway = await serveGateway({
      backend: new ScriptedBackend(() => {
        throw new Error('a defect');
      }),
      keys,
    });
    const call = { key: gateway.key('desk'), protoId: 3012, type: 'Qot_GetOrderBook', request: { security, num: 1 } };
    const outcome = await gateway.grpc().call(call);
    expect(outcome).toMatchObject({ code: 'INTERNAL', metadata: { 'error-code': 'internal' } });
    expect(outcome.details).toContain(outcome.metadata['x-request-id']);
    expect(gateway.log.join()).toContain('a defect');
  });

  it('fails the call with an answer that is no message of the operation', async () => {
    gateway = await serveGateway({
      // s2c lacks its required fields.
      backend: new ScriptedBackend(() => create(QotGetOrderBook.ResponseSchema, { retType: 0, s2c: {} }) as ResponseMessage),
      keys,
    });
    const call = { key: gateway.key('desk'), protoId: 3012, type: 'Qot_GetOrderBook', request: { security, num: 1 } };
    expect(await gateway.grpc().call(call)).toMatchObject({ code: 'INTERNAL' });
  });
});
