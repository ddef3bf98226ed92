import type { Message } from '@bufbuild/protobuf';
import { fieldValue } from '@svc-gateway/contract/field-path';
import type { Operation } from '@svc-gateway/contract/operation';
import { Rejection } from '@svc-gateway/contract/rejection';
import { quoted } from '@svc-gateway/contract/shown';
import type { AnswerRecord } from '../answer-record.js';
import type { GatewayBase } from '../gateway-base.js';
import { type Admission, checkKeyText, type IdempotencyKeys, type Run } from '../idempotency/keys.js';
import { isCancel } from '../orders/cancel-scope.js';
import type { Answer } from '../responses.js';
import { rejectUnstored, servesDuringOutage } from '../storage-outage.js';
import type { Entered, Ongoing } from './requests.js';

export interface RememberingDeps extends GatewayBase {
  readonly idempotency: IdempotencyKeys;
  readonly record: AnswerRecord;
}

/** The stage before the gates: a write under an idempotency key that was used before gets the answer of then. */
export class Remembering {
  constructor(private readonly deps: RememberingDeps) {}

  /**
   * Obstacle of a write between its permits and its gates, or what is known of it under its idempotency key; undefined where it is new.
   * Nothing is changed by looking. `ownKey`: the key in its request.
   */
  known({ operation, caller, identity, request }: Entered, ownKey: string | undefined): Admission | Rejection | undefined {
    const { backend, idempotency, store } = this.deps;
    const key = ownKey ?? caller.idempotencyKey;
    const wrong = checkKeyText(caller, ownKey);
    if (wrong !== undefined) return wrong;
    // Before the key is looked for: the answer under it may not be on disk yet.
    if (store.failure !== undefined && !servesDuringOutage(operation, request)) return rejectUnstored(store.failure);
    if (key === undefined) return undefined;
    const known = idempotency.admit({ owner: identity.owner, holder: identity.key?.hash }, key, operation, request);
    // A cancel makes no second order, and whoever has used up its keys must be able to get out.
    if (known instanceof Rejection) return known.code === 'limit.idempotency_keys' && isCancel(request) ? undefined : known;
    // A write that places several orders is never sent twice: its own key says so.
    const isSentAgain = backend.replaysWrites && ownKey === undefined;
    return known.kind === 'interrupted' && !isSentAgain ? unknownOutcome(key) : known;
  }

  /** Sends a write, unless it was sent before. `again` sends it where the request that it joined was not. */
  once(ongoing: Ongoing, send: Parameters<Run>[0], again: () => Answer | Promise<Answer>): Answer | Promise<Answer> {
    const { operation, caller, request, call } = ongoing;
    const { record } = this.deps;
    const known = this.known(ongoing, ownKeyOf(operation, request));
    if (known instanceof Rejection) return known;
    if (known === undefined) return send(undefined, undefined);
    switch (known.kind) {
      case 'answered':
        record.repeated(caller);
        return known.response;
      case 'under_way':
        call.join();
        return known.answer.then((answer) => {
          // The first caller went away before anything was sent: this one is still here.
          const unsent = answer instanceof Rejection && answer.code === 'request.cancelled';
          if (unsent && !call.isGone()) return again();
          if (!(answer instanceof Rejection)) record.repeated(caller);
          return answer;
        });
      case 'interrupted':
      case 'first':
        return known.run(send);
    }
  }
}

/** The idempotency key that is a field of the request, '' where it is not given; undefined for operations without one. */
export function ownKeyOf({ keyField, messages }: Operation, request: Message): string | undefined {
  return keyField === null ? undefined : ((fieldValue(messages.C2SSchema, keyField)(request) as string | undefined) ?? '');
}

/** The packet id of an interrupted write means nothing to this backend: sent again, it might be carried out twice. */
function unknownOutcome(key: string): Rejection {
  const message = `the request under idempotency key ${quoted(key)} may have taken effect: check the orders; to send it again, use a new key`;
  return new Rejection('idempotency.unknown_outcome', message);
}
