import type { Operation } from '@svc-gateway/contract/operation';
import { hasPreview } from '@svc-gateway/contract/preview-path';
import { Rejection } from '@svc-gateway/contract/rejection';
import { asWritten } from '@svc-gateway/contract/written-names';
import { type AnswerRecord, type Moment, reasonOf } from '../answer-record.js';
import type { ResponseMessage } from '../backend.js';
import { told } from '../broker-texts.js';
import { Call } from '../call.js';
import type { GatewayBase } from '../gateway-base.js';
import type { Caller } from '../identity.js';
import type { InFlight } from '../in-flight.js';
import type { OrderPermits } from '../orders/order-permits.js';
import type { Writes } from '../orders/writes.js';
import { type Preview, type Previewer, repetitionOf, shownPreview, undecided } from '../preview/index.js';
import { type Answer, failure } from '../responses.js';
import { shownRefusal } from '../visibility.js';
import type { Dispatch } from './dispatch.js';
import { type Failures, reachOf } from './failures.js';
import { ownKeyOf, type Remembering } from './remembering.js';
import type { Entered, Ongoing, Refused } from './requests.js';
import type { RequiredTrail } from './required-trail.js';

export interface PreviewingDeps extends GatewayBase {
  readonly inFlight: InFlight;
  readonly writes: Writes;
  readonly previewer: Previewer;
  readonly record: AnswerRecord;
  readonly failures: Failures;
  readonly dispatch: Dispatch;
  readonly permits: OrderPermits;
  readonly trail: RequiredTrail;
  readonly remembering: Remembering;
}

export type PreviewOutcome = Preview | ResponseMessage | Rejection;

/** Previews of writes that have entered: judged by the stages of the write, without anything remembered, counted, reserved or sent. */
export class Previewing {
  constructor(private readonly deps: PreviewingDeps) {}

  async outcomeOf(entered: Entered): Promise<PreviewOutcome> {
    const { operation, caller, identity, request } = entered;
    const { backendClock, requestTimeoutMs, inFlight, dispatch, failures, permits, trail } = this.deps;
    if (!hasPreview(operation)) {
      return new Rejection('request.invalid', `${operation.name} has no preview: it has no value, no fees and no gates`);
    }
    try {
      const unserved = dispatch.refuseNow(operation, request, identity);
      if (unserved !== undefined) return asWritten(operation, request, unserved);
      const call = new Call(caller, backendClock, requestTimeoutMs);
      call.owner = identity.owner;
      const ongoing = { ...entered, call };
      const judge = async () =>
        (await permits.check(ongoing)) ?? (await trail.refuseUnrecorded(operation, request)) ?? (await this.#foretell(ongoing));
      const work = judge();
      inFlight.enter(identity.owner, work);
      const outcome = await call.within(work, (thrown) => failures.rejected(caller, thrown, reachOf(operation, true)));
      return asWritten(operation, request, outcome);
    } catch (thrown) {
      return asWritten(operation, request, failures.rejected(caller, thrown, reachOf(operation, true)));
    }
  }

  /** Records a preview, and gives it as its caller may see it. */
  async finish(
    operation: Operation,
    caller: Caller,
    { started }: Moment,
    entered: Entered | Refused,
    outcome: PreviewOutcome,
  ): Promise<PreviewOutcome> {
    const { access, clock, record, trail } = this.deps;
    const key = 'refusal' in entered ? entered.key : entered.identity.key;
    const rejected = outcome instanceof Rejection;
    const answer = 'retType' in outcome || rejected ? outcome : undefined;
    const reason = `preview: ${rejected ? outcome.auditReason : previewReason(outcome)}`;
    const verdict = { outcome: rejected ? 'reject' : 'allow', reason } as const;
    record.record(operation, caller, key, { started, now: clock.now() }, answer, verdict, 'preview');
    if (rejected) return shownRefusal(access, key, outcome);
    if ('refusal' in entered) return outcome;
    const { request } = entered;
    // The line of the preview may be the first that the trail does not take.
    const unrecorded = await trail.refuseUnrecorded(operation, request);
    if (unrecorded !== undefined) return unrecorded;
    if (isPreview(outcome)) return shownPreview(access, key, outcome, (text) => told(operation, caller, text, request));
    return record.shownFailure(operation, caller, key, outcome, await record.told(operation, caller, key, request, outcome), request);
  }

  /** Previews a write past its permits: of one whose idempotency key was used for it before, the answer of then counts. */
  async #foretell(ongoing: Ongoing): Promise<PreviewOutcome> {
    const { operation, caller, identity, request, call } = ongoing;
    const { previewer, record, remembering, writes } = this.deps;
    // A preview uses up no key, and needs none.
    const known = remembering.known(ongoing, ownKeyOf(operation, request) || undefined);
    if (known instanceof Rejection) return known;
    const { key } = identity;
    if (known?.kind === 'answered') {
      const { response } = known;
      return repetitionOf(operation, request, response, await record.told(operation, caller, key, request, response));
    }
    if (known?.kind === 'interrupted') call.sending = known.sending;
    const outcome = writes.refuseRemark(operation, request) ?? (await previewer.preview(operation, key, request, call));
    if (known === undefined || known.kind === 'first' || !isPreview(outcome)) return outcome;
    return undecided(known.kind, outcome);
  }
}

export function isPreview(outcome: PreviewOutcome): outcome is Preview {
  return !(outcome instanceof Rejection) && !('retType' in outcome);
}

/** The answer that a write would get by its preview; undefined where it may pass, or where the brokerage has not decided. */
export function foreseen(operation: Operation, outcome: PreviewOutcome): Answer | undefined {
  if (!isPreview(outcome)) return outcome;
  const { refusal, brokerageDecided } = outcome;
  if (refusal === null || refusal instanceof Rejection) return refusal ?? undefined;
  if (!brokerageDecided) return undefined;
  const { retType, retMsg, errCode } = refusal.response;
  return Object.assign(failure(operation, retMsg, errCode), { retType });
}

function previewReason(outcome: Preview | ResponseMessage): string {
  if ('retType' in outcome) return reasonOf(outcome);
  if (outcome.refusal !== null) return `would be refused: ${outcome.refusal.auditReason}`;
  if (outcome.gates.some(({ passes }) => passes === null)) return 'undecided: a limit depends on what the key may not see';
  return outcome.brokerageDecided ? 'would pass' : 'the limits would let it pass; the brokerage decides when it is sent';
}
