import { once } from 'node:events';
import { connect } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import type * as TrdPlaceOrder from '@svc-gateway/contract/generated/Trd_PlaceOrder_pb';
import { account, operations, quote, system, trade } from '@svc-gateway/contract/operations';
import { BackendLost, BackendRefused, BackendTimeout, BackendUnsent, type ResponseMessage } from '@svc-gateway/gateway';
import { MemoryStore } from '@svc-gateway/storage';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, SIMULATE } from '../../support/accounts.js';
import { CoreTcpClient } from '../../support/core-tcp-client.js';
import { Doors } from '../../support/doors.js';
import { FaultyBackend } from '../../support/faulty-backend.js';
import { refuse, type ServedGateway, serveGateway, succeed } from '../../support/gateway.js';
import type { HttpClient } from '../../support/http-client.js';
import { McpClient } from '../../support/mcp-client.js';

const TIMEOUT_MS = 30_000;
const scopes = ['qot:read', 'acc:read', 'trade:simulate', 'metrics:read'] as const;
const order = { market: HK, acc_id: HK_MARGIN, env: SIMULATE, side: BUY, code: '00700', qty: 100, price: 10 };
const symbol = { symbol: 'HK.00700' };
const header = { trdEnv: 0, accID: HK_MARGIN, trdMarket: 1 };
const placed = { header, trdSide: 1, orderType: 1, code: '00700', qty: 100, price: 10 };

let backend: FaultyBackend;
let clock: ManualClock;
let store: MemoryStore;
let gateway: ServedGateway;
let desk: HttpClient;

async function open(bounds?: { readonly calls: number }): Promise<void> {
  gateway = await serveGateway({
    backend,
    keys: { desk: { scopes, limits: { maxDailyValue: '1500' } }, other: { scopes } },
    gatewayClock: clock,
    store,
    ...(bounds === undefined ? {} : { bounds }),
  });
  desk = gateway.as('desk');
}

beforeEach(() => {
  backend = new FaultyBackend();
  clock = new ManualClock(Date.UTC(2026, 10, 20, 2, 30));
  store = new MemoryStore();
});
afterEach(() => gateway.stop());

describe('a read whose backend stalls', () => {
  beforeEach(async () => {
    backend.stalled.add(quote.getQuote.name);
    await open();
  });

  it('receives a timeout at the deadline, and the backend an abort', async () => {
    const read = desk.post('/api/quote', symbol);
    const { context } = await backend.waiting();
    expect([context.deadline, context.signal.aborted]).toEqual([clock.monotonic() + TIMEOUT_MS, false]);
    clock.advance(TIMEOUT_MS);
    const answer = await read;
    expect([answer.status, answer.json.code]).toEqual([504, 'backend.timeout']);
    expect(answer.json.error).not.toContain('check the orders');
    expect(context.signal.aborted).toBe(true);
  });

  it('over gRPC waits no longer than its caller says', async () => {
    const client = gateway.grpc();
    const request = { securityList: [{ market: 1, code: '00700' }] };
    const wish = { key: gateway.key('desk'), protoId: 3004, type: 'Qot_GetBasicQot', request };
    const late = client.call({ ...wish, deadlineMs: 300 });
    const { context } = await backend.waiting();
    expect(context.deadline).toBeLessThanOrEqual(clock.monotonic() + 300);
    const aborted = once(context.signal, 'abort');
    expect((await late).code).toBe('DEADLINE_EXCEEDED');
    await aborted;
    const cancelled = client.call({ ...wish, cancel: 'quote' });
    const second = await backend.waiting(1);
    const again = once(second.context.signal, 'abort');
    await client.act('cancel', 'quote');
    expect((await cancelled).code).toBe('CANCELLED');
    await again;
  });

  it('is given up when a REST client, a tool’s client or a core client goes away', async () => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    const body = JSON.stringify(symbol);
    const head = `POST /api/quote HTTP/1.1\r\nhost: ${hostname}:${port}\r\nauthorization: Bearer ${gateway.key('desk')}`;
    socket.write(`${head}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    const rest = await backend.waiting(0);
    const restGone = once(rest.context.signal, 'abort');
    socket.destroy();
    await restGone;

    const mcp = await McpClient.open(gateway, { keyText: gateway.key('desk') });
    const taken = new AbortController();
    const tool = mcp.client.callTool({ name: 'svc_get_quote', arguments: { symbols: ['HK.00700'] } }, { signal: taken.signal });
    const call = await backend.waiting(1);
    const toolGone = once(call.context.signal, 'abort');
    taken.abort();
    await expect(tool).rejects.toThrow();
    await toolGone;
    await mcp.close();

    const doors = await Doors.open(gateway, 'desk', gateway.grpc(), operations);
    const tcp = await CoreTcpClient.open(`127.0.0.1:${doors.ports.api}`, { init: { packetEncAlgo: -1 } });
    backend.stalled.add('get_orders');
    void tcp.ask('Trd_GetOrderList', { header });
    const core = await backend.waiting(2);
    const coreGone = once(core.context.signal, 'abort');
    tcp.close();
    await coreGone;
    await doors.close();
  });
});

describe('a write whose backend stalls', () => {
  beforeEach(async () => {
    backend.stalled.add(trade.placeOrder.name);
    await open();
  });

  const figures = () =>
    gateway.gateway.meter
      .metrics()
      .split('\n')
      .flatMap(
        (line) =>
          /^svc_(\w+)_total\{interface="rest",operation="place_order",result="([\w.]+)"\} (\d+)$/.exec(line)?.slice(1).join(' ') ?? [],
      );

  it('is of unknown outcome at the deadline, is not cancelled, and its late answer is recorded and repeated', async () => {
    const once_ = { 'idempotency-key': 'once' };
    const write = desk.post('/api/order', order, once_);
    const { context, answer } = await backend.waiting();
    clock.advance(TIMEOUT_MS);
    const told = await write;
    expect([told.status, told.json.code]).toEqual([504, 'backend.timeout']);
    expect(told.json.error).toContain('it may have taken effect: check the orders');
    expect(context.signal.aborted).toBe(false);
    // The value stays reserved, and a repetition waits for the one that was sent.
    expect((await desk.post('/api/order', order)).json.code).toBe('limit.daily_value');
    const repeated = desk.post('/api/order', order, once_);
    answer();
    expect((await repeated).json.ret_type).toBe(0);
    expect(backend.pending).toHaveLength(1);
    const late = await gateway.audited(({ reason }) => reason.startsWith('outcome after the caller had stopped waiting'));
    expect(late).toMatchObject({ outcome: 'trade', trade: { symbol: 'HK.00700' } });
    expect(figures()).toEqual(expect.arrayContaining(['requests backend.timeout 1', 'late_outcomes ok 1']));
  });

  it('a late refusal gives back what was reserved', async () => {
    const write = desk.post('/api/order', order);
    const { answer } = await backend.waiting();
    clock.advance(TIMEOUT_MS);
    expect((await write).status).toBe(504);
    answer(refuse(trade.placeOrder, 'no such security'));
    await gateway.audited(({ reason }) => reason.includes('stopped waiting: refused: ret_type -1: no such security'));
    expect(figures()).toEqual(expect.arrayContaining(['requests backend.timeout 1', 'late_outcomes refused 1']));
    backend.stalled.clear();
    expect((await desk.post('/api/order', order)).json.ret_type).toBe(0);
  });

  it('is not known to a repetition that waits too long for it, either', async () => {
    const packetID = { connID: 0n, serialNo: 0 };
    const asked = { ...placed, packetID, header: { ...header, accID: BigInt(HK_MARGIN) } };
    const request = () => create(trade.placeOrder.messages.C2SSchema, asked);
    const peer = { address: '127.0.0.1', loopback: true };
    const caller = { iface: 'grpc', endpoint: 'test', requestId: 'test', peer, idempotencyKey: 'once' } as const;
    const ask = () => gateway.gateway.call(trade.placeOrder, { ...caller, keyText: gateway.key('desk') }, request);
    const first = ask();
    const { answer } = await backend.waiting();
    clock.advance(TIMEOUT_MS / 2);
    const second = ask();
    // Its time counts from when it is taken up.
    await turn();
    clock.advance(TIMEOUT_MS);
    for (const answered of [first, second]) {
      expect(await answered).toMatchObject({ code: 'backend.timeout', message: expect.stringContaining('may have taken effect') });
    }
    answer();
    expect(backend.pending).toHaveLength(1);
    await gateway.audited(({ outcome }) => outcome === 'trade');
    expect(await ask()).toMatchObject({ retType: 0 });
  });

  it('goes on when its caller goes away', async () => {
    const client = gateway.grpc();
    const request = { ...placed, packetID: { connID: '0', serialNo: 0 } };
    const call = client.call({ key: gateway.key('desk'), protoId: 2202, type: 'Trd_PlaceOrder', request, cancel: 'order' });
    const { context, answer } = await backend.waiting();
    await client.act('cancel', 'order');
    expect((await call).code).toBe('CANCELLED');
    expect(context.signal.aborted).toBe(false);
    answer();
    expect(await gateway.audited(({ outcome }) => outcome === 'trade')).toMatchObject({ iface: 'grpc' });
  });

  it('is not sent while its valuation stalls', async () => {
    backend.stalled.add(quote.getOrderBook.name);
    const write = desk.post('/api/order', { ...order, order_type: 2, price: undefined });
    const { context, answer } = await backend.waiting();
    clock.advance(TIMEOUT_MS);
    const told = await write;
    expect([told.status, told.json.code]).toEqual([504, 'backend.timeout']);
    expect(told.json.error).toContain('nothing was sent');
    expect(context.signal.aborted).toBe(true);
    answer();
    expect((await desk.post('/api/quote', symbol)).status).toBe(200);
    expect(backend.calls.map(({ operation }) => operation)).not.toContain('place_order');
  });
});

describe('a call that came to no answer', () => {
  it.each([
    [new BackendUnsent('no connection'), 503, 'backend.not_sent', 'nothing was sent'],
    [new BackendTimeout('no answer within 12 s'), 504, 'backend.timeout', 'may have taken effect'],
    [new BackendLost('the connection broke'), 500, 'backend.disconnected', 'may have taken effect'],
  ])('%s', async (failure, status, code, aftermath) => {
    const sent: unknown[] = [];
    backend.answer = async (operation, request) => {
      if (operation === trade.placeOrder) sent.push((request as TrdPlaceOrder.C2S).packetID);
      throw failure;
    };
    await open();
    const read = await desk.post('/api/quote', symbol);
    expect([read.status, read.json.code, read.json.error]).toEqual([status, code, failure.message]);
    const headers = { 'idempotency-key': 'once' };
    const write = await desk.post('/api/order', order, headers);
    expect([write.status, write.json.code]).toEqual([status, code]);
    expect(write.json.error).toContain(aftermath);
    backend.answer = succeed;
    // An unsent write has returned its value and freed its key; an unknown outcome keeps both.
    const again = await desk.post('/api/order', order, headers);
    const other = await desk.post('/api/order', { ...order, qty: failure.kind === 'not_sent' ? 50 : 60 });
    if (failure.kind === 'not_sent') expect([again.json.ret_type, other.json.ret_type]).toEqual([0, 0]);
    else expect([again.json.code, other.json.code]).toEqual(['idempotency.unknown_outcome', 'limit.daily_value']);
    expect(sent).toHaveLength(1);
  });
});

describe('a refusal for a reason that has a code', () => {
  it.each([
    ['backend.rate', 429, 7],
    ['backend.quota', 429, 60],
    ['backend.forbidden', 403, undefined],
    ['backend.invalid', 400, undefined],
    ['backend.unsupported', 501, undefined],
    ['backend.failed', 502, undefined],
    ['backend.unavailable', 503, 5],
  ] as const)('%s is HTTP %d; a write gives back its value and its key', async (code, status, seconds) => {
    backend.answer = () => {
      throw new BackendRefused(code, 'the server says no', seconds);
    };
    await open();
    const read = await desk.post('/api/quote', symbol);
    expect([read.status, read.json.code, read.json.error]).toEqual([status, code, 'the server says no']);
    expect(read.headers['retry-after']).toBe(seconds === undefined ? undefined : String(seconds));
    const headers = { 'idempotency-key': 'once' };
    const write = await desk.post('/api/order', order, headers);
    expect([write.status, write.json.code, write.json.error]).toEqual([status, code, 'the server says no']);
    backend.answer = succeed;
    expect((await desk.post('/api/order', order, headers)).json.ret_type).toBe(0);
    expect((await desk.post('/api/order', { ...order, qty: 50 })).json.ret_type).toBe(0);
  });
});

describe('an answer that says that there is none', () => {
  it.each([
    [-100, 504, 'backend.timeout'],
    [-200, 500, 'backend.disconnected'],
    [-400, 500, 'backend.disconnected'],
  ])('of an order, with retType %d, leaves its outcome open: it keeps its value and its key', async (retType, status, code) => {
    await open();
    const headers = { 'idempotency-key': 'once' };
    const unknown = { retType, retMsg: 'NN_ProtoRet_TimeOut' };
    backend.answer = ({ messages }) => create(messages.ResponseSchema, unknown as never) as ResponseMessage;
    const read = await desk.post('/api/quote', symbol);
    expect([read.status, read.json.code, read.json.error]).toEqual([status, code, unknown.retMsg]);
    const write = await desk.post('/api/order', order, headers);
    expect([write.status, write.json.code]).toEqual([status, code]);
    expect(write.json.error).toContain('check the orders before sending it again');
    backend.answer = succeed;
    expect((await desk.post('/api/order', order, headers)).json.code).toBe('idempotency.unknown_outcome');
    expect((await desk.post('/api/order', { ...order, qty: 60 })).json.code).toBe('limit.daily_value');
    expect(backend.calls.filter(({ operation }) => operation === 'place_order')).toHaveLength(1);
  });

  it.each([[undefined], [null], [{}], ['text'], [{ retType: 0, s2c: {} }]])('%j is a defect', async (nothing) => {
    await open();
    backend.answer = () => nothing as never;
    for (const [path, body] of [
      ['/api/quote', symbol],
      ['/api/order', { ...order, qty: 1 }],
    ] as const) {
      const answer = await desk.post(path, body);
      expect([answer.status, answer.json.code]).toEqual([500, 'internal']);
    }
  });
});

describe('a backend that fails to say whether it is ready', () => {
  it('is a defect that every interface tells in the same way', async () => {
    await open();
    backend.readiness = () => {
      throw new Error('secret detail');
    };
    const rest = await desk.post('/api/quote', symbol);
    expect([rest.status, rest.json.code]).toEqual([500, 'internal']);
    const doors = await Doors.open(gateway, 'desk', gateway.grpc(), operations);
    const tcp = await CoreTcpClient.open(`127.0.0.1:${doors.ports.api}`, { init: { packetEncAlgo: -1 } });
    const core = await tcp.ask('Trd_GetAccList', { userID: 0 });
    expect(core).toMatchObject({ retType: -1, errCode: 500, retMsg: expect.stringContaining('internal error') });
    const mcp = await McpClient.open(gateway, { keyText: gateway.key('desk') });
    expect((await mcp.call('svc_get_quote', { symbols: ['HK.00700'] })).json.code).toBe('internal');
    const request = { securityList: [{ market: 1, code: '00700' }] };
    const call = await gateway.grpc().call({ key: gateway.key('desk'), protoId: 3004, type: 'Qot_GetBasicQot', request });
    expect(call).toMatchObject({ code: 'INTERNAL', metadata: { 'error-code': 'internal' } });
    tcp.close();
    await mcp.close();
    await doors.close();
  });
});

describe('a backend that cannot find an order by its packet', () => {
  const key = 'once';

  it('never gets an order again after a restart, whatever the interface; the key stays', async () => {
    backend.stalled.add(trade.placeOrder.name);
    await open();
    void desk.post('/api/order', { ...order, qty: 1 }, { 'idempotency-key': key }).catch(() => undefined);
    const doors = await Doors.open(gateway, 'desk', gateway.grpc(), operations);
    const tcp = await CoreTcpClient.open(`127.0.0.1:${doors.ports.api}`, { init: { packetEncAlgo: -1 } });
    const packetID = { connID: '77', serialNo: 5 };
    void tcp.ask('Trd_PlaceOrder', { ...placed, qty: 2, packetID });
    const other = { ...order, qty: 3, trd_env: undefined };
    const mcp = await McpClient.open(gateway, { keyText: gateway.key('desk') });
    const args = { symbol: 'HK.00700', acc_id: HK_MARGIN, env: 'simulate', side: 'BUY', qty: other.qty, price: 10, market: 'HK' };
    void mcp.call('svc_place_order', { ...args, idempotency_key: 'by tool'.replace(' ', '-') }).catch(() => undefined);
    const grpc = gateway.grpc();
    const wish = { protoId: 2202, type: 'Trd_PlaceOrder', metadata: { 'idempotency-key': 'by-grpc' } };
    const request = { ...placed, qty: 4, packetID: { connID: '0', serialNo: 0 } };
    void grpc.call({ key: gateway.key('desk'), ...wish, request }).catch(() => undefined);
    await backend.waiting(3);
    // The daemon dies: nothing more is heard of the four.
    await doors.close();
    const dead = gateway;
    const backendBefore = backend;
    backend = new FaultyBackend();
    await open();
    const before = [...dead.keys];
    expect(before).not.toEqual([]);

    const rest = await desk.post('/api/order', { ...order, qty: 1 }, { 'idempotency-key': key });
    expect([rest.status, rest.json.code]).toEqual([409, 'idempotency.unknown_outcome']);
    expect(rest.json.error).toMatch(/may have taken effect: check the orders.*new key/);
    const doorsNow = await Doors.open(gateway, 'desk', gateway.grpc(), operations);
    const tcpNow = await CoreTcpClient.open(`127.0.0.1:${doorsNow.ports.api}`, { init: { packetEncAlgo: -1 } });
    expect(await tcpNow.ask('Trd_PlaceOrder', { ...placed, qty: 2, packetID })).toMatchObject({ retType: -1, errCode: 409 });
    const mcpNow = await McpClient.open(gateway, { keyText: gateway.key('desk') });
    const tool = await mcpNow.call('svc_place_order', { ...args, idempotency_key: 'by-tool' });
    expect([tool.isError, tool.json.code]).toEqual([true, 'idempotency.unknown_outcome']);
    const call = await gateway.grpc().call({ key: gateway.key('desk'), ...wish, request });
    expect(call).toMatchObject({ code: 'ABORTED', metadata: { 'error-code': 'idempotency.unknown_outcome' } });
    // The key stays: asked once more it says the same, and nothing was ever sent.
    expect((await desk.post('/api/order', { ...order, qty: 1 }, { 'idempotency-key': key })).json.code).toBe('idempotency.unknown_outcome');
    expect(backend.calls.map(({ operation }) => operation)).not.toContain('place_order');
    tcpNow.close();
    await mcpNow.close();
    await doorsNow.close();
    for (const { fail } of backendBefore.pending) fail(new BackendLost('the daemon died'));
    await mcp.close();
    await dead.stop();
  });
});

describe('requests that wait for the backend', () => {
  const CALLS = 8;

  async function fill(count: number, id = 'desk'): Promise<void> {
    const before = backend.pending.length;
    for (let index = 0; index < count; index++)
      void gateway
        .as(id)
        .post('/api/quote', symbol)
        .catch(() => undefined);
    await backend.waiting(before + count - 1);
  }

  beforeEach(async () => {
    for (const { name } of [quote.getQuote, trade.placeOrder]) backend.stalled.add(name);
    await open({ calls: CALLS });
  });

  it('are bounded for each key; orders and cancels have room of their own', async () => {
    const [reads, orders] = [6, 1];
    await fill(reads);
    const full = await desk.post('/api/quote', symbol);
    expect([full.status, full.json.code, full.headers['retry-after']]).toEqual([429, 'limit.calls', '1']);
    const other = gateway.as('other');
    void other.post('/api/order', order).catch(() => undefined);
    void desk.post('/api/order', { ...order, qty: 10 }).catch(() => undefined);
    await backend.waiting(reads + orders);
    expect((await desk.post('/api/order', { ...order, qty: 10 })).json.code).toBe('limit.calls');
    const cancel = { market: HK, acc_id: HK_MARGIN, env: SIMULATE, order_id: 1 };
    expect((await desk.post('/api/cancel-order', cancel)).json.ret_type).toBe(0);
    expect((await desk.get('/metrics')).text).toContain(`\nsvc_backend_calls_in_flight ${reads + orders + 1}\n`);
    for (const { answer } of backend.pending.slice(0, 2)) answer();
    await fill(1);
  });

  it('the refresh after a cancel is one of them: given up after two seconds, and left out where there is no room', async () => {
    backend.stalled.add(account.getOrders.name);
    const cancel = { market: HK, acc_id: HK_MARGIN, env: SIMULATE, order_id: 1 };
    // Six reads, less the cancel itself.
    const refreshes = 5;
    for (let count = 0; count < refreshes; count++) {
      const answer = desk.post('/api/cancel-order', cancel);
      const { context } = await backend.waiting(count);
      clock.advance(2000);
      expect([(await answer).json.ret_type, context.signal.aborted]).toEqual([0, true]);
    }
    expect((await desk.post('/api/cancel-order', cancel)).json.ret_type).toBe(0);
    expect(backend.pending).toHaveLength(refreshes);
    expect((await desk.get('/metrics')).text).toContain(`\nsvc_backend_calls_in_flight ${refreshes}\n`);
  });

  it('are also those that a client of the public protocol makes by connecting', async () => {
    for (const { name } of [system.getGlobalState, system.getUserInfo]) backend.stalled.add(name);
    const doors = await Doors.open(gateway, 'desk', gateway.grpc(), operations);
    const opening = CoreTcpClient.open(`127.0.0.1:${doors.ports.api}`, { init: { packetEncAlgo: -1 } });
    await backend.waiting(1);
    expect((await desk.get('/metrics')).text).toContain('\nsvc_backend_calls_in_flight 2\n');
    for (const { answer } of backend.pending) answer();
    (await opening).close();
    await doors.close();
  });

  it('are bounded in all, and one whose caller went away counts until the backend has answered', async () => {
    const keys = ['desk', 'other'];
    await fill(6, keys[0]);
    clock.advance(TIMEOUT_MS);
    expect((await desk.post('/api/quote', symbol)).json.code).toBe('limit.calls');
    for (const { answer } of backend.pending) answer();
    await fill(1);
  });
});
