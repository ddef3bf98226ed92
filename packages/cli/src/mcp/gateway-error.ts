/** Error object of JSON-RPC 2.0, section 5.1. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
/** Implementation-defined: the gateway was not reached, went away, or refused at the HTTP level. */
export const SERVER_ERROR = -32000;

/** Largest message that is passed on: the official SDK's stdio transport takes no larger one. */
export const MESSAGE_BYTES_MAX = 10 * 1024 * 1024;

export const tooLong: RpcError = {
  code: SERVER_ERROR,
  message: `the answer is longer than ${MESSAGE_BYTES_MAX} bytes: ask for less, by a smaller count or page`,
};

/** The reason why a message has no answer of the gateway's, as the client is told it. */
export class GatewayError extends Error {
  constructor(
    readonly error: RpcError,
    /** HTTP status of a refusal; undefined if there was no complete answer. */
    readonly status?: number,
  ) {
    super(error.message);
  }
}

/** An answer of a media type that holds no JSON-RPC message. */
export function noMessage(type: string): GatewayError {
  return new GatewayError({ code: SERVER_ERROR, message: `the gateway answered with no message, but ${type}` });
}

/** The answer to a request that has none of the gateway's. `id` is JSON text. */
export function errorAnswer(id: string, { code, message, data }: RpcError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message, data })}}`;
}
