import type { Message } from '@bufbuild/protobuf';
import type { Operation } from '@svc-gateway/contract/operation';
import { system, trade } from '@svc-gateway/contract/operations';
import { Rejection } from '@svc-gateway/contract/rejection';
import { checkAnswer } from '../answer-check.js';
import { filterAnswer } from '../answer-filter.js';
import { notReady } from '../backend-connections.js';
import { cancelled } from '../call.js';
import type { Run } from '../idempotency/keys.js';
import type { Identity } from '../identity.js';
import type { InFlight } from '../in-flight.js';
import type { LocalOperations } from '../local/index.js';
import { limitsOf } from '../market-names.js';
import { asWanted } from '../order-detail.js';
import { type UnlockingDeps, unlock } from '../orders/unlocking.js';
import type { Writes } from '../orders/writes.js';
import { type Answer, withMessage } from '../responses.js';
import type { Entrance } from './entrance.js';
import type { Remembering } from './remembering.js';
import type { Ongoing } from './requests.js';
import type { RequiredTrail } from './required-trail.js';

export interface DispatchDeps extends UnlockingDeps {
  /** Operations that the gateway answers itself, by name. */
  readonly local: LocalOperations;
  readonly inFlight: InFlight;
  readonly writes: Writes;
  readonly entrance: Entrance;
  readonly trail: RequiredTrail;
  readonly remembering: Remembering;
}

/** The last stages: the backend or the gateway itself answers, and the answer is filtered by what the caller may see by then. */
export class Dispatch {
  constructor(private readonly deps: DispatchDeps) {}

  /** Reason why the backend is not to be asked now. Answers of the gateway alone are given always. */
  refuseNow(operation: Operation, request: Message, identity: Identity): Rejection | undefined {
    const { backend, inFlight, local } = this.deps;
    const awaited = backend.readiness(operation, request);
    const full = inFlight.refuse(operation, request, identity);
    if (awaited === undefined && full === undefined) return undefined;
    if (local[operation.name]?.alone) return undefined;
    // A pending login is answered by the one operation that it waits for.
    return awaited === undefined || operation === system.verification ? full : notReady(awaited);
  }

  send(ongoing: Ongoing): Answer | Promise<Answer> {
    const { operation, caller, identity, request, call } = ongoing;
    if (operation.effect === 'order' || operation.effect === 'write') return this.#write(ongoing);
    const local = this.deps.local[operation.name];
    const answer =
      local === undefined
        ? this.deps.backend.call(operation, request, call)
        : local.answer({ operation, request, identity, caller, context: call });
    if (answer instanceof Promise) return answer.then((answered) => this.#shownLater(ongoing, answered));
    return this.#shown(ongoing, answer);
  }

  /** A stale answer to a read while its connection is away, marked with its age in the interface's header and in its text. */
  held(ongoing: Ongoing, unserved: Rejection): Answer | Promise<Answer> | undefined {
    const { operation, caller, request } = ongoing;
    if (unserved.code !== 'backend.not_ready' || operation.effect !== 'read') return undefined;
    const held = this.deps.backend.held?.(operation, request);
    if (held === undefined) return undefined;
    const ageMs = Math.round(held.ageMs);
    caller.onHeld?.(ageMs);
    const retMsg = `held since ${new Date(held.at).toISOString()} (${ageMs} ms): ${unserved.message}`;
    return this.#shown(ongoing, withMessage(held.response, retMsg));
  }

  #write(ongoing: Ongoing): Answer | Promise<Answer> {
    const { trail, remembering } = this.deps;
    const once = () => remembering.once(ongoing, this.#senderOf(ongoing), () => this.#write(ongoing));
    return trail.isRequired ? trail.announce(ongoing).then((unrecorded) => unrecorded ?? once()) : once();
  }

  #senderOf(ongoing: Ongoing): Parameters<Run>[0] {
    const { operation, caller, identity, request, call } = ongoing;
    const { local: locals, writes } = this.deps;
    if (operation === trade.unlockTrade) return (commit) => unlock(this.deps, ongoing, commit);
    const local = locals[operation.name];
    if (local === undefined) return writes.sender(ongoing);
    return async () => (call.commit() ? local.answer({ operation, request, identity, caller, context: call }) : cancelled());
  }

  /** An answer that took its time, as its caller may see it by now: the key may have been changed meanwhile. */
  #shownLater(ongoing: Ongoing, answer: Answer): Answer | Promise<Answer> {
    const { operation, caller, identity, request } = ongoing;
    const { entrance } = this.deps;
    const isJudged = answer instanceof Rejection || entrance.isAsItWas(identity);
    const judged = isJudged ? identity : entrance.review(operation, caller, request);
    return judged instanceof Rejection ? judged : this.#shown({ ...ongoing, identity: judged }, answer);
  }

  /** An answer as its caller may see it. */
  #shown({ operation, identity, request, call }: Ongoing, answer: Answer): Answer | Promise<Answer> {
    if (answer instanceof Rejection) return answer;
    const response = asWanted(operation, call, checkAnswer(operation, answer));
    if (typeof operation.reach === 'string') return response;
    return filterAnswer(operation, request, limitsOf(this.deps.access, identity.key), response);
  }
}
