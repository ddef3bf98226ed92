import type { Message } from '@bufbuild/protobuf';
import { BrokerRefusal } from '@svc-gateway/contract/broker-codes';
import type { TrdHeader } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { missingField, Rejection, type Told } from '@svc-gateway/contract/rejection';
import type { ResponseMessage } from '../backend.js';
import { RET_SUCCEED } from '../responses.js';
import type { Preview, RepetitionPreview } from './preview.js';
import { addressOf } from './terms.js';

const ANSWERED = 'answered before under this idempotency key: that answer is repeated, and nothing is sent';

/** Preview of a write that was answered before under its idempotency key. `about`: facts beyond the request that a refusal describes. */
export function repetitionOf(
  operation: Operation,
  request: Message,
  response: ResponseMessage,
  about: Told | undefined,
): RepetitionPreview | Rejection {
  const { header } = request as Message & { header?: TrdHeader };
  if (header === undefined) return missingField('header');
  const isAccepted = response.retType === RET_SUCCEED;
  const refusal = isAccepted ? null : new BrokerRefusal(response, about === undefined ? {} : { about });
  return {
    kind: 'repetition',
    ...addressOf(operation, header),
    gates: [],
    wouldPass: isAccepted,
    refusal,
    refusals: refusal === null ? [] : [refusal],
    undecidedBy: [],
    brokerageDecided: true,
    note: ANSWERED,
  };
}

const reasons = {
  under_way: 'the same request is under way under this idempotency key: both get one answer',
  interrupted: 'the same request was interrupted under this idempotency key: it is sent again as it was, and the brokerage answers it',
};

/** A preview of a write whose first sending decides, and not what the brokerage would say now. One that was interrupted meets the gates again. */
export function undecided(reason: keyof typeof reasons, preview: Preview): Preview {
  const refusals = reason === 'interrupted' ? preview.refusals.filter((refusal) => refusal instanceof Rejection) : [];
  const [refusal = null] = refusals;
  const undecidedBy = refusal === null ? [reasons[reason]] : [];
  return {
    ...preview,
    wouldPass: refusal === null ? null : false,
    refusal,
    refusals,
    undecidedBy,
    gates: [],
    brokerageDecided: false,
    note: null,
  };
}
