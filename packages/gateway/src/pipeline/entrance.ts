import type { Message } from '@bufbuild/protobuf';
import { isSameKey } from '@svc-gateway/access';
import type { Operation } from '@svc-gateway/contract/operation';
import { Rejection } from '@svc-gateway/contract/rejection';
import { asWritten } from '@svc-gateway/contract/written-names';
import type { GatewayBase } from '../gateway-base.js';
import { type Caller, type Identity, identityOf, isSameText } from '../identity.js';
import { confineCancelAll, refuseForAll } from '../orders/cancel-scope.js';
import type { Permissions } from '../permissions.js';
import { withoutValues } from '../redaction.js';
import type { RefusalThrottle } from '../refusal-throttle.js';
import { type Failures, reachOf } from './failures.js';
import type { Decode, Entered, Refused } from './requests.js';

export interface EntranceDeps extends GatewayBase {
  readonly permissions: Permissions;
  readonly refusals: RefusalThrottle;
  readonly failures: Failures;
  /** Told of each request that a key may make. */
  readonly keyUsed: (keyId: string) => void;
}

/** The stages before anything happens, in their order: identify, throttle, authorise, decode, permit by what the request itself says. */
export class Entrance {
  constructor(private readonly deps: EntranceDeps) {}

  /** @param now epoch ms. */
  enter(operation: Operation, caller: Caller, decode: Decode, now: number): Entered | Refused {
    const { permissions, refusals, keyUsed } = this.deps;
    const identity = this.identify(caller, now);
    if (identity instanceof Rejection) return { key: undefined, refusal: identity };
    const { key } = identity;
    if (key !== undefined) keyUsed(key.id);
    const turnedAway = key === undefined ? undefined : refusals.turnAway(identity, operation);
    if (turnedAway !== undefined) return { key, refusal: turnedAway.rejection, turnedAway };
    const refused = this.authorise(operation, caller, identity);
    if (refused !== undefined) return { key, refusal: refused };
    const request = this.#decode(operation, caller, decode);
    if (request instanceof Rejection) return { key, refusal: request };
    confineCancelAll(operation, request, caller.iface);
    const forbidden = asWritten(operation, request, permissions.check(operation, key, request) ?? refuseForAll(operation, request));
    return forbidden === undefined ? { operation, caller, identity, request } : { key, refusal: forbidden, request };
  }

  /** Judges a request that has entered anew: its caller's key and limits may have changed since. */
  review(operation: Operation, caller: Caller, request: Message): Identity | Rejection {
    const identity = this.identify(caller);
    if (identity instanceof Rejection) return identity;
    return this.authorise(operation, caller, identity) ?? this.deps.permissions.check(operation, identity.key, request) ?? identity;
  }

  /** Names the caller of a request, or says why its credential is no good. @param now epoch ms. */
  identify(caller: Caller, now = this.deps.clock.now()): Identity | Rejection {
    const { access } = this.deps;
    if (caller.key !== undefined) return identityOf(access.revalidate(caller.key, now));
    const { keyText, peer } = caller;
    const { shown } = peer;
    if (shown !== undefined && keyText !== undefined && isSameText(keyText, shown.keyText)) {
      const known = access.revalidate(shown.key, now);
      if (known.ok) return identityOf(known);
    }
    const authenticated = access.authenticate(keyText, now);
    if (authenticated.ok && authenticated.value !== undefined && keyText !== undefined) peer.shown = { keyText, key: authenticated.value };
    return identityOf(authenticated);
  }

  /** Whether a key is as it was when its bearer was named: what was made for it may be given out. */
  isAsItWas({ key }: Identity): boolean {
    if (key === undefined) return true;
    const judged = this.deps.access.revalidate(key);
    return judged.ok && isSameKey(judged.value, key);
  }

  /** Whether a caller may ask for an operation at all, whatever its request says: by its scopes, the switches and where it is. */
  authorise(operation: Operation, caller: Caller, { key }: Identity): Rejection | undefined {
    const { permissions, switches, tradingHalt } = this.deps;
    const denied = permissions.scope(operation, key);
    if (denied !== undefined) return denied;
    const missing = operation.switches.filter((name) => !switches.has(name));
    if (missing.length > 0)
      return new Rejection('feature_disabled', `${operation.name} is switched off; start the daemon with ${missing.join(' ')}`);
    if (operation.group === 'trade' && tradingHalt !== undefined)
      return new Rejection('feature_disabled', `trading is off: ${tradingHalt}`);
    if (!operation.loopbackOnly || caller.peer.loopback) return undefined;
    const message = `${operation.name} is accepted from this machine only; remote callers go through an HTTPS reverse proxy on the same host`;
    return new Rejection('rest.unlock_trade.local_transport_required', message);
  }

  #decode(operation: Operation, caller: Caller, decode: Decode): Message | Rejection {
    try {
      const request = decode();
      return request instanceof Rejection ? withoutValues(operation, request) : request;
    } catch (thrown) {
      return this.deps.failures.rejected(caller, thrown, reachOf(operation, true));
    }
  }
}
