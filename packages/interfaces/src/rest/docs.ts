import { createHash } from 'node:crypto';
import { openApiSteps } from '@svc-gateway/contract/openapi';
import type { Operation } from '@svc-gateway/contract/operation';
import { referencePieces } from '@svc-gateway/contract/reference-page';
import { referenceStyle } from '@svc-gateway/contract/reference-style';
import type { Exchange } from '../common/exchange.js';
import { ownTurn } from '../common/long-answers.js';
import { endInPieces } from './pieces.js';
import type { Responder, RouteHandler } from './responder.js';

/** The page may use its own style sheet, and nothing else may run, load or be sent from it. */
const POLICY =
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(referenceStyle).digest('base64')}'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const HEADERS = { 'content-security-policy': POLICY, 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };

interface Described {
  readonly version: string;
  readonly publicUrl?: string;
  readonly operations: readonly Operation[];
}

/** Answers with the reference page for people. */
export function docsRoute(responder: Responder, described: Described): RouteHandler {
  return madeOnce(responder, 'text/html; charset=utf-8', HEADERS, async () => {
    let page = '';
    for (const piece of referencePieces(described)) {
      page += piece;
      await ownTurn();
    }
    return page;
  });
}

/** Answers with the OpenAPI document. */
export function openApiRoute(responder: Responder, described: Described): RouteHandler {
  return madeOnce(responder, 'application/json', {}, async () => {
    const making = openApiSteps(described);
    for (;;) {
      const step = making.next();
      if (step.done) return `${JSON.stringify(step.value)}\n`;
      await ownTurn();
    }
  });
}

/** Answers with a text that is made when it is first asked for: in many turns, so that nothing else waits for it. */
function madeOnce(
  responder: Responder,
  contentType: string,
  headers: Readonly<Record<string, string>>,
  make: () => Promise<string>,
): RouteHandler {
  let made: Promise<Buffer> | undefined;
  const answer = async (exchange: Exchange) => {
    try {
      made ??= make().then((text) => Buffer.from(text));
      const bytes = await made;
      const { response } = exchange;
      if (response.destroyed) return;
      for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
      response.writeHead(200, { 'content-type': contentType, 'content-length': bytes.length, 'cache-control': 'no-store' });
      await endInPieces(response, bytes);
    } catch (thrown) {
      responder.fail(exchange, thrown);
    }
  };
  return (exchange) => void answer(exchange);
}
