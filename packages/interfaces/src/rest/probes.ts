import { Rejection } from '@svc-gateway/contract/rejection';
import { describeConnection, type Gateway, type Trouble } from '@svc-gateway/gateway';
import type { Exchange } from '../common/exchange.js';
import type { Responder, RouteHandler } from './responder.js';

/** Liveness, health, readiness and metrics: what monitors ask. The first three are never behind a key. */
export function probeRoutes(gateway: Gateway, responder: Responder, metricsPublic: boolean): ReadonlyMap<string, RouteHandler> {
  const answer = (exchange: Exchange, ok: boolean, reason: string, troubles: readonly Trouble[] = []) => {
    const { platform, brokers } = gateway.readiness.backendStatus();
    const connections = brokers.map(({ brokerId, name, lifecycleState }) => ({
      broker_id: brokerId,
      name,
      lifecycle_state: lifecycleState,
    }));
    const shown = {
      ...(gateway.simulated ? { simulated: true } : {}),
      ...(troubles.length === 0 ? {} : { troubles: troubles.map(({ message }) => message) }),
      // Halted keys are named only to callers who may read the status.
      ...(gateway.halts().length === 0 ? {} : { trading_halted: gateway.halts().some(({ keyId }) => keyId === null) ? 'all' : 'keys' }),
    };
    const state = { lifecycle_state: platform.lifecycleState, brokers: connections };
    const body = { status: ok ? 'ok' : 'unavailable', reason, ...state, ...shown };
    responder.text(exchange, ok ? 200 : 503, 'application/json', `${JSON.stringify(body)}\n`);
  };

  return new Map<string, RouteHandler>([
    // An answer at all shows that the event loop turns.
    ['/livez', (exchange) => answer(exchange, true, 'the process answers')],
    [
      '/health',
      (exchange) => {
        const severed = gateway.readiness.severed();
        const reason = severed === undefined ? 'backend transport is up' : `backend transport is down: ${describeConnection(severed)}`;
        answer(exchange, severed === undefined, reason);
      },
    ],
    [
      '/readyz',
      (exchange) => {
        const troubles = gateway.readiness.troubles();
        const awaited = gateway.readiness.awaited();
        const grave = troubles.find(({ stopsWrites }) => stopsWrites);
        const unready = gateway.readiness.stopping ? 'shutting down' : awaited === undefined ? grave?.message : describeConnection(awaited);
        answer(exchange, gateway.readiness.ready, unready ?? 'requests are served', troubles);
      },
    ],
    [
      '/metrics',
      (exchange) => {
        const caller = responder.caller(exchange, 'GET /metrics');
        const refused = metricsPublic ? undefined : gateway.admissions.authoriseMetrics(caller);
        if (refused instanceof Rejection) {
          responder.reject(exchange, refused, caller);
          return;
        }
        responder.text(exchange, 200, gateway.meter.contentType, gateway.meter.metrics());
      },
    ],
  ]);
}
