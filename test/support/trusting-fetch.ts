import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';

/** `fetch` that trusts one more certificate: the built-in one can be told of it only when the process starts. */
export function trustingFetch(ca: string | undefined): typeof fetch {
  return (input, init = {}) =>
    new Promise((resolve, reject) => {
      const url = new URL(input instanceof Request ? input.url : input);
      const headers = Object.fromEntries(new Headers(init.headers));
      const { signal } = init;
      const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
      const request = send(url, { method: init.method ?? 'GET', headers, agent: false, ...(ca === undefined ? {} : { ca }) });
      const abort = () => request.destroy(new DOMException('aborted', 'AbortError'));
      if (signal?.aborted) abort();
      signal?.addEventListener('abort', abort, { once: true });
      request.on('error', reject);
      request.on('close', () => signal?.removeEventListener('abort', abort));
      request.on('response', (response) => {
        const status = response.statusCode ?? 0;
        const body = status === 204 || status === 202 || status === 304 ? null : (Readable.toWeb(response) as ReadableStream);
        if (body === null) response.resume();
        response.on('error', () => undefined);
        resolve(new Response(body, { status, headers: response.headers as Record<string, string> }));
      });
      request.end(init.body as string | undefined);
    });
}
