import { maxHeaderSize } from 'node:http';
import { Rejection } from '@svc-gateway/contract/rejection';
import { writeError } from './error-body.js';

/** A parse error of node:http; `reason` is its parser's. */
export type UnreadableError = NodeJS.ErrnoException & { readonly reason?: string };

/** The whole answer to a request that cannot be read, after which the connection ends. */
export function answerToUnreadable(error: UnreadableError, requestId: string): string {
  const [status, rejection] = refusalOf(error);
  const body = writeError(rejection, requestId);
  const head = [`HTTP/1.1 ${status}`, 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`, 'Connection: close'];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

function refusalOf({ code, reason }: UnreadableError): readonly [status: string, rejection: Rejection] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW': {
      const message = `the head of the request is too long: at most ${maxHeaderSize / 1024} KiB are accepted`;
      return ['431 Request Header Fields Too Large', new Rejection('request.too_large', message)];
    }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return ['408 Request Timeout', new Rejection('request.timeout', 'the request did not come in time')];
    default:
      return ['400 Bad Request', new Rejection('request.invalid', `not a request of HTTP/1.1${reason === undefined ? '' : `: ${reason}`}`)];
  }
}
