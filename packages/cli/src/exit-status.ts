import { EXIT_FAILED, EXIT_USAGE } from './command-line.js';

/** Exit statuses of `svcctl`. Scripts may rely on them. */
export const exitStatus = {
  ok: 0,
  /** The brokerage refused (`ret_type` other than 0), a probe failed, or a local error. */
  businessFailure: EXIT_FAILED,
  usage: EXIT_USAGE,
  /** The gateway refused the request (HTTP 4xx, or 503 while it has no backend): it had no effect. */
  refused: 3,
  /** No connection: the request was not sent. */
  unreachable: 4,
  /** Sent, its outcome unknown (HTTP 500, timeout, connection lost) or lost (output that cannot be written): a write may have taken effect. */
  unanswered: 5,
} as const;

/** Table of the exit statuses for the help text. */
export const exitStatusHelp = `
Exit status:
  0  success
  1  the brokerage refused (ret_type is not 0), a health check failed, or a local error
  2  wrong usage
  3  the gateway refused the request (HTTP 4xx, or 503: not ready)
  4  cannot connect: nothing was sent
  5  outcome unknown (HTTP 500, timeout, connection lost), or lost (output that cannot be written): a write may have taken effect`;
