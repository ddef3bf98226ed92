import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Exchange } from '../common/exchange.js';
import { endInPieces } from './pieces.js';
import type { Responder, RouteHandler } from './responder.js';

/** The page may load its own script and style and call its own daemon: nothing else runs, loads, frames it or is sent from it. */
const POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'", "base-uri 'none'", "form-action 'none'"],
  // Browsers that know it refuse every way to turn a text into markup.
  ...["frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"],
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // Kept, but asked for each time: a daemon that was updated serves another page.
  'cache-control': 'no-cache',
};

/** Paths of the console and the built files behind them. */
const files = [
  { path: '/console', name: 'index.html', type: 'text/html; charset=utf-8' },
  { path: '/console/script.js', name: 'script.js', type: 'text/javascript; charset=utf-8' },
  { path: '/console/style.css', name: 'style.css', type: 'text/css; charset=utf-8' },
];

/** The routes of the console: a page for anyone, without data. What it shows it asks for with its user's key. `folder`: the built page. */
export function consoleRoutes(responder: Responder, folder: URL): ReadonlyMap<string, RouteHandler> {
  return new Map(files.map(({ path, name, type }) => [path, fileRoute(responder, new URL(name, folder), type)]));
}

interface Kept {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** Answers with a file, read when it is first asked for: a start needs none of it. */
function fileRoute(responder: Responder, file: URL, type: string): RouteHandler {
  let kept: Kept | undefined;
  const answer = async (exchange: Exchange) => {
    try {
      kept ??= await read(file);
      const { request, response } = exchange;
      if (response.destroyed) return;
      for (const [name, value] of Object.entries(HEADERS)) response.setHeader(name, value);
      response.setHeader('etag', kept.etag);
      if (isKnown(request.headers['if-none-match'], kept.etag)) {
        response.writeHead(304).end();
        return;
      }
      response.writeHead(200, { 'content-type': type, 'content-length': kept.bytes.length });
      await endInPieces(response, kept.bytes);
    } catch (thrown) {
      responder.fail(exchange, thrown);
    }
  };
  return (exchange) => void answer(exchange);
}

async function read(file: URL): Promise<Kept> {
  const bytes = await readFile(file);
  return { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"` };
}

/** Whether the client has it already (RFC 9110, section 13.1.2: compared weakly). */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  return ifNoneMatch?.split(',').some((one) => ['*', etag, `W/${etag}`].includes(one.trim())) ?? false;
}
