import type { Rejection } from '@svc-gateway/contract/rejection';

/** The uniform error body. */
export function writeError(rejection: Rejection, requestId: string): string {
  const { code, message, details } = rejection;
  return `${JSON.stringify({
    error: message,
    code,
    ret_type: -1,
    ret_msg: message,
    err_code: code,
    request_id: requestId,
    ...(details.field ? { field: details.field } : {}),
    ...(details.retryAfterSeconds === undefined ? {} : { retry_after: details.retryAfterSeconds }),
  })}\n`;
}

/** The same as problem details (RFC 9457), for clients that ask for them. */
export function writeProblem(rejection: Rejection, requestId: string): string {
  const { code, message, kind, details } = rejection;
  return `${JSON.stringify({
    type: `urn:svc-gateway:problem:${code}`,
    title: code,
    status: kind.http,
    detail: message,
    code,
    request_id: requestId,
    ...(details.field ? { field: details.field } : {}),
    ...(details.retryAfterSeconds === undefined ? {} : { retry_after: details.retryAfterSeconds }),
  })}\n`;
}
