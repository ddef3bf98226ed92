import type { IncomingMessage } from 'node:http';
import type { JsonAnswer, JsonRoutes } from '../http-service.js';
import type { Authority, AuthorityAnswer } from './authority.js';
import { retType } from './ret-type.js';

const VERSION_HEADER = 'x-svc-client-version';

/** The login service over HTTP. What it decides is in `ret_type`; the status is 200. */
export function authorityRoutes(authority: Authority): JsonRoutes {
  return {
    '/authority/': {
      POST: async (body, problem, request) =>
        body === undefined ? unreadable(problem) : ok(await authority.login(body, versionOf(request))),
    },
    '/authority/device-code': {
      POST: (body, problem) => (body === undefined ? unreadable(problem) : ok(authority.deviceCode(body))),
    },
  };
}

function versionOf({ headers }: IncomingMessage): string | undefined {
  const value = headers[VERSION_HEADER];
  return typeof value === 'string' ? value : undefined;
}

function ok(body: AuthorityAnswer): JsonAnswer {
  return { status: 200, body };
}

function unreadable(problem = 'the body is empty'): JsonAnswer {
  return ok({ ret_type: retType.badParameter, ret_msg: problem });
}
