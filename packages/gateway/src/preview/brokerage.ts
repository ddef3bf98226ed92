import type { Message } from '@bufbuild/protobuf';
import type { Access } from '@svc-gateway/access';
import { type BrokerCode, BrokerRefusal, numberOfBrokerCode, refusalCode } from '@svc-gateway/contract/broker-codes';
import { formatDecimal } from '@svc-gateway/contract/decimal';
import { TrdSide } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { C2S as ModifyC2S } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import { Rejection } from '@svc-gateway/contract/rejection';
import type { Backend, CallContext } from '../backend.js';
import { type SentWrite, toldByBrokerage } from '../orders/broker-reasons.js';
import type { CancelAll } from '../orders/cancel-all.js';
import { isCancelAll } from '../orders/cancel-scope.js';
import { RET_SUCCEED } from '../responses.js';
import { mayReadAccounts, maySee } from '../sight.js';
import type { PreviewRefusal, Undecided } from './preview.js';

/** The brokerage's word on a write before it is sent. */
interface Decision {
  readonly refusal: PreviewRefusal | undefined;
  /** Whether it has decided on the request itself, and the caller may know how. */
  readonly decided: boolean;
  /** Reason why it may refuse the write all the same. */
  readonly undecidedBy: readonly string[];
  /** Its remark on a write that it accepts; null without one. */
  readonly note: string | null;
}

const NOT_ASKED = 'nothing that is known speaks against it; this brokerage decides only on the order itself, when it is sent';
const UNTOLD =
  'nothing that this key may see speaks against it; whether the account has enough for it, or the order or position allows it, is told to keys with acc:read and, if they have lists, with the market and symbol in them';

/**
 * Asks the brokerage whether it would take a write, and takes the same way as the write itself where the gateway carries out a part of it.
 * A brokerage that cannot decide beforehand is taken at its word on what the account can trade. A word that rests on what the caller may not see is
 * left out, whatever it is: by asking again and again the caller would find out the rest.
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
  const isOfAll = isCancelAll(operation, request);
  if (backend.check === undefined && !isOfAll)
    return { refusal: refusedByCapacity(preview), decided: false, undecidedBy: [NOT_ASKED], note: null };
  const answer = isOfAll
    ? await cancelAll.check(operation, request as ModifyC2S, key, context)
    : await backend.check?.(operation, request, context);
  if (answer instanceof Rejection) return { refusal: answer, decided: true, undecidedBy: [], note: null };
  const isAccepted = answer === undefined || answer.retType === RET_SUCCEED;
  const about = isAccepted && isOfAll ? undefined : await toldByBrokerage(backend, access, write, isAccepted ? AGREED : answer, context);
  // A request for all orders has no size or price that could find anything out.
  const isUntold = !isOfAll && about !== undefined && !maySee(access, key, about);
  if (isUntold || (!isAccepted && isOddLot(access, write, answer)))
    return { refusal: undefined, decided: false, undecidedBy: [UNTOLD], note: null };
  if (!isAccepted)
    return { refusal: new BrokerRefusal(answer, about === undefined ? {} : { about }), decided: true, undecidedBy: [], note: null };
  const decided = backend.check !== undefined;
  return { refusal: undefined, decided, undecidedBy: decided ? [] : [NOT_ASKED], note: answer?.retMsg || null };
}

/** An agreement tells of the same as a refusal for want of money: that there is enough. */
const AGREED = { errCode: numberOfBrokerCode('broker.buying_power') };

/** Whether a sale is refused for a part of a lot to a caller that may not see the position: an order for all that is left of one may break a lot. */
function isOddLot(access: Access, { operation, key, request }: SentWrite, answer: { readonly errCode: number }): boolean {
  if (operation.valuer !== 'place' || mayReadAccounts(access, key)) return false;
  const { trdSide } = request as Message & { trdSide?: number };
  const closes = trdSide === TrdSide.TrdSide_Sell || trdSide === TrdSide.TrdSide_BuyBack;
  return closes && refusalCode(answer).code === ('broker.lot_size' satisfies BrokerCode);
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
