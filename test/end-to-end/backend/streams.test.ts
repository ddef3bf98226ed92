import { create } from '@bufbuild/protobuf';
import * as TrdUpdateOrderFill from '@svc-gateway/contract/generated/Trd_UpdateOrderFill_pb';
import { operations } from '@svc-gateway/contract/operations';
import { BackendRefused, type TradePush } from '@svc-gateway/gateway';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { HK_MARGIN, US_MARGIN } from '../../support/accounts.js';
import { CoreTcpClient } from '../../support/core-tcp-client.js';
import { Doors } from '../../support/doors.js';
import type { FaultyBackend } from '../../support/faulty-backend.js';
import type { ServedGateway } from '../../support/gateway.js';
import { McpClient } from '../../support/mcp-client.js';
import { everything, gap, OUTAGE_MS, OutageSite, orderPush, REASON, START } from '../../support/outage-site.js';
import type { PushClient } from '../../support/push-client.js';
import { quote, stream } from '../../support/push-fakes.js';

let site: OutageSite;
let backend: FaultyBackend;
let gateway: ServedGateway;
let push: PushClient;
beforeEach(async () => {
  site = await OutageSite.open();
  ({ backend, gateway, push } = site);
});
afterEach(() => site.close());

function fill(id: string): TradePush {
  const facts = { trdSide: 1, fillID: 1n, fillIDEx: id, code: '00700', name: '', qty: 100, price: 10, createTime: '' };
  const s2c = { header: { trdEnv: 0, accID: BigInt(HK_MARGIN), trdMarket: 1 }, orderFill: facts };
  const message = create(TrdUpdateOrderFill.ResponseSchema, { retType: 0, s2c });
  return { type: 'trade', protoId: 2218, accId: BigInt(HK_MARGIN), trdMarket: 1, message, recovered: true };
}

describe('streams that are lost', () => {
  it('are restored, and the gap is told once, to those who would have heard', async () => {
    await site.subscribe(['HK.00700', 'HK.00005']);
    const bystander = await gateway.push('other');
    backend.push(quote(stream('HK.00700'), 300));
    await site.outage();
    expect([...backend.subscribed].sort()).toEqual(['HK.00005', 'HK.00700']);
    const notice = await push.frame(({ body }) => body?.gap !== undefined, 'the gap');
    expect(notice).toMatchObject({ type: 'notify', proto_id: 1003, body: { type: 1, gap } });
    expect(notice.body.event.desc).toContain(REASON);
    backend.push(quote(stream('HK.00700'), 301));
    site.gathered();
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
    await site.subscribe(['HK.00700']);
    backend.lose(everything, START - 1000, REASON);
    expect((await gateway.as('desk').get('/metrics')).text).toContain('\nsvc_push_missing 1\n');
    site.clock.advance(1000);
    await site.outage();
    const notice = await push.frame(({ body }) => body?.gap !== undefined, 'the gap');
    expect(notice.body.gap).toEqual({ ...gap, to: '2026-11-20T02:30:13.000Z' });
    await push.settled();
    expect(push.frames.filter(({ body }) => body?.gap)).toHaveLength(1);
  });

  it('of a stream that cannot be had again: its subscription ends, and its owner hears why', async () => {
    await site.subscribe(['HK.00700', 'HK.00005']);
    backend.unavailable.set('HK.00005', 'no right to HK LV2');
    await site.outage();
    const notice = await push.frame(({ body }) => body?.gap !== undefined, 'the gap');
    expect(notice.body.event.desc).toContain('HK.00005 1 (Basic): no right to HK LV2');
    const shown = await gateway.as('desk').s2c('/api/query-subscription', {});
    const codes = shown.conn_sub_info_list[0].sub_info_list[0].security_list.map(({ code }: { code: string }) => code);
    expect(codes).toEqual(['00700']);
    backend.unavailable.clear();
    backend.asked.length = 0;
    await site.subscribe(['HK.00005']);
    expect(backend.asked).toEqual(['+HK.00005']);
  });

  it('are not restored when no longer wanted', async () => {
    await site.subscribe(['HK.00700', 'HK.00005']);
    backend.lose(everything, START, REASON);
    expect((await gateway.as('desk').post('/api/unsubscribe', { symbols: ['HK.00005'], sub_types: [1] })).json.ret_type).toBe(0);
    backend.asked.length = 0;
    await backend.restore(everything);
    expect(backend.asked).toEqual(['+HK.00700']);
  });

  it('beyond the quota of the server are refused with who holds how much of it, over every kind of interface', async () => {
    await site.subscribe(['HK.00700', 'HK.00005']);
    await site.subscribe(['HK.00700'], 'other');
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
    await site.subscribe(['HK.00700']);
    backend.lose(everything, START - 60_000, 'an earlier loss');
    await gateway.as('desk').post('/api/unsubscribe', { symbols: ['HK.00700'], sub_types: [1] });
    await backend.restore(everything);
    expect((await gateway.as('desk').get('/metrics')).text).toContain('\nsvc_push_missing 0\n');
    await site.subscribe(['HK.00700']);
    await site.outage();
    const notice = await push.frame(({ body }) => body?.gap !== undefined, 'the gap');
    expect(notice.body.gap).toEqual(gap);
  });

  it('are not announced to keys that may no longer see them', async () => {
    await site.subscribe(['HK.00700', 'HK.00005', 'US.AAPL']);
    await site.subscribe(['HK.00700'], 'other');
    const narrowed = await gateway.push('other');
    gateway.change('other', { limits: { allowed_markets: ['US'] } });
    gateway.change('desk', { limits: { allowed_symbols: ['HK.00700', 'US.AAPL'] } });
    backend.unavailable.set('HK.00005', 'no right to HK LV2');
    backend.unavailable.set('US.AAPL', 'no right to US LV1');
    await site.outage();
    const notice = await push.frame(({ body }) => body?.gap !== undefined, 'the gap');
    expect(notice.body.event.desc).toContain('US.AAPL 1 (Basic): no right to US LV1');
    expect(notice.body.event.desc).not.toContain('HK.00005');
    await narrowed.settled();
    expect(narrowed.frames.filter(({ type }) => type === 'notify')).toEqual([]);
    await narrowed.close();
  });

  it('are restored although the current data of one are unavailable', async () => {
    await site.subscribe(['HK.00700']);
    backend.current = () => {
      throw new Error('secret detail');
    };
    await site.outage();
    await push.frame(({ body }) => body?.gap !== undefined, 'the gap');
    backend.push(quote(stream('HK.00700'), 301));
    site.gathered();
    await push.frame(({ type }) => type === 'quote', 'quotes go on');
  });

  it('push their current data to connections that had a first push', async () => {
    await site.subscribe(['HK.00700']);
    backend.currents.set('HK.00700 1', quote(stream('HK.00700'), 305));
    await site.outage();
    const frame = await push.frame(({ type }) => type === 'quote', 'the current quote');
    expect(frame.body.basic_qot_list[0].cur_price).toBe(305);
  });

  it('are told in every format: base64 with the gap beside it, gRPC, core TCP and tools', async () => {
    await push.close();
    push = await gateway.push('desk', '?format=protobuf');
    site.push = push;
    await site.subscribe(['HK.00700']);
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
    await site.outage();
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

describe('orders and fills of a gap', () => {
  beforeEach(async () => {
    await gateway.as('desk').s2c('/api/sub-acc-push', { acc_id_list: [HK_MARGIN, US_MARGIN] });
  });

  it('are pushed once and in order, as recovered, after the gap was told', async () => {
    backend.push(orderPush(5, 0, 100));
    backend.lose({ streams: [], accIds: [BigInt(HK_MARGIN)] }, START - 1000, REASON);
    site.clock.advance(OUTAGE_MS);
    backend.asked.length = 0;
    await backend.restore({ streams: [], accIds: [BigInt(HK_MARGIN)] });
    expect(backend.asked).toEqual([`accounts ${HK_MARGIN},${US_MARGIN}`]);
    // Known before; half filled; live in the meantime; the fill, twice.
    backend.push(orderPush(5, 0, 100, true));
    backend.push(orderPush(10, 50, 110, true));
    backend.push(orderPush(11, 100, 120));
    backend.push(orderPush(11, 100, 120, true));
    backend.push(orderPush(10, 60, 115, true));
    backend.push(fill('f1'));
    backend.push(fill('f1'));
    site.gathered();
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
    backend.push(orderPush(11, 100, 120, true));
    await backend.restore({ streams: [], accIds: 'all' });
    site.gathered();
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
    await site.outage();
    const notice = await push.frame(({ body }) => body?.gap !== undefined, 'the gap');
    expect(notice.body.event.desc).toContain(`orders and fills of account ${US_MARGIN}: account closed`);
    expect(backend.accounts).toEqual([BigInt(HK_MARGIN)]);
    expect((await gateway.as('desk').get('/metrics')).text).toContain('\nsvc_push_missing 0\n');
    backend.push(orderPush(11, 100, 120));
    site.gathered();
    await push.frame(({ type }) => type === 'trade', 'orders of the other');
  });
});
