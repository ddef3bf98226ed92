import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import type * as Notify from '@svc-gateway/contract/generated/Notify_pb';
import { quote, subscription, trade } from '@svc-gateway/contract/operations';
import { accounts } from '@svc-gateway/simulator/brokerage/account';
import { createSimulation } from '@svc-gateway/simulator/simulation';
import { MemoryStore } from '@svc-gateway/storage';
import { expect, test, vi } from 'vitest';
import { call, context, FIXTURE_TIME, security, startFixture } from '../../../../test/support/sim-backend.js';
import { createSimBackend } from './index.js';

test('it is ready at once, and says in its notices that it is simulated', async () => {
  const clock = new ManualClock(FIXTURE_TIME);
  const simulation = createSimulation({ clock, seed: 1, store: new MemoryStore(), calendarMode: 'open' });
  const backend = createSimBackend({ simulation, clock, logger: { error: () => {} } });
  expect(backend.status().platform).toMatchObject({ lifecycleState: 'idle', lifecycleGeneration: 0 });
  const states: string[] = [];
  const notices: Notify.S2C[] = [];
  backend.onLifecycle(({ platform }) => states.push(platform.lifecycleState));
  backend.onPush((push) => notices.push((push.message as Notify.Response).s2c!));
  await backend.start();
  expect(states).toEqual(['connecting', 'authenticating', 'ready']);
  expect(backend.status().brokers).toMatchObject([
    {
      brokerId: 1001,
      name: 'Simulated Securities',
      lifecycleState: 'ready',
      lifecycleGeneration: 1,
      lastSuccessAt: '2026-11-20T02:30:00.000Z',
    },
  ]);
  expect(notices.map(({ type }) => type)).toEqual([1, 2]);
  expect(notices[0]!.event!.desc).toContain('simulated');
  expect(notices[1]!.programStatus!.programStatus!.type).toBe(10);
  expect(await backend.refreshCredentials()).toBe('not_applicable');
  await backend.stop();
  await backend.stop();
  expect(backend.status().platform.lifecycleState).toBe('stopped');
  await expect(backend.start()).rejects.toThrow('stopped');
});

test('a quote is answered in the turn in which it is asked for, but for the first look at a symbol', async () => {
  const { backend } = await startFixture();
  const request = create(quote.getQuote.messages.C2SSchema, { securityList: [security('HK.00700')] });
  await backend.call(quote.getQuote, request, context);
  const response = backend.call(quote.getQuote, request, context);
  expect(response).not.toBeInstanceOf(Promise);
  expect(backend.call(quote.getQuote, request, context)).toBe(response);
  await backend.stop();
});

test('a handler that fails is logged and thrown, or rejects, as a defect', async () => {
  const { backend, simulation, defects } = await startFixture();
  const request = create(quote.getQuote.messages.C2SSchema, { securityList: [security('HK.00700')] });
  await backend.call(quote.getQuote, request, context);
  vi.spyOn(simulation.market, 'quote').mockImplementation(() => {
    throw new Error('broken');
  });
  expect(() => backend.call(quote.getQuote, request, context)).toThrow('broken');
  expect(defects).toMatchObject([{ operation: 'get_quote', requestId: 'test', err: { message: 'broken' } }]);

  vi.spyOn(simulation.historyQuota, 'use').mockImplementation(() => Promise.reject(new Error('disk full')));
  const history = { security: security('HK.00700'), klType: 2, rehabType: 0, beginTime: '2026-11-01', endTime: '2026-11-02' };
  await expect(call(backend, quote.getHistoryKline, history)).rejects.toThrow('disk full');
  expect(defects).toHaveLength(2);
  vi.restoreAllMocks();
  await backend.stop();
});

test('an operation of the gateway’s own is a defect of the gateway', async () => {
  const { backend } = await startFixture();
  const { subscribe } = subscription;
  expect(() => backend.call(subscribe, create(subscribe.messages.C2SSchema), context)).toThrow('subscribe');
  await backend.stop();
});

test('orders and fills are pushed for the accounts asked for, and for no others', async () => {
  const fixture = await startFixture();
  const { backend, clock, pushes } = fixture;
  const [cash, margin] = [accounts[0]!, accounts[1]!];
  const place = (accID: bigint, serialNo: number) =>
    call(backend, trade.placeOrder, {
      packetID: { connID: 7n, serialNo },
      header: { trdEnv: 0, accID, trdMarket: 1 },
      trdSide: 1,
      orderType: 2,
      code: '00700',
      qty: 100,
      secMarket: 1,
    });
  const settle = async () => {
    for (let i = 0; i < 20; i++) {
      clock.advance(100);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  const traded = () => pushes.filter((push) => push.type === 'trade');

  expect((await backend.subscribeAccounts([margin.id])).retType).toBe(0);
  expect(await place(margin.id, 1)).toMatchObject({ retType: 0 });
  expect(await place(cash.id, 2)).toMatchObject({ retType: 0 });
  await settle();
  expect(new Set(traded().map(({ accId }) => accId))).toEqual(new Set([margin.id]));
  expect(new Set(traded().map(({ protoId }) => protoId))).toEqual(new Set([2208, 2218]));
  for (const push of traded()) expect(push).toMatchObject({ trdMarket: 1, message: { retType: 0, s2c: { header: { accID: margin.id } } } });

  expect((await backend.subscribeAccounts([])).retType).toBe(0);
  const count = traded().length;
  await place(margin.id, 3);
  await settle();
  expect(traded()).toHaveLength(count);
  const unknown = await backend.subscribeAccounts([margin.id, 42n]);
  expect(unknown).toMatchObject({ retType: -1, retMsg: 'unknown account 42: it is not in the list of accounts' });
  await backend.stop();
});
