/** An error of JSON-RPC 2.0, section 5.1. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
}

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
/** What implementations may define: here, that the gateway was not reached, went away, or refused at the HTTP level. */
export const SERVER_ERROR = -32000;

/** The answer to a request that has none of the gateway's. `id` is JSON text. */
export function errorAnswer(id: string, { code, message }: RpcError): string {
  return `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":${JSON.stringify(message)}}}`;
}
