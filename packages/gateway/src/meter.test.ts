import { quote, system } from '@svc-gateway/contract/operations';
import { expect, it } from 'vitest';
import { Meter } from './meter.js';
import type { PushHub } from './push/index.js';

it('shows requests by interface, operation and result, with cumulative buckets', async () => {
  const meter = new Meter();
  meter.request(quote.getQuote, 'rest', undefined, 0.2);
  meter.request(quote.getQuote, 'rest', undefined, 0.25);
  meter.request(quote.getQuote, 'rest', 'auth.scope', 4000);
  meter.request(quote.getQuote, 'ws', undefined, 0.05);
  const lines = meter.metrics().split('\n');

  expect(lines).toContain('svc_requests_total{interface="rest",operation="get_quote",result="ok"} 2');
  expect(lines).toContain('svc_requests_total{interface="rest",operation="get_quote",result="auth.scope"} 1');
  expect(lines).toContain('svc_requests_total{interface="ws",operation="get_quote",result="ok"} 1');
  const bucket = (bound: string) =>
    lines.find((line) => line.startsWith(`svc_request_seconds_bucket{interface="rest",operation="get_quote",le="${bound}"}`));
  expect(bucket('0.0001')).toMatch(/ 0$/);
  // A bound belongs to its bucket.
  expect(bucket('0.00025')).toMatch(/ 2$/);
  expect(bucket('2.5')).toMatch(/ 2$/);
  expect(bucket('+Inf')).toMatch(/ 3$/);
  expect(lines).toContain('svc_request_seconds_count{interface="rest",operation="get_quote"} 3');
  const sum = lines.find((line) => line.startsWith('svc_request_seconds_sum{interface="rest",operation="get_quote"}'));
  expect(Number(sum?.split(' ')[1])).toBeCloseTo(4.00045, 10);
});

it('shows the gauges beside them, read when somebody looks', async () => {
  const meter = new Meter();
  const connections: ReturnType<PushHub['connections']>[number][] = [];
  const connection = {
    id: 'ws-1',
    iface: 'ws',
    keyId: undefined,
    connectedAt: 0,
    subscriptionCount: 0,
    sentCount: 0,
    conflatedCount: 0,
    backlogBytes: 0,
  };
  connections.push(connection);
  meter.watch({
    access: { audit: { fileStatus: () => undefined } },
    backend: {},
    idempotency: { count: 0 },
    inFlight: { size: 0 },
    push: { connections: () => connections, gaps: { count: 0, missing: 0 }, subscriptions: { usedQuota: 7 } },
    readiness: { awaited: () => undefined, quotes: true, trading: true, reconnects: 0 },
    storage: { failure: undefined },
    recording: undefined,
    logLinesLost: () => 0,
  });
  expect(meter.metrics()).toContain('\nsvc_push_connections 1\n');
  connections.push(connection);
  expect(meter.metrics()).toContain('\nsvc_push_connections 2\n');
});

it('sums up each operation over all interfaces', () => {
  const meter = new Meter();
  meter.request(system.ping, 'rest', undefined, 2);
  meter.request(system.ping, 'ws', undefined, 3);
  expect([...meter.requests.values()]).toMatchObject([{ operation: system.ping, count: 2, totalMs: 5 }]);
});
