import type { Message } from '@bufbuild/protobuf';
import type { Operation, ProtocolMessages } from '@svc-gateway/contract/operation';
import type { CallContext, ResponseMessage } from '@svc-gateway/gateway/backend';
import type { BodyFormat } from '@svc-gateway/wire';

/** Operation of the public protocol: every declared operation that has a protocol id is one. */
export interface ProtocolOperation<M extends ProtocolMessages = ProtocolMessages> {
  /** For people and logs: "get_quote". */
  readonly name: string;
  readonly protoId: number | null;
  readonly messages: M;
  /** Default `read`. */
  readonly effect?: Operation['effect'];
}

/** A push of the server. */
export interface PushFrame {
  readonly protoId: number;
  readonly format: BodyFormat;
  readonly body: Uint8Array;
}

/** Order of requests that wait for a turn: cancels, then other orders, then reads. */
export type Priority = 'cancel' | 'order' | 'read';

/** How long a request may take, and for whom. */
export interface RequestOptions extends Partial<Pick<CallContext, 'answerMs' | 'onAsked' | 'lateRejection'>> {
  /**
   * When it is given up, in milliseconds of `Clock.monotonic`: then the promise is rejected with `BackendTimeout`, or with
   * `BackendUnsent` if it has not left yet.
   */
  readonly deadline: number;
  /** A read whose signal is aborted is given up in the same way. Writes do without one. */
  readonly signal?: AbortSignal | undefined;
  /** Default `read`. */
  readonly priority?: Priority;
  /** Caller whose share of fresh lists, changes and cancels counts the request; absent for the daemon's own requests. */
  readonly owner?: string | undefined;
}

/**
 * The way to one server of the public protocol. Every promise settles: with the server's `Response`, refusals included, or with a
 * `BackendFailure` of the port: `BackendUnsent` where not one byte has left, `BackendTimeout`, or `BackendLost` where the
 * connection was lost under way. An answer that cannot be read, or that lacks its payload, is `BackendLost` to a write and
 * `BackendRefused` (`backend.failed`) to a read.
 */
export interface Upstream {
  /** Sends `c2s` (the operation's `C2S`). The answer is read-only. */
  request(asked: ProtocolOperation, c2s: Message, options: RequestOptions): Promise<ResponseMessage>;
  /** The same with the bytes of a `Request`, for ids that nobody declared; the bytes of its `Response`. */
  requestBytes(protoId: number, body: Uint8Array, options: RequestOptions): Promise<Uint8Array>;
}
