import type { Message } from '@bufbuild/protobuf';
import type { Operation } from '@svc-gateway/contract/operation';
import { Rejection } from '@svc-gateway/contract/rejection';
import { asWritten } from '@svc-gateway/contract/written-names';
import type { Caller, Identity } from '../identity.js';
import { confineCancelAll, refuseForAll } from '../orders/cancel-scope.js';
import type { Permissions } from '../permissions.js';
import type { RefusalThrottle } from '../refusal-throttle.js';
import { withoutValues } from '../unsaid-values.js';
import type { Authorisation } from './authorisation.js';
import { type Failures, reachOf } from './failures.js';
import type { Identification } from './identification.js';
import type { Decode, Entered, Refused } from './requests.js';

export interface EntranceDeps {
  readonly identification: Identification;
  readonly authorisation: Authorisation;
  readonly permissions: Permissions;
  readonly refusals: RefusalThrottle;
  readonly failures: Failures;
  /** Told of each request that a key may make. */
  readonly keyUsed: (keyId: string) => void;
}

/** The stages before anything happens, in their order: identify, throttle, authorise, decode, permit by what the request itself says. */
export class Entrance {
  readonly #deps: EntranceDeps;

  constructor(deps: EntranceDeps) {
    this.#deps = deps;
  }

  /** @param now epoch ms. */
  enter(operation: Operation, caller: Caller, decode: Decode, now: number): Entered | Refused {
    const { identification, authorisation, permissions, refusals, keyUsed } = this.#deps;
    const identity = identification.identify(caller, now);
    if (identity instanceof Rejection) return { key: undefined, refusal: identity };
    const { key } = identity;
    if (key !== undefined) keyUsed(key.id);
    const turnedAway = key === undefined ? undefined : refusals.turnAway(identity, operation);
    if (turnedAway !== undefined) return { key, refusal: turnedAway.rejection, turnedAway };
    const refused = authorisation.authorise(operation, caller, identity);
    if (refused !== undefined) return { key, refusal: refused };
    const request = this.#decode(operation, caller, decode);
    if (request instanceof Rejection) return { key, refusal: request };
    confineCancelAll(operation, request, caller.iface);
    const forbidden = permissions.check(operation, key, request) ?? asWritten(operation, request, refuseForAll(operation, request));
    return forbidden === undefined ? { operation, caller, identity, request } : { key, refusal: forbidden, request };
  }

  /** Judges a request that has entered anew: its caller's key and limits may have changed since. */
  review(operation: Operation, caller: Caller, request: Message): Identity | Rejection {
    const { identification, authorisation, permissions } = this.#deps;
    const identity = identification.identify(caller);
    if (identity instanceof Rejection) return identity;
    return authorisation.authorise(operation, caller, identity) ?? permissions.check(operation, identity.key, request) ?? identity;
  }

  #decode(operation: Operation, caller: Caller, decode: Decode): Message | Rejection {
    try {
      const request = decode();
      return request instanceof Rejection ? withoutValues(operation, request) : request;
    } catch (thrown) {
      return this.#deps.failures.rejected(caller, thrown, reachOf(operation, true));
    }
  }
}
