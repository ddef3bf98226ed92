import type { Access } from '../../access/index.js';
import { BrokerRefusal, numberOfBrokerCode } from '../../contract/broker-codes.js';
import { formatDecimal } from '../../contract/decimal.js';
import type { C2S as ModifyC2S } from '../../contract/generated/Trd_ModifyOrder_pb.js';
import type { Backend, CallContext } from '../backend.js';
import { type SentWrite, toldByBrokerage } from '../orders/broker-reasons.js';
import type { CancelAll } from '../orders/cancel-all.js';
import { isCancelAll } from '../orders/cancel-scope.js';
import { RET_SUCCEED } from '../responses.js';
import type { Undecided } from './preview.js';

/** The brokerage's word on a write before it is sent. */
interface Decision {
  readonly refusal: BrokerRefusal | undefined;
  /** Whether it has decided on the request itself. */
  readonly decided: boolean;
  /** Its remark on a write that it accepts; null without one. */
  readonly note: string | null;
}

/**
 * Asks the brokerage whether it would take a write, and takes the same way as the write itself where the gateway carries out a part of it.
 * A brokerage that cannot decide beforehand is taken at its word on what the account can trade.
 */
export async function brokerageDecision(
  backend: Backend,
  access: Access,
  cancelAll: Pick<CancelAll, 'check'>,
  preview: Undecided,
  write: SentWrite,
  context: CallContext,
): Promise<Decision> {
  const { operation, key, request } = write;
  const answer = isCancelAll(operation, request)
    ? await cancelAll.check(operation, request as ModifyC2S, key, context)
    : await backend.check?.(operation, request, context);
  if (answer === undefined || answer.retType === RET_SUCCEED) {
    const decided = backend.check !== undefined;
    return { refusal: decided ? undefined : refusedByCapacity(preview), decided, note: answer?.retMsg || null };
  }
  const about = await toldByBrokerage(backend, access, write, answer, context);
  return { refusal: new BrokerRefusal(answer, about === undefined ? {} : { about }), decided: true, note: null };
}

/** Shown only to callers who may read what the account can trade: others have no capacity in their preview. */
function refusedByCapacity(preview: Undecided): BrokerRefusal | undefined {
  const capacity = 'capacity' in preview ? preview.capacity : null;
  if (capacity === null) return undefined;
  if (capacity.message !== null) return refusal(capacity.message, capacity.errCode ?? 0);
  if (capacity.enough !== false) return undefined;
  const { maxQty } = capacity;
  if (maxQty === null) return refusal('the account cannot pay for it', numberOfBrokerCode('broker.buying_power'));
  const most = `the account can trade at most ${formatDecimal(maxQty)} of it on this side`;
  if (preview.kind === 'place' && preview.terms.side === 'SELL') return refusal(most, numberOfBrokerCode('broker.position'));
  // None at all may have other reasons: a position on the other side, orders that close it already, no permission.
  if (maxQty <= 0n) return refusal(`${most}; the brokerage does not say why`, 0);
  return refusal(most, numberOfBrokerCode('broker.buying_power'));
}

function refusal(retMsg: string, errCode: number): BrokerRefusal {
  return new BrokerRefusal({ retType: -1, retMsg, errCode });
}
