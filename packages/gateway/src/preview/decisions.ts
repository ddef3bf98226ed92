import type { Message } from '@bufbuild/protobuf';
import type { Access, KeyRecord, OrderFacts } from '@svc-gateway/access';
import { type BrokerCode, BrokerRefusal, numberOfBrokerCode, refusalCode } from '@svc-gateway/contract/broker-codes';
import { formatDecimal } from '@svc-gateway/contract/decimal';
import { TrdSide } from '@svc-gateway/contract/generated/Trd_Common_pb';
import type { C2S as ModifyC2S } from '@svc-gateway/contract/generated/Trd_ModifyOrder_pb';
import type { Operation } from '@svc-gateway/contract/operation';
import { Rejection } from '@svc-gateway/contract/rejection';
import { shown } from '@svc-gateway/contract/shown';
import type { Backend, CallContext } from '../backend.js';
import type { CancelAll } from '../orders/cancel-all.js';
import { isCancelAll } from '../orders/cancel-scope.js';
import { restsOnAccount, type SentWrite, toldByBrokerage } from '../orders/refusal-visibility.js';
import { RET_SUCCEED } from '../responses.js';
import { rejectOrder, toldByGate } from '../valuation/valuation.js';
import { mayReadAccounts, maySee } from '../visibility.js';
import type { Judged, PreviewGate, PreviewRefusal, Undecided } from './preview.js';

/**
 * Verdicts of the gates at `now` (epoch ms) on an order, in the words in which they would refuse it. A verdict that rests on an order, a position or
 * a loss that the caller may not see is left out: by asking again and again it would find them out.
 */
export function judge(access: Access, operation: Operation, key: KeyRecord | undefined, facts: OrderFacts, now: number): Judged {
  const seesAccount = maySee(access, key, facts.legs);
  const verdicts = access.gates.judge(key, seesAccount ? facts : withoutAccount(facts), now);
  const gates: PreviewGate[] = [];
  const refusals: Judged['refusals'][number][] = [];
  const undecidedBy: string[] = [];
  for (const verdict of verdicts) {
    const { denial, currency, ...figures } = verdict;
    // A gate without a limit lets everything pass; a halt has none to show.
    const isSet = verdict.limit !== null || verdict.gate === 'halt';
    if (!seesAccount && isSet && restsOnAccount(operation, verdict.gate, denial)) {
      gates.push({ ...figures, after: null, passes: null });
      undecidedBy.push(verdict.gate === 'halt' && denial !== undefined ? denial.reason : GATES_UNDECIDED);
      continue;
    }
    const told = toldByGate(figures, operation, facts);
    const isShown = told === undefined || maySee(access, key, told);
    const passes = denial === undefined;
    gates.push(isShown ? { ...figures, ...(currency === undefined ? {} : { currency }), passes } : { ...figures, after: null, passes });
    if (denial !== undefined) refusals.push(rejectOrder(denial, operation, facts));
  }
  return { gates, refusals, undecidedBy };
}

const GATES_UNDECIDED =
  'a limit depends on an order, a position or a loss that this key may not see: that takes acc:read and, if the key has lists, the market and symbol in them';

/** An order as it counts whatever the account holds. */
function withoutAccount({ laterSides: _, ...facts }: OrderFacts): OrderFacts {
  return { ...facts, reduces: false };
}

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
  { access, backend, cancelAll }: { readonly access: Access; readonly backend: Backend; readonly cancelAll: CancelAll },
  preview: Undecided,
  write: SentWrite,
  context: CallContext,
): Promise<Decision> {
  const { operation, key, request } = write;
  const isOfAll = isCancelAll(operation, request);
  if (backend.check === undefined && !isOfAll)
    return { refusal: refusedByStatus(preview) ?? refusedByCapacity(preview), decided: false, undecidedBy: [NOT_ASKED], note: null };
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

/** An order that has ended can only be deleted, or cancelled to no effect. Shown only to callers who see the order: others have none in their preview. */
function refusedByStatus(preview: Undecided): BrokerRefusal | undefined {
  const order = preview.kind === 'modify' && preview.op !== 'delete' ? preview.order : null;
  if (order === null || !order.isOver) return undefined;
  return refusal(`order ${shown(order.orderIdEx)} has ended: ${order.status}`, numberOfBrokerCode('broker.order_state'));
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
