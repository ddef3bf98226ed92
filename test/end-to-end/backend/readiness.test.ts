import { operations } from '@svc-gateway/contract/operations';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, SIMULATE, US, US_MARGIN } from '../../support/accounts.js';
import { CoreTcpClient } from '../../support/core-tcp-client.js';
import { CoreWsClient } from '../../support/core-ws-client.js';
import { Doors } from '../../support/doors.js';
import { FaultyBackend } from '../../support/faulty-backend.js';
import { type ServedGateway, serveGateway } from '../../support/gateway.js';
import { McpClient } from '../../support/mcp-client.js';

const HK_BROKER = 1001;
const US_BROKER = 1007;
const scopes = ['qot:read', 'acc:read', 'trade:simulate', 'admin', 'metrics:read'] as const;
const header = (accID: string, trdMarket: number) => ({ header: { trdEnv: 0, accID, trdMarket } });

let backend: FaultyBackend;
let gateway: ServedGateway;
beforeEach(async () => {
  backend = new FaultyBackend();
  gateway = await serveGateway({ backend, keys: { desk: { scopes, sdk: true } } });
});
afterEach(() => gateway.stop());

describe('while one broker is away', () => {
  beforeEach(() => backend.connection(HK_BROKER, 'reconnecting', 'the connection was lost'));

  it('its accounts are refused with what is awaited; quotes and other brokers are served', async () => {
    const desk = gateway.as('desk');
    const hk = await desk.post('/api/orders', { market: HK, acc_id: HK_MARGIN, env: SIMULATE });
    expect([hk.status, hk.json.code, hk.headers['retry-after']]).toEqual([503, 'backend.not_ready', '1']);
    expect(hk.json.error).toContain('broker 1001 (HK Securities) is reconnecting (the connection was lost); nothing was sent');
    const order = { market: HK, acc_id: HK_MARGIN, env: SIMULATE, side: BUY, code: '00700', qty: 100, price: 10 };
    expect((await desk.post('/api/order', order)).json.code).toBe('backend.not_ready');
    expect(backend.calls).toEqual([]);
    expect((await desk.post('/api/orders', { market: US, acc_id: US_MARGIN, env: SIMULATE })).status).toBe(200);
    expect((await desk.post('/api/quote', { symbol: 'HK.00700' })).status).toBe(200);
  });

  it('is said the same way by every interface', async () => {
    const request = { ...header(HK_MARGIN, 1) };
    const awaited = 'broker 1001 (HK Securities) is reconnecting';
    const mcp = await McpClient.open(gateway, { keyText: gateway.key('desk') });
    const tool = await mcp.call('svc_get_orders', { market: 'HK', acc_id: HK_MARGIN, env: 'simulate' });
    expect([tool.isError, tool.json.code]).toEqual([true, 'backend.not_ready']);
    expect(tool.text).toContain(awaited);
    await mcp.close();
    const grpc = gateway.grpc();
    const call = await grpc.call({ key: gateway.key('desk'), protoId: 2201, type: 'Trd_GetOrderList', request });
    expect(call).toMatchObject({ code: 'UNAVAILABLE', metadata: { 'error-code': 'backend.not_ready', 'retry-after': '1' } });
    expect(call.details).toContain(awaited);
    const doors = await Doors.open(gateway, 'desk', grpc, operations);
    const tcp = await CoreTcpClient.open(`127.0.0.1:${doors.ports.api}`, { init: { packetEncAlgo: -1 } });
    const ws = await CoreWsClient.open(`ws://127.0.0.1:${doors.ports.websocket}`, gateway.key('desk'));
    for (const core of [tcp, ws]) {
      const answer = await core.ask('Trd_GetOrderList', request);
      expect(answer).toMatchObject({ retType: -1, errCode: 503 });
      expect(answer.retMsg).toContain(awaited);
    }
    tcp.close();
    await ws.close();
    await doors.close();
  });

  it('shows in the probes, in the status of each connection and in the metrics', async () => {
    const desk = gateway.as('desk');
    for (const path of ['/health', '/readyz']) {
      const probe = await desk.get(path);
      expect([path, probe.status, probe.json.lifecycle_state]).toEqual([path, 503, 'ready']);
      expect(probe.json.reason).toContain('broker 1001 (HK Securities) is reconnecting (the connection was lost)');
      expect(probe.json.brokers).toEqual([
        { broker_id: HK_BROKER, name: 'HK Securities', lifecycle_state: 'reconnecting' },
        { broker_id: US_BROKER, name: 'US Securities', lifecycle_state: 'ready' },
      ]);
    }
    expect((await desk.get('/livez')).status).toBe(200);
    const { s2c } = (await desk.get('/api/admin/status')).json;
    expect(s2c.platform).toMatchObject({ lifecycle_state: 'ready', lifecycle_generation: 1 });
    expect(s2c.brokers).toMatchObject([
      { broker_id: HK_BROKER, lifecycle_state: 'reconnecting', last_lifecycle_event: 'the connection was lost' },
      { broker_id: US_BROKER, lifecycle_state: 'ready' },
    ]);
    expect((await desk.get('/metrics')).text).toContain('\nsvc_backend_ready 0\n');
    expect((await gateway.grpc().check('')).answer).toEqual({ status: 'NOT_SERVING' });
  });
});

describe('while the platform is away', () => {
  beforeEach(() => backend.connection('platform', 'connecting'));

  it('accounts are served, and quotes refused', async () => {
    const desk = gateway.as('desk');
    expect((await desk.post('/api/quote', { symbol: 'HK.00700' })).json.error).toContain('the platform is connecting');
    expect((await desk.post('/api/orders', { market: HK, acc_id: HK_MARGIN, env: SIMULATE })).status).toBe(200);
  });

  it('what only the gateway knows is answered', async () => {
    backend.connection('platform', 'ready');
    const push = await gateway.push('desk');
    const desk = gateway.as('desk');
    expect((await desk.post('/api/subscribe', { symbols: ['HK.00700'], sub_types: [1] })).status).toBe(200);
    backend.connection('platform', 'reconnecting');
    const shown = (await desk.post('/api/query-subscription', {})).json;
    expect(shown.s2c.conn_sub_info_list[0].sub_info_list).toHaveLength(1);
    const quota = (await desk.post('/api/used-quota', {})).json.s2c;
    expect(quota.used_sub_quota).toBe(1);
    expect(quota).not.toHaveProperty('used_k_line_quota');
    for (const path of ['/api/push-subscriber-info', '/api/delay-statistics']) {
      expect([path, (await desk.get(path)).status]).toEqual([path, 200]);
    }
    expect((await desk.post('/api/unsub-acc-push', {})).status).toBe(200);
    expect((await desk.get('/api/ping')).json.s2c).toMatchObject({ backend: 'opend', simulated: false });
    expect((await desk.post('/api/subscribe', { symbols: ['HK.00005'], sub_types: [1] })).json.code).toBe('backend.not_ready');
    expect((await desk.post('/api/unsubscribe', { symbols: ['HK.00700'], sub_types: [1] })).json.ret_type).toBe(0);
    expect((await desk.post('/api/query-subscription', {})).json.s2c.conn_sub_info_list[0].sub_info_list).toEqual([]);
    await push.close();
  });

  it('clients who want notices learn whether quotes and trading are to be had', async () => {
    backend.connection('platform', 'ready');
    const push = await gateway.push('desk');
    backend.connection('platform', 'reconnecting');
    const away = await push.frame(({ type }) => type === 'notify', 'a notice');
    expect(away.body).toMatchObject({ type: 3, connect_status: { qot_logined: false, trd_logined: true } });
    backend.connection('platform', 'ready');
    const back = await push.frame(({ body }) => body?.connect_status?.qot_logined === true, 'the notice that it is back');
    expect(back.body.connect_status.trd_logined).toBe(true);
    await push.close();
  });
});

describe('whether a backend is simulated', () => {
  it.each([[true], [false]])('is what it says (%s), whatever it is called', async (simulated) => {
    backend.simulated = simulated;
    expect((await gateway.as('desk').get('/api/ping')).json.s2c).toMatchObject({ backend: 'opend', simulated });
    const mcp = await McpClient.open(gateway, { keyText: gateway.key('desk') });
    expect(mcp.client.getInstructions()?.includes('Everything here is simulated')).toBe(simulated);
    await mcp.close();
  });
});
