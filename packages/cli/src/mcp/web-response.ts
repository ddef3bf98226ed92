import type { IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { judge } from '../answer.js';
import { GatewayError, MESSAGE_BYTES_MAX, noMessage, type RpcError, SERVER_ERROR, tooLong } from './gateway-error.js';

const HTTP_ACCEPTED = 202;
const HTTP_NO_SUCH_METHOD = 405;

/** The answer as `fetch` has it. Throws a {@link GatewayError} for a refusal, and for an answer that holds no message. */
export async function toWebResponse(method: string, response: IncomingMessage): Promise<Response> {
  const status = response.statusCode ?? 0;
  const isSuccess = status >= 200 && status <= 299;
  const type = (response.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const headers = new Headers();
  for (const name of ['content-type', 'mcp-session-id']) {
    const value = response.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  if (isSuccess && type === 'text/event-stream') return new Response(ReadableStream.from(response), { status, headers });
  const body = await readText(response);
  // By the protocol, the gateway has no stream of its own.
  if (status === HTTP_NO_SUCH_METHOD && method === 'GET') return new Response(null, { status });
  if (!isSuccess) throw refusal(status, body);
  if (body.trim() === '') return new Response(null, { status: HTTP_ACCEPTED, headers });
  if (type !== 'application/json' || jsonOf(body) === undefined) throw noMessage(type || 'an unnamed type');
  return new Response(body, { status, headers });
}

function refusal(status: number, body: string): GatewayError {
  const { error } = (jsonOf(body) ?? {}) as { readonly error?: unknown };
  if (isRpcError(error)) return new GatewayError(error, status);
  const verdict = judge({ status, body, retryAfterSeconds: undefined });
  return new GatewayError({ code: SERVER_ERROR, message: (verdict.message ?? `HTTP ${status}`).replaceAll('\n', '; ') }, status);
}

function isRpcError(error: unknown): error is RpcError {
  if (typeof error !== 'object' || error === null) return false;
  return 'code' in error && typeof error.code === 'number' && 'message' in error && typeof error.message === 'string';
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return undefined;
  }
}

/** The whole body; empty if it is cut off. */
async function readText(response: IncomingMessage): Promise<string> {
  const decoder = new StringDecoder('utf8');
  let text = '';
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > MESSAGE_BYTES_MAX) break;
      text += decoder.write(chunk);
    }
  } catch (thrown) {
    if (!isConnectionError(thrown)) throw thrown;
    return '';
  }
  if (length > MESSAGE_BYTES_MAX) throw new GatewayError(tooLong);
  return text + decoder.end();
}

/** Errors of sockets and streams have a code, and so has an abort; those of a wrong call are TypeErrors besides. */
function isConnectionError(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && !(thrown instanceof TypeError);
}
