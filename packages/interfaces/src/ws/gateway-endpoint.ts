import type { Clock } from '@svc-gateway/contract/clock';
import type { RequestOf } from '@svc-gateway/contract/operation';
import type { account } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Gateway } from '@svc-gateway/gateway';
import { HttpCallers } from '../common/callers.js';
import { writeError } from '../common/error-body.js';
import type { PageOrigins } from '../common/page-origins.js';
import { type Authentication, WsEndpoint } from './endpoint.js';

export interface GatewayEndpointOptions {
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly origins: PageOrigins;
  readonly onDefect: (error: unknown) => void;
}

/** Joins `/ws` to the gateway: handshakes and commands are judged by the one pipeline. */
export function createWsEndpoint({ gateway, clock, origins, onDefect }: GatewayEndpointOptions): WsEndpoint {
  const callers = new HttpCallers('ws');
  return new WsEndpoint({
    hub: gateway.push,
    clock,
    checkPage: ({ headers }) => origins.check(headers, gateway),
    onDefect,
    refuse: (request, token, rejection) => {
      const caller = callers.stray(request, token);
      gateway.admissions.recordRefusal(caller, rejection);
      return { status: rejection.kind.http, body: writeError(rejection, caller.requestId) };
    },
    authenticate: (request, token): Authentication => {
      const caller = callers.stray(request, token);
      const opened = gateway.admissions.openPush(caller);
      if (opened instanceof Rejection) return { ok: false, rejection: opened };
      const { identity, permits } = opened;
      return { ok: true, caller, owner: identity.owner, permits, ...(identity.key === undefined ? {} : { keyId: identity.key.id }) };
    },
    command: async (handshake, connection, { operation, request, since }) => {
      const caller = { ...callers.asking(handshake, operation.name), connectionOwner: connection.ownOwner };
      if (since === undefined) return gateway.call(operation, caller, () => request);
      connection.resume(undefined, []);
      const answer = await gateway.call(operation, caller, () => request);
      const { accIDList } = request as RequestOf<typeof account.subAccPush>;
      if (!(answer instanceof Rejection) && answer.retType === 0) connection.resume(since, accIDList);
      return answer;
    },
  });
}
