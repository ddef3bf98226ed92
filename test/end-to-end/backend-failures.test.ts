import { create } from '@bufbuild/protobuf';
import type { Operation } from '@svc-gateway/contract/operation';
import { BackendLost, type LifecycleState, type ResponseMessage } from '@svc-gateway/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, SIMULATE } from '../support/accounts.js';
import { refuse, ScriptedBackend, type ServedGateway, serveGateway, succeed } from '../support/gateway.js';

const order = { market: HK, acc_id: HK_MARGIN, env: SIMULATE, side: BUY, code: '00700', qty: 100, price: 10 };

let backend: ScriptedBackend;
let gateway: ServedGateway;
beforeEach(async () => {
  backend = new ScriptedBackend();
  const scopes = ['qot:read', 'acc:read', 'trade:simulate', 'admin', 'auth:setup'] as const;
  gateway = await serveGateway({ backend, keys: { desk: { scopes, limits: { maxDailyValue: '1500' } } } });
});
afterEach(() => gateway.stop());

describe('a backend that is not ready', () => {
  it.each<[LifecycleState]>([['idle'], ['connecting'], ['authenticating'], ['reconnecting'], ['failed'], ['stopped']])(
    '%s: 503, and nothing is sent',
    async (state) => {
      backend.become(state);
      for (const [path, body] of [
        ['/api/quote', { symbol: 'HK.00700' }],
        ['/api/order', order],
        ['/api/subscribe', { symbols: ['HK.00700'], sub_types: [1] }],
      ] as const) {
        const answer = await gateway.as('desk').post(path, body);
        expect([answer.status, answer.json.code, answer.headers['retry-after']]).toEqual([503, 'backend.not_ready', '1']);
        expect(answer.json.error).toContain(state);
      }
      expect(backend.calls).toEqual([]);
      backend.become('ready');
      expect((await gateway.as('desk').post('/api/quote', { symbol: 'HK.00700' })).status).toBe(200);
    },
  );

  it('is still told of, and its pending login answered', async () => {
    backend.become('authenticating');
    expect((await gateway.as('desk').get('/api/ping')).status).toBe(200);
    const status = await gateway.as('desk').get('/api/admin/status');
    expect(status.json.s2c.platform.lifecycle_state).toBe('authenticating');
    expect((await gateway.as('desk').post('/api/verification', { type: 2, op: 2, code: '123456' })).status).toBe(200);
    expect(backend.calls.map(({ operation }) => operation)).toEqual(['verification']);
    expect((await gateway.as('desk').get('/readyz')).status).toBe(503);
  });
});

describe('a backend that is lost under way', () => {
  it('keeps the value of an order of unknown outcome; a definite refusal gives it back', async () => {
    backend.answer = (operation) => refuse(operation, 'no');
    for (let times = 0; times < 3; times++) expect((await gateway.as('desk').post('/api/order', order)).json.ret_msg).toBe('no');
    backend.answer = async () => Promise.reject(new BackendLost('lost'));
    expect((await gateway.as('desk').post('/api/order', order)).status).toBe(500);
    backend.answer = succeed;
    expect((await gateway.as('desk').post('/api/order', order)).json.code).toBe('limit.daily_value');
  });
});

describe('a defect', () => {
  const quote = { symbol: 'HK.00700' };
  const unwritable = ({ messages }: Operation) => {
    const s2c = {
      get basicQotList() {
        throw new Error('secret detail');
      },
    };
    return Object.assign(create(messages.ResponseSchema), { retType: 0, s2c }) as unknown as ResponseMessage;
  };

  it.each<[string, ScriptedBackend['answer']]>([
    [
      'thrown',
      () => {
        throw new Error('secret detail');
      },
    ],
    ['of a rejected promise', () => Promise.reject(new Error('secret detail'))],
    ['that is no Error', () => Promise.reject('secret detail')],
    ['of an answer that cannot be written', unwritable],
    ['of a promised answer that cannot be written', async (operation) => unwritable(operation)],
  ])('%s is a 500 without its details, which the log has under the request id', async (_what, answer) => {
    backend.answer = answer;
    const failed = await gateway.as('desk').post('/api/quote', quote);
    expect([failed.status, failed.json.code]).toEqual([500, 'internal']);
    expect(failed.text).not.toContain('secret');
    const logged = gateway.log.find((line) => line.includes(failed.json.request_id));
    expect(logged).toContain('secret detail');
    backend.answer = succeed;
    expect((await gateway.as('desk').post('/api/quote', quote)).status).toBe(200);
  });
});

describe('a cancel', () => {
  const cancel = { market: HK, acc_id: HK_MARGIN, env: SIMULATE, order_id: 1 };

  it('is acknowledged after one refresh of the orders, and also when that fails', async () => {
    expect((await gateway.as('desk').post('/api/cancel-order', cancel)).json.ret_type).toBe(0);
    expect(backend.calls.map(({ operation }) => operation)).toEqual(['cancel_order', 'get_orders']);
    expect(backend.calls[1]?.request).toMatchObject({ refreshCache: true });
    backend.answer = (operation, request) => {
      if (operation.name === 'get_orders') throw new BackendLost('lost');
      return succeed(operation, request);
    };
    expect((await gateway.as('desk').post('/api/cancel-order', cancel)).json.ret_type).toBe(0);
  });

  it('is the same by a modify with op 2', async () => {
    const header = { trd_env: SIMULATE, acc_id: HK_MARGIN, trd_market: HK };
    const cancelled = await gateway.as('desk').post('/api/modify-order', { c2s: { header, order_id: 1, modify_order_op: 2 } });
    expect(cancelled.json.ret_type).toBe(0);
    expect(backend.calls.map(({ operation }) => operation)).toEqual(['modify_order', 'get_orders']);
    expect(backend.calls[1]?.request).toMatchObject({ refreshCache: true });
  });
});
