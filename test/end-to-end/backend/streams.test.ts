import { create } from '@bufbuild/protobuf';
import { ManualClock } from '@svc-gateway/contract/clock';
import * as TrdUpdateOrder from '@svc-gateway/contract/generated/Trd_UpdateOrder_pb';
import * as TrdUpdateOrderFill from '@svc-gateway/contract/generated/Trd_UpdateOrderFill_pb';
import { operations } from '@svc-gateway/contract/operations';
import { BackendRefused, type TradePush } from '@svc-gateway/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HK_MARGIN, US_MARGIN } from '../../support/accounts.js';
import { CoreTcpClient } from '../../support/core-tcp-client.js';
import { Doors } from '../../support/doors.js';
import { FaultyBackend } from '../../support/faulty-backend.js';
import { type ServedGateway, serveGateway } from '../../support/gateway.js';
import { McpClient, ways } from '../../support/mcp-client.js';
import type { PushClient } from '../../support/push-client.js';
import { quote, stream } from '../../support/push-fakes.js';
import { until } from '../../support/until.js';

const START = Date.UTC(2026, 10, 20, 2, 30);
const OUTAGE_MS = 12_000;
const everything = { streams: 'all', accIds: 'all' } as const;
const REASON = 'the connection to the platform was lost';
const gap = { from: '2026-11-20T02:29:59.000Z', to: '2026-11-20T02:30:12.000Z', reason: REASON };

let backend: FaultyBackend;
let clock: ManualClock;
let gateway: ServedGateway;
let push: PushClient;

beforeEach(async () => {
  backend = new FaultyBackend();
  clock = new ManualClock(START);
  const scopes = ['qot:read', 'acc:read', 'metrics:read'] as const;
  gateway = await serveGateway({
    backend,
    keys: { desk: { scopes }, other: { scopes }, admin: { scopes: [...scopes, 'admin'] } },
    gatewayClock: clock,
  });
  push = await gateway.push('desk');
});
afterEach(async () => {
  await push.close();
  await gateway.stop();
});

function subscribe(symbols: readonly string[], id = 'desk') {
  return gateway.as(id).s2c('/api/subscribe', { symbols, sub_types: [1], is_reg_or_un_reg_push: true });
}

/** Frames of a busy moment are gathered for a millisecond. */
function gathered(): void {
  clock.advance(10);
}

/** The whole of an outage: lost a second after the last event, back after twelve. */
async function outage(): Promise<void> {
  backend.lose(everything, START - 1000, REASON);
  clock.advance(OUTAGE_MS);
  await backend.restore(everything);
  gathered();
}

function order(status: number, fillQty: number, updateTimestamp: number, recovered?: boolean): TradePush {
  const facts = {
    trdSide: 1,
    orderType: 1,
    orderID: 7n,
    orderIDEx: 'x7',
    code: '00700',
    name: '',
    qty: 100,
    createTime: '',
    updateTime: '',
  };
  const s2c = {
    header: { trdEnv: 0, accID: BigInt(HK_MARGIN), trdMarket: 1 },
    order: { ...facts, orderStatus: status, fillQty, updateTimestamp },
  };
  const message = create(TrdUpdateOrder.ResponseSchema, { retType: 0, s2c });
  return {
    type: 'trade',
    protoId: 2208,
    accId: BigInt(HK_MARGIN),
    trdMarket: 1,
    message,
    ...(recovered === undefined ? {} : { recovered }),
  };
}

function fill(id: string): TradePush {
  const facts = { trdSide: 1, fillID: 1n, fillIDEx: id, code: '00700', name: '', qty: 100, price: 10, createTime: '' };
  const s2c = { header: { trdEnv: 0, accID: BigInt(HK_MARGIN), trdMarket: 1 }, orderFill: facts };
  const message = create(TrdUpdateOrderFill.ResponseSchema, { retType: 0, s2c });
  return { type: 'trade', protoId: 2218, accId: BigInt(HK_MARGIN), trdMarket: 1, message, recovered: true };
}

describe('streams that are lost', () => {
  it('are restored, and the gap is told once, to those who would have heard', async () => {
    await subscribe(['HK.00700', 'HK.00005']);
    const bystander = await gateway.push('other');
    backend.push(quote(stream('HK.00700'), 300));
    await outage();
    expect([...backend.subscribed].sort()).toEqual(['HK.00005', 'HK.00700']);
    const notice = await push.frame(({ body }) => body?.gap !== undefined, 'the gap');
    expect(notice).toMatchObject({ type: 'notify', proto_id: 1003, body: { type: 1, gap } });
    expect(notice.body.event.desc).toContain(REASON);
    backend.push(quote(stream('HK.00700'), 301));
    gathered();
    await push.frame(({ body }) => body?.basic_qot_list?.[0]?.cur_price === 301, 'quotes go on');
    await push.settled();
    await bystander.settled();
    expect(push.frames.filter(({ body }) => body?.gap)).toHaveLength(1);
    expect(bystander.frames.filter(({ type }) => type === 'notify')).toEqual([]);
    const metrics = (await gateway.as('desk').get('/metrics')).text;
    expect(metrics).toContain('\nsvc_push_gaps_total 1\n');
    expect(metrics).toContain('\nsvc_push_missing 0\n');
    await bystander.close();
  });

  it('are counted while they are missing, and a second loss prolongs the gap', async () => {
    await subscribe(['HK.00700']);
    backend.lose(everything, START - 1000, REASON);
    expect((await gateway.as('desk').get('/metrics')).text).toContain('\nsvc_push_missing 1\n');
    clock.advance(1000);
    await outage();
    const notice = await push.frame(({ body }) => body?.gap !== undefined, 'the gap');
    expect(notice.body.gap).toEqual({ ...gap, to: '2026-11-20T02:30:13.000Z' });
    await push.settled();
    expect(push.frames.filter(({ body }) => body?.gap)).toHaveLength(1);
  });

  it('of a stream that cannot be had again: its subscription ends, and its owner hears why', async () => {
    await subscribe(['HK.00700', 'HK.00005']);
    backend.unavailable.set('HK.00005', 'no right to HK LV2');
    await outage();
    const notice = await push.frame(({ body }) => body?.gap !== undefined, 'the gap');
    expect(notice.body.event.desc).toContain('HK.00005 1 (Basic): no right to HK LV2');
    const shown = await gateway.as('desk').s2c('/api/query-subscription', {});
    const codes = shown.conn_sub_info_list[0].sub_info_list[0].security_list.map(({ code }: { code: string }) => code);
    expect(codes).toEqual(['00700']);
    backend.unavailable.clear();
    backend.asked.length = 0;
    await subscribe(['HK.00005']);
    expect(backend.asked).toEqual(['+HK.00005']);
  });

  it('are not restored when no longer wanted', async () => {
    await subscribe(['HK.00700', 'HK.00005']);
    backend.lose(everything, START, REASON);
    expect((await gateway.as('desk').post('/api/unsubscribe', { symbols: ['HK.00005'], sub_types: [1] })).json.ret_type).toBe(0);
    backend.asked.length = 0;
    await backend.restore(everything);
    expect(backend.asked).toEqual(['+HK.00700']);
  });

  it('beyond the quota of the server are refused with who holds how much of it, over every kind of interface', async () => {
    await subscribe(['HK.00700', 'HK.00005']);
    await subscribe(['HK.00700'], 'other');
    backend.subscribe = async () => {
      throw new BackendRefused('backend.quota', 'the server’s subscription quota is used up: 2 of 2', 60);
    };
    const refused = await gateway.as('desk').post('/api/subscribe', { symbols: ['US.AAPL'], sub_types: [1] });
    expect([refused.status, refused.json.code, refused.headers['retry-after']]).toEqual([429, 'backend.quota', '60']);
    const told = 'the server’s subscription quota is used up: 2 of 2; of the subscriptions, this caller holds 2, others hold 1';
    expect(refused.json.error).toBe(told);
    const named = await gateway.as('admin').post('/api/subscribe', { symbols: ['US.AAPL'], sub_types: [1] });
    expect(named.json.error).toContain('of the subscriptions, key desk holds 2, key other holds 1');
    const mcp = await McpClient.open(gateway, { keyText: gateway.key('desk') });
    expect(JSON.stringify(await mcp.call('svc_subscribe', { symbols: ['US.AAPL'], sub_types: ['Basic'] }))).toContain(told);
    await mcp.close();
    expect(await gateway.as('desk').s2c('/api/query-subscription', {})).toMatchObject({ total_used_quota: 2 });
  });

  it('have no part in the earlier gap when resubscribed only later', async () => {
    await subscribe(['HK.00700']);
    backend.lose(everything, START - 60_000, 'an earlier loss');
    await gateway.as('desk').post('/api/unsubscribe', { symbols: ['HK.00700'], sub_types: [1] });
    await backend.restore(everything);
    expect((await gateway.as('desk').get('/metrics')).text).toContain('\nsvc_push_missing 0\n');
    await subscribe(['HK.00700']);
    await outage();
    const notice = await push.frame(({ body }) => body?.gap !== undefined, 'the gap');
    expect(notice.body.gap).toEqual(gap);
  });

  it('are not announced to keys that may no longer see them', async () => {
    await subscribe(['HK.00700', 'HK.00005', 'US.AAPL']);
    await subscribe(['HK.00700'], 'other');
    const narrowed = await gateway.push('other');
    gateway.change('other', { limits: { allowed_markets: ['US'] } });
    gateway.change('desk', { limits: { allowed_symbols: ['HK.00700', 'US.AAPL'] } });
    backend.unavailable.set('HK.00005', 'no right to HK LV2');
    backend.unavailable.set('US.AAPL', 'no right to US LV1');
    await outage();
    const notice = await push.frame(({ body }) => body?.gap !== undefined, 'the gap');
    expect(notice.body.event.desc).toContain('US.AAPL 1 (Basic): no right to US LV1');
    expect(notice.body.event.desc).not.toContain('HK.00005');
    await narrowed.settled();
    expect(narrowed.frames.filter(({ type }) => type === 'notify')).toEqual([]);
    await narrowed.close();
  });

  it('are restored although the current data of one are unavailable', async () => {
    await subscribe(['HK.00700']);
    backend.current = () => {
      throw new Error('secret detail');
    };
    await outage();
    await push.frame(({ body }) => body?.gap !== undefined, 'the gap');
    backend.push(quote(stream('HK.00700'), 301));
    gathered();
    await push.frame(({ type }) => type === 'quote', 'quotes go on');
  });

  it('push their current data to connections that had a first push', async () => {
    await subscribe(['HK.00700']);
    backend.currents.set('HK.00700 1', quote(stream('HK.00700'), 305));
    await outage();
    const frame = await push.frame(({ type }) => type === 'quote', 'the current quote');
    expect(frame.body.basic_qot_list[0].cur_price).toBe(305);
  });

  it('are told in every format: base64 with the gap beside it, gRPC, core TCP and tools', async () => {
    await push.close();
    push = await gateway.push('desk', '?format=protobuf');
    await subscribe(['HK.00700']);
    const client = gateway.grpc();
    const events = await client.open({ key: gateway.key('desk') });
    const doors = await Doors.open(gateway, 'desk', client, operations);
    const tcp = await CoreTcpClient.open(`127.0.0.1:${doors.ports.api}`, { init: { packetEncAlgo: -1 } });
    await tcp.ask('Qot_Sub', {
      securityList: [{ market: 1, code: '00700' }],
      subTypeList: [1],
      isSubOrUnSub: true,
      isRegOrUnRegPush: true,
    });
    const mcp = await McpClient.open(gateway, { keyText: gateway.key('desk') });
    await mcp.call('svc_subscribe', { symbols: ['HK.00700'], sub_types: ['Basic'] });
    await outage();
    const notice = await push.frame(({ type }) => type === 'notify', 'the gap');
    expect(notice).toMatchObject({ gap, body_b64: expect.any(String) });
    const event = await events.next(({ event_type }) => event_type === 'notify');
    expect((await client.decode('Notify', event)).s2c.event.desc).toContain(gap.to);
    expect(JSON.stringify(await tcp.pushes.count('Notify', 1))).toContain(gap.to);
    const [told] = await mcp.pushed(({ type }) => type === 'notify', 1);
    expect(told).toMatchObject({ body: { gap } });
    tcp.close();
    await mcp.close();
    await doors.close();
  });
});

describe.each(ways)('resources that are watched by %s', (way) => {
  const uri = 'svc://quote/HK.00700';
  const orders = `svc://orders/${HK_MARGIN}`;
  let client: McpClient;

  beforeEach(async () => {
    client = await McpClient.open(gateway, { way, keyText: gateway.key('desk') });
  });
  afterEach(() => client.close());

  /** Watches resources; resolves when the client is told that they are not watched any more, which only one way says. */
  async function watch(uris: readonly string[]): Promise<{ readonly closed: Promise<unknown> | undefined }> {
    if (way === 'stateless') return client.client.listen({ resourceSubscriptions: [...uris] });
    for (const each of uris) await client.client.subscribeResource({ uri: each });
    return { closed: undefined };
  }

  /** The addresses of which an update came, oldest first. */
  const updated = () =>
    client.notices.filter(({ method }) => method === 'notifications/resources/updated').map(({ params }) => params?.uri);

  it('are to be read again after a gap, those alone whose events were missing', async () => {
    await watch([uri, 'svc://orderbook/HK.00005', orders]);
    backend.lose({ streams: [stream('HK.00700')], accIds: [] }, START - 1000, REASON);
    await backend.restore({ streams: [stream('HK.00700')], accIds: [] });
    gathered();
    await until(() => updated().length > 0, 'an update after the gap');
    backend.lose({ streams: [], accIds: 'all' }, START - 1000, REASON);
    await backend.restore({ streams: [], accIds: 'all' });
    gathered();
    await until(() => updated().includes(orders), 'an update after the gap of the account');
    expect(updated()).toEqual([uri, orders]);
    if (way === 'stateless')
      expect(client.notices.at(-1)?.params?.push).toMatchObject({ type: 'notify', body: { gap: { reason: REASON } } });
  });

  it('are to be read again when they cannot be restored, and can be watched again', async () => {
    const { closed } = await watch([uri, orders]);
    backend.unavailable.set('HK.00700', 'no right');
    backend.refusedAccounts.add(BigInt(HK_MARGIN));
    await outage();
    await until(() => updated().length === 2, 'updates of what has ended');
    await closed;
    backend.unavailable.clear();
    backend.refusedAccounts.clear();
    await watch([uri, orders]);
    expect([[...backend.subscribed], backend.accounts]).toEqual([['HK.00700'], [BigInt(HK_MARGIN)]]);
    backend.push(quote(stream('HK.00700'), 301));
    backend.push(order(5, 0, 100));
    gathered();
    await until(() => updated().length === 4, 'updates again');
    expect(updated()).toEqual([uri, orders, uri, orders]);
  });

  it('are refused for as long as they cannot be had', async () => {
    const { closed } = await watch([uri]);
    backend.unavailable.set('HK.00700', 'no right');
    await outage();
    await until(() => updated().length === 1, 'an update of what has ended');
    await closed;
    await expect(watch([uri])).rejects.toThrow(/no right/);
  });

  it.each([
    ['svc://orderbook/HK_FUTURE.HSImain', stream('HK.HSImain', 2)],
    ['svc://orderbook/HK.HSImain', stream('HK.HSImain', 2)],
    ['svc://quote/hk.00700', stream('HK.00700')],
    ['svc://quote/CN.600519', stream('SH.600519')],
  ])('are told to have changed by the address that was given: %s', async (given, of) => {
    await watch([given]);
    backend.push(quote(of, 300));
    gathered();
    await until(() => updated().length > 0, 'an update');
    expect(updated()).toEqual([given]);
  });

  it('are told to have changed by each address that was given, for as long as one is watched', async () => {
    const others = ['svc://quote/SH.600519', 'svc://quote/CN.600519'];
    await watch(others);
    const event = async (price: number, count: number) => {
      backend.push(quote(stream('SH.600519'), price));
      gathered();
      await until(() => updated().length === count, 'updates');
    };
    await event(300, 2);
    expect(updated()).toEqual(others);
    if (way === 'stateless') return;
    await client.client.unsubscribeResource({ uri: 'svc://quote/SH.600519' });
    await event(301, 3);
    expect(updated().at(-1)).toBe('svc://quote/CN.600519');
    await client.client.unsubscribeResource({ uri: 'svc://quote/CN.600519' });
    expect([...backend.subscribed]).toEqual([]);
  });
});

describe('orders and fills of a gap', () => {
  beforeEach(async () => {
    await gateway.as('desk').s2c('/api/sub-acc-push', { acc_id_list: [HK_MARGIN, US_MARGIN] });
  });

  it('are pushed once and in order, as recovered, after the gap was told', async () => {
    backend.push(order(5, 0, 100));
    backend.lose({ streams: [], accIds: [BigInt(HK_MARGIN)] }, START - 1000, REASON);
    clock.advance(OUTAGE_MS);
    backend.asked.length = 0;
    await backend.restore({ streams: [], accIds: [BigInt(HK_MARGIN)] });
    expect(backend.asked).toEqual([`accounts ${HK_MARGIN},${US_MARGIN}`]);
    // Known before; half filled; live in the meantime; the fill, twice.
    backend.push(order(5, 0, 100, true));
    backend.push(order(10, 50, 110, true));
    backend.push(order(11, 100, 120));
    backend.push(order(11, 100, 120, true));
    backend.push(order(10, 60, 115, true));
    backend.push(fill('f1'));
    backend.push(fill('f1'));
    gathered();
    await push.settled();
    const told = push.frames.filter(({ type }) => type === 'trade' || type === 'notify');
    expect(
      told.map(({ proto_id, recovered, body }) => [proto_id, recovered, body.gap ?? body.order?.fill_qty ?? body.order_fill.fill_id_ex]),
    ).toEqual([
      [2208, undefined, 0],
      [1003, undefined, gap],
      [2208, true, 50],
      [2208, undefined, 100],
      [2218, true, 'f1'],
    ]);
  });

  it('wait for the gap to be told, however early they are found', async () => {
    backend.lose({ streams: [], accIds: 'all' }, START - 1000, REASON);
    backend.push(order(11, 100, 120, true));
    await backend.restore({ streams: [], accIds: 'all' });
    gathered();
    await push.settled();
    const told = push.frames.filter(({ type, body }) => type === 'trade' || body?.gap !== undefined);
    expect(told[0]?.body.gap).toBeDefined();
    expect(told[1]).toMatchObject({ type: 'trade', recovered: true, acc_id: expect.anything() });
  });
});

describe('an account that cannot be registered again', () => {
  it('ends, and its owner hears why; the others go on', async () => {
    await gateway.as('desk').s2c('/api/sub-acc-push', { acc_id_list: [US_MARGIN, HK_MARGIN] });
    backend.refusedAccounts.add(BigInt(US_MARGIN));
    await outage();
    const notice = await push.frame(({ body }) => body?.gap !== undefined, 'the gap');
    expect(notice.body.event.desc).toContain(`orders and fills of account ${US_MARGIN}: account closed`);
    expect(backend.accounts).toEqual([BigInt(HK_MARGIN)]);
    expect((await gateway.as('desk').get('/metrics')).text).toContain('\nsvc_push_missing 0\n');
    backend.push(order(11, 100, 120));
    gathered();
    await push.frame(({ type }) => type === 'trade', 'orders of the other');
  });
});

describe('changes of subscriptions that the backend never answers', () => {
  const PATIENCE_MS = 60_000;
  const RETRY_MS = 5_000;

  beforeEach(() => {
    backend.silent = true;
  });

  it('are given up, and the next one has its turn', async () => {
    const request = { symbols: ['HK.00700'], sub_types: [1], is_reg_or_un_reg_push: true };
    const first = gateway.as('desk').post('/api/subscribe', request);
    await backend.when(() => backend.asked.length === 1);
    clock.advance(PATIENCE_MS);
    expect((await first).json.code).toBe('backend.timeout');
    // The backend may have started it.
    await backend.when(() => backend.asked.length === 2);
    backend.silent = false;
    clock.advance(PATIENCE_MS);
    await subscribe(['HK.00700'], 'other');
    clock.advance(RETRY_MS);
    await push.settled();
    expect(backend.asked).toEqual(['+HK.00700', '-HK.00700', '+HK.00700']);
  });

  it('of accounts are given up as well, and say nothing of what the backend has', async () => {
    backend.silent = false;
    const register = (operation: string, accounts: readonly string[]) =>
      gateway.as('desk').post(`/api/${operation}`, { acc_id_list: accounts });
    await register('sub-acc-push', [HK_MARGIN, US_MARGIN]);
    backend.silent = true;
    const ending = register('unsub-acc-push', [US_MARGIN]);
    await backend.when(() => backend.asked.length === 2);
    clock.advance(PATIENCE_MS);
    await ending;
    backend.silent = false;
    expect((await register('sub-acc-push', [US_MARGIN])).json.ret_type).toBe(0);
    expect(backend.asked.at(-1)).toBe(`accounts ${[HK_MARGIN, US_MARGIN].join()}`);
    expect(backend.asked).toHaveLength(3);
  });

  it('after a loss are asked for again until the feed is back, and the gap is told then', async () => {
    backend.silent = false;
    await subscribe(['HK.00700']);
    await gateway.as('desk').s2c('/api/sub-acc-push', { acc_id_list: [HK_MARGIN] });
    backend.lose(everything, START - 1000, REASON);
    backend.silent = true;
    backend.asked.length = 0;
    const restored = backend.restore(everything);
    await backend.when(() => backend.asked.length === 2);
    clock.advance(PATIENCE_MS);
    await restored;
    expect((await gateway.as('desk').get('/metrics')).text).toContain('\nsvc_push_missing 2\n');
    clock.advance(RETRY_MS);
    await backend.when(() => backend.asked.length === 4);
    backend.silent = false;
    clock.advance(PATIENCE_MS);
    await push.settled();
    clock.advance(RETRY_MS);
    await backend.when(() => backend.subscribed.has('HK.00700') && backend.accounts.length === 1);
    gathered();
    const notice = await push.frame(({ body }) => body?.gap !== undefined, 'the gap');
    expect(notice.body.gap).toMatchObject({ from: gap.from, reason: REASON });
    expect((await gateway.as('desk').get('/metrics')).text).toContain('\nsvc_push_missing 0\n');
  });

  it('of the accounts of one broker are asked for again whatever another broker loses meanwhile', async () => {
    backend.silent = false;
    await gateway.as('desk').s2c('/api/sub-acc-push', { acc_id_list: [HK_MARGIN, US_MARGIN] });
    const hongKong = { streams: [], accIds: [BigInt(HK_MARGIN)] };
    const unitedStates = { streams: [], accIds: [BigInt(US_MARGIN)] };
    backend.lose(hongKong, START - 1000, REASON);
    backend.silent = true;
    const restored = backend.restore(hongKong);
    await backend.when(() => backend.asked.length === 2);
    clock.advance(PATIENCE_MS);
    await restored;
    backend.silent = false;
    backend.lose(unitedStates, START + PATIENCE_MS, REASON);
    await backend.restore(unitedStates);
    clock.advance(RETRY_MS);
    gathered();
    await push.settled();
    expect(push.frames.filter(({ body }) => body?.gap)).toHaveLength(2);
    expect((await gateway.as('desk').get('/metrics')).text).toContain('\nsvc_push_missing 0\n');
  });

  it('after a loss are left to the next restoration when the connection is lost again', async () => {
    backend.silent = false;
    await subscribe(['HK.00700']);
    backend.lose(everything, START - 1000, REASON);
    backend.silent = true;
    const restored = backend.restore(everything);
    await backend.when(() => backend.asked.length === 2);
    clock.advance(PATIENCE_MS);
    await restored;
    backend.lose(everything, START - 1000, REASON);
    backend.asked.length = 0;
    clock.advance(10 * RETRY_MS);
    await push.settled();
    expect(backend.asked).toEqual([]);
  });
});

describe('an unsubscription that the backend refuses for now', () => {
  const unsubscribe = { symbols: ['HK.00700'], sub_types: [1] };
  const RETRY_MS = 60_000;

  beforeEach(async () => {
    backend.keep = (streams) => ({ streams, message: 'a subscription lasts a minute at least', retryAfterMs: RETRY_MS });
    await subscribe(['HK.00700']);
  });

  it('ends for the caller, who hears what happened, and is tried again while nobody holds it', async () => {
    const answer = (await gateway.as('desk').post('/api/unsubscribe', unsubscribe)).json;
    expect(answer.ret_type).toBe(0);
    expect(answer.ret_msg).toMatch(/HK\.00700 1 \(Basic\): a subscription lasts a minute at least/);
    backend.push(quote(stream('HK.00700'), 300));
    await push.settled();
    expect(push.quotes).toEqual([]);
    // The ledger is true: nobody has it, and the quota is still used.
    const shown = await gateway.as('desk').s2c('/api/query-subscription', {});
    expect([shown.total_used_quota, shown.conn_sub_info_list[0].sub_info_list]).toEqual([1, []]);
    clock.advance(RETRY_MS - 1);
    expect(backend.asked).toEqual(['+HK.00700', '-HK.00700']);
    clock.advance(1);
    await backend.when(() => backend.asked.length === 3);
    await push.settled();
    backend.keep = () => undefined;
    clock.advance(RETRY_MS);
    await backend.when(() => backend.asked.length === 4);
    expect(backend.asked.slice(2)).toEqual(['-HK.00700', '-HK.00700']);
    await push.settled();
    expect((await gateway.as('desk').s2c('/api/query-subscription', {})).total_used_quota).toBe(0);
    clock.advance(10 * RETRY_MS);
    expect(backend.asked).toHaveLength(4);
  });

  it('is not tried again once somebody subscribes, who gets it at once', async () => {
    await gateway.as('desk').post('/api/unsubscribe', unsubscribe);
    await subscribe(['HK.00700'], 'other');
    const other = await gateway.push('other');
    backend.push(quote(stream('HK.00700'), 300));
    await other.frame(({ type }) => type === 'quote', 'the quote');
    clock.advance(10 * RETRY_MS);
    await push.settled();
    expect(backend.asked).toEqual(['+HK.00700', '-HK.00700']);
    await other.close();
  });
});
