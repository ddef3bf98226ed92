import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../contract/clock.js';
import { Rejection } from '../contract/rejection.js';
import type { Logger } from '../daemon/log.js';
import type { Caller, Gateway } from '../gateway/index.js';
import { writeError } from '../interfaces/common/error-body.js';
import { isLoopback, isTrustedHost, pathOf } from '../interfaces/common/http.js';
import { type Authentication, WsEndpoint } from '../interfaces/ws/index.js';

export interface WsOptions {
  readonly gateway: Gateway;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly allowedOrigins: readonly string[];
}

const ASKED_CHARACTERS_MAX = 200;

/** Joins `/ws` to the gateway: handshakes and commands are judged by the one pipeline. */
export function createWsEndpoint({ gateway, clock, logger, allowedOrigins }: WsOptions): WsEndpoint {
  const prefix = `ws-${randomBytes(6).toString('base64url')}`;
  let count = 0;
  return new WsEndpoint({
    hub: gateway.push,
    clock,
    allowedOrigins,
    refuse: (request, token, rejection) => {
      count += 1;
      const caller = callerOf(request, token, `${prefix}-${count.toString(36)}`);
      gateway.auditRejection(caller, rejection);
      return { status: rejection.kind.http, body: writeError(rejection, caller.requestId) };
    },
    onDefect: (error) => logger.error({ err: error }, 'push connection failed'),
    authenticate: (request, token): Authentication => {
      count += 1;
      const caller = callerOf(request, token, `${prefix}-${count.toString(36)}`);
      const opened =
        gateway.scopeMode || isTrustedHost(request.headers.host)
          ? gateway.openPush(caller)
          : new Rejection(
              'auth.origin',
              `host ${request.headers.host} is not this machine; without a keys file only its addresses and localhost are answered`,
            );
      if (opened instanceof Rejection) return { ok: false, rejection: opened };
      const { identity, permits } = opened;
      return { ok: true, caller, owner: identity.owner, permits, ...(identity.key === undefined ? {} : { keyId: identity.key.id }) };
    },
    command: (handshake, connection, { operation, request }) => {
      count += 1;
      const requestId = `${prefix}-${count.toString(36)}`;
      const caller = { ...handshake, endpoint: operation.name, requestId, connectionOwner: connection.ownOwner };
      return gateway.call(operation, caller, () => request);
    },
  });
}

function callerOf(request: IncomingMessage, keyText: string | undefined, requestId: string): Caller {
  const address = request.socket.remoteAddress ?? '';
  return {
    iface: 'ws',
    endpoint: `GET ${pathOf(request.url).slice(0, ASKED_CHARACTERS_MAX)}`,
    requestId,
    peer: { address, loopback: isLoopback(address) },
    keyText,
  };
}
