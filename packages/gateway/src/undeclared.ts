import { fromBinary } from '@bufbuild/protobuf';
import { scopeMask } from '@svc-gateway/access';
import { refusalCode } from '@svc-gateway/contract/broker-codes';
import { type Response, ResponseSchema } from '@svc-gateway/contract/generated/KeepAlive_pb';
import { Rejection } from '@svc-gateway/contract/rejection';
import { awaitedConnection, notReady } from './backend-connections.js';
import { BackendFailure } from './backend-failures.js';
import { Call, cancelled } from './call.js';
import { rejectFailure } from './call-failures.js';
import type { GatewayBase } from './gateway-base.js';
import type { Caller, Identity } from './identity.js';
import type { InFlight } from './in-flight.js';
import { limitsOf } from './market-names.js';
import { lateRejection } from './orders/late-rejection.js';
import type { Entrance } from './pipeline/entrance.js';
import type { Failures } from './pipeline/failures.js';
import { rejectUnwritten } from './pipeline/required-trail.js';
import { RET_SUCCEED } from './responses.js';
import { rejectDenial } from './valuation/valuation.js';

const realTrading = scopeMask(['trade:real']);
const TRADING = '--enable-trading';

export interface UndeclaredDeps extends GatewayBase {
  readonly inFlight: InFlight;
  readonly entrance: Pick<Entrance, 'identify'>;
  readonly failures: Failures;
}

/**
 * Requests of protocol ids that nobody declared: what they do is not known, and so no scope, allowlist or gate could hold them. They
 * pass, as bytes, for whoever may do anything there is: real trading, without a single limit, and trading switched on.
 */
export class UndeclaredCalls {
  constructor(private readonly deps: UndeclaredDeps) {}

  /** The bytes of the `Response`; undefined where such an id does not pass, for this caller or at all. */
  async call(protoId: number, caller: Caller, body: Uint8Array): Promise<Uint8Array | Rejection | undefined> {
    const { access, backend, backendClock, inFlight, requestTimeoutMs, entrance, failures } = this.deps;
    const identity = entrance.identify(caller);
    if (identity instanceof Rejection || backend.callBytes === undefined || !this.#passes(identity)) return undefined;
    const { owner } = identity;
    // An undeclared request might be an order.
    const halted = access.gates.haltOf(identity.key);
    if (halted !== undefined) return this.#recorded(caller, identity, rejectDenial(halted));
    const awaited = awaitedConnection(backend.status());
    const refused = awaited === undefined ? inFlight.refuseKind('write', owner) : notReady(awaited);
    if (refused !== undefined) return this.#recorded(caller, identity, refused);
    const call = new Call(caller, backendClock, requestTimeoutMs);
    if (!call.commit()) return this.#recorded(caller, identity, cancelled());
    const unrecorded = await this.#announce(caller, identity);
    if (unrecorded !== undefined) return unrecorded;
    call.lateRejection = lateRejection(access, backendClock, identity, { addsRisk: true });
    const { callBytes } = backend;
    const work = (async () => callBytes.call(backend, protoId, body, call))();
    inFlight.enter(owner, work);
    const failed = (thrown: unknown) =>
      thrown instanceof BackendFailure ? rejectFailure(thrown, 'write sent') : failures.defect(caller, thrown);
    return this.#recorded(caller, identity, await call.within(work, failed));
  }

  #passes({ key }: Identity): boolean {
    const { access, switches, tradingHalt } = this.deps;
    if (key === undefined || access.authorise(key, realTrading) !== undefined) return false;
    if (!switches.has(TRADING) || tradingHalt !== undefined) return false;
    return limitsOf(access, key).every((limits) => Object.values(limits).every((limit) => limit === null));
  }

  /** Where the trail is required, it has a line before anything leaves. */
  async #announce(caller: Caller, identity: Identity): Promise<Rejection | undefined> {
    const { audit } = this.deps.access;
    if (!audit.required) return undefined;
    this.#record(caller, identity, 'admitted, not sent yet');
    return rejectUnwritten(audit);
  }

  #recorded<T extends Uint8Array | Rejection>(caller: Caller, identity: Identity, outcome: T): T {
    if (outcome instanceof Rejection) {
      this.#record(caller, identity, outcome.auditReason, outcome.code);
      return outcome;
    }
    const refused = refusalIn(outcome);
    if (refused === undefined) this.#record(caller, identity, 'passed on as it is');
    else this.#record(caller, identity, `refused: ret_type ${refused.retType}: ${refused.retMsg}`, refusalCode(refused).code);
    return outcome;
  }

  #record({ iface, endpoint, requestId }: Caller, { key }: Identity, reason: string, code?: string): void {
    const outcome = code === undefined ? 'allow' : 'reject';
    this.deps.access.audit.record({ iface, endpoint, keyId: key?.id ?? null, outcome, reason, code, requestId });
  }
}

/** The refusal in the bytes of an answer: all answers of the protocol begin alike. undefined for a success, and for bytes that cannot be read. */
function refusalIn(bytes: Uint8Array): Response | undefined {
  try {
    const response = fromBinary(ResponseSchema, bytes);
    return response.retType === RET_SUCCEED ? undefined : response;
  } catch {
    return undefined;
  }
}
