import type { Message } from '@bufbuild/protobuf';
import type { KeyRecord } from '@svc-gateway/access';
import type { Operation } from '@svc-gateway/contract/operation';
import type { Rejection } from '@svc-gateway/contract/rejection';
import type { Call } from '../call.js';
import type { Caller, Identity } from '../identity.js';
import type { TurnedAway } from '../refusal-throttle.js';

/** Reads a request in the interface's own format. */
export type Decode = () => Message | Rejection;

/** A request that its caller may make. */
export interface Entered {
  readonly operation: Operation;
  readonly caller: Caller;
  readonly identity: Identity;
  readonly request: Message;
}

/** A request on its way to an answer. */
export interface Ongoing extends Entered {
  readonly call: Call;
}

/** A request that was refused before anything happened. */
export interface Refused {
  readonly key: KeyRecord | undefined;
  readonly refusal: Rejection;
  /** Present where it could be read. */
  readonly request?: Message;
  /** Set if the request was rejected unread. */
  readonly turnedAway?: TurnedAway;
}
