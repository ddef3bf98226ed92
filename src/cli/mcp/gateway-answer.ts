import type { IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { judge } from '../answer.js';
import { streamEvents } from './event-stream.js';
import { type RpcError, SERVER_ERROR } from './rpc-error.js';
import { readServerMessage, type ServerMessage } from './server-message.js';

/** The longest message that is passed on: what the official SDK's stdio transport takes at most. */
export const MESSAGE_BYTES_MAX = 10 * 1024 * 1024;

/** How far a stream was read, for going on after an interruption. */
export interface StreamPosition {
  lastEventId: string | undefined;
  retryMs: number | undefined;
}

/** The start of a stream. */
export function streamStart(): StreamPosition {
  return { lastEventId: undefined, retryMs: undefined };
}

/**
 * Reads an answer of the gateway to its end, be it JSON or an event stream, and hands on each JSON-RPC message. Resolves
 * with the reason where the answer is a refusal that names no request, or is unusable; undefined when it ended as it
 * should or was cut off.
 */
export async function readAnswer(
  response: IncomingMessage,
  position: StreamPosition,
  deliver: (message: ServerMessage) => Promise<void>,
): Promise<RpcError | undefined> {
  const status = response.statusCode ?? 0;
  if (status < 200 || status > 299) return readRefusal(response, status, deliver);
  const type = mediaType(response);
  if (type === 'text/event-stream') return readStream(response, position, deliver);
  const body = await readText(response);
  if (body === undefined) return tooLong;
  if (body.trim() === '') return undefined;
  const message = type === 'application/json' ? readServerMessage(body) : undefined;
  if (message === undefined)
    return { code: SERVER_ERROR, message: `the gateway answered with no message, but ${type || 'an unnamed type'}` };
  await deliver(message);
  return undefined;
}

/** Takes in what is left of an answer that nobody reads, so that its connection can be used again. */
export function discard(response: IncomingMessage): void {
  response.on('error', () => {}).resume();
}

const tooLong: RpcError = {
  code: SERVER_ERROR,
  message: `the answer is longer than ${MESSAGE_BYTES_MAX} bytes: ask for less, by a smaller count or page`,
};

async function readStream(response: IncomingMessage, position: StreamPosition, deliver: (message: ServerMessage) => Promise<void>) {
  const tooLongOne = await readEvents(response, position, deliver);
  if (tooLongOne) response.destroy();
  return tooLongOne ? tooLong : undefined;
}

/** Whether it was ended by an event that is too long. */
async function readEvents(response: IncomingMessage, position: StreamPosition, deliver: (message: ServerMessage) => Promise<void>) {
  try {
    for await (const event of streamEvents(response, MESSAGE_BYTES_MAX)) {
      if (event === 'oversized') return true;
      position.lastEventId = event.id ?? position.lastEventId;
      position.retryMs = event.retryMs ?? position.retryMs;
      const message = event.data === '' ? undefined : readServerMessage(event.data);
      if (message !== undefined) await deliver(message);
    }
  } catch (thrown) {
    // Cut off: what is missing is found out by what has not been answered.
    if (!isConnectionError(thrown)) throw thrown;
  }
  return false;
}

async function readRefusal(
  response: IncomingMessage,
  status: number,
  deliver: (message: ServerMessage) => Promise<void>,
): Promise<RpcError> {
  const body = (await readText(response)) ?? '';
  const message = readServerMessage(body);
  if (message?.error !== undefined) {
    if (message.answers[0] === 'null') return message.error;
    await deliver(message);
    return message.error;
  }
  const verdict = judge({ status, body, retryAfterSeconds: undefined });
  return { code: SERVER_ERROR, message: (verdict.message ?? `HTTP ${status}`).replaceAll('\n', '; ') };
}

/** Undefined where the body is too long. One that is cut off is empty. */
async function readText(response: IncomingMessage): Promise<string | undefined> {
  const decoder = new StringDecoder('utf8');
  let text = '';
  let length = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (length > MESSAGE_BYTES_MAX) {
        response.destroy();
        return undefined;
      }
      text += decoder.write(chunk);
    }
  } catch (thrown) {
    if (!isConnectionError(thrown)) throw thrown;
    return '';
  }
  return text + decoder.end();
}

function mediaType(response: IncomingMessage): string {
  return (response.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Errors of sockets and streams have a code, and so has an abort; those of a wrong call are TypeErrors besides. */
function isConnectionError(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && !(thrown instanceof TypeError);
}
