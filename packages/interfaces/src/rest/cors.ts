import type { Exchange } from '../common/exchange.js';
import { pathOf } from '../common/http.js';

/** Response headers that a page may read; MCP clients in browsers need the session's id. */
const EXPOSED = 'Retry-After, X-Request-Id, Idempotent-Replayed, X-Svc-Stale-Ms, Mcp-Session-Id';
const ACCEPTED = [
  'Accept',
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'Last-Event-ID',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Protocol-Version',
  'Mcp-Session-Id',
  'X-Svc-Enums',
  'X-Svc-Int64',
  'X-Svc-Toolsets',
].join(', ');
/** How long browsers may keep the answer to a preflight; they cap it themselves. */
const PREFLIGHT_SECONDS = '600';

/** Lets pages of the listed origins read what the daemon answers (the Fetch standard's CORS protocol). Others get no such header. */
export class Cors {
  readonly #origins: ReadonlySet<string>;

  constructor(allowedOrigins: readonly string[]) {
    this.#origins = new Set(allowedOrigins);
  }

  /**
   * Marks the answer to a listed origin as readable. True when the request was a preflight, which is then answered; `routes` are
   * the methods by path.
   */
  answersPreflight({ request, response }: Exchange, routes: ReadonlyMap<string, ReadonlyMap<string, unknown>>): boolean {
    const { origin } = request.headers;
    if (origin === undefined || !this.#origins.has(origin)) return false;
    response.setHeader('access-control-allow-origin', origin);
    response.setHeader('vary', 'Origin');
    const methods = routes.get(pathOf(request.url));
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined || methods === undefined) {
      response.setHeader('access-control-expose-headers', EXPOSED);
      return false;
    }
    // A page of the internet that calls this machine needs its word for that as well (Private Network Access).
    if (request.headers['access-control-request-private-network'] === 'true') {
      response.setHeader('access-control-allow-private-network', 'true');
    }
    response.writeHead(204, {
      'access-control-allow-methods': [...methods.keys()].join(', '),
      'access-control-allow-headers': ACCEPTED,
      'access-control-max-age': PREFLIGHT_SECONDS,
    });
    response.end();
    return true;
  }
}
