import { Rejection } from '../../contract/rejection.js';
import type { Gateway, Trouble } from '../../gateway/index.js';
import type { Exchange } from '../common/exchange.js';
import type { Responder, RouteHandler } from './responder.js';

/** Liveness, health, readiness and metrics: what monitors ask. The first three are never behind a key. */
export function probeRoutes(gateway: Gateway, responder: Responder, metricsPublic: boolean): ReadonlyMap<string, RouteHandler> {
  const answer = (exchange: Exchange, ok: boolean, reason: string, troubles: readonly Trouble[] = []) => {
    const { lifecycleState } = gateway.backendStatus().platform;
    const shown = troubles.length === 0 ? {} : { troubles: troubles.map(({ message }) => message) };
    const body = { status: ok ? 'ok' : 'unavailable', reason, lifecycle_state: lifecycleState, ...shown };
    responder.text(exchange, ok ? 200 : 503, 'application/json', JSON.stringify(body));
  };

  return new Map<string, RouteHandler>([
    // That this runs at all shows that the event loop turns.
    ['/livez', (exchange) => answer(exchange, true, 'the process answers')],
    [
      '/health',
      (exchange) => {
        const { lifecycleState } = gateway.backendStatus().platform;
        const up = lifecycleState === 'ready' || lifecycleState === 'authenticating';
        answer(exchange, up, `backend transport is ${up ? 'up' : 'down'} (${lifecycleState})`);
      },
    ],
    [
      '/readyz',
      (exchange) => {
        const { lifecycleState } = gateway.backendStatus().platform;
        const troubles = gateway.troubles();
        const grave = troubles.find(({ stopsWrites }) => stopsWrites);
        const unready = gateway.stopping ? 'shutting down' : lifecycleState === 'ready' ? grave?.message : `backend is ${lifecycleState}`;
        answer(exchange, gateway.ready, unready ?? 'requests are served', troubles);
      },
    ],
    [
      '/metrics',
      (exchange) => {
        const caller = responder.caller(exchange.request, 'GET /metrics');
        const refused = metricsPublic ? undefined : gateway.authoriseMetrics(caller);
        if (refused instanceof Rejection) {
          responder.reject(exchange, refused, caller);
          return;
        }
        responder.text(exchange, 200, gateway.meter.contentType, gateway.meter.metrics());
      },
    ],
  ]);
}
