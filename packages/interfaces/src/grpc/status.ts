import { Metadata, type StatusObject, status } from '@grpc/grpc-js';
import type { Rejection } from '@svc-gateway/contract/rejection';
import { shown } from '@svc-gateway/contract/shown';

/** The trailing metadata of every answer. */
export function trailerOf(requestId: string): Metadata {
  const metadata = new Metadata();
  metadata.set('x-request-id', requestId);
  return metadata;
}

/** The status of a refusal; `error-code` is the code that JSON bodies carry, `retry-after` in seconds. */
export function statusOf(rejection: Rejection, requestId: string): StatusObject {
  const { code, message, kind, details } = rejection;
  const metadata = trailerOf(requestId);
  metadata.set('error-code', code);
  if (details.retryAfterSeconds !== undefined) metadata.set('retry-after', String(details.retryAfterSeconds));
  return { code: kind.grpc, details: detailsOf(message), metadata };
}

/** Status by close code of the hub: codes of RFC 6455, of the IANA registry, and ours for a key that is no longer valid. */
const statusByClose = new Map([
  [1001, status.UNAVAILABLE],
  [1013, status.RESOURCE_EXHAUSTED],
  [4401, status.UNAUTHENTICATED],
]);

/** The status of a push stream that the hub closes. */
export function statusOfClose(code: number, reason: string, requestId: string): StatusObject {
  return { code: statusByClose.get(code) ?? status.INTERNAL, details: detailsOf(reason), metadata: trailerOf(requestId) };
}

/** Header lists are commonly limited to 8 KiB, and a character takes up to nine bytes there. */
const DETAILS_CHARACTERS_MAX = 800;
const LONE_SURROGATE = /[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;

/** Makes a text fit for a header: the library's percent-encoding throws at half a surrogate pair. */
function detailsOf(text: string): string {
  return shown(text, DETAILS_CHARACTERS_MAX).replace(LONE_SURROGATE, '\uFFFD');
}
