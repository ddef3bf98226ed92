/**
 * Messages of the core WebSocket: binary, big-endian. Eight bytes of signature, the command (a protocol id), the section
 * (the request's number, which its answer repeats; 0 = push). A request has its body right after these 20 bytes; an answer
 * or push first has an error code and 20 bytes of error text.
 */
export interface WsRequest {
  /** uint32: a protocol id, or one of {@link wsCommand}. */
  readonly command: number;
  /** uint64. */
  readonly section: bigint;
  readonly body: Uint8Array;
}

export interface WsAnswer extends WsRequest {
  /** One of {@link wsError}. The published client takes anything but 0 for a refused login, and looks at it nowhere else. */
  readonly error: number;
  /** At most 20 ASCII characters. */
  readonly errorText: string;
}

export type WsRead<T> = { readonly ok: true; readonly message: T } | { readonly ok: false; readonly error: string };

/** Commands of the socket itself. */
export const wsCommand = { initWebSocket: 1, disconnected: 2 } as const;
export const wsError = { none: 0, timeout: 1, upstreamTimeout: 2, disconnected: 3 } as const;
/** The section of every push. */
export const PUSH_SECTION = 0n;

const SIGNATURE = Buffer.from('ft-v1.0\0', 'ascii');
const ERROR_TEXT_BYTES = 20;
const offset = { command: 8, section: 12, requestBody: 20, error: 20, errorText: 24, answerBody: 44 } as const;

export function encodeWsRequest(request: WsRequest): Buffer {
  const bytes = withHead(request, offset.requestBody);
  bytes.set(request.body, offset.requestBody);
  return bytes;
}

/**
 * @throws for an answer without a body and without an error, on which the published client waits for ever.
 */
export function encodeWsAnswer(answer: WsAnswer): Buffer {
  if (answer.body.length === 0 && answer.error === wsError.none) throw new Error(`the answer to command ${answer.command} has no body`);
  const bytes = withHead(answer, offset.answerBody);
  bytes.writeInt32BE(answer.error, offset.error);
  bytes.fill(0, offset.errorText, offset.answerBody);
  bytes.write(asciiOnly(answer.errorText), offset.errorText, ERROR_TEXT_BYTES, 'ascii');
  bytes.set(answer.body, offset.answerBody);
  return bytes;
}

/** The same bytes for every connection. */
export function encodeWsPush(command: number, body: Uint8Array): Buffer {
  return encodeWsAnswer({ command, section: PUSH_SECTION, error: wsError.none, errorText: '', body });
}

/** The body is a view of `bytes`. */
export function decodeWsRequest(bytes: Uint8Array): WsRead<WsRequest> {
  return read(bytes, offset.requestBody, (view) => ({
    command: view.readUInt32BE(offset.command),
    section: view.readBigUInt64BE(offset.section),
    body: view.subarray(offset.requestBody),
  }));
}

/** The client's half. The body is a view of `bytes`. */
export function decodeWsAnswer(bytes: Uint8Array): WsRead<WsAnswer> {
  return read(bytes, offset.answerBody, (view) => ({
    command: view.readUInt32BE(offset.command),
    section: view.readBigUInt64BE(offset.section),
    error: view.readInt32BE(offset.error),
    errorText: view.toString('ascii', offset.errorText, offset.answerBody).replace(/\0+$/, ''),
    body: view.subarray(offset.answerBody),
  }));
}

function withHead({ command, section, body }: WsRequest, headBytes: number): Buffer {
  const bytes = Buffer.allocUnsafe(headBytes + body.length);
  bytes.set(SIGNATURE);
  bytes.writeUInt32BE(command, offset.command);
  bytes.writeBigUInt64BE(section, offset.section);
  return bytes;
}

function read<T>(bytes: Uint8Array, headBytes: number, decode: (view: Buffer) => T): WsRead<T> {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.length < headBytes)
    return { ok: false, error: `a message of ${view.length} bytes is too short, its header alone has ${headBytes}` };
  if (!view.subarray(0, SIGNATURE.length).equals(SIGNATURE)) return { ok: false, error: 'a message starts with "ft-v1.0" and a zero byte' };
  return { ok: true, message: decode(view) };
}

/** The published client reads the text by characters and fails on any of more than one byte. */
function asciiOnly(text: string): string {
  return text.replace(/[^\x20-\x7e]/gu, '?');
}
