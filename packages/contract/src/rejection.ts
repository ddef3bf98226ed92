import type { Decimal } from './decimal.js';
import type { Problem } from './problem.js';
import { shown, shownMessage } from './shown.js';

/** gRPC status codes used here (https://grpc.io/docs/guides/status-codes). */
const grpcStatus = {
  CANCELLED: 1,
  INVALID_ARGUMENT: 3,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

interface RejectionKind {
  readonly http: number;
  readonly grpc: number;
  /** The text that a tool's error starts with; undefined = the message alone. */
  readonly tool?: string;
  /** Prefix of the audit's reason. */
  readonly audit: string;
}

const badRequest = { http: 400, grpc: grpcStatus.INVALID_ARGUMENT, audit: 'request' };
const unauthenticated = { http: 401, grpc: grpcStatus.UNAUTHENTICATED, tool: 'unauthorized', audit: 'auth' };
const forbidden = { http: 403, grpc: grpcStatus.PERMISSION_DENIED, tool: 'unauthorized', audit: 'auth' };
const limited = { http: 429, grpc: grpcStatus.RESOURCE_EXHAUSTED, audit: 'limit' };
const unconfirmed = { http: 403, grpc: grpcStatus.PERMISSION_DENIED, audit: 'confirmation' };
const conflict = { http: 409, grpc: grpcStatus.ABORTED, audit: 'idempotency' };

/** Every way in which the gateway itself says no, and how each interface says it. */
const rejectionKinds = {
  'request.malformed_json': badRequest,
  'request.unknown_field': { ...badRequest, tool: 'unknown field' },
  'request.missing_field': badRequest,
  'request.wrong_type': badRequest,
  'request.out_of_range': badRequest,
  'request.invalid': badRequest,
  'request.invalid_market': { ...badRequest, tool: 'invalid market' },
  'request.too_large': { ...badRequest, http: 413 },
  'request.timeout': { ...badRequest, http: 408 },
  'request.unknown_symbol': badRequest,
  // The caller went away before its request left the daemon: as a rule nobody reads it, the audit trail has it.
  'request.cancelled': { ...badRequest, grpc: grpcStatus.CANCELLED },
  // The public protocol's rule for live data on connections of its own clients.
  'request.not_subscribed': { ...badRequest, grpc: grpcStatus.FAILED_PRECONDITION },
  'route.not_found': { http: 404, grpc: grpcStatus.UNIMPLEMENTED, tool: 'unknown MCP tool', audit: 'route' },
  // A WebSocket's path, asked for without its handshake.
  'route.upgrade_required': { http: 426, grpc: grpcStatus.UNIMPLEMENTED, audit: 'route' },
  'route.method_not_allowed': { http: 405, grpc: grpcStatus.UNIMPLEMENTED, audit: 'route' },
  'auth.missing': unauthenticated,
  'auth.invalid': unauthenticated,
  'auth.expired': unauthenticated,
  'auth.revoked': { ...unauthenticated, tool: 'key revoked' },
  'auth.machine': unauthenticated,
  // The key changed while the write waited to be sent; a new attempt may pass.
  'auth.changed': { http: 409, grpc: grpcStatus.ABORTED, audit: 'auth' },
  'auth.legacy': unauthenticated,
  'auth.scope': forbidden,
  'auth.account': forbidden,
  'auth.origin': forbidden,
  'rest.unlock_trade.local_transport_required': forbidden,
  feature_disabled: { http: 403, grpc: grpcStatus.PERMISSION_DENIED, audit: 'switch' },
  'limit.market': limited,
  'limit.symbol': limited,
  'limit.side': limited,
  'limit.hours': limited,
  'limit.order_value': limited,
  'limit.rate': limited,
  'limit.daily_value': limited,
  'limit.open_orders': limited,
  'limit.daily_loss': limited,
  // A value cap holds, and the value cannot be told.
  'limit.price_unknown': limited,
  'limit.multiplier_unknown': limited,
  'limit.exchange_rate_unknown': limited,
  // A cap on losses holds, and the backend does not say what was lost.
  'limit.loss_unknown': limited,
  // An administrator has ordered that no more risk be taken. Waiting does not help, and nothing is to try again by itself.
  'trading.halted': { http: 403, grpc: grpcStatus.FAILED_PRECONDITION, audit: 'halt' },
  'limit.connections': { ...limited, http: 503 },
  'limit.key_connections': limited,
  'limit.idempotency_keys': limited,
  'limit.refusals': limited,
  'limit.unlock': limited,
  // Too many unanswered calls of one key.
  'limit.calls': limited,
  // Answers that one connection has yet to read.
  'limit.unread': limited,
  // Requests that are still coming, of all callers.
  'limit.bodies': { ...limited, http: 503 },
  'limit.subscriptions': limited,
  // Calls that wait for a condition.
  'limit.waits': limited,
  // Brackets that go on.
  'limit.brackets': limited,
  'confirmation.declined': unconfirmed,
  'confirmation.mismatch': unconfirmed,
  'idempotency.mismatch': conflict,
  'idempotency.unknown_outcome': conflict,
  // Nothing was sent: a connection is away, broke before the call left, or has as many calls to answer as it may.
  'backend.not_ready': { http: 503, grpc: grpcStatus.UNAVAILABLE, audit: 'backend' },
  'backend.not_sent': { http: 503, grpc: grpcStatus.UNAVAILABLE, audit: 'backend' },
  'backend.busy': { http: 503, grpc: grpcStatus.UNAVAILABLE, audit: 'backend' },
  // Refusals by the server behind the gateway: nothing has happened.
  'backend.rate': { ...limited, audit: 'backend' },
  'backend.quota': { ...limited, audit: 'backend' },
  'backend.forbidden': { http: 403, grpc: grpcStatus.PERMISSION_DENIED, audit: 'backend' },
  'backend.invalid': { ...badRequest, audit: 'backend' },
  'backend.unsupported': { http: 501, grpc: grpcStatus.UNIMPLEMENTED, audit: 'backend' },
  'backend.failed': { http: 502, grpc: grpcStatus.UNAVAILABLE, audit: 'backend' },
  'backend.unavailable': { http: 503, grpc: grpcStatus.UNAVAILABLE, audit: 'backend' },
  // "500: server bug or gateway disconnect": the outcome of what was sent is unknown.
  'backend.disconnected': { http: 500, grpc: grpcStatus.UNAVAILABLE, audit: 'backend' },
  // So is it when no answer came in time.
  'backend.timeout': { http: 504, grpc: grpcStatus.DEADLINE_EXCEEDED, audit: 'backend' },
  // The disk does not take writes: nothing more is promised until the daemon is started again with room.
  'storage.failed': { http: 500, grpc: grpcStatus.INTERNAL, audit: 'storage' },
  // Whoever waited for something is told when the daemon stops.
  'daemon.stopping': { http: 503, grpc: grpcStatus.UNAVAILABLE, audit: 'daemon' },
  // --audit-required: nothing was sent.
  'audit.unavailable': { http: 503, grpc: grpcStatus.UNAVAILABLE, audit: 'audit' },
  internal: { http: 500, grpc: grpcStatus.INTERNAL, audit: 'internal' },
} as const satisfies Record<string, RejectionKind>;

/** Every HTTP status that an operation's refusal may have; those of unknown paths and methods belong to no operation. */
export const refusalStatuses: readonly number[] = [
  ...new Set(
    Object.values(rejectionKinds)
      .filter(({ audit }) => audit !== 'route')
      .map(({ http }) => http),
  ),
].sort((a, b) => a - b);

export type RejectionCode = keyof typeof rejectionKinds;

/** HTTP status of a rejection's code, as an answer names it; undefined for other codes. */
export function httpStatusOf(code: string): number | undefined {
  return Object.hasOwn(rejectionKinds, code) ? rejectionKinds[code as RejectionCode].http : undefined;
}

/** A security of an order or a position, in the form that allowlists compare. */
export interface TradedSecurity {
  /** The names of its markets; a list of markets allows it by any of them. */
  readonly markets: readonly string[];
  /** Canonical, "HK.00700". */
  readonly symbol: string;
}

/** An existing order, or the orders that would change a position, as the audit trail has them. */
export interface StandingTerms {
  readonly symbol: string;
  /** Securities that a caller's lists have to allow before it is told these terms. */
  readonly securities: readonly TradedSecurity[];
  readonly orderId?: string | undefined;
  readonly side?: string | undefined;
  readonly qty?: Decimal | undefined;
  readonly price?: Decimal | undefined;
}

/**
 * Subject of a text or a figure: an order or a position in these securities; with none, an account; or what all keys together have sent.
 */
export type Told = readonly TradedSecurity[] | 'all keys';

/** A refusal by the gateway (not by the brokerage, which answers with retType). A value until an interface writes it. */
export class Rejection {
  /** The whole sentence for the caller. */
  readonly message: string;

  constructor(
    readonly code: RejectionCode,
    message: string,
    readonly details: {
      /** Whole seconds after which the same request may pass. */
      readonly retryAfterSeconds?: number;
      /** Path of the offending field. */
      readonly field?: string;
      /** The key that was meant, where it is known though refused: for the audit trail alone. */
      readonly keyId?: string;
      /** Facts beyond the request that the message reveals. Shown only to callers with access to them. */
      readonly about?: Told;
      /** Set if a write was refused before sending, under a code that may also stand for an unknown outcome. */
      readonly unsent?: true;
      /** The existing order or position that a refused change is of: for the audit trail alone. */
      readonly order?: StandingTerms;
    } = {},
  ) {
    this.message = shownMessage(message);
    if (details.field !== undefined) this.details = { ...details, field: shown(details.field) };
  }

  get kind(): RejectionKind {
    return rejectionKinds[this.code];
  }

  /** `limit: rate limit exceeded: …`, as the audit trail has it. */
  get auditReason(): string {
    return `${this.kind.audit}: ${this.message}`;
  }
}

/** The rejection of a body that could not be read. */
export function rejectProblem(problem: Problem): Rejection {
  return new Rejection(`request.${problem.kind}`, problem.message, { field: problem.path });
}

/** The rejection of a field's value. */
export function invalidField(field: string, why: string): Rejection {
  return new Rejection('request.invalid', `${field}: ${why}`, { field });
}

/** The rejection of a number outside of what is accepted. */
export function outOfRangeField(field: string, why: string): Rejection {
  return new Rejection('request.out_of_range', `${field}: ${why}`, { field });
}

/** The rejection of a request without a field that it needs. */
export function missingField(field: string, why = ''): Rejection {
  return new Rejection('request.missing_field', `missing field "${field}"${why === '' ? '' : `: ${why}`}`, { field });
}
