import { createHash } from 'node:crypto';
import { Validator } from '@seriousme/openapi-schema-validator';
import { operations } from '@svc-gateway/contract/operations';
import { describe, expect, it } from 'vitest';
import { BUY, HK, HK_MARGIN, NORMAL, SIMULATE } from '../support/accounts.js';
import { stoppedAfterEach, TestDaemon } from '../support/daemon.js';
import { ScriptedBackend, serveGateway } from '../support/gateway.js';

const kept = stoppedAfterEach();

const keys = { ops: { scopes: ['metrics:read'] }, desk: { scopes: ['qot:read'] } } as const;

describe('probes', () => {
  it('are 200 with a reason while all is well', async () => {
    const daemon = kept(await TestDaemon.start({ keys }));
    for (const path of ['/livez', '/health', '/readyz']) {
      const answer = await daemon.as().get(path);
      expect([path, answer.status, answer.json.status]).toEqual([path, 200, 'ok']);
      expect(answer.json.reason.length).toBeGreaterThan(0);
      expect(answer.headers['cache-control']).toBe('no-store');
    }
  });

  it.each([
    ['idle', 503, 503],
    ['connecting', 503, 503],
    ['authenticating', 200, 503],
    ['ready', 200, 200],
    ['reconnecting', 503, 503],
    ['failed', 503, 503],
    ['stopped', 503, 503],
  ] as const)('backend %s: health %d, ready %d, alive', async (state, health, ready) => {
    const backend = new ScriptedBackend();
    const gateway = kept(await serveGateway({ backend, keys }));
    backend.become(state);
    expect((await gateway.as('desk').get('/livez')).status).toBe(200);
    for (const [path, status] of [
      ['/health', health],
      ['/readyz', ready],
    ] as const) {
      const answer = await gateway.as('desk').get(path);
      expect([path, answer.status, answer.json.lifecycle_state]).toEqual([path, status, state]);
    }
  });
});

describe('/metrics', () => {
  const value = (text: string, line: string) => Number(new RegExp(`^${line.replace(/[{}"+.]/g, '\\$&')} (\\S+)$`, 'm').exec(text)?.[1]);

  it('counts an order that the brokerage refuses as refused, and none as ok', async () => {
    const daemon = kept(await TestDaemon.start({ keys: { ...keys, trader: { scopes: ['trade:simulate'] } }, flags: ['--enable-trading'] }));
    const order = { acc_id: HK_MARGIN, env: SIMULATE, market: HK, side: BUY, code: '00700', qty: 50, price: 300, order_type: NORMAL };
    expect((await daemon.as('trader').post('/api/order', order)).json).toMatchObject({
      code: 'broker.lot_size',
      err_code: 'broker.lot_size',
    });
    const { text } = await daemon.as('ops').get('/metrics');
    const requests = (result: string) => value(text, `svc_requests_total{interface="rest",operation="place_order",result="${result}"}`);
    expect(requests('refused')).toBe(1);
    expect(requests('ok')).toBeNaN();
  });

  it('counts requests by interface, operation and result', async () => {
    const daemon = kept(await TestDaemon.start({ keys }));
    const quote = { symbol: 'HK.00700' };
    for (let times = 0; times < 3; times++) await daemon.as('desk').post('/api/quote', quote);
    await daemon.as('ops').post('/api/quote', quote);
    await daemon.as().post('/api/quote', quote);
    const client = await daemon.push('desk');
    await client.command('subscribe', { symbols: ['HK.00700'], sub_types: [1] });
    const metrics = await daemon.as('ops').get('/metrics');
    expect(metrics.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    const requests = (operation: string, result: string, iface = 'rest') =>
      value(metrics.text, `svc_requests_total{interface="${iface}",operation="${operation}",result="${result}"}`);
    expect(requests('get_quote', 'ok')).toBe(3);
    expect(requests('get_quote', 'auth.scope')).toBe(1);
    expect(requests('get_quote', 'auth.missing')).toBe(1);
    expect(requests('subscribe', 'ok', 'ws')).toBe(1);
    expect(value(metrics.text, 'svc_request_seconds_count{interface="rest",operation="get_quote"}')).toBe(5);
    expect(value(metrics.text, 'svc_push_connections')).toBe(1);
    expect(value(metrics.text, 'svc_push_subscriptions')).toBe(1);
    expect(value(metrics.text, 'svc_backend_ready')).toBe(1);
    for (const line of metrics.text.split('\n').filter((each) => each.startsWith('# TYPE')))
      expect(line).toMatch(/(counter|gauge|histogram|summary)$/);
  });

  it('is public in scope mode with --metrics-public alone', async () => {
    const daemon = kept(await TestDaemon.start({ keys, flags: ['--metrics-public'] }));
    expect((await daemon.as().get('/metrics')).status).toBe(200);
    expect((await daemon.as('desk').get('/metrics')).status).toBe(200);
  });
});

describe('/openapi.json', () => {
  it('is a valid document that names every route', async () => {
    const daemon = kept(await TestDaemon.start({ keys }));
    const { json: document, headers } = await daemon.as().get('/openapi.json');
    expect(headers['content-type']).toContain('application/json');
    expect(await new Validator().validate(structuredClone(document))).toMatchObject({ valid: true });
    for (const { name, rest } of operations) {
      for (const { method, path } of rest)
        expect([name, Object.keys(document.paths[path])]).toEqual([name, expect.arrayContaining([method.toLowerCase()])]);
    }
    for (const path of ['/livez', '/health', '/readyz', '/metrics', '/ws']) expect(document.paths).toHaveProperty([path, 'get']);
  });

  it('has examples that work', async () => {
    const daemon = kept(await TestDaemon.start({ keys }));
    const { json: document } = await daemon.as().get('/openapi.json');
    const [friendly] = document.paths['/api/orderbook'].post.requestBody.content['application/json'].schema.anyOf;
    const body = { symbol: friendly.properties.symbol.examples[0], depth: friendly.properties.depth.maximum };
    expect((await daemon.as('desk').post('/api/orderbook', body)).json.ret_type).toBe(0);
  });
});

describe('/docs', () => {
  it('is a page for anyone that runs and loads nothing but its style', async () => {
    const daemon = kept(await TestDaemon.start({ keys }));
    const { status, text, headers } = await daemon.as().get('/docs');
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    const style = createHash('sha256')
      .update(text.slice(text.indexOf('<style>') + '<style>'.length, text.indexOf('</style>')))
      .digest('base64');
    expect(headers['content-security-policy']).toBe(
      `default-src 'none'; style-src 'sha256-${style}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(text).not.toMatch(/<script|<link|<img|<iframe| style=| on[a-z]+=|https?:/i);
    for (const { name } of operations) expect([name, text.includes(`<section id="${name}">`)]).toEqual([name, true]);
    for (const { tool } of operations) if (tool !== null) expect([tool, text.includes(`<code>${tool}</code>`)]).toEqual([tool, true]);
  });
});
