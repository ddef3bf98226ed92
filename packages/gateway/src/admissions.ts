import { type Authentication, scopeMask } from '@svc-gateway/access';
import type { Operation } from '@svc-gateway/contract/operation';
import { quote } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { GatewayBase } from './gateway-base.js';
import { type Caller, type Credential, type Identity, identityOf } from './identity.js';
import type { KeyWatch } from './key-watch.js';
import type { Entrance } from './pipeline/entrance.js';
import type { Permits, PushHub } from './push/index.js';
import { permitsOf } from './push-permits.js';

export interface AdmissionsDeps extends GatewayBase {
  readonly push: PushHub;
  readonly keys: KeyWatch;
  /** Most open connections of one key. */
  readonly connectionsPerKey: number;
  readonly entrance: Pick<Entrance, 'authorise' | 'identify'>;
}

/** The owner of a push connection and its permits. */
export interface OpenedPush {
  readonly identity: Identity;
  readonly permits: Permits;
}

const realTrading = scopeMask(['trade:real']);
const metricsScopes = scopeMask(['metrics:read', 'admin']);

/** Judges callers of everything that is not a call of an operation: connections, metrics, unknown paths. Each judgement is a line of the trail. */
export class Admissions {
  constructor(private readonly deps: AdmissionsDeps) {}

  /** Judges a caller of an operation that the interface answers itself, from what the operation said before. */
  admit(operation: Operation, caller: Caller): Identity | Rejection {
    const identity = this.deps.entrance.identify(caller);
    const refused = identity instanceof Rejection ? identity : this.deps.entrance.authorise(operation, caller, identity);
    this.#record(caller, identity, refused);
    return refused ?? identity;
  }

  /**
   * Identifies the caller of a new push connection and its permits; a refusal is the interface's to audit. `unfit` is the
   * interface's own objection to the request, revealed only to authenticated callers.
   */
  openPush(caller: Caller, unfit?: Rejection): OpenedPush | Rejection {
    const identity = this.deps.entrance.identify(caller);
    if (identity instanceof Rejection) return identity;
    const refused = this.deps.entrance.authorise(quote.getQuote, caller, identity) ?? unfit;
    if (refused !== undefined) return refused;
    const full = caller.iface === 'mcp' ? undefined : this.#refuseFull(identity);
    if (full !== undefined) return full;
    this.#record(caller, identity, undefined);
    return this.#opened(identity);
  }

  /**
   * Opens a connection that asks for operations and receives the pushes of its own subscriptions: who it is and what it may
   * see, or why not. What it may do is judged for each of its requests, made with the key named here.
   */
  openSession(caller: Caller, credential: Credential): OpenedPush | Rejection {
    const identity = identityOf(this.#authenticate(credential));
    const refused = identity instanceof Rejection ? identity : this.#refuseFull(identity);
    this.#record(caller, identity, refused);
    if (identity instanceof Rejection) return identity;
    return refused ?? this.#opened(identity);
  }

  /** Whether the caller may read the metrics; scope mode asks for metrics:read or admin. A refusal is the interface's to audit. */
  authoriseMetrics(caller: Caller): Rejection | undefined {
    const { access, entrance } = this.deps;
    if (!access.scopeMode) return undefined;
    const identity = entrance.identify(caller);
    if (identity instanceof Rejection) return identity;
    const denied = access.authorise(identity.key, metricsScopes);
    if (denied !== undefined) return denied;
    this.#record(caller, identity, undefined);
    return undefined;
  }

  /** Refuses a protocol id that maps to no operation. Only who may trade for real is told so: an id might be one of an order. */
  refuseUnmapped(caller: Caller, protoId: number): Rejection {
    const identity = this.deps.entrance.identify(caller);
    const rejection =
      identity instanceof Rejection
        ? identity
        : (this.deps.access.authorise(identity.key, realTrading) ??
          new Rejection('route.not_found', `protocol id ${protoId} is not served`));
    this.#record(caller, identity, rejection);
    return rejection;
  }

  /** Records a refusal of something that never reached an operation: an unknown path, a foreign origin. */
  recordRefusal(caller: Caller, rejection: Rejection): void {
    this.#record(caller, this.deps.entrance.identify(caller), rejection);
  }

  #authenticate(credential: Credential): Authentication {
    const { access } = this.deps;
    switch (credential.kind) {
      case 'text':
        return access.authenticate(credential.text);
      case 'sdk':
        return access.authenticateSdk(credential.md5Hex);
      case 'id':
        return access.authenticateId(credential.id);
    }
  }

  #opened(identity: Identity): OpenedPush {
    const { access, keys } = this.deps;
    if (identity.key !== undefined) keys.watch(identity.key);
    return { identity, permits: permitsOf(access, identity.key) };
  }

  /** One more connection of a key, where it has as many as it may. */
  #refuseFull({ key, owner }: Identity): Rejection | undefined {
    const { push, connectionsPerKey } = this.deps;
    if (key === undefined || push.connectionsOf(owner) < connectionsPerKey) return undefined;
    return new Rejection('limit.key_connections', `key "${key.id}" has reached its limit of ${connectionsPerKey} open connections`, {
      retryAfterSeconds: 1,
    });
  }

  #record({ iface, endpoint, requestId }: Caller, identity: Identity | Rejection, refused: Rejection | undefined): void {
    const keyId = (identity instanceof Rejection ? identity.details.keyId : identity.key?.id) ?? null;
    const outcome = refused === undefined ? 'allow' : 'reject';
    this.deps.access.audit.record({
      iface,
      endpoint,
      keyId,
      outcome,
      reason: refused?.auditReason ?? '',
      code: refused?.code,
      requestId,
    });
  }
}
