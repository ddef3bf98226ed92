import type { Message } from '@bufbuild/protobuf';
import type { Operation } from '@svc-gateway/contract/operation';
import type { PushEvent, ResponseMessage } from '@svc-gateway/gateway/backend';
import type { Connected } from './connected.js';

/** A request as rules see it: read, and not yet carried out. */
export interface Ask {
  readonly protoId: number;
  /** undefined for Qot_RegQotPush, which is a matter of the connection. */
  readonly operation: Operation | undefined;
  readonly c2s: Message;
  readonly client: Connected;
  /** On the monotonic clock. */
  readonly now: number;
}

/** Refusal by a rule, in place of the answer. */
export class Refused {
  constructor(
    /** Message as the client reads it. */
    readonly retMsg: string,
    /** Common.RetType. */
    readonly retType = -1,
  ) {}
}

/** A success without content, in place of what was asked for. */
export class Empty {}

/**
 * One habit of a server, between the framing and the simulation. The rules of a server are asked in their order; the first that
 * does not let a request pass answers it.
 */
export interface Rule {
  judge?(ask: Ask): Refused | Empty | undefined | Promise<Refused | Empty | undefined>;
  /** Changes what the simulation answered. */
  answered?(ask: Ask, response: ResponseMessage): ResponseMessage;
  /** Whether a push is never sent. */
  withholds?(event: PushEvent): boolean;
  /** The server starts again: what it held in memory is gone. */
  restarted?(): void;
}
