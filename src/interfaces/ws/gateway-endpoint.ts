import type { Clock } from '../../contract/clock.js';
import { Rejection } from '../../contract/rejection.js';
import type { Gateway } from '../../gateway/index.js';
import { HttpCallers } from '../common/callers.js';
import { writeError } from '../common/error-body.js';
import { checkHost } from '../common/http.js';
import { type Authentication, WsEndpoint } from './endpoint.js';

export interface GatewayEndpointOptions {
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly allowedOrigins: readonly string[];
  readonly onDefect: (error: unknown) => void;
}

/** Joins `/ws` to the gateway: handshakes and commands are judged by the one pipeline. */
export function createWsEndpoint({ gateway, clock, allowedOrigins, onDefect }: GatewayEndpointOptions): WsEndpoint {
  const callers = new HttpCallers('ws');
  return new WsEndpoint({
    hub: gateway.push,
    clock,
    allowedOrigins,
    onDefect,
    refuse: (request, token, rejection) => {
      const caller = callers.stray(request, token);
      gateway.auditRejection(caller, rejection);
      return { status: rejection.kind.http, body: writeError(rejection, caller.requestId) };
    },
    authenticate: (request, token): Authentication => {
      const caller = callers.stray(request, token);
      const opened = checkHost(request.headers.host, gateway) ?? gateway.openPush(caller);
      if (opened instanceof Rejection) return { ok: false, rejection: opened };
      const { identity, permits } = opened;
      return { ok: true, caller, owner: identity.owner, permits, ...(identity.key === undefined ? {} : { keyId: identity.key.id }) };
    },
    command: (handshake, connection, { operation, request }) =>
      gateway.call(operation, { ...callers.asking(handshake, operation.name), connectionOwner: connection.ownOwner }, () => request),
  });
}
