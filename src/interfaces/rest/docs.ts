import { createHash } from 'node:crypto';
import type { Operation } from '../../contract/operation.js';
import { referencePieces } from '../../contract/reference-page.js';
import { referenceStyle } from '../../contract/reference-style.js';
import type { Exchange } from '../common/exchange.js';
import { ownTurn } from '../common/long-answers.js';
import type { Responder, RouteHandler } from './responder.js';

/** The page may use its own style sheet, and nothing else may run, load or be sent from it. */
const POLICY =
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(referenceStyle).digest('base64')}'; ` +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Answers with the reference page, which is made when it is first asked for: a piece a turn, so that nothing else waits for it. */
export function docsRoute(
  responder: Responder,
  options: { readonly version: string; readonly operations: readonly Operation[] },
): RouteHandler {
  let page: Promise<string> | undefined;
  const answer = async (exchange: Exchange) => {
    try {
      page ??= made(options);
      const text = await page;
      const { response } = exchange;
      if (response.destroyed) return;
      response.setHeader('content-security-policy', POLICY);
      response.setHeader('x-content-type-options', 'nosniff');
      response.setHeader('referrer-policy', 'no-referrer');
      responder.text(exchange, 200, 'text/html; charset=utf-8', text);
    } catch (thrown) {
      responder.fail(exchange, thrown);
    }
  };
  return (exchange) => void answer(exchange);
}

async function made(options: { readonly version: string; readonly operations: readonly Operation[] }): Promise<string> {
  let page = '';
  for (const piece of referencePieces(options)) {
    page += piece;
    await ownTurn();
  }
  return page;
}
