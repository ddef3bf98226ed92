import type { FastifyInstance, FastifyReply } from 'fastify';
import { Rejection } from '../../contract/rejection.js';
import type { Gateway } from '../../gateway/index.js';
import type { Responder } from './responder.js';

/** Liveness, health, readiness and metrics: what monitors ask. The first three are never behind a key. */
export function mountProbes(app: FastifyInstance, gateway: Gateway, options: { metricsPublic: boolean; responder: Responder }): void {
  const answer = (reply: FastifyReply, ok: boolean, body: object) =>
    reply
      .code(ok ? 200 : 503)
      .header('cache-control', 'no-store')
      .send({ status: ok ? 'ok' : 'unavailable', ...body });

  // That this runs at all shows that the event loop turns.
  app.get('/livez', (_request, reply) => answer(reply, true, { reason: 'the process answers' }));

  app.get('/health', (_request, reply) => {
    const { platform } = gateway.backendStatus();
    const up = platform.lifecycleState === 'ready' || platform.lifecycleState === 'authenticating';
    return answer(reply, up, {
      reason: `backend transport is ${up ? 'up' : 'down'} (${platform.lifecycleState})`,
      lifecycle_state: platform.lifecycleState,
    });
  });

  app.get('/readyz', (_request, reply) => {
    const { platform } = gateway.backendStatus();
    const ready = gateway.ready;
    const reason = ready ? 'requests are served' : gateway.stopping ? 'shutting down' : `backend is ${platform.lifecycleState}`;
    return answer(reply, ready, { reason, lifecycle_state: platform.lifecycleState });
  });

  app.get('/metrics', async (request, reply) => {
    const caller = options.responder.caller(request.raw, 'GET /metrics');
    const refused = options.metricsPublic ? undefined : gateway.authoriseMetrics(caller);
    if (refused instanceof Rejection) {
      reply.hijack();
      options.responder.reject({ request: request.raw, response: reply.raw }, refused, caller);
      return;
    }
    const text = await gateway.meter.metrics();
    return reply.header('content-type', gateway.meter.contentType).send(text);
  });
}
